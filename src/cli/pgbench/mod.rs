//! `reprise pgbench`, and any program of the name `pgbench`: pgbench's command line.

mod aggregate;
mod builtin;
mod complaint;
mod conclude;
mod connect;
mod files;
mod getopt;
mod init;
mod log;
mod numbers;
mod options;
mod output;
mod parse;
mod progress;
mod prompt;
mod run;
mod scripts;
mod seed;
mod table;
mod tables;
mod teller;
mod watch;
mod wording;

use std::io::Write;

pub(crate) use connect::default_database;
pub(crate) use getopt::{Found, Spec, read};
pub(crate) use init::initialize;
pub(crate) use options::{ConnectionOptions, InitOptions, Job, Options, PartitionMethod, ScriptArg, Stop};
use parse::Stopped;
pub(crate) use parse::Surroundings;
pub(crate) use run::{Ended, run};
pub(crate) use scripts::default_script;
pub(crate) use table::OPTIONS;

/// What a command line that is not a run prints, where, and with which exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// On standard output, with 0.
    Output(String),
    /// On standard error, with 0.
    Note(String),
    /// On standard error, with 1.
    Error(String),
}

/// Run as pgbench does, with its command line
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// pgbench's options and the database; see `reprise pgbench --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    pub(crate) args: Vec<String>,
}

/// A program's name, twice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    /// As it was called, for `getopt`'s messages.
    pub(crate) called: &'a str,
    /// Without folders, for all others.
    pub(crate) name: &'a str,
}

/// Reads a command line (without the program's name); what is to be said meanwhile goes to `err`.
pub(crate) fn parse(
    program: Program<'_>,
    args: &[String],
    surroundings: &Surroundings,
    err: &mut dyn Write,
) -> Result<Job, Said> {
    let Program { called, name } = program;
    match args.first().map(String::as_str) {
        Some("--help" | "-?") => return Err(Said::Output(table::help(name))),
        Some("--version" | "-V") => {
            let version = env!("CARGO_PKG_VERSION");
            return Err(Said::Output(format!("pgbench (PostgreSQL) 18.6 (reprise {version})\n")));
        }
        _ => {}
    }
    parse::parse(name, args, surroundings, err).map_err(|stopped| match stopped {
        Stopped::Shown(text) => Said::Note(text),
        Stopped::Error(text) => Said::Error(wording::tagged(name, &text)),
        Stopped::Getopt(text) => Said::Error(format!("{called}: {text}\n{name}: {}\n", help_hint(name))),
    })
}

/// Where the options are listed.
fn help_hint(program: &str) -> String {
    format!("hint: Try \"{program} --help\" for more information.")
}

#[cfg(test)]
mod tests {
    use super::{Program, Said, Surroundings, parse};

    fn said(line: &str) -> Said {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let program = Program { called: "bin/pgbench", name: "pgbench" };
        parse(program, &args, &Surroundings::default(), &mut Vec::new()).expect_err("not a run")
    }

    #[test]
    fn help_and_version_count_only_in_the_first_place() {
        assert!(matches!(said("--help"), Said::Output(_)));
        assert!(matches!(said("-V"), Said::Output(text) if text.starts_with("pgbench (PostgreSQL) ")));
        assert_eq!(
            said("-n -?"),
            Said::Error(
                "bin/pgbench: invalid option -- '?'\n\
                 pgbench: hint: Try \"pgbench --help\" for more information.\n"
                    .to_owned()
            )
        );
    }

    #[test]
    fn further_lines_have_tags_or_none() {
        insta::assert_snapshot!(
            match said("--random-seed one") { Said::Error(text) => text, other => panic!("{other:?}") },
            @r#"
        pgbench: error: unrecognized random seed option "one"
        pgbench: detail: Expecting an unsigned integer, "time" or "rand".
        pgbench: error: error while setting random seed from --random-seed option
        "#
        );
        insta::assert_snapshot!(
            match said("-b s") { Said::Error(text) => text, other => panic!("{other:?}") },
            @r#"
        pgbench: error: ambiguous builtin name: 2 builtin scripts found for prefix "s"
        Available builtin scripts:
              tpcb-like: <builtin: TPC-B (sort of)>
          simple-update: <builtin: simple update>
            select-only: <builtin: select only>
        "#
        );
        assert!(matches!(said("-b list"), Said::Note(text) if text.ends_with("only>\n\n")));
    }

    #[test]
    fn its_help_fits_a_terminal() {
        let Said::Output(help) = said("--help") else { panic!("no help") };
        assert!(help.lines().all(|l| l.len() <= 80), "{help}");
        insta::assert_snapshot!(help);
    }
}

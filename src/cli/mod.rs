//! The command line. Here, and nowhere else, arguments are read, texts printed, and the exit code chosen.

mod bare;
mod check;
mod color;
mod compile;
mod completions;
mod define;
mod diagnostic;
mod exit;
mod files;
mod format;
mod import;
mod interrupt;
mod kept;
mod new;
mod output;
mod pgbench;
mod plan;
mod prepare;
mod refusal;
mod report;
mod run;
mod runtime;
mod schema;
mod width;
mod yaml;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::server;
use color::ColorChoice;
use exit::Exit;
use output::Output;
use refusal::Refusal;

/// Declarative PostgreSQL workloads: write them, run them, reproduce published ones.
#[derive(Debug, Parser)]
#[command(name = "reprise", version, max_term_width = 100, after_help = Exit::table())]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
struct Cli {
    /// Color the output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Check(check::Args),
    Plan(plan::Args),
    Report(report::Args),
    Pgbench(pgbench::Args),
    Import(import::Args),
    New(new::Args),
    Schema(schema::Args),
    Completions(completions::Args),
}

/// The commands with their options, for documentation.
pub fn command() -> clap::Command {
    Cli::command()
}

/// The whole program: what it does is said by the arguments, how it went by the exit code.
pub fn main(mut args: Vec<OsString>) -> ExitCode {
    if args.get(1).is_some_and(|arg| arg == server::guard::SUBCOMMAND) {
        return server::guard::main();
    }
    if let Some((called, rest)) = pgbench_call(&args) {
        let text = |arg: &OsString| arg.to_string_lossy().into_owned();
        let rest: Vec<String> = rest.iter().map(text).collect();
        return pgbench_main(pgbench::Program { called: &called, name: "pgbench" }, &rest).into();
    }
    let imported = import::cut(&mut args);
    match Cli::try_parse_from(args) {
        Ok(cli) => dispatch(cli, &imported).into(),
        Err(error) => {
            let mut out = Output::new(io::stdout());
            out.note(error.print());
            let exit = if error.use_stderr() { Exit::NothingMeasured } else { Exit::Fine };
            conclude(exit, out, ColorChoice::default()).into()
        }
    }
}

/// pgbench's command line, and how the program was called, where it is pgbench that was called for: its options are
/// not ours, so they are taken as they are.
fn pgbench_call(args: &[OsString]) -> Option<(String, &[OsString])> {
    let (program, rest) = args.split_first()?;
    if Path::new(program).file_name()? == "pgbench" {
        return Some((program.to_string_lossy().into_owned(), rest));
    }
    let (command, rest) = rest.split_first()?;
    (command == "pgbench").then(|| ("pgbench".to_owned(), rest))
}

/// `imported` is what follows the name of a tool behind `import`.
fn dispatch(cli: Cli, imported: &[String]) -> Exit {
    let mut out = Output::new(io::stdout().lock());
    let outcome = match cli.command {
        Command::New(args) => new::run(&args, &mut out),
        Command::Schema(args) => Ok(schema::run(&args, &mut out)),
        Command::Completions(args) => Ok(completions::run(&args, &mut out)),
        Command::Pgbench(args) => {
            let program = pgbench::Program { called: "pgbench", name: "pgbench" };
            return pgbench_main(program, &args.args);
        }
        Command::Import(args) => {
            import::run(&args, imported, &surroundings(), &mut out).map(|done| done.unwrap_or_else(|said| say(&said)))
        }
        Command::Run(args) => run::run(&args, cli.color, &mut out),
        Command::Check(args) => check::run(&args, &mut out),
        Command::Plan(args) => plan::run(&args, &mut out),
        Command::Report(args) => report::run(&args, cli.color, &mut out),
    };
    let exit = outcome.unwrap_or_else(|refusal| tell(&refusal, cli.color));
    conclude(exit, out, cli.color)
}

/// How a command ends that would end in `exit` if all of its output had been written.
fn conclude(exit: Exit, out: Output<impl Write>, color: ColorChoice) -> Exit {
    out.fault().map_or(exit, |fault| tell(&fault.into(), color))
}

fn tell(refusal: &Refusal, color: ColorChoice) -> Exit {
    let mut err = io::stderr().lock();
    let text = diagnostic::render(&refusal.diagnostics, &refusal.sources, width::width(), color.applies_to(&err));
    let _ = writeln!(err, "{text}{}", diagnostic::summary(&refusal.diagnostics));
    refusal.exit
}

/// What the environment says to pgbench.
fn surroundings() -> pgbench::Surroundings {
    pgbench::Surroundings {
        seed: std::env::var("PGBENCH_RANDOM_SEED").ok(),
        out: std::env::var_os("REPRISE_OUT").filter(|path| !path.is_empty()).map(PathBuf::from),
    }
}

fn pgbench_main(program: pgbench::Program<'_>, args: &[String]) -> Exit {
    let job = match pgbench::parse(program, args, &surroundings(), &mut io::stderr()) {
        Ok(job) => job,
        Err(said) => return say(&said),
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Exit::NothingMeasured;
    };
    let program = program.name;
    let ended = match job {
        pgbench::Job::Initialize(options) => {
            runtime.block_on(pgbench::initialize(program, &options, &mut io::stderr(), io::stderr().is_terminal()))
        }
        pgbench::Job::Benchmark(options) => {
            runtime.block_on(pgbench::run(program, &options, &mut io::stdout(), &mut io::stderr()))
        }
    };
    match ended {
        pgbench::Ended::Fine => Exit::Fine,
        pgbench::Ended::Incomplete => {
            let text = "error: Run was aborted; the above results are incomplete.";
            let _ = writeln!(io::stderr(), "{program}: {text}");
            Exit::Incomplete
        }
        pgbench::Ended::Interrupted(text) => {
            let _ = writeln!(io::stderr(), "{program}: error: {text}");
            Exit::Interrupted
        }
        pgbench::Ended::Aborted(text) => {
            let _ = write!(io::stderr(), "{text}");
            Exit::Incomplete
        }
        pgbench::Ended::Failed(text) => {
            let _ = write!(io::stderr(), "{text}");
            Exit::NothingMeasured
        }
    }
}

fn say(said: &pgbench::Said) -> Exit {
    let (written, exit) = match said {
        pgbench::Said::Output(text) => (io::stdout().write_all(text.as_bytes()), Exit::Fine),
        pgbench::Said::Note(text) => (io::stderr().write_all(text.as_bytes()), Exit::Fine),
        pgbench::Said::Error(text) => (io::stderr().write_all(text.as_bytes()), Exit::NothingMeasured),
    };
    let _ = written;
    exit
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::pgbench_call;

    #[test]
    fn pgbench_is_called_by_its_name_or_as_a_command() {
        let call = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            pgbench_call(&args).map(|(called, rest)| (called, rest.len()))
        };
        assert_eq!(call("/usr/bin/pgbench -n x"), Some(("/usr/bin/pgbench".to_owned(), 2)));
        assert_eq!(call("reprise pgbench -- -n"), Some(("pgbench".to_owned(), 2)));
        assert_eq!(call("reprise run pgbench"), None);
        assert_eq!(call("reprise"), None);
    }

    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}

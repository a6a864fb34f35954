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
mod interrupt;
mod new;
mod pgbench;
mod plan;
mod refusal;
mod run;
mod width;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::server;
use color::ColorChoice;
use exit::Exit;
use refusal::Refusal;

/// Declarative PostgreSQL workloads: write them, reproduce published ones, compare runs.
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
    Pgbench(pgbench::Args),
    New(new::Args),
    Completions(completions::Args),
}

/// The commands with their options, for documentation.
pub fn command() -> clap::Command {
    Cli::command()
}

/// The whole program: what it does is said by the arguments, how it went by the exit code.
pub fn main(args: Vec<OsString>) -> ExitCode {
    if args.get(1).is_some_and(|arg| arg == server::guard::SUBCOMMAND) {
        return server::guard::main();
    }
    let program = args.first().and_then(|a| Path::new(a).file_name()).unwrap_or_default();
    if program == "pgbench" {
        let args: Vec<String> = args[1..].iter().map(|a| a.to_string_lossy().into_owned()).collect();
        return pgbench_main("pgbench", &args).into();
    }
    match Cli::try_parse_from(args) {
        Ok(cli) => dispatch(cli).into(),
        Err(error) => {
            // a closed pipe is nobody's fault
            let _ = error.print();
            if error.use_stderr() { Exit::NothingMeasured.into() } else { Exit::Fine.into() }
        }
    }
}

fn dispatch(cli: Cli) -> Exit {
    let mut out = io::stdout().lock();
    let outcome = match cli.command {
        Command::New(args) => new::run(&args, &mut out),
        Command::Completions(args) => Ok(completions::run(&args, &mut out)),
        Command::Pgbench(args) => return pgbench_main("pgbench", &args.args),
        Command::Run(args) => run::run(&args, cli.color, &mut out),
        Command::Check(args) => check::run(&args, &mut out),
        Command::Plan(args) => plan::run(&args, &mut out),
    };
    outcome.unwrap_or_else(|refusal| tell(&refusal, cli.color))
}

fn tell(refusal: &Refusal, color: ColorChoice) -> Exit {
    let mut err = io::stderr().lock();
    let text = diagnostic::render(&refusal.diagnostics, &refusal.sources, width::width(), color.applies_to(&err));
    let _ = writeln!(err, "{text}{}", diagnostic::summary(&refusal.diagnostics));
    refusal.exit
}

fn pgbench_main(program: &str, args: &[String]) -> Exit {
    let seed = std::env::var("PGBENCH_RANDOM_SEED").ok();
    match pgbench::parse(program, args, seed.as_deref()) {
        Ok(options) => {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return Exit::NothingMeasured;
            };
            match runtime.block_on(pgbench::run(program, &options, &mut io::stdout(), &mut io::stderr())) {
                pgbench::Ended::Fine => Exit::Fine,
                pgbench::Ended::Incomplete => {
                    let text = "error: Run was aborted; the above results are incomplete.";
                    let _ = writeln!(io::stderr(), "{program}: {text}");
                    Exit::Incomplete
                }
                pgbench::Ended::Failed(text) => {
                    let _ = write!(io::stderr(), "{text}");
                    Exit::NothingMeasured
                }
            }
        }
        Err(said) => say(&said),
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

    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}

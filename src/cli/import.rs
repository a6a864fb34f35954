//! `reprise import`: what another tool is called with, as a scenario.

mod benchmark;
mod command_line;
mod initialization;
mod place;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::bare::BareArgs;
use super::compile::{Request, compile_text};
use super::exit::Exit;
use super::files::write_new;
use super::pgbench::{self, Job, Said};
use super::refusal::Refusal;
use crate::source::SourceMap;
use command_line::CommandLine;
use place::Folder;

/// Write the scenario that does what another tool's command line does
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write it to this file, unless there is one, and name scripts relative to it [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(subcommand)]
    tool: Tool,
}

/// Whose command line it is.
#[derive(Debug, clap::Subcommand)]
enum Tool {
    /// From pgbench's options
    Pgbench(pgbench::Args),
}

/// Cuts a call of `import` behind the tool's name: all after it is the tool's, and taken as it is.
pub(crate) fn cut(args: &mut Vec<OsString>) -> Vec<String> {
    let is_tool = |at: usize| args[at] == "pgbench" && args[at - 1] != "--out";
    let tool = args.get(1).filter(|command| *command == "import").and((2..args.len()).find(|at| is_tool(*at)));
    let theirs = tool.map(|at| args.split_off(at + 1)).unwrap_or_default();
    theirs.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// Writes the scenario; or hands back what pgbench would say instead.
pub(crate) fn run(
    args: &Args,
    line: &[String],
    surroundings: &pgbench::Surroundings,
    out: &mut impl Write,
) -> Result<Result<Exit, Said>, Refusal> {
    let Tool::Pgbench(given) = &args.tool;
    let line = if line.is_empty() { &given.args } else { line };
    let program = pgbench::Program { called: "pgbench", name: "pgbench" };
    let job = match pgbench::parse(program, line, surroundings, &mut io::sink()) {
        Ok(job) => job,
        Err(said) => return Ok(Err(said)),
    };
    let path = args.out.as_deref();
    let command_line = CommandLine::read(line, &job);
    let text = match &job {
        Job::Benchmark(options) => benchmark::scenario(options, &command_line, &Folder::of(path)),
        Job::Initialize(options) => initialization::scenario(options, &command_line, &Folder::of(path)),
    };
    check(&text, path.unwrap_or(Path::new("scenario.yaml")))?;
    match path {
        None => {
            // a reader that went away does not change the outcome
            let _ = out.write_all(text.as_bytes());
        }
        Some(path) => {
            write_new(path, &text)?;
            let _ = writeln!(out, "wrote {}", path.display());
        }
    }
    Ok(Ok(Exit::Fine))
}

/// A scenario has rules that pgbench has not; whoever breaks them is told of it here rather than by a file that does
/// not run.
fn check(text: &str, path: &Path) -> Result<(), Refusal> {
    let mut sources = SourceMap::default();
    let bare = BareArgs::default();
    let request = Request { file: path, bare: &bare, define: &[], profile: None, any_environment: true };
    let compiled = compile_text(text, "<imported scenario>", request, &mut sources);
    compiled.map(|_| ()).map_err(|errors| Refusal::new(errors, sources))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::cut;

    #[test]
    fn what_follows_the_tools_name_is_the_tools() {
        let cut = |line: &str| {
            let mut args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let theirs = cut(&mut args);
            (args.len(), theirs.join(" "))
        };
        assert_eq!(cut("reprise import pgbench -- --color x"), (3, "-- --color x".to_owned()));
        assert_eq!(cut("reprise import --out pgbench pgbench pgbench"), (5, "pgbench".to_owned()));
        assert_eq!(cut("reprise check pgbench -c"), (4, String::new()));
        assert_eq!(cut("reprise"), (1, String::new()));
    }
}

//! What `reprise run` is asked for.

use std::path::{Path, PathBuf};

use crate::cli::bare::{self, BareArgs};
use crate::cli::define::Define;
use crate::cli::format::Format;
use crate::cli::refusal::not_yet;
use crate::diagnostic::Diagnostic;

/// Set up, run the phases, report
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Args {
    /// A scenario (.yaml), or a script to run by itself
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    /// Where it runs: what `psql -d` takes, `embedded[:MAJOR]` or `embedded:DIR` (a server that is kept there)
    /// [default: PGHOST and its like if set, else embedded]
    #[arg(long, value_name = "S")]
    server: Vec<String>,
    /// Set a variable of the scenario
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    pub(crate) define: Vec<Define>,
    /// Take this profile of the scenario
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Do one part of it
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) only: Option<Part>,
    /// Drop what is in the way of set-up and make it anew
    #[arg(long)]
    pub(crate) replace: bool,
    /// Run the commands of the shell that the scenario has: steps of `shell`, `\shell` and `\setshell`
    #[arg(long)]
    pub(crate) allow_shell: bool,
    /// Where the run is kept [default: reprise-runs/NAME/TIME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// What standard output shows
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// The seed of data and load: a number or `random`; it beats the scenario's
    #[arg(long, value_name = "SEED", value_parser = seed)]
    pub(crate) seed: Option<u64>,
    /// Run each script once, by one client, and show its statements, rows and variables; nothing is measured
    #[arg(long)]
    pub(crate) once: bool,
    /// Keep the embedded server until Ctrl-C, and print its URL
    #[arg(long)]
    pub(crate) hold: bool,
    /// The load of a bare script.
    #[command(flatten)]
    pub(crate) bare: BareArgs,
    #[command(flatten)]
    later: Later,
}

/// A part of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// The steps of `setup`
    Setup,
    /// The phases, on what set-up made before
    Phases,
    /// The steps of `teardown`
    Teardown,
}

/// Options of versions to come: known, so that they are refused in so many words.
#[derive(Debug, clap::Args)]
struct Later {
    #[arg(hide = true)]
    second: Option<PathBuf>,
    #[arg(long, hide = true, value_name = "N")]
    repeat: Option<String>,
    #[arg(long, hide = true, value_name = "PERCENT")]
    fail_if_worse: Option<String>,
}

fn seed(text: &str) -> Result<u64, String> {
    if text == "random" {
        return Ok(rand::random());
    }
    text.parse().map_err(|_| format!("it takes a number from 0 to {}, or `random`", u64::MAX))
}

impl Args {
    /// The scenario or script.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The server that was named, if one was.
    pub(crate) fn server(&self) -> Option<&str> {
        self.server.first().map(String::as_str)
    }

    /// `--once` beside a part of the scenario that runs no script.
    fn once_without_scripts(&self) -> Option<Diagnostic> {
        let part = match self.only {
            Some(Part::Setup) => "setup",
            Some(Part::Teardown) => "teardown",
            _ => return None,
        };
        let text = format!("`--once` runs each script, and `--only {part}` runs none");
        self.once.then(|| Diagnostic::error("usage::once", text).help("leave one of the two out"))
    }

    /// `--out` or `--format` where nothing is measured, so that nothing is kept and there is no report.
    fn nothing_to_report(&self) -> Option<Diagnostic> {
        let quiet = match self.only {
            _ if self.once => "`--once`",
            Some(Part::Setup) => "`--only setup`",
            Some(Part::Teardown) => "`--only teardown`",
            _ => return None,
        };
        let given = [(self.out.is_some(), "`--out`"), (self.format != Format::Text, "`--format`")];
        let (_, option) = given.into_iter().find(|(given, _)| *given)?;
        let text = format!("{quiet} measures nothing, so {option} has nothing to do");
        Some(Diagnostic::error("usage::nothing_to_report", text).help(format!("leave {option} out")))
    }

    /// Everything that is refused before a file is read.
    pub(crate) fn faults(&self) -> Vec<Diagnostic> {
        let later = [
            (self.later.second.is_some(), "comparing two scenarios"),
            (self.server.len() > 1, "comparing two servers"),
            (self.later.repeat.is_some(), "`--repeat`"),
            (self.later.fail_if_worse.is_some(), "`--fail-if-worse`"),
        ];
        let later = later.iter().filter(|(given, _)| *given).map(|(_, what)| not_yet(what));
        let beside = self.bare.refuse_beside_scenario().filter(|_| bare::is_scenario(self.file()));
        later.chain(beside).chain(self.once_without_scripts()).chain(self.nothing_to_report()).collect()
    }
}

//! `reprise check`: all errors of scenarios and scripts at once, without a server.

use std::io::Write;
use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::SourceMap;

use super::bare::BareArgs;
use super::compile::{Request, compile};
use super::define::Define;
use super::exit::Exit;
use super::refusal::Refusal;

/// Find the errors of scenarios and scripts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenarios (.yaml) and scripts
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Set a variable of the scenario
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    define: Vec<Define>,
    /// Take this profile of the scenario
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// Checks each file; one line for each that is fine.
pub(crate) fn run(args: &Args, out: &mut impl Write) -> Result<Exit, Refusal> {
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    for file in &args.files {
        let request = Request {
            file,
            bare: &BareArgs::default(),
            define: &args.define,
            profile: args.profile.as_deref(),
            any_environment: true,
        };
        match compile(request, &mut sources) {
            Ok(plan) if plan.not_yet.is_empty() => {
                let _ = writeln!(out, "{}: fine", file.display());
            }
            Ok(plan) => {
                let _ = writeln!(out, "{}: fine, but this version can't run all of it", file.display());
                diagnostics.extend(plan.not_yet.into_iter().map(as_warning));
            }
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if diagnostics.is_empty() { Ok(Exit::Fine) } else { Err(Refusal::new(diagnostics, sources)) }
}

/// What a later version runs, as it is shown where nothing runs.
pub(super) fn as_warning(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..diagnostic }
}

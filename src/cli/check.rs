//! `reprise check`: all errors of scenarios and scripts at once, without a server.

use std::io::Write;
use std::path::PathBuf;

use crate::diagnostic::Diagnostic;
use crate::pg::{self, Environment, Target};
use crate::plan::Plan;
use crate::source::SourceMap;

use super::bare::BareArgs;
use super::compile::{self, Request};
use super::define::Define;
use super::exit::Exit;
use super::prepare::prepare;
use super::refusal::Refusal;
use super::runtime::runtime;

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
    /// Prepare each statement on this server too, and show the types of its parameters; nothing is executed
    #[arg(long, value_name = "S")]
    server: Option<String>,
}

/// Checks each file; one line for each that is fine.
pub(crate) fn run(args: &Args, out: &mut impl Write) -> Result<Exit, Refusal> {
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    if args.server.as_deref().is_some_and(|server| server == "embedded" || server.starts_with("embedded:")) {
        let text = "an embedded server has no tables that statements could be checked against";
        return Err(Diagnostic::error("usage::embedded", text)
            .help("name a server that set-up has run on; `reprise run SCENARIO --once` makes one, sets it up and runs each script")
            .into());
    }
    let target = args.server.as_deref().map(|server| Target::parse(server, &Environment::of_process()));
    let target = target.transpose().map_err(|invalid| pg::Error::from(invalid).diagnostic())?;
    for file in &args.files {
        let request = Request {
            file,
            bare: &BareArgs::default(),
            define: &args.define,
            profile: args.profile.as_deref(),
            any_environment: true,
        };
        let plan = match compile::check(request, &mut sources) {
            Ok(plan) => plan,
            Err(errors) => {
                diagnostics.extend(errors);
                continue;
            }
        };
        let (types, refused) = match &target {
            Some(target) => prepared(&plan, target, &sources)?,
            None => (String::new(), Vec::new()),
        };
        let _ = match refused.len() {
            0 => writeln!(out, "{}: fine", file.display()),
            1 => writeln!(out, "{}: the server refuses a statement", file.display()),
            count => writeln!(out, "{}: the server refuses {count} statements", file.display()),
        };
        let _ = out.write_all(types.as_bytes());
        diagnostics.extend(refused);
        diagnostics.extend(plan.warnings);
    }
    if diagnostics.is_empty() { Ok(Exit::Fine) } else { Err(Refusal::new(diagnostics, sources)) }
}

/// The types of all parameters as text, and what a server has against the statements of a plan.
fn prepared(plan: &Plan, target: &Target, sources: &SourceMap) -> Result<(String, Vec<Diagnostic>), Diagnostic> {
    runtime()?.block_on(prepare(plan, target, sources))
}

//! `reprise plan`: what a run would do.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::bare::{self, BareArgs};
use super::compile::{Request, compile, compile_points};
use super::define::Define;
use super::exit::Exit;
use super::refusal::Refusal;
use super::width;
use crate::plan::Plan;
use crate::plan::print::{Around, Detail, print};
use crate::server::HostFacts;
use crate::source::SourceMap;
use crate::term::wrap::fit;

/// Show what a run would do
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A scenario (.yaml), or a script to run by itself
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    /// Set a variable of the scenario
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    define: Vec<Define>,
    /// Take this profile of the scenario
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Show what the plan holds instead, the compiled scripts too
    #[arg(long)]
    programs: bool,
    /// The load of a bare script.
    #[command(flatten)]
    bare: BareArgs,
}

/// Prints the plan.
pub(crate) fn run(args: &Args, out: &mut impl Write) -> Result<Exit, Refusal> {
    if let Some(fault) = args.bare.refuse_beside_scenario().filter(|_| bare::is_scenario(&args.file)) {
        return Err(fault.into());
    }
    let mut sources = SourceMap::default();
    let (define, profile) = (&args.define[..], args.profile.as_deref());
    let request = Request { file: &args.file, bare: &args.bare, define, profile, any_environment: true };
    let plan = match compile(request, &mut sources) {
        Ok(plan) => plan,
        Err(errors) => return Err(Refusal::new(errors, sources)),
    };
    let host = HostFacts::gather();
    // the values of its variables may ask for more than the scenario without them
    let points =
        if plan.matrix.axes.is_empty() { None } else { compile_points(request, &mut SourceMap::default()).ok() };
    let connections = points.and_then(|points| points.iter().map(Plan::most_connections).max());
    let around = Around {
        // the first text is the scenario itself
        files: sources.names().skip(1).map(|name| beside(&args.file, name)).collect(),
        connections,
        cpus: Some(host.cores).filter(|cores| *cores > 0),
        memory: Some(host.memory_bytes).filter(|bytes| *bytes > 0),
    };
    let detail = if args.programs { Detail::Programs } else { Detail::Page(&around) };
    let text = print(&plan, detail);
    let text = width::of_lines(&io::stdout()).map(|width| fit(&text, width)).unwrap_or(text);
    let _ = out.write_all(text.as_bytes());
    Ok(Exit::Fine)
}

/// A file's name as the scenario writes it: relative to its own folder.
fn beside(scenario: &Path, name: &str) -> String {
    let folder = scenario.parent().unwrap_or(Path::new(""));
    Path::new(name).strip_prefix(folder).unwrap_or(Path::new(name)).display().to_string()
}

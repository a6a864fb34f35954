//! `reprise run`: parse, compile, execute, build the report, render it, and say by the exit code how it went.

mod args;
mod conduct;
pub(super) mod facts;
mod hold;
mod keep;
mod matrix;
mod once;
mod outside;
mod perform;
mod place;
mod points;
mod search;
mod show;
mod single;
mod watch;

use std::io::Write;

pub(crate) use args::Args;

use super::color::ColorChoice;
use super::compile::{Request, compile};
use super::exit::Exit;
use super::refusal::Refusal;
use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// Runs a scenario or a script.
pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut impl Write) -> Result<Exit, Refusal> {
    let mut sources = SourceMap::default();
    match attempt(args, color, &mut sources, out) {
        Ok(exit) => Ok(exit),
        Err((diagnostics, exit)) => Err(Refusal { diagnostics, sources, exit }),
    }
}

fn attempt(
    args: &Args,
    color: ColorChoice,
    sources: &mut SourceMap,
    out: &mut impl Write,
) -> Result<Exit, (Vec<Diagnostic>, Exit)> {
    let refuse = |diagnostics| (diagnostics, Exit::NothingMeasured);
    let faults = args.faults();
    if !faults.is_empty() {
        return Err(refuse(faults));
    }
    let (file, define, profile) = (args.file(), &args.define, args.profile.as_deref());
    let request = Request { file, bare: &args.bare, define, profile, any_environment: false };
    let mut plan = compile(request, sources).map_err(refuse)?;
    plan.seed = args.seed.unwrap_or(plan.seed);
    show::warnings(&plan.warnings, sources, color);
    let refused = outside::not_allowed(args, &plan);
    if !refused.is_empty() {
        return Err(refuse(refused));
    }
    keep::check(args.out.as_deref()).map_err(|fault| refuse(vec![fault]))?;
    if matrix::is_varied(args, &plan) && !args.once {
        return matrix::run(args, request, &plan, color, sources, out);
    }
    single::run(args, plan, color, out)
}

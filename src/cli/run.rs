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
mod watch;

use std::io::Write;

pub(crate) use args::Args;
use conduct::{Outcome, conduct};
use perform::Fault;

use super::color::ColorChoice;
use super::compile::{Request, compile};
use super::exit::Exit;
use super::refusal::Refusal;
use crate::diagnostic::Diagnostic;
use crate::report::model::Outcome as Verdict;
use crate::setup;
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
    if !plan.not_yet.is_empty() {
        return Err(refuse(plan.not_yet));
    }
    if !args.allow_shell && !plan.shell_commands().is_empty() {
        let not_allowed = |span| setup::Error::ShellNotAllowed { span }.diagnostic();
        return Err(refuse(plan.shell_commands().into_iter().map(not_allowed).collect()));
    }
    keep::check(args.out.as_deref()).map_err(|fault| refuse(vec![fault]))?;
    if matrix::is_varied(args, &plan) && !args.once {
        if args.hold {
            let text = "`--hold` keeps one server, and the points of a matrix may need several";
            let help = "set its variables with `-D`, or run it with `--once`";
            return Err(refuse(vec![Diagnostic::error("usage::hold", text).help(help)]));
        }
        return matrix::run(args, request, &plan, color, sources, out);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| refuse(vec![Diagnostic::error("run::runtime", error.to_string())]))?;
    let conclude = |outcome| conclude(args, color, outcome, out);
    runtime.block_on(conduct(args, plan, conclude)).map_err(|fault| match fault {
        Fault::Diagnostic(diagnostic) => refuse(vec![diagnostic]),
        Fault::Interrupted(diagnostic) => (vec![diagnostic], Exit::Interrupted),
    })?
}

/// Keeps and shows what came of a run.
fn conclude(
    args: &Args,
    color: ColorChoice,
    outcome: Outcome,
    out: &mut impl Write,
) -> Result<Exit, (Vec<Diagnostic>, Exit)> {
    let refuse = |diagnostics| (diagnostics, Exit::NothingMeasured);
    let report = match outcome {
        Outcome::Measured(report) => report,
        Outcome::Stepped(steps) => return Ok(show::steps(&steps, out)),
        Outcome::Once(text, faults) => {
            let _ = out.write_all(text.as_bytes());
            return if faults.is_empty() { Ok(Exit::Fine) } else { Err(refuse(faults)) };
        }
    };
    let kept = keep::keep(&report, args.out.as_deref());
    show::report(&report, args.format, color, out);
    let folder = kept.map_err(|diagnostic| refuse(vec![diagnostic]))?;
    show::kept(&folder);
    Ok(match report.verdict.outcome {
        Verdict::Complete if report.thresholds.iter().any(|threshold| !threshold.met) => Exit::ThresholdMissed,
        Verdict::Complete => Exit::Fine,
        Verdict::NothingMeasured => Exit::NothingMeasured,
        Verdict::Incomplete => Exit::Incomplete,
        Verdict::Interrupted => Exit::Interrupted,
    })
}

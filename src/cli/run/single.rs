//! One run: a server is found, the plan performed, and what came of it kept and shown.

use std::io::Write;

use super::conduct::{Outcome, conduct};
use super::perform::Fault;
use super::{Args, keep, show};
use crate::cli::color::ColorChoice;
use crate::cli::exit::Exit;
use crate::cli::runtime::runtime;
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;

/// Runs a plan.
pub(super) fn run(
    args: &Args,
    plan: Plan,
    color: ColorChoice,
    out: &mut impl Write,
) -> Result<Exit, (Vec<Diagnostic>, Exit)> {
    let refuse = |diagnostics| (diagnostics, Exit::NothingMeasured);
    let runtime = runtime().map_err(|fault| refuse(vec![fault]))?;
    let conclude = |outcome| conclude(args, color, outcome, out);
    runtime.block_on(conduct(args, plan, color, conclude)).map_err(Fault::refusal)?
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
    Ok(show::exit(&report))
}

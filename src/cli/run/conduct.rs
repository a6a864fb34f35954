//! One run from its server to its report.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::exec::StopStage;
use crate::pg::{self, Admin, OpenOptions};
use crate::plan::Plan;
use crate::report::{Report, RunFacts, StepFacts};
use crate::setup::Cancel;

use super::Args;
use super::args::Part;
use super::facts;
use super::hold::Held;
use super::perform::{Done, Fault, Performance};
use super::place::Place;
use super::watch::Watch;
use crate::cli::interrupt::Interrupt;

/// How long the server may take to say what it is.
const ASKING: Duration = Duration::from_secs(30);

/// What came of a run.
pub(super) enum Outcome {
    /// Phases ran.
    Measured(Box<Report>),
    /// Only steps did.
    Stepped(Vec<StepFacts>),
    /// Each script ran once; what went wrong in it.
    Once(Vec<Diagnostic>),
}

/// Finds a server, runs the plan on it, passes on what came of it, and takes down what was made for it: with `--hold`
/// only when its user says so.
pub(super) async fn conduct<T, W: Write>(
    args: &Args,
    plan: Plan,
    out: &mut W,
    conclude: impl FnOnce(Outcome, &mut W) -> T,
) -> Result<T, Fault> {
    let (interrupt, mut stop) = Interrupt::listen(StopStage::Run)
        .map_err(|error| failed(Diagnostic::error("run::signals", format!("can't listen for Ctrl-C: {error}"))))?;
    let (asked, cancel) = watch::channel(false);
    let stages = [StopStage::Drain, StopStage::Cancel, StopStage::Leave];
    tokio::spawn(interrupt.pass_on(stages, move |_| {
        asked.send_replace(true);
    }));
    let mut watch = Watch::new(plan.report.progress);
    // until there is a server, stopping is leaving: whatever was begun is undone when it is dropped
    let found = tokio::select! {
        place = Place::find(args.server(), &plan.server, &mut watch) => place.map_err(failed),
        _ = stop.wait_for(|stage| *stage > StopStage::Run) => Err(stopped()),
    };
    watch.rest();
    let place = found?;
    let held = if args.hold { Some(Held::at(&place).map_err(failed)?) } else { None };
    if let Some(held) = &held {
        watch.note(&held.url);
    }
    let outcome = on_server(args, plan, &place, (stop.clone(), Cancel::new(cancel)), &mut watch, out).await;
    watch.finish();
    let concluded = outcome.map(|outcome| conclude(outcome, out));
    if let (Some(held), Ok(_)) = (&held, &concluded) {
        held.until_stopped(stop).await;
    }
    place.finish().map_err(failed)?;
    concluded
}

async fn on_server(
    args: &Args,
    plan: Plan,
    place: &Place,
    (mut stop, cancel): (watch::Receiver<StopStage>, Cancel),
    watch: &mut Watch,
    out: &mut impl Write,
) -> Result<Outcome, Fault> {
    let clock = Clock::new();
    let started = clock.wall(clock.now());
    let opening = async {
        let admin = Admin::open(&place.target, &OpenOptions::default()).await?;
        let gathering = tokio::time::timeout(ASKING, facts::gather(&plan, place, &admin)).await;
        let what = || "asking the server for its version and settings".to_owned();
        let environment = gathering.map_err(|_| pg::Error::Timeout { what: what(), after: ASKING })??;
        Ok((admin, environment))
    };
    let (admin, environment) = tokio::select! {
        opened = opening => opened.map_err(|error: pg::Error| failed(error.diagnostic()))?,
        _ = stop.wait_for(|stage| *stage > StopStage::Run) => return Err(stopped()),
    };
    watch.note(&format!("PostgreSQL {}, {} ({})", environment.server.version, place.describe(), place.reason));
    let targets = place.targets(&plan).map_err(failed)?;
    let plan = Arc::new(plan);
    let performance = Performance {
        plan: Arc::clone(&plan),
        targets,
        admin: &admin,
        replace: args.replace,
        stop,
        cancel,
        clock: &clock,
        watch,
    };
    if args.once && args.only != Some(Part::Teardown) {
        return performance.once(args.only, out).await.map(Outcome::Once);
    }
    let Done { steps, metrics, plan } = performance.perform(args.only).await?;
    let Some(metrics) = metrics else { return Ok(Outcome::Stepped(steps)) };
    let facts = RunFacts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        environment,
        steps,
        metrics,
        warnings: place.target.warnings().iter().map(|warning| warning.message.clone()).collect(),
    };
    Ok(Outcome::Measured(Box::new(Report::build(&plan, &facts))))
}

fn failed(diagnostic: Diagnostic) -> Fault {
    Fault::Diagnostic(diagnostic)
}

fn stopped() -> Fault {
    Fault::Interrupted(Diagnostic::error("run::interrupted", "interrupted before anything was measured"))
}

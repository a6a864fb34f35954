//! One run from its server to its report.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::exec::StopStage;
use crate::pg::{self, Admin, OpenOptions};
use crate::plan::{Plan, ServerPlan};
use crate::report::{Report, RunFacts, StepFacts};
use crate::setup::{Cancel, Rounds};

use super::Args;
use super::facts;
use super::hold::Held;
use super::outside::Surroundings;
use super::perform::{Done, Fault, Performance};
use super::place::Place;
use super::watch::Watch;
use crate::cli::color::ColorChoice;
use crate::cli::files::Files;
use crate::cli::interrupt::Interrupt;

/// How long the server may take to say what it is.
const ASKING: Duration = Duration::from_secs(30);

/// What came of a run.
pub(super) enum Outcome {
    /// Phases ran.
    Measured(Box<Report>),
    /// Only steps did.
    Stepped(Vec<StepFacts>),
    /// Each script ran once: what they did, and what went wrong in them.
    Once(String, Vec<Diagnostic>),
}

/// Finds a server, runs the plan on it, passes on what came of it, and takes down what was made for it: with `--hold`
/// only when its user says so.
pub(super) async fn conduct<T>(
    args: &Args,
    plan: Plan,
    color: ColorChoice,
    conclude: impl FnOnce(Outcome) -> T,
) -> Result<T, Fault> {
    let mut conductor = Conductor::begin(plan.report.progress, color)?;
    let place = conductor.find(args, &plan.server).await?;
    let held = if args.hold { Some(Held::at(&place).map_err(failed)?) } else { None };
    if let Some(held) = &held {
        conductor.note(&held.url);
    }
    let outcome = Box::pin(conductor.run(args, plan, &place, &[])).await;
    conductor.finish();
    let concluded = outcome.map(conclude);
    if let Some(held) = &held {
        held.until_stopped(concluded.as_ref().err(), conductor.stop).await;
    }
    place.finish().map_err(failed)?;
    concluded
}

/// What one or several runs have in common: somebody who may stop them, and somebody who looks on.
pub(super) struct Conductor {
    stop: watch::Receiver<StopStage>,
    cancel: Cancel,
    watch: Watch,
    /// The server that was named last.
    server: String,
    /// What the rounds on this server have in common, where there are several.
    pub(super) rounds: Option<Rounds>,
}

impl Conductor {
    /// Listens to Ctrl-C from now on; plain lines of progress come `every` so often.
    pub(super) fn begin(every: Duration, color: ColorChoice) -> Result<Self, Fault> {
        let (interrupt, stop) = Interrupt::listen(StopStage::Run)
            .map_err(|error| failed(Diagnostic::error("run::signals", format!("can't listen for Ctrl-C: {error}"))))?;
        let (asked, cancel) = watch::channel(false);
        let stages = [StopStage::Drain, StopStage::Cancel, StopStage::Leave];
        let watch = Watch::new(every, color);
        let stopping = watch.stopping();
        tokio::spawn(interrupt.pass_on(stages, move |stage| {
            asked.send_replace(true);
            stopping(stage);
        }));
        Ok(Self { stop, cancel: Cancel::new(cancel), watch, server: String::new(), rounds: None })
    }

    /// Finds the server, or makes one.
    pub(super) async fn find(&mut self, args: &Args, wanted: &ServerPlan) -> Result<Place, Fault> {
        // until there is a server, stopping is leaving: whatever was begun is undone when it is dropped
        let found = tokio::select! {
            place = Place::find(args.server(), wanted, &mut self.watch) => place.map_err(failed),
            _ = self.stop.wait_for(|stage| *stage > StopStage::Run) => Err(stopped()),
        };
        self.watch.rest();
        found
    }

    /// Whether somebody has asked to stop.
    pub(super) fn is_stopped(&self) -> bool {
        *self.stop.borrow() > StopStage::Run
    }

    /// A line that stays.
    pub(super) fn note(&mut self, text: &str) {
        self.watch.note(text);
    }

    /// Nothing goes on any more.
    pub(super) fn finish(&mut self) {
        self.watch.finish();
    }

    /// Runs a plan on a server. Its set-up may take the place of those with the fingerprints in `succeeds`.
    pub(super) async fn run(
        &mut self,
        args: &Args,
        plan: Plan,
        place: &Place,
        succeeds: &[String],
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
            _ = self.stop.wait_for(|stage| *stage > StopStage::Run) => return Err(stopped()),
        };
        let version = &environment.server.version;
        let server = format!("PostgreSQL {version}, {} ({})", place.describe(), place.reason);
        if self.server != server {
            self.watch.note(&server);
            self.server = server;
        }
        let targets = place.targets(plan.phases.iter().map(|phase| &phase.load)).map_err(failed)?;
        let beside = place.targets(plan.backgrounds.iter().map(|background| &background.load)).map_err(failed)?;
        self.watch.expect(plan.phases.len());
        let plan = Arc::new(plan);
        let outside = Surroundings { place, files: Files::beside(args.file()), allow_shell: args.allow_shell };
        let performance = Performance {
            plan: Arc::clone(&plan),
            targets,
            beside,
            admin: &admin,
            outside: &outside,
            replace: args.replace,
            succeeds,
            rounds: self.rounds.as_mut(),
            stop: self.stop.clone(),
            cancel: self.cancel.clone(),
            clock: &clock,
            watch: &mut self.watch,
        };
        if args.once {
            return Box::pin(performance.once(args.only)).await.map(|(text, faults)| Outcome::Once(text, faults));
        }
        let performed = Box::pin(performance.perform(args.only)).await;
        let ended = match &mut self.rounds {
            Some(rounds) => rounds.end(&admin).await,
            None => Ok(()),
        };
        let Done { steps, metrics, own, plan } = performed?;
        ended.map_err(|error| failed(error.diagnostic()))?;
        let Some(metrics) = metrics else { return Ok(Outcome::Stepped(steps)) };
        let facts = RunFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            environment,
            steps,
            metrics,
            own,
            warnings: place.target.warnings().iter().map(|warning| warning.message.clone()).collect(),
        };
        Ok(Outcome::Measured(Box::new(Report::build(&plan, &facts))))
    }
}

fn failed(diagnostic: Diagnostic) -> Fault {
    Fault::Diagnostic(diagnostic)
}

fn stopped() -> Fault {
    Fault::Interrupted(Diagnostic::error("run::interrupted", "interrupted before anything was measured"))
}

//! Set-up, phases and teardown on a server.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::cli::exit::Exit;
use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::exec::{self, Asker, Execution, StopStage};
use crate::id::PhaseId;
use crate::metrics::{Detail, Ending, OwnMetric, RunMetrics};
use crate::pg::{Admin, Target};
use crate::plan::own::Taken;
use crate::plan::step::StepKind;
use crate::plan::{LoadPlan, Plan, StepPlan};
use crate::report::StepFacts;
use crate::setup::{self, Cancel, FeedReader, Outside, Rounds, SetupOptions, StepResult};

use super::args::Part;
use super::once::Once;
use super::search::search;
use super::watch::Watch;

/// Why a run came to nothing.
pub(super) enum Fault {
    /// Something is wrong.
    Diagnostic(Diagnostic),
    /// Its user stopped it before anything was measured.
    Interrupted(Diagnostic),
}

impl Fault {
    /// What is shown of it.
    pub(super) fn diagnostic(&self) -> &Diagnostic {
        let (Self::Diagnostic(diagnostic) | Self::Interrupted(diagnostic)) = self;
        diagnostic
    }

    /// The same with the exit code.
    pub(super) fn refusal(self) -> (Vec<Diagnostic>, Exit) {
        match self {
            Self::Diagnostic(diagnostic) => (vec![diagnostic], Exit::NothingMeasured),
            Self::Interrupted(diagnostic) => (vec![diagnostic], Exit::Interrupted),
        }
    }
}

/// What was done.
#[derive(Debug)]
pub(super) struct Done {
    /// The steps.
    pub(super) steps: Vec<StepFacts>,
    /// What the phases measured; none: there was nothing to measure.
    pub(super) metrics: Option<RunMetrics>,
    /// The scenario's own figures.
    pub(super) own: Vec<OwnMetric>,
    /// The plan with the values of all its variables.
    pub(super) plan: Arc<Plan>,
}

/// What a run is done with.
pub(super) struct Performance<'a> {
    pub(super) plan: Arc<Plan>,
    /// The server of each phase that names one; the others go where `admin` is.
    pub(super) targets: Vec<Target>,
    /// The same of each load beside them.
    pub(super) beside: Vec<Target>,
    pub(super) admin: &'a Admin,
    pub(super) outside: &'a dyn Outside,
    pub(super) replace: bool,
    /// Fingerprints of the set-ups whose place this one may take.
    pub(super) succeeds: &'a [String],
    /// Set where this is one round of several.
    pub(super) rounds: Option<&'a mut Rounds>,
    pub(super) stop: watch::Receiver<StopStage>,
    pub(super) cancel: Cancel,
    pub(super) clock: &'a Clock,
    pub(super) watch: &'a mut Watch,
}

impl Performance<'_> {
    /// Does one part of the scenario, or set-up and phases.
    pub(super) async fn perform(mut self, only: Option<Part>) -> Result<Done, Fault> {
        let mut steps = Vec::new();
        self.refuse_restart()?;
        if only == Some(Part::Teardown) {
            let stop = self.stop.clone();
            let work = Box::pin(setup::teardown(&self.plan, self.admin, self.outside, self.watch, &self.cancel));
            let done = unless_left(stop, work).await?;
            steps.extend(done.into_iter().map(|step| fact(step, None)));
            return Ok(Done { steps, metrics: None, own: Vec::new(), plan: self.plan });
        }
        if only != Some(Part::Phases) && !self.rounds.as_ref().is_some_and(|rounds| rounds.is_begun()) {
            self.set_up(&mut steps).await?;
        }
        if only == Some(Part::Setup) {
            return Ok(Done { steps, metrics: None, own: Vec::new(), plan: self.plan });
        }
        if only.is_none() {
            self.begin_round(&mut steps).await?;
        }
        self.ask().await?;
        let mut asker = Asker::new(Arc::clone(&self.plan), self.admin.origin().0.clone());
        asker.once(Taken::AtStart, self.clock, self.stop.clone()).await;
        let metrics = self.phases(&mut steps, &mut asker).await?;
        asker.once(Taken::AtEnd, self.clock, self.stop.clone()).await;
        Ok(Done { steps, metrics: Some(metrics), own: asker.finish().await, plan: self.plan })
    }

    /// Only a server of our own is restarted; that is known before anything is done.
    fn refuse_restart(&self) -> Result<(), Fault> {
        let restart = self.plan.steps().find(|step| matches!(step.kind, StepKind::Restart));
        match restart.filter(|_| self.outside.restart().is_none()) {
            Some(step) => Err(step_fault(&setup::Error::NotEmbedded { span: step.span })),
            None => Ok(()),
        }
    }

    /// Set-up, unless it is left out, then each script once: what they did, and what went wrong in them.
    pub(super) async fn once(mut self, only: Option<Part>) -> Result<(String, Vec<Diagnostic>), Fault> {
        self.refuse_restart()?;
        if only != Some(Part::Phases) {
            self.set_up(&mut Vec::new()).await?;
        }
        self.ask().await?;
        self.watch.rest();
        let mut once = Once::new(&self.plan, &self.of_phases(), self.stop.clone());
        let mut feeds = FeedReader::default();
        for number in 0..once.phases() {
            let plan = once.plan();
            let reading = Box::pin(feeds.read(&plan, PhaseId::from_index(number), self.admin, &self.cancel));
            let rows = unless_left(self.stop.clone(), reading).await?;
            once.run(number, rows, self.clock).await?;
        }
        Ok(once.told())
    }

    async fn set_up(&mut self, steps: &mut Vec<StepFacts>) -> Result<(), Fault> {
        let options = SetupOptions { replace: self.replace, succeeds: self.succeeds, outside: self.outside };
        let stop = self.stop.clone();
        let work = Box::pin(setup::run(&self.plan, self.admin, &options, self.watch, &self.cancel));
        let outcome = unless_left(stop, work).await?;
        if let Some(kept) = outcome.kept {
            self.watch.note(&format!("set-up of {} is there and is kept", kept.made_at));
            steps.extend(self.plan.setup.iter().map(kept_step));
        }
        steps.extend(outcome.steps.into_iter().map(|step| fact(step, None)));
        Ok(())
    }

    /// Brings the data back after the round before, where this is one of several.
    async fn begin_round(&mut self, steps: &mut Vec<StepFacts>) -> Result<(), Fault> {
        let Some(rounds) = &mut self.rounds else { return Ok(()) };
        let was_set_up = !rounds.is_begun();
        let options = SetupOptions { outside: self.outside, ..SetupOptions::default() };
        let work = Box::pin(rounds.begin(&self.plan, self.admin, &options, self.watch, &self.cancel));
        let done = unless_left(self.stop.clone(), work).await?;
        let again = |step: &StepPlan| done.iter().any(|result| result.name == step.name);
        if !was_set_up && !self.plan.setup.iter().any(again) {
            steps.extend(self.plan.setup.iter().map(kept_step));
        }
        steps.extend(done.into_iter().map(|step| fact(step, None)));
        Ok(())
    }

    /// Asks the server for the variables that it knows.
    async fn ask(&mut self) -> Result<(), Fault> {
        if !self.plan.queries.is_empty() {
            let answers = unless_left(self.stop.clone(), setup::ask(&self.plan, self.admin, &self.cancel)).await?;
            self.plan = Arc::new(Plan::clone(&self.plan).with_answers(&answers));
        }
        Ok(())
    }

    /// Runs the phases with the steps between them, until one does not end as planned.
    async fn phases(&mut self, steps: &mut Vec<StepFacts>, asker: &mut Asker) -> Result<RunMetrics, Fault> {
        let backgrounds = self.plan.backgrounds.iter().map(|background| &background.load);
        let (targets, beside) = (self.of_phases(), self.here(backgrounds, &self.beside));
        let mut execution = Execution {
            plan: Arc::clone(&self.plan),
            targets,
            beside,
            feeds: Vec::new(),
            detail: Detail::Commands,
            listener: Arc::new(exec::Silence),
            logs: None,
            stop: self.stop.clone(),
        };
        let mut feeds = FeedReader::default();
        let mut metrics = RunMetrics { phases: Vec::new(), ending: Ending::Complete };
        for number in 0..=self.plan.phases.len() {
            let outcome = self.step_and_phase(&mut execution, &mut feeds, number, steps, asker).await;
            match outcome {
                Ok(Some(run)) => {
                    metrics.ending = run.ending.clone();
                    metrics.phases.push(run);
                }
                Ok(None) => {}
                Err(fault) if metrics.phases.is_empty() => return Err(fault),
                // what was measured before is still worth its report
                Err(Fault::Interrupted(_)) => metrics.ending = Ending::Interrupted,
                Err(Fault::Diagnostic(diagnostic)) => metrics.ending = Ending::Aborted(diagnostic.message),
            }
            if metrics.ending != Ending::Complete {
                break;
            }
        }
        Ok(metrics)
    }

    /// The server of each phase.
    fn of_phases(&self) -> Vec<Target> {
        self.here(self.plan.phases.iter().map(|phase| &phase.load), &self.targets)
    }

    /// The server of each load: the one that it names, else the database that steps work on, which may be a copy.
    fn here<'l>(&self, loads: impl Iterator<Item = &'l LoadPlan>, targets: &[Target]) -> Vec<Target> {
        let here = self.admin.origin().0;
        loads.zip(targets).map(|(load, target)| if load.url.is_some() { target } else { here }.clone()).collect()
    }

    async fn step_and_phase(
        &mut self,
        execution: &mut Execution,
        feeds: &mut FeedReader,
        number: usize,
        steps: &mut Vec<StepFacts>,
        asker: &mut Asker,
    ) -> Result<Option<crate::metrics::PhaseRun>, Fault> {
        let plan = Arc::clone(&self.plan);
        for (_, step) in plan.interludes.iter().filter(|(before, _)| *before == number) {
            let stop = self.stop.clone();
            let work = Box::pin(setup::run_step(step, plan.seed, self.admin, self.outside, self.watch, &self.cancel));
            steps.push(fact(unless_left(stop, work).await?, Some(number)));
        }
        if number == plan.phases.len() {
            return Ok(None);
        }
        let (id, clock) = (PhaseId::from_index(number), self.clock);
        let reading = Box::pin(feeds.read(&plan, id, self.admin, &self.cancel));
        execution.feeds = unless_left(self.stop.clone(), reading).await?;
        self.watch.connecting(&plan.phases[number]);
        let execution = &*execution;
        let run = match &plan.phases[number].find {
            None => asker.beside(number, clock, exec::run_phase(execution, clock, id, self.watch)).await,
            Some(rule) => asker.beside(number, clock, search(execution, clock, id, rule, self.watch)).await,
        };
        run.map(Some).map_err(|error| match error {
            exec::Error::Stopped(_) => Fault::Interrupted(error.diagnostic()),
            _ => Fault::Diagnostic(error.diagnostic()),
        })
    }
}

/// Does steps, which undo what they can when they are asked to stop; whoever asks a third time is not kept waiting for
/// that, since a server that does not answer would never let it end.
async fn unless_left<T>(
    mut stop: watch::Receiver<StopStage>,
    work: impl Future<Output = Result<T, setup::Error>>,
) -> Result<T, Fault> {
    let left = async {
        // an error means that nobody can ask any more
        if stop.wait_for(|stage| *stage == StopStage::Leave).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        done = work => done.map_err(|error| step_fault(&error)),
        () = left => {
            let diagnostic = Diagnostic::error("run::interrupted", "left in the middle of a step, without undoing it");
            Err(Fault::Interrupted(diagnostic.help("what it had made may still be there; `--replace` makes it anew")))
        }
    }
}

fn step_fault(error: &setup::Error) -> Fault {
    if error.is_cancelled() { Fault::Interrupted(error.diagnostic()) } else { Fault::Diagnostic(error.diagnostic()) }
}

/// A step whose work was there already.
fn kept_step(step: &StepPlan) -> StepFacts {
    StepFacts { name: step.name.clone(), elapsed: Duration::ZERO, rows: None, kept: true, before_phase: None }
}

fn fact(step: StepResult, before_phase: Option<usize>) -> StepFacts {
    StepFacts { name: step.name, elapsed: step.elapsed, rows: Some(step.rows), kept: false, before_phase }
}

//! Set-up, phases and teardown on a server.

use std::io::Write;
use std::sync::Arc;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::exec::{self, Execution, StopStage};
use crate::id::PhaseId;
use crate::metrics::{Detail, Ending, RunMetrics};
use crate::pg::{Admin, Target};
use crate::plan::Plan;
use crate::report::StepFacts;
use crate::setup::{self, Cancel, SetupOptions, StepResult};

use super::args::Part;
use super::once;
use super::watch::Watch;

/// Why a run came to nothing.
pub(super) enum Fault {
    /// Something is wrong.
    Diagnostic(Diagnostic),
    /// Its user stopped it before anything was measured.
    Interrupted(Diagnostic),
}

/// What was done.
#[derive(Debug)]
pub(super) struct Done {
    /// The steps.
    pub(super) steps: Vec<StepFacts>,
    /// What the phases measured; none: there was nothing to measure.
    pub(super) metrics: Option<RunMetrics>,
    /// The plan with the values of all its variables.
    pub(super) plan: Arc<Plan>,
}

/// What a run is done with.
pub(super) struct Performance<'a> {
    pub(super) plan: Arc<Plan>,
    /// The server of each phase.
    pub(super) targets: Vec<Target>,
    pub(super) admin: &'a Admin,
    pub(super) replace: bool,
    pub(super) stop: watch::Receiver<StopStage>,
    pub(super) cancel: Cancel,
    pub(super) clock: &'a Clock,
    pub(super) watch: &'a mut Watch,
}

impl Performance<'_> {
    /// Does one part of the scenario, or set-up and phases.
    pub(super) async fn perform(mut self, only: Option<Part>) -> Result<Done, Fault> {
        let mut steps = Vec::new();
        if only == Some(Part::Teardown) {
            let stop = self.stop.clone();
            let done = unless_left(stop, setup::teardown(&self.plan, self.admin, self.watch, &self.cancel)).await?;
            steps.extend(done.into_iter().map(|step| fact(step, None)));
            return Ok(Done { steps, metrics: None, plan: self.plan });
        }
        if only != Some(Part::Phases) {
            self.set_up(&mut steps).await?;
        }
        if only == Some(Part::Setup) {
            return Ok(Done { steps, metrics: None, plan: self.plan });
        }
        self.ask().await?;
        let metrics = self.phases(&mut steps).await?;
        Ok(Done { steps, metrics: Some(metrics), plan: self.plan })
    }

    /// Set-up, unless it is left out, then each script once: what went wrong in them.
    pub(super) async fn once(mut self, only: Option<Part>, out: &mut impl Write) -> Result<Vec<Diagnostic>, Fault> {
        if only != Some(Part::Phases) {
            self.set_up(&mut Vec::new()).await?;
        }
        if only == Some(Part::Setup) {
            return Ok(Vec::new());
        }
        self.ask().await?;
        self.watch.rest();
        once::run(&self.plan, &self.targets, self.stop, self.clock, out).await
    }

    async fn set_up(&mut self, steps: &mut Vec<StepFacts>) -> Result<(), Fault> {
        let options = SetupOptions { replace: self.replace };
        let stop = self.stop.clone();
        let work = Box::pin(setup::run(&self.plan, self.admin, &options, self.watch, &self.cancel));
        let outcome = unless_left(stop, work).await?;
        if let Some(kept) = outcome.kept {
            self.watch.note(&format!("set-up of {} is there and is kept", kept.made_at));
            let kept = |step: &crate::plan::StepPlan| StepFacts {
                name: step.name.clone(),
                elapsed: std::time::Duration::ZERO,
                rows: None,
                kept: true,
                before_phase: None,
            };
            steps.extend(self.plan.setup.iter().map(kept));
        }
        steps.extend(outcome.steps.into_iter().map(|step| fact(step, None)));
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
    async fn phases(&mut self, steps: &mut Vec<StepFacts>) -> Result<RunMetrics, Fault> {
        let execution = Execution {
            plan: Arc::clone(&self.plan),
            targets: self.targets.clone(),
            detail: Detail::Commands,
            listener: Arc::new(exec::Silence),
            logs: None,
            stop: self.stop.clone(),
        };
        let mut metrics = RunMetrics { phases: Vec::new(), ending: Ending::Complete };
        for number in 0..=self.plan.phases.len() {
            let outcome = self.step_and_phase(&execution, number, steps).await;
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

    async fn step_and_phase(
        &mut self,
        execution: &Execution,
        number: usize,
        steps: &mut Vec<StepFacts>,
    ) -> Result<Option<crate::metrics::PhaseRun>, Fault> {
        let plan = Arc::clone(&self.plan);
        for (_, step) in plan.interludes.iter().filter(|(before, _)| *before == number) {
            let stop = self.stop.clone();
            let work = setup::run_step(step, plan.seed, self.admin, self.watch, &self.cancel);
            steps.push(fact(unless_left(stop, work).await?, Some(number)));
        }
        if number == plan.phases.len() {
            return Ok(None);
        }
        let run = exec::run_phase(execution, self.clock, PhaseId::from_index(number), self.watch).await;
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

fn fact(step: StepResult, before_phase: Option<usize>) -> StepFacts {
    StepFacts { name: step.name, elapsed: step.elapsed, rows: Some(step.rows), kept: false, before_phase }
}

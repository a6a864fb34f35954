//! An initialization as a step of a set-up.

use std::time::Duration;

use super::{InitError, InitObserver, InitPlace, initialize};
use crate::pg;
use crate::plan::initialization::InitStep;
use crate::plan::{InitPlan, StepPlan};
use crate::setup::step::Run;
use crate::setup::{Error, StatementResult, sessions};

/// Does it in sessions of its own, like the set-up's; one result for each of pgbench's steps.
pub(in crate::setup) async fn step(
    run: &Run<'_>,
    step: &StepPlan,
    plan: &InitPlan,
) -> Result<Vec<StatementResult>, Error> {
    let settings = sessions::settings(run).await?;
    let (target, options) = run.admin.origin();
    let place = InitPlace { target, options, settings: &settings };
    let mut progress = Progress { run, results: Vec::new() };
    let done = match pg::open(target, options).await {
        Ok(opened) => {
            let pid = opened.pid;
            let work = Box::pin(initialize(plan, place, opened, &mut progress, run.cancel));
            run.attended(pid, work).await?
        }
        Err(error) => Err(InitError::Open(error)),
    };
    match done {
        Ok(_) => Ok(progress.results),
        Err(_) if run.cancel.is_asked() => Err(Error::Cancelled),
        Err(error) => Err(Error::Initialization { step: step.name.clone(), span: step.span, error }),
    }
}

/// Passes on how far the longest part is.
struct Progress<'r, 'a> {
    run: &'r Run<'a>,
    results: Vec<StatementResult>,
}

impl InitObserver for Progress<'_, '_> {
    fn rows_sent(&mut self, _: &'static str, done: u64, of: u64, _: Duration) {
        self.run.tell(|observer| observer.progressed(done, of));
    }

    fn step_finished(&mut self, _: InitStep, rows: u64, elapsed: Duration) {
        self.results.push(StatementResult { elapsed, rows });
    }
}

//! `find`: a phase that is run at one rate after the other.

use std::sync::Arc;

use super::watch::Watch;
use crate::clock::Clock;
use crate::exec::{self, Execution};
use crate::id::PhaseId;
use crate::metrics::{Ending, PhaseRun, Search, Trial};
use crate::plan::phase::Ramp;
use crate::plan::{Plan, ThresholdPlan};
use crate::report::build::{self, Judged};
use crate::report::quantity;
use crate::stats::RateSearch;

/// Runs trials of a phase until the highest rate that keeps its rule is known closely enough. What is given back is the
/// trial at that rate, or where none kept the rule the one at the lowest, and with it what came of all of them.
pub(super) async fn search(
    execution: &Execution,
    clock: &Clock,
    id: PhaseId,
    rule: &ThresholdPlan,
    watch: &mut Watch,
) -> Result<PhaseRun, exec::Error> {
    let phase = &execution.plan.phases[id.index()];
    let range = phase.load.arrivals.map_or(Ramp::flat(1.0), |arrivals| arrivals.rate);
    let mut rates = RateSearch::new(range.from, range.to);
    let mut trials: Vec<Trial> = Vec::new();
    let mut best: Option<(usize, PhaseRun)> = None;
    while let Some(rate) = rates.next_rate() {
        let plan = Arc::new(at_rate(&execution.plan, id, rate));
        let trial = Execution { plan: Arc::clone(&plan), ..execution.clone() };
        let run = match exec::run_phase(&trial, clock, id, watch).await {
            Ok(run) => run,
            Err(error) if best.is_none() => return Err(error),
            // what was found before is still worth its report
            Err(exec::Error::Stopped(_)) => return Ok(ended(best, trials, Ending::Interrupted)),
            Err(error) => return Ok(ended(best, trials, Ending::Aborted(error.to_string()))),
        };
        let Judged { figure, text, reached, kept, tps } = build::judge(&plan, &plan.phases[id.index()], &run, rule);
        let rate = rate * f64::from(phase.load.replicas);
        let verdict = if kept { "kept" } else { "not kept" };
        watch.note(&format!("{}: {}/s: {text}, {verdict}", phase.name, quantity::rate(rate)));
        let ending = run.ending.clone();
        if kept || best.is_none() {
            best = Some((trials.len(), run));
        }
        trials.push(Trial { rate, figure, tps, reached, kept });
        if ending != Ending::Complete {
            return Ok(ended(best, trials, ending));
        }
        rates.tell(kept);
    }
    Ok(ended(best, trials, Ending::Complete))
}

/// The same plan with one rate for the phase.
fn at_rate(plan: &Plan, id: PhaseId, rate: f64) -> Plan {
    let mut plan = plan.clone();
    if let Some(arrivals) = &mut plan.phases[id.index()].load.arrivals {
        arrivals.rate = Ramp::flat(rate);
    }
    plan
}

fn ended(best: Option<(usize, PhaseRun)>, trials: Vec<Trial>, ending: Ending) -> PhaseRun {
    #[expect(clippy::expect_used, reason = "a search begins with a trial, or ends with its error")]
    let (shown, mut run) = best.expect("one trial at least");
    run.ending = ending;
    run.search = Some(Search { trials, shown });
    run
}

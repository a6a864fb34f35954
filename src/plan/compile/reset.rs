//! `reset`: what is done with the data between two rounds of a run.

use super::values::Values;
use crate::plan::reset::{ResetPlan, refill};
use crate::plan::{PhasePlan, StepPlan};
use crate::scenario::{PhaseItem, Scenario};

/// Takes the word, and refuses it where the steps or the load don't allow it.
pub(super) fn compile_reset(
    scenario: &Scenario,
    setup: &[StepPlan],
    phases: &[PhasePlan],
    values: &mut Values<'_>,
) -> ResetPlan {
    let Some(word) = &scenario.reset else {
        // the points of a matrix repeat set-up where it changes, and only there
        return if scenario.matrix.0.is_empty() { ResetPlan::default() } else { ResetPlan::None };
    };
    let known = ResetPlan::ALL.map(|(name, _)| name);
    let Some(name) = values.word(word, "`reset`", &known) else { return ResetPlan::default() };
    let reset =
        ResetPlan::ALL.iter().find(|(known, _)| *known == name).map_or_else(ResetPlan::default, |(_, reset)| *reset);
    let key = format!("reset: {name}");
    match reset {
        ResetPlan::Truncate => {
            for (span, what) in refill(setup).faults {
                let help = "it can't be done again where its tables are; write `reset: setup` or `reset: template`";
                values.contradiction((&key, word.span), (what, span), help.to_owned());
            }
        }
        ResetPlan::Template if phases.iter().any(|phase| phase.load.url.is_some()) => {
            let of_phases = scenario.phases.iter().filter_map(|item| match item {
                PhaseItem::Phase(phase) => phase.load.url.as_ref(),
                PhaseItem::Step(_) => None,
            });
            for url in scenario.load.url.iter().chain(of_phases) {
                let help = "each round has a database of its own, which the URL does not name; write another `reset`";
                values.contradiction((&key, word.span), ("url", url.span), help.to_owned());
            }
        }
        _ => {}
    }
    reset
}

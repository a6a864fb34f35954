//! `stop_if`: rules about a phase so far that end it.

use super::ScenarioError;
use super::metric::MetricNames;
use super::threshold::compile_rule;
use super::values::Values;
use crate::plan::metric::{Metric, MetricRef, Stat};
use crate::plan::{PhasePlan, ThresholdPlan};
use crate::scenario::{PhaseItem, Scalar, Scenario};

/// Gives each phase its rule.
pub(super) fn compile_stop_rules(
    scenario: &Scenario,
    names: &MetricNames,
    phases: &mut [PhasePlan],
    values: &mut Values<'_>,
) {
    let specs = scenario.phases.iter().filter_map(|item| match item {
        PhaseItem::Phase(spec) => Some(spec),
        PhaseItem::Step(_) => None,
    });
    for (spec, phase) in specs.zip(phases) {
        phase.stop_if = spec.stop_if.as_ref().and_then(|rule| compile_stop_rule(rule, names, &phase.name, values));
    }
}

fn compile_stop_rule(
    rule: &Scalar,
    names: &MetricNames,
    phase: &str,
    values: &mut Values<'_>,
) -> Option<ThresholdPlan> {
    // nothing that it may be about needs a counter of its own
    let compiled = compile_rule(rule, "`stop_if`", names, &mut Vec::new(), values)?;
    let Some((reason, help)) = misfit(&compiled.metric, phase) else { return Some(compiled) };
    let (text, span, help) = (compiled.metric.text.clone(), rule.span, Some(help.to_owned()));
    values.fault(ScenarioError::InvalidMetric { text, reason, span, help });
    None
}

/// Why a figure is not known while its phase runs.
fn misfit(metric: &MetricRef, phase: &str) -> Option<(String, &'static str)> {
    const FIGURES: &str = "it looks at the phase as a whole: `tps`, `transactions`, `failed`, `failed.CLASS`, `skipped`, \
                           `late`, `retries`, `latency` and `schedule_lag`";
    if metric.phase.as_ref().is_some_and(|named| named != phase) {
        return Some(("`stop_if` is about its own phase".to_owned(), "take the name of the phase out"));
    }
    if metric.script.is_some() || metric.label.is_some() {
        return Some(("`stop_if` is not about single scripts and statements".to_owned(), FIGURES));
    }
    let known = match (&metric.metric, &metric.stat) {
        (Metric::Latency, Some(stat)) => !matches!(stat, Stat::CountBelow(_)),
        (Metric::ScheduleLag, Some(stat)) => !matches!(stat, Stat::CountBelow(_) | Stat::Percentile(_)),
        (metric, _) => matches!(
            metric,
            Metric::Tps | Metric::Transactions | Metric::Failed(_) | Metric::Skipped | Metric::Late | Metric::Retries
        ),
    };
    (!known).then(|| ("`stop_if` can't look at it while the phase runs".to_owned(), FIGURES))
}

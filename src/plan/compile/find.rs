//! `find`: the highest rate of a range that keeps a rule.

use std::time::Duration;

use super::ScenarioError;
use super::metric::MetricNames;
use super::threshold::compile_rule;
use super::values::Values;
use crate::plan::metric::Metric;
use crate::plan::phase::StopPlan;
use crate::plan::{PhasePlan, ThresholdPlan};
use crate::scenario::{PhaseItem, PhaseSpec, Scalar, Scenario};

/// Gives each phase that searches the rule that its trials have to keep.
pub(super) fn compile_finds(
    scenario: &Scenario,
    names: &MetricNames,
    phases: &mut [PhasePlan],
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) {
    let specs = scenario.phases.iter().filter_map(|item| match item {
        PhaseItem::Phase(spec) => Some(spec),
        PhaseItem::Step(_) => None,
    });
    for (spec, phase) in specs.zip(phases) {
        let Some(find) = &spec.find else { continue };
        let rule = compile_rule(find, "`find`", names, bounds, values);
        check_range(scenario, spec, find, phase, values);
        phase.find = rule.filter(|rule| is_of_phase(rule, find, phase, values));
    }
}

/// A search needs two ends that are apart, and trials that end by themselves.
fn check_range(scenario: &Scenario, spec: &PhaseSpec, find: &Scalar, phase: &PhasePlan, values: &mut Values<'_>) {
    let written = scenario.load.with(&spec.load);
    let Some(rate) = &written.rate else {
        let help = "give the range to search: `rate: 100/s..20000/s`".to_owned();
        values.needs("find", "a rate", find.span, help);
        return;
    };
    if let Some(arrivals) = &phase.load.arrivals {
        let (low, high) = (arrivals.rate.from, arrivals.rate.to);
        if low <= 0.0 || low >= high {
            let help = Some("two rates above 0, the lower first: `100/s..20000/s`".to_owned());
            values.invalid(rate, "the `rate` of a `find`", "a range to search", help);
        }
    }
    let ends = written.ends().next().filter(|_| !matches!(phase.stop, StopPlan::Duration(_)));
    if let Some((key, scalar)) = ends.filter(|(key, _)| *key != "duration") {
        let help = "say how long each trial takes: `duration: 20s`".to_owned();
        values.contradiction(("find", find.span), (key, scalar.span), help);
    }
}

/// Whether a trial of this phase has the figure of the rule.
fn is_of_phase(rule: &ThresholdPlan, find: &Scalar, phase: &PhasePlan, values: &mut Values<'_>) -> bool {
    let metric = &rule.metric;
    let reason = match (&metric.metric, &metric.phase) {
        (Metric::Seconds(_) | Metric::Own(_), _) => "no trial has it".to_owned(),
        (_, Some(other)) if *other != phase.name => format!("it is of phase `{other}`, and this is `{}`", phase.name),
        _ => return true,
    };
    let (text, help) = (metric.text.clone(), "name a figure of this phase: `latency.p99`, `failed`, …".to_owned());
    values.fault(ScenarioError::InvalidMetric { text, reason, span: find.span, help: Some(help) });
    false
}

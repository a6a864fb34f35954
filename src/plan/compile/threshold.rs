//! Rules about figures, `METRIC OP VALUE`, as thresholds, `stop_if` and `find` have them.

use std::time::Duration;

use super::ScenarioError;
use super::metric::{MetricNames, note_bound, resolve_metric};
use super::quantity::{part, unit_of_time};
use super::values::Values;
use crate::plan::metric::{Metric, MetricRef};
use crate::plan::phase::{ConnectionPolicy, PhaseKind};
use crate::plan::threshold::Comparison;
use crate::plan::{PhasePlan, ThresholdPlan};
use crate::scenario::Scalar;

/// Comparisons, the longer ones first.
pub(super) const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    ("=", Comparison::Equal),
];

/// Compiles a rule and takes its bounds; `None` where it has faults, which are noted.
pub(super) fn compile_rule(
    rule: &Scalar,
    what: &str,
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> Option<ThresholdPlan> {
    let found = find_outside(&rule.text, &COMPARISONS.map(|(word, _)| word));
    let comparison = found.and_then(|(_, found)| COMPARISONS.iter().find(|(word, _)| *word == found));
    let (Some((at, written)), Some((_, comparison))) = (found, comparison) else {
        let help = Some("write a figure, a comparison and a value: `latency.p99 < 50ms`".to_owned());
        values.invalid(rule, what, "a rule about a figure", help);
        return None;
    };
    let value = part(rule, at + written.len()..rule.text.len());
    let mut metric = resolve_metric(&part(rule, 0..at), names, values)?;
    note_bound(&metric, bounds);
    let value = figure_value(&mut metric, &value, values)?;
    let text = values.text(rule)?;
    Some(ThresholdPlan { text, metric, comparison: *comparison, value })
}

/// The rules that decide the exit code: those of the scenario, and `failed = 0` unless one of them is about failures.
pub(super) fn compile_thresholds(
    rules: &[Scalar],
    names: &MetricNames,
    phases: &[PhasePlan],
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> Vec<ThresholdPlan> {
    let mut thresholds = Vec::new();
    for rule in rules.iter().filter(|rule| !names.is_of_skipped(rule)) {
        let Some(threshold) = compile_rule(rule, "a threshold", names, bounds, values) else { continue };
        check_sense(&threshold.metric, rule, names, phases, values);
        thresholds.push(threshold);
    }
    if !thresholds.iter().any(|threshold| matches!(threshold.metric.metric, Metric::Failed(_))) {
        thresholds.push(ThresholdPlan::no_failures());
    }
    thresholds
}

/// Notes a rule that no run of these phases could ever decide.
pub(super) fn check_sense(
    metric: &MetricRef,
    rule: &Scalar,
    names: &MetricNames,
    phases: &[PhasePlan],
    values: &mut Values<'_>,
) {
    let mut misfit = |reason: String, help: &str| {
        let (text, help) = (metric.text.clone(), Some(help.to_owned()));
        values.fault(ScenarioError::InvalidMetric { text, reason, span: rule.span, help });
    };
    let of_phase = metric.phase.as_deref();
    let unmeasured = |phase: &&PhasePlan| Some(phase.name.as_str()) == of_phase && phase.kind == PhaseKind::Warmup;
    if let Some(phase) = phases.iter().find(unmeasured) {
        let help = "take its `measure: false` out, or name a phase that is measured";
        return misfit(format!("phase `{}` is not measured", phase.name), help);
    }
    let meant = |phase: &&PhasePlan| of_phase.map_or(phase.kind == PhaseKind::Measure, |name| phase.name == name);
    let meant: Vec<&PhasePlan> = phases.iter().filter(meant).collect();
    let runs = |phase: &&PhasePlan, script: usize| {
        phase.load.mix.entries.iter().any(|(id, weight)| id.index() == script && *weight > 0)
    };
    let script = metric.script.as_ref().and_then(|script| names.scripts.iter().position(|name| name == script));
    if let (Some(script), Some(name)) = (script, &metric.script)
        && !meant.iter().any(|phase| runs(phase, script))
    {
        let phase =
            of_phase.map_or("no measured phase runs".to_owned(), |phase| format!("phase `{phase}` does not run"));
        return misfit(format!("{phase} script `{name}`"), "add the script to the mix, or take the rule out");
    }
    let any = |has: fn(&PhasePlan) -> bool| meant.iter().any(|phase| has(phase));
    let (there, needs, help) = match metric.metric {
        Metric::Late => {
            (any(|p| p.load.latency_limit.is_some()), "a `latency_limit`", "say what is late: `latency_limit: 500ms`")
        }
        Metric::Skipped => (
            any(|p| p.load.latency_limit.is_some() && p.load.arrivals.is_some()),
            "a `rate` and a `latency_limit`",
            "only a schedule with a limit has starts that are given up",
        ),
        Metric::ScheduleLag => {
            (any(|p| p.load.arrivals.is_some()), "a `rate`", "without a schedule nothing is behind it")
        }
        Metric::PoolWait => (
            any(|p| matches!(p.load.connections, ConnectionPolicy::Pool(_))),
            "a pool",
            "share connections: `connections: 20`",
        ),
        Metric::ConnectionTime => (
            any(|p| p.load.connections == ConnectionPolicy::PerTransaction),
            "a connection for each transaction",
            "write `connections: per_transaction`",
        ),
        _ => return,
    };
    if !there && !meant.is_empty() {
        values.needs(&metric.text, needs, rule.span, help.to_owned());
    }
}

/// The value that a figure is compared with: seconds for durations, a plain number else, a part of 1 for percents.
pub(super) fn figure_value(metric: &mut MetricRef, value: &Scalar, values: &mut Values<'_>) -> Option<f64> {
    let what = format!("`{}`", metric.text);
    if let Some(percent) = value.text.trim_end().strip_suffix('%') {
        let percent = part(value, 0..percent.len());
        if !metric.is_part() {
            let help =
                "`failed`, `skipped`, `late`, `unfinished` and `latency.count(<D)` are parts of all transactions";
            let expected = if metric.is_duration() { "a duration" } else { "a number" };
            values.invalid(value, &what, expected, Some(help.to_owned()));
            return None;
        }
        metric.share = true;
        let number = values.number(&percent, &what)?;
        if !(0.0..=100.0).contains(&number) {
            values.out_of_range(value, &what, &value.text, "lies between 0% and 100%".to_owned());
        }
        return Some(number / 100.0);
    }
    let bare = || value.text.trim().parse::<f64>().is_ok();
    if metric.is_duration() && !(matches!(metric.metric, Metric::Seconds(_)) && bare()) {
        return values.duration(value, &what).map(|duration| duration.as_secs_f64());
    }
    if metric.metric == Metric::Tps && value.text.rsplit_once('/').is_some_and(|(_, unit)| unit_of_time(unit)) {
        return values.ramp_of_rates(value, &what).map(|rate| rate.from);
    }
    if value.text.trim_end().rsplit_once(|c: char| !c.is_ascii_alphabetic()).is_some_and(|(amount, unit)| {
        unit_of_time(unit) && value.text[amount.len()..].starts_with(|c: char| c.is_ascii_digit() || c == ' ')
    }) {
        let help = Some("only durations have a unit of time".to_owned());
        values.invalid(value, &what, "a number", help);
        return None;
    }
    let number = values.number(value, &what)?;
    if number < 0.0 && !matches!(metric.metric, Metric::Own(_)) {
        values.out_of_range(value, &what, &value.text.trim(), "is never below 0".to_owned());
    }
    Some(number)
}

/// The first of some words that stands outside of parentheses and points (`@clients=10`); longer words come before their
/// beginnings.
pub(super) fn find_outside<'w>(text: &str, words: &[&'w str]) -> Option<(usize, &'w str)> {
    let (mut depth, mut in_point) = (0_u32, false);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '@' => in_point = true,
            _ => in_point &= !(c.is_whitespace() || "<>~*".contains(c)),
        }
        if depth == 0
            && !in_point
            && let Some(found) = words.iter().find(|word| text[at..].starts_with(**word))
        {
            return Some((at, found));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find_outside;

    #[test]
    fn what_a_point_is_and_what_is_counted_compares_nothing() {
        let found = |text| find_outside(text, &["<=", "<", ">", "=", "+-"]);
        assert_eq!(found("latency.count(<5s) >= 3"), Some((19, ">")));
        assert_eq!(found("tps@clients=100,protocol=simple > tps"), Some((32, ">")));
        assert_eq!(found("tps@clients=100<=5"), Some((15, "<=")));
        assert_eq!(found("tps = 5"), Some((4, "=")));
        assert_eq!(found("tps@clients=100"), None);
    }
}

//! Rules about figures, `METRIC OP VALUE`, as thresholds, `stop_if` and `find` have them.

use std::time::Duration;

use super::metric::{MetricNames, note_bound, resolve_metric};
use super::quantity::part;
use super::values::Values;
use crate::plan::ThresholdPlan;
use crate::plan::metric::{Metric, MetricRef, Stat};
use crate::plan::threshold::Comparison;
use crate::scenario::Scalar;

/// Comparisons, the longer ones first.
const COMPARISONS: [&str; 5] = ["<=", ">=", "<", ">", "="];

/// Checks a rule and takes its bounds; the figure that it is about.
pub(super) fn check_rule(
    rule: &Scalar,
    what: &str,
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> Option<MetricRef> {
    let Some((at, comparison)) = find_comparison(&rule.text) else {
        let help = Some("write a figure, a comparison and a value: `latency.p99 < 50ms`".to_owned());
        values.invalid(rule, what, "a rule about a figure", help);
        return None;
    };
    let metric = part(rule, 0..at);
    let value = part(rule, at + comparison.len()..rule.text.len());
    let metric = resolve_metric(&metric, names, values)?;
    note_bound(&metric, bounds);
    figure_value(&metric, &value, values);
    Some(metric)
}

/// Compiles a rule and takes its bounds; `None` where it has faults, which are noted.
pub(super) fn compile_rule(
    rule: &Scalar,
    what: &str,
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> Option<ThresholdPlan> {
    let mut metric = check_rule(rule, what, names, bounds, values)?;
    let (at, written) = find_comparison(&rule.text)?;
    let comparison = match written {
        "<=" => Comparison::AtMost,
        ">=" => Comparison::AtLeast,
        "<" => Comparison::Less,
        ">" => Comparison::Greater,
        _ => Comparison::Equal,
    };
    metric.share = rule.text.trim_end().ends_with('%');
    let value = figure_value(&metric, &part(rule, at + written.len()..rule.text.len()), values)?;
    Some(ThresholdPlan { text: values.text(rule)?, metric, comparison, value })
}

/// The rules that decide the exit code. The scenario's own are checked, and can't be held to yet; `failed = 0` holds
/// unless one of them is about all failures.
pub(super) fn compile_thresholds(
    rules: &[Scalar],
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> Vec<ThresholdPlan> {
    let mut failures_named = false;
    for rule in rules {
        let metric = check_rule(rule, "a threshold", names, bounds, values);
        failures_named |= metric.is_some_and(|metric| metric.metric == Metric::Failed(None));
    }
    if let (Some(first), Some(last)) = (rules.first(), rules.last()) {
        values.later("`thresholds`", first.span.to(last.span));
    }
    if failures_named { Vec::new() } else { vec![ThresholdPlan::no_failures()] }
}

/// The value that a figure is compared with: seconds for durations, a plain number else, a part of 1 for percents.
pub(super) fn figure_value(metric: &MetricRef, value: &Scalar, values: &mut Values<'_>) -> Option<f64> {
    let what = format!("`{}`", metric.text);
    let counted = matches!(metric.stat, Some(Stat::CountBelow(_)));
    if metric.stat.is_some() && !counted {
        return values.duration(value, &what).map(|duration| duration.as_secs_f64());
    }
    if let (Metric::Seconds(_), true) = (&metric.metric, value.text.trim().parse::<f64>().is_err()) {
        return values.duration(value, &what).map(|duration| duration.as_secs_f64());
    }
    match value.text.strip_suffix('%') {
        Some(percent) => {
            let percent = part(value, 0..percent.len());
            values.number(&percent, &what).map(|percent| percent / 100.0)
        }
        None => values.number(value, &what),
    }
}

/// The comparison that stands outside of parentheses.
fn find_comparison(text: &str) -> Option<(usize, &'static str)> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                if let Some(found) = COMPARISONS.iter().find(|comparison| text[at..].starts_with(**comparison)) {
                    return Some((at, found));
                }
            }
            _ => {}
        }
    }
    None
}

//! Rules about figures, `METRIC OP VALUE`, as thresholds, `stop_if` and `find` have them.

use std::time::Duration;

use super::metric::{MetricNames, note_bound, resolve_metric};
use super::quantity::part;
use super::values::Values;
use crate::plan::metric::{Metric, MetricRef, Stat};
use crate::scenario::Scalar;

/// Comparisons, the longer ones first.
const COMPARISONS: [&str; 5] = ["<=", ">=", "<", ">", "="];

/// Checks a rule and takes its bounds.
pub(super) fn check_rule(
    rule: &Scalar,
    what: &str,
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) {
    let Some((at, comparison)) = find_comparison(&rule.text) else {
        let help = Some("write a figure, a comparison and a value: `latency.p99 < 50ms`".to_owned());
        values.invalid(rule, what, "a rule about a figure", help);
        return;
    };
    let metric = part(rule, 0..at);
    let value = part(rule, at + comparison.len()..rule.text.len());
    if let Some(metric) = resolve_metric(&metric, names, values) {
        note_bound(&metric, bounds);
        figure_value(&metric, &value, values);
    }
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

//! Sections that this version checks and can't run yet.

use std::time::Duration;

use super::metric::MetricNames;
use super::scenario_error::Kind;
use super::threshold::check_rule;
use super::values::Values;
use crate::scenario::{PhaseItem, Scenario};

/// Checks every such section, takes the bounds that its rules name, and notes that it can't be run.
pub(super) fn check_later(
    scenario: &Scenario,
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) {
    for (name, metric) in &scenario.metrics.0 {
        if let (Some(at), Some(every)) = (&metric.at, &metric.every) {
            let help = "a metric is taken once or again and again".to_owned();
            values.contradiction(("at", at.span), ("every", every.span), help);
        }
        metric.every.as_ref().map(|every| values.duration(every, "`every`"));
        values.later("a metric of the scenario's own", name.span);
    }
    for (name, _) in &scenario.matrix.0 {
        let vars: Vec<&str> = scenario.vars.names().collect();
        if !vars.contains(&name.text.as_str()) {
            values.unknown(Kind::Variable, name, &vars);
        }
        values.later("a matrix", name.span);
    }
    for item in &scenario.phases {
        let PhaseItem::Phase(phase) = item else { continue };
        if let Some(rule) = &phase.find {
            check_rule(rule, "`find`", names, bounds, values);
            values.later("`find`", rule.span);
        }
        if let (Some(find), None) = (&phase.find, scenario.load.with(&phase.load).rate) {
            let help = "give the range to search: `rate: 100/s..20000/s`".to_owned();
            values.needs("find", "a rate", find.span, help);
        }
    }
}

//! `metrics`: figures of the scenario's own.

use super::metric::is_taken;
use super::sql::split_sql;
use super::values::Values;
use crate::plan::own::{OwnMetricPlan, Taken};
use crate::scenario::{MetricSpec, Scalar, Scenario};

/// Compiles all metrics of the scenario's own.
pub(super) fn compile_own(scenario: &Scenario, values: &mut Values<'_>) -> Vec<OwnMetricPlan> {
    scenario.metrics.0.iter().filter_map(|(name, spec)| compile_one(name, spec, values)).collect()
}

fn compile_one(name: &Scalar, spec: &MetricSpec, values: &mut Values<'_>) -> Option<OwnMetricPlan> {
    if is_taken(&name.text) {
        let help = Some("figures have this word already; take another".to_owned());
        values.invalid(name, "`metrics`", "a name of its own", help);
    }
    if let (Some(at), Some(every)) = (&spec.at, &spec.every) {
        let help = "a metric is taken once or again and again".to_owned();
        values.contradiction(("at", at.span), ("every", every.span), help);
    }
    let every = spec.every.as_ref().map(|every| values.positive_duration(every, "`every`"));
    let at = spec.at.as_ref().and_then(|at| values.word(at, "`at`", &["start", "end"]));
    let taken = match (every, at) {
        (Some(every), _) => Taken::Every(every?),
        (None, Some("start")) => Taken::AtStart,
        _ => Taken::AtEnd,
    };
    let query = spec.query.as_ref()?;
    match split_sql(query.span.source, &query.text, Some(query), values)?.as_slice() {
        [one] => Some(OwnMetricPlan { name: name.text.clone(), statement: one.clone(), taken }),
        _ => {
            values.invalid(query, "`query`", "one statement", None);
            None
        }
    }
}

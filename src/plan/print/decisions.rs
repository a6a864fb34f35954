//! What is asked besides the load, and what is varied.

use super::{counted, duration, line};
use crate::plan::Plan;
use crate::plan::own::Taken;

pub(super) fn print(plan: &Plan, out: &mut String) {
    if !plan.metrics.is_empty() {
        line(out, 0, "");
        line(out, 0, "metrics, over a session besides");
    }
    for metric in &plan.metrics {
        let when = match metric.taken {
            Taken::AtStart => "before the first phase".to_owned(),
            Taken::AtEnd => "after the last phase".to_owned(),
            Taken::Every(every) => format!("every {} of a phase", duration(every)),
        };
        line(out, 2, &format!("{}  {when}: {}", metric.name, metric.statement.sql.trim()));
    }
    let axes = &plan.matrix.axes;
    if !axes.is_empty() {
        line(out, 0, "");
        let points = u64::try_from(plan.matrix.points()).unwrap_or(u64::MAX);
        line(out, 0, &format!("matrix: {}; above, the values of `vars`", counted(points, "run")));
    }
    for axis in axes {
        line(out, 2, &format!("{}  {}", axis.name, axis.values.join(", ")));
    }
    if !(plan.metrics.is_empty() && axes.is_empty()) {
        line(out, 0, "");
    }
}

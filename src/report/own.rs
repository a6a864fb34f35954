//! Figures of the scenario's own, as they were taken.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::RunFacts;
use crate::metrics::OwnMetric;
use crate::plan::metric::{MetricRef, Stat};
use crate::plan::own::Taken;
use crate::plan::{OwnMetricPlan, Plan};

/// A figure that a query gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnMetricReport {
    /// Its name.
    pub name: String,
    /// When it was taken: `start`, `end` or `every`.
    pub taken: String,
    /// The last value; none where it could never be taken.
    pub value: Option<f64>,
    /// How often it could not be taken.
    pub failed: u64,
    /// Why not, the first time.
    pub error: Option<String>,
    /// Of a curve, its values in order.
    pub points: Vec<PointReport>,
}

/// One value of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointReport {
    /// The phase that ran.
    pub phase: String,
    /// When, from the phase's start.
    pub at_us: u64,
    /// The value.
    pub value: f64,
}

/// The figures of a run.
pub(super) fn build(plan: &Plan, facts: &RunFacts) -> Vec<OwnMetricReport> {
    plan.metrics.iter().zip(&facts.own).map(|(known, taken)| build_one(plan, facts, known, taken)).collect()
}

fn build_one(plan: &Plan, facts: &RunFacts, known: &OwnMetricPlan, taken: &OwnMetric) -> OwnMetricReport {
    let points = taken.points.iter().filter_map(|point| {
        let phase = point.phase?;
        let started = facts.metrics.phases.get(phase).map_or(SystemTime::UNIX_EPOCH, |run| run.started);
        let at = point.at.duration_since(started).unwrap_or_default();
        Some(PointReport {
            phase: plan.phases.get(phase)?.name.clone(),
            at_us: u64::try_from(at.as_micros()).unwrap_or(u64::MAX),
            value: point.value,
        })
    });
    OwnMetricReport {
        name: known.name.clone(),
        taken: match known.taken {
            Taken::AtStart => "start",
            Taken::AtEnd => "end",
            Taken::Every(_) => "every",
        }
        .to_owned(),
        value: taken.points.last().map(|point| point.value),
        failed: taken.failed,
        error: taken.error.clone(),
        points: if matches!(known.taken, Taken::Every(_)) { points.collect() } else { Vec::new() },
    }
}

/// The figure that a rule means: the last value, or a statistic of the curve, of one phase where it names one.
pub(super) fn resolve(own: &OwnMetricReport, metric: &MetricRef) -> Option<f64> {
    if metric.phase.is_none() && metric.stat.is_none() {
        return own.value;
    }
    let of_phase = |point: &&PointReport| metric.phase.as_ref().is_none_or(|phase| point.phase == *phase);
    let values: Vec<f64> = own.points.iter().filter(of_phase).map(|point| point.value).collect();
    match metric.stat {
        None => values.last().copied(),
        Some(Stat::Avg) => (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
        Some(Stat::Min) => values.into_iter().reduce(f64::min),
        Some(Stat::Max) => values.into_iter().reduce(f64::max),
        Some(Stat::Stddev | Stat::Percentile(_) | Stat::CountBelow(_)) => None,
    }
}

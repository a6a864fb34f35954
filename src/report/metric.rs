//! Looking a figure up by its name.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Report;
use super::phase::{CommandReport, Figures, PhaseReport};
use super::quantity::{count, duration, rate};
use crate::metrics::Histogram;
use crate::plan::MetricRef;
use crate::plan::metric::{Metric, Stat};

/// A figure of a report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Its value, in its unit.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// What a figure is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// How many.
    Count,
    /// How many a second.
    PerSecond,
    /// Seconds.
    Seconds,
}

/// What the figure that a name stands for is in.
pub fn unit(metric: &MetricRef) -> Unit {
    match (&metric.metric, &metric.stat) {
        (Metric::Tps, _) => Unit::PerSecond,
        (_, Some(Stat::CountBelow(_))) => Unit::Count,
        (
            Metric::Latency
            | Metric::ServiceTime
            | Metric::ScheduleLag
            | Metric::PoolWait
            | Metric::ConnectionTime
            | Metric::Seconds(_),
            _,
        ) => Unit::Seconds,
        _ => Unit::Count,
    }
}

/// The figure that a name stands for; none where the report does not have it.
pub fn resolve(report: &Report, metric: &MetricRef) -> Option<Figure> {
    let value = match &metric.metric {
        Metric::Seconds(step) => {
            let step = report.steps.iter().find(|known| known.name == *step && !known.kept)?;
            Duration::from_micros(step.elapsed_us).as_secs_f64()
        }
        Metric::Own(_) => return None,
        _ => resolve_in_phases(report, metric)?,
    };
    Some(Figure { value, unit: unit(metric) })
}

fn resolve_in_phases(report: &Report, metric: &MetricRef) -> Option<f64> {
    let phases: Vec<&PhaseReport> = match &metric.phase {
        Some(name) => report.phases.iter().filter(|phase| phase.name == *name).collect(),
        None => report.phases.iter().filter(|phase| phase.measured).collect(),
    };
    if phases.is_empty() {
        return None;
    }
    if let Some(label) = &metric.label {
        return of_label(&phases, metric, label);
    }
    let mut figures = Figures::default();
    for phase in &phases {
        match &metric.script {
            Some(name) => figures.merge(&phase.scripts.iter().find(|script| script.name == *name)?.figures),
            None => figures.merge(&phase.total),
        }
    }
    let elapsed: f64 = phases.iter().map(|phase| Duration::from_micros(phase.elapsed_us).as_secs_f64()).sum();
    let n = match &metric.metric {
        Metric::Tps => return (elapsed > 0.0).then(|| figures.transactions as f64 / elapsed),
        Metric::Transactions => figures.transactions,
        Metric::Failed(None) => figures.failed,
        Metric::Failed(Some(class)) => figures.failed_by_class.get(class).copied().unwrap_or(0),
        Metric::Skipped => figures.skipped,
        Metric::Late => figures.late,
        Metric::Retries => figures.retries,
        Metric::Unfinished => figures.unfinished,
        Metric::Latency => return statistic(&figures.latency, metric.stat.as_ref()?, &figures),
        Metric::ServiceTime => return of_histogram(&figures.service_time, metric.stat.as_ref()?),
        Metric::ScheduleLag => return of_histogram(&figures.schedule_lag, metric.stat.as_ref()?),
        Metric::PoolWait => return of_histogram(&figures.pool_wait, metric.stat.as_ref()?),
        Metric::ConnectionTime => return of_histogram(&figures.connection_time, metric.stat.as_ref()?),
        Metric::Seconds(_) | Metric::Own(_) => return None,
    };
    Some(n as f64)
}

fn of_label(phases: &[&PhaseReport], metric: &MetricRef, label: &str) -> Option<f64> {
    let scripts = phases.iter().flat_map(|phase| &phase.scripts);
    let named = scripts.filter(|script| metric.script.as_ref().is_none_or(|name| script.name == *name));
    let commands = named.flat_map(|script| &script.commands);
    let labelled: Vec<&CommandReport> = commands.filter(|command| command.label.as_deref() == Some(label)).collect();
    let sum = |figure: fn(&CommandReport) -> u64| {
        (!labelled.is_empty()).then(|| labelled.iter().map(|command| figure(command)).sum::<u64>() as f64)
    };
    match &metric.metric {
        Metric::Transactions => sum(|command| command.latency.count()),
        Metric::Failed(None) => sum(|command| command.failures),
        Metric::Retries => sum(|command| command.retries),
        Metric::Latency => {
            let mut latency = Histogram::default();
            for command in labelled {
                latency.merge(&command.latency);
            }
            of_histogram(&latency, metric.stat.as_ref()?)
        }
        _ => None,
    }
}

/// Latencies have exact counters besides the histogram.
fn statistic(latency: &Histogram, stat: &Stat, figures: &Figures) -> Option<f64> {
    match stat {
        Stat::CountBelow(bound) => {
            let bound = u64::try_from(bound.as_micros()).ok()?;
            figures.below.iter().find(|below| below.bound_us == bound).map(|below| below.count as f64)
        }
        _ => of_histogram(latency, stat),
    }
}

fn of_histogram(histogram: &Histogram, stat: &Stat) -> Option<f64> {
    match stat {
        Stat::Avg => histogram.mean_ns().map(|ns| ns / 1e9),
        Stat::Stddev => histogram.stddev_ns().map(|ns| ns / 1e9),
        Stat::Min => histogram.min().map(|d| d.as_secs_f64()),
        Stat::Max => histogram.max().map(|d| d.as_secs_f64()),
        Stat::Percentile(percent) => histogram.percentile(*percent).map(|d| d.as_secs_f64()),
        // no estimate from buckets: a count is exact or absent
        Stat::CountBelow(_) => None,
    }
}

/// A figure for people.
pub(super) fn figure(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Seconds => duration(value * 1e9),
        Unit::PerSecond => rate(value),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts are whole and not negative"
        )]
        Unit::Count => count(value.round() as u64),
    }
}

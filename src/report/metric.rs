//! Looking a figure up by its name.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Report;
use super::own;
use super::phase::{CommandReport, Figures, PhaseReport};
use super::quantity::{count, duration, number, percent, rate};
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
    /// A part of all transactions, 1 being all of them.
    Share,
    /// Whatever the scenario's own query gives.
    Own,
}

/// What the figure that a name stands for is in.
pub fn unit(metric: &MetricRef) -> Unit {
    match metric.metric {
        _ if metric.share => Unit::Share,
        _ if metric.is_duration() => Unit::Seconds,
        Metric::Tps => Unit::PerSecond,
        Metric::Own(_) => Unit::Own,
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
        Metric::Own(name) => own::resolve(report.metrics.iter().find(|own| own.name == *name)?, metric)?,
        _ => of_phases(&phases_of(report, metric), metric)?,
    };
    Some(Figure { value, unit: unit(metric) })
}

/// The phases that a figure is of.
pub(super) fn phases_of<'r>(report: &'r Report, metric: &MetricRef) -> Vec<&'r PhaseReport> {
    match &metric.phase {
        Some(name) => report.phases.iter().filter(|phase| phase.name == *name).collect(),
        None => report.phases.iter().filter(|phase| phase.measured).collect(),
    }
}

/// Why the report does not have a figure, to go on after “since”.
pub fn why_missing(report: &Report, metric: &MetricRef) -> String {
    let phases = phases_of(report, metric);
    match (&metric.metric, &metric.phase) {
        (Metric::Seconds(step), _) if report.steps.iter().any(|known| known.name == *step) => {
            format!("step {step} was kept from an earlier run")
        }
        (Metric::Seconds(step), _) => format!("step {step} did not run"),
        (Metric::Own(name), _) => report
            .metrics
            .iter()
            .find(|own| own.name == *name)
            .and_then(|own| own.error.as_ref())
            .map_or_else(|| format!("{name} was never taken"), |error| format!("its query failed: {error}")),
        (_, Some(phase)) if phases.is_empty() => format!("phase {phase} did not begin"),
        _ if phases.is_empty() => "no measured phase began".to_owned(),
        (metric, _) if metric.is_time() => "there was nothing to measure it on".to_owned(),
        _ => "no transaction ended".to_owned(),
    }
}

/// A figure of some phases together; none where they do not have it.
pub fn of_phases(phases: &[&PhaseReport], metric: &MetricRef) -> Option<f64> {
    if phases.is_empty() {
        return None;
    }
    if let Some(label) = &metric.label {
        return of_label(phases, metric, label);
    }
    let mut figures = Figures::default();
    let mut seen = false;
    for phase in phases {
        // a phase whose mix leaves a script out says nothing of it
        let found = match &metric.script {
            Some(name) => phase.scripts.iter().find(|script| script.name == *name).map(|script| &script.figures),
            None => Some(&phase.total),
        };
        seen |= found.is_some();
        if let Some(found) = found {
            figures.merge(found);
        }
    }
    if !seen {
        return None;
    }
    let elapsed: f64 = phases.iter().map(|phase| phase.seconds()).sum();
    let n = match &metric.metric {
        Metric::Tps => return (elapsed > 0.0).then(|| figures.transactions as f64 / elapsed),
        Metric::Transactions => figures.transactions,
        Metric::Failed(None) => figures.failed,
        Metric::Failed(Some(class)) => figures.failed_by_class.get(class).copied().unwrap_or(0),
        Metric::Skipped => figures.skipped,
        Metric::Late => figures.late,
        Metric::Retries => figures.retries,
        Metric::Unfinished => figures.unfinished,
        Metric::Latency => match metric.stat.as_ref()? {
            Stat::CountBelow(bound) => count_below(*bound, &figures)?,
            stat => return of_histogram(&figures.latency, stat),
        },
        Metric::ServiceTime => return of_histogram(&figures.service_time, metric.stat.as_ref()?),
        Metric::ScheduleLag => return of_histogram(&figures.schedule_lag, metric.stat.as_ref()?),
        Metric::PoolWait => return of_histogram(&figures.pool_wait, metric.stat.as_ref()?),
        Metric::ConnectionTime => return of_histogram(&figures.connection_time, metric.stat.as_ref()?),
        Metric::Seconds(_) | Metric::Own(_) => return None,
    };
    if metric.share { part(n, &metric.metric, &figures) } else { Some(n as f64) }
}

/// A count as a part of all transactions: of the successful ones where it is one of them, else of those that were due.
fn part(n: u64, metric: &Metric, figures: &Figures) -> Option<f64> {
    let whole = match metric {
        Metric::Late | Metric::Latency => figures.transactions,
        Metric::Unfinished => figures.total() + figures.unfinished,
        _ => figures.total(),
    };
    (whole > 0).then(|| n as f64 / whole as f64)
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
fn count_below(bound: Duration, figures: &Figures) -> Option<u64> {
    let bound = u64::try_from(bound.as_micros()).ok()?;
    figures.below.iter().find(|below| below.bound_us == bound).map(|below| below.count)
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
        Unit::Share => percent(value),
        Unit::Own => number(value),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts are whole and not negative"
        )]
        Unit::Count => count(value.round() as u64),
    }
}

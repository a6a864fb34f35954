//! `stop_if`: a rule about a phase so far, looked at each second.

use std::time::Duration;

use crate::metrics::{Counters, FailureClass, Sample, Spread};
use crate::plan::ThresholdPlan;
use crate::plan::metric::{Metric, Stat};

/// A rule with what has happened so far.
pub(super) struct StopRule<'a> {
    rule: &'a ThresholdPlan,
    so_far: Sample,
}

impl<'a> StopRule<'a> {
    /// Nothing has happened yet.
    pub(super) fn new(rule: &'a ThresholdPlan) -> Self {
        Self { rule, so_far: Sample::default() }
    }

    /// Whether it holds once this has happened too, so long after the phase's start. A figure that there is not yet (the
    /// median of no transaction) holds no rule.
    pub(super) fn holds(&mut self, second: &Sample, elapsed: Duration) -> bool {
        self.so_far.merge(second);
        self.figure(elapsed).is_some_and(|figure| self.rule.comparison.holds(figure, self.rule.value))
    }

    fn figure(&self, elapsed: Duration) -> Option<f64> {
        let Sample { counters, latency, lag, .. } = &self.so_far;
        let count = match &self.rule.metric.metric {
            Metric::Tps => return Some(counters.transactions as f64 / elapsed.as_secs_f64()),
            Metric::Latency => return self.latency(latency, self.rule.metric.stat.as_ref()?),
            Metric::ScheduleLag => return of_spread(lag, self.rule.metric.stat.as_ref()?),
            metric => count(counters, metric)?,
        };
        if !self.rule.metric.share {
            return Some(count as f64);
        }
        let total = counters.total();
        (total > 0).then(|| count as f64 / total as f64)
    }

    fn latency(&self, spread: &Spread, stat: &Stat) -> Option<f64> {
        match stat {
            Stat::Percentile(percent) => self.so_far.percentile(*percent).map(|latency| latency.as_secs_f64()),
            stat => of_spread(spread, stat),
        }
    }
}

fn count(counters: &Counters, metric: &Metric) -> Option<u64> {
    Some(match metric {
        Metric::Transactions => counters.transactions,
        Metric::Failed(None) => counters.failed(),
        Metric::Failed(Some(name)) => {
            let class = FailureClass::ALL.into_iter().find(|class| class.name() == name)?;
            counters.failed_of(class)
        }
        Metric::Skipped => counters.skipped,
        Metric::Late => counters.late,
        Metric::Retries => counters.retries,
        _ => return None,
    })
}

fn of_spread(spread: &Spread, stat: &Stat) -> Option<f64> {
    let ns = match stat {
        Stat::Avg => spread.mean_ns()?,
        Stat::Stddev => spread.stddev_ns()?,
        Stat::Min if spread.count > 0 => spread.min as f64,
        Stat::Max if spread.count > 0 => spread.max as f64,
        _ => return None,
    };
    Some(ns / 1e9)
}

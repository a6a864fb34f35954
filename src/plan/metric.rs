//! Names of figures: the grammar that published results, claims and thresholds share.

use std::time::Duration;

/// `[phase.][script.][label.]name[.stat]`, with the parts resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricRef {
    /// As written.
    pub text: String,
    /// The phase; none: all measured phases together.
    pub phase: Option<String>,
    /// The script.
    pub script: Option<String>,
    /// A statement's label.
    pub label: Option<String>,
    /// Which figure.
    pub metric: Metric,
    /// Which statistic of it; durations need one.
    pub stat: Option<Stat>,
    /// Whether it is meant as a part of all transactions, as `failed < 0.1%` has it.
    pub share: bool,
}

impl MetricRef {
    /// The figure of all measured phases and scripts together.
    pub fn of_all_phases(text: &str, metric: Metric, stat: Option<Stat>) -> Self {
        Self { text: text.to_owned(), phase: None, script: None, label: None, metric, stat, share: false }
    }

    /// Whether it is a duration, and not how many or how many a second.
    pub fn is_duration(&self) -> bool {
        matches!(self.metric, Metric::Seconds(_))
            || (self.metric.is_time() && !matches!(self.stat, Some(Stat::CountBelow(_))))
    }

    /// Whether it is in the same unit as another, so that the two can be compared.
    pub fn is_like(&self, other: &Self) -> bool {
        let kind = |metric: &Self| {
            (metric.is_duration(), metric.metric == Metric::Tps, matches!(metric.metric, Metric::Own(_)))
        };
        kind(self) == kind(other)
    }

    /// Whether it counts transactions, so that a part of all of them makes sense.
    pub fn is_part(&self) -> bool {
        match self.metric {
            Metric::Failed(_) | Metric::Skipped | Metric::Late | Metric::Unfinished => self.label.is_none(),
            Metric::Latency => matches!(self.stat, Some(Stat::CountBelow(_))),
            _ => false,
        }
    }
}

/// The figures that a run has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Successful transactions a second.
    Tps,
    /// Successful transactions.
    Transactions,
    /// Transactions that ended with an error after all tries; of one class where it is given.
    Failed(Option<String>),
    /// Starts given up because they were too late.
    Skipped,
    /// Over the latency limit.
    Late,
    /// Tries after the first.
    Retries,
    /// Cut off at the end.
    Unfinished,
    /// Scheduled start to finish.
    Latency,
    /// Actual start to finish, without waiting for a connection.
    ServiceTime,
    /// Scheduled to actual start.
    ScheduleLag,
    /// Waiting for a pooled connection.
    PoolWait,
    /// Connecting.
    ConnectionTime,
    /// How long a set-up step took.
    Seconds(String),
    /// A metric of the scenario's own.
    Own(String),
}

impl Metric {
    /// Whether it is a distribution of durations.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::Latency | Self::ServiceTime | Self::ScheduleLag | Self::PoolWait | Self::ConnectionTime)
    }
}

/// A statistic of a distribution, or of a curve.
#[derive(Debug, Clone, PartialEq)]
pub enum Stat {
    /// Arithmetic mean.
    Avg,
    /// Standard deviation of the population.
    Stddev,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// The value below which this percentage lies, 0 to 100; `median` is 50.
    Percentile(f64),
    /// How many were shorter.
    CountBelow(Duration),
}

impl Eq for Stat {}

//! What happened second by second.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Counters;
use super::histogram::nanoseconds;

/// What happened in one interval: counters, and the latencies of the successful transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// How transactions ended.
    pub counters: Counters,
    /// Latencies.
    pub latency: Spread,
    /// Schedule lags; empty in the closed model.
    pub lag: Spread,
    /// Latencies by bucket, ascending: (highest nanoseconds of the bucket, count); two significant digits.
    pub latencies: Vec<(u64, u64)>,
}

/// Sums and extremes of some durations, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: u128,
    /// The sum of their squares.
    pub sum_squares: u128,
    /// The shortest; zero where there is none.
    pub min: u64,
    /// The longest.
    pub max: u64,
}

impl Spread {
    /// Counts a duration.
    #[inline]
    pub fn record(&mut self, duration: Duration) {
        let ns = nanoseconds(duration);
        self.min = if self.count == 0 { ns } else { self.min.min(ns) };
        self.max = self.max.max(ns);
        self.count += 1;
        self.sum += u128::from(ns);
        self.sum_squares = self.sum_squares.saturating_add(u128::from(ns) * u128::from(ns));
    }

    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self { count, sum, sum_squares, min, max } = other;
        if *count == 0 {
            return;
        }
        self.min = if self.count == 0 { *min } else { self.min.min(*min) };
        self.max = self.max.max(*max);
        self.count += count;
        self.sum += sum;
        self.sum_squares = self.sum_squares.saturating_add(*sum_squares);
    }

    /// The mean in nanoseconds.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The standard deviation of the population in nanoseconds.
    pub fn stddev_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        Some((self.sum_squares as f64 / self.count as f64 - mean * mean).max(0.0).sqrt())
    }
}

impl Sample {
    /// Takes in `other`, a sample of the same interval by another worker.
    pub fn merge(&mut self, other: &Self) {
        let Self { counters, latency, lag, latencies } = other;
        self.counters.merge(counters);
        self.latency.merge(latency);
        self.lag.merge(lag);
        if self.latencies.is_empty() {
            self.latencies.clone_from(latencies);
        } else if !latencies.is_empty() {
            self.latencies = merged(&self.latencies, latencies);
        }
    }

    /// The latency that `percent` per cent do not exceed, to two significant digits, within min and max.
    pub fn percentile(&self, percent: f64) -> Option<Duration> {
        let total: u64 = self.latencies.iter().map(|(_, count)| count).sum();
        let rank = (percent.clamp(0.0, 100.0) / 100.0 * total as f64 * (1.0 - 1e-12)).ceil().max(1.0);
        let mut seen = 0;
        let (value, _) = self.latencies.iter().find(|(_, count)| {
            seen += count;
            seen as f64 >= rank
        })?;
        Some(Duration::from_nanos((*value).clamp(self.latency.min, self.latency.max)))
    }
}

/// Two ascending lists of buckets as one.
fn merged(mut ours: &[(u64, u64)], mut theirs: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut all = Vec::with_capacity(ours.len() + theirs.len());
    while let ([a, after_a @ ..], [b, after_b @ ..]) = (ours, theirs) {
        let order = a.0.cmp(&b.0);
        all.push((a.0.min(b.0), if order.is_le() { a.1 } else { 0 } + if order.is_ge() { b.1 } else { 0 }));
        ours = if order.is_le() { after_a } else { ours };
        theirs = if order.is_ge() { after_b } else { theirs };
    }
    all.extend_from_slice(ours);
    all.extend_from_slice(theirs);
    all
}

/// Samples in order, one a second of the phase in which something happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// By second, counted from the phase's start.
    pub seconds: BTreeMap<u32, Sample>,
}

impl Timeline {
    /// Adds a sample of the second that begins at `from`.
    pub fn add(&mut self, from: Duration, sample: &Sample) {
        // ticks come a little early or late; the nearest whole second is meant
        let second = u32::try_from((from + Duration::from_millis(500)).as_secs()).unwrap_or(u32::MAX);
        self.seconds.entry(second).or_default().merge(sample);
    }

    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self { seconds } = other;
        for (second, sample) in seconds {
            self.seconds.entry(*second).or_default().merge(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn buckets_of_both_lists_are_added_in_order() {
        assert_eq!(merged(&[(1, 2), (4, 1)], &[(1, 3), (2, 5), (9, 1)]), [(1, 5), (2, 5), (4, 1), (9, 1)]);
        assert_eq!(merged(&[(7, 1)], &[]), [(7, 1)]);
    }
}

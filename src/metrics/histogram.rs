//! Durations, counted.

use std::time::Duration;

use super::Spread;

/// The longest duration that a bucket stands for: 24 hours. Longer ones are counted in the last bucket.
const HIGHEST_NS: u64 = 24 * 60 * 60 * 1_000_000_000;
/// No bucket begins beyond this.
const HIGHEST_BUCKET: u64 = 2 * HIGHEST_NS;
/// Significant digits that a bucket keeps: a percentile is at most 0.1 % above the exact one.
const DIGITS: u8 = 3;

type Buckets = hdrhistogram::Histogram<u64>;

/// A distribution of durations: HDR buckets for the percentiles, and beside them the exact count, sum, sum of
/// squares, least and greatest, in integers, so that merging is exact and its order does not matter.
///
/// The buckets (300 KB) are allocated by the first duration; after that recording allocates nothing.
#[derive(Clone, Default, PartialEq)]
pub struct Histogram {
    buckets: Option<Box<Buckets>>,
    count: u64,
    sum: u128,
    sum_squares: u128,
    min: u64,
    max: u64,
    clamped: u64,
}

/// A histogram's content as plain data, for files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistogramParts {
    /// The buckets in the binary V2 format of `HdrHistogram`, uncompressed, in nanoseconds; empty without durations.
    pub buckets: Vec<u8>,
    /// The sum in nanoseconds.
    pub sum: u128,
    /// The sum of the squares.
    pub sum_squares: u128,
    /// The shortest in nanoseconds.
    pub min: u64,
    /// The longest in nanoseconds.
    pub max: u64,
    /// How many were longer than 24 hours.
    pub clamped: u64,
}

/// Why stored buckets can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the buckets of a histogram are damaged: {0}")]
pub struct DamagedHistogram(String);

impl Histogram {
    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, duration: Duration) {
        self.record_n(duration, 1);
    }

    /// Counts the same duration `n` times.
    #[inline]
    pub fn record_n(&mut self, duration: Duration, n: u64) {
        if n == 0 {
            return;
        }
        let ns = nanoseconds(duration);
        let buckets = match &mut self.buckets {
            Some(buckets) => buckets,
            none => none.insert(Box::new(new_buckets())),
        };
        buckets.saturating_record_n(ns, n);
        self.min = if self.count == 0 { ns } else { self.min.min(ns) };
        self.max = self.max.max(ns);
        self.count += n;
        self.sum += u128::from(ns) * u128::from(n);
        let squares = (u128::from(ns) * u128::from(ns)).saturating_mul(u128::from(n));
        self.sum_squares = self.sum_squares.saturating_add(squares);
        self.clamped += if ns > HIGHEST_NS { n } else { 0 };
    }

    /// Takes in everything that `other` has counted.
    #[expect(clippy::missing_panics_doc, reason = "all histograms have the same range")]
    pub fn merge(&mut self, other: &Self) {
        let Self { buckets, count, sum, sum_squares, min, max, clamped } = other;
        let Some(theirs) = buckets.as_ref().filter(|_| *count > 0) else { return };
        match &mut self.buckets {
            Some(ours) => ours.add(&**theirs).expect("all histograms have the same range"),
            none => *none = Some(theirs.clone()),
        }
        self.min = if self.count == 0 { *min } else { self.min.min(*min) };
        self.max = self.max.max(*max);
        self.count += count;
        self.sum += sum;
        self.sum_squares = self.sum_squares.saturating_add(*sum_squares);
        self.clamped += clamped;
    }

    /// Forgets everything; the buckets stay allocated.
    pub fn reset(&mut self) {
        let buckets = self.buckets.take().map(|mut buckets| {
            if self.count > 0 {
                buckets.reset();
            }
            buckets
        });
        *self = Self { buckets, ..Self::default() };
    }

    /// The sums and extremes alone.
    pub fn spread(&self) -> Spread {
        let Self { buckets: _, count, sum, sum_squares, min, max, clamped: _ } = *self;
        Spread { count, sum, sum_squares, min, max }
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many were longer than 24 hours; percentiles that fall among them show the longest of all.
    pub fn clamped(&self) -> u64 {
        self.clamped
    }

    /// All durations together, in nanoseconds.
    pub fn sum_ns(&self) -> u128 {
        self.sum
    }

    /// The shortest, exactly.
    pub fn min(&self) -> Option<Duration> {
        self.some(self.min)
    }

    /// The longest, exactly.
    pub fn max(&self) -> Option<Duration> {
        self.some(self.max)
    }

    /// The arithmetic mean in nanoseconds, exact but for the last rounding.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// The standard deviation of the population in nanoseconds: zero for one duration.
    pub fn stddev_ns(&self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let n = u128::from(self.count);
        // n·Σx² − (Σx)² in integers has no cancellation; where it does not fit, the floating form is near enough
        let exact = n.checked_mul(self.sum_squares).zip(self.sum.checked_mul(self.sum));
        let variance = match exact {
            Some((left, right)) => left.saturating_sub(right) as f64 / (n as f64 * n as f64),
            None => self.sum_squares as f64 / n as f64 - (self.sum as f64 / n as f64).powi(2),
        };
        Some(variance.max(0.0).sqrt())
    }

    /// The smallest duration that `percent` per cent of all do not exceed (nearest rank), at most 0.1 % above the
    /// exact one and never outside min and max.
    pub fn percentile(&self, percent: f64) -> Option<Duration> {
        let buckets = self.buckets.as_ref()?;
        let n = self.count as f64;
        // without the nudge, 99.9 % of 1000 would be rank 1000, as 99.9 / 100 is a hair above 0.999
        let rank = (percent.clamp(0.0, 100.0) / 100.0 * n * (1.0 - 1e-12)).ceil().max(1.0);
        // the first and the last are known exactly
        if rank <= 1.0 || rank >= n {
            return self.some(if rank <= 1.0 { self.min } else { self.max });
        }
        let value = buckets.value_at_quantile((rank - 0.5) / n);
        // the last bucket holds everything beyond 24 hours
        let value = if self.clamped > 0 && value >= HIGHEST_NS { self.max } else { value };
        self.some(value.clamp(self.min, self.max))
    }

    /// Each bucket in use: the highest duration that it stands for, and how many fell into it.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.buckets.iter().flat_map(|buckets| {
            // this is done every second, so no bucket below the shortest is looked at, and each of the others in a few
            // instructions: they are of one width from one power of two to the next
            let mut at = buckets.lowest_equivalent(self.min.min(HIGHEST_NS));
            let mut width = buckets.equivalent_range(at);
            let mut left = self.count;
            std::iter::from_fn(move || {
                while left > 0 && at <= HIGHEST_BUCKET {
                    if at.is_power_of_two() {
                        width = buckets.equivalent_range(at);
                    }
                    let count = buckets.count_at(at);
                    at += width;
                    if count > 0 {
                        left = left.saturating_sub(count);
                        return Some((Duration::from_nanos(at - 1), count));
                    }
                }
                None
            })
        })
    }

    /// The content as plain data.
    #[expect(clippy::missing_panics_doc, reason = "writing to memory does not fail")]
    pub fn to_parts(&self) -> HistogramParts {
        use hdrhistogram::serialization::{Serializer as _, V2Serializer};
        let mut bytes = Vec::new();
        if let Some(buckets) = &self.buckets {
            V2Serializer::new().serialize(buckets, &mut bytes).expect("writing to memory does not fail");
        }
        HistogramParts {
            buckets: bytes,
            sum: self.sum,
            sum_squares: self.sum_squares,
            min: self.min,
            max: self.max,
            clamped: self.clamped,
        }
    }

    /// A histogram with this content.
    pub fn from_parts(parts: &HistogramParts) -> Result<Self, DamagedHistogram> {
        let HistogramParts { buckets, sum, sum_squares, min, max, clamped } = parts;
        if buckets.is_empty() {
            return Ok(Self::default());
        }
        let stored: Buckets = hdrhistogram::serialization::Deserializer::new()
            .deserialize(&mut buckets.as_slice())
            .map_err(|error| DamagedHistogram(error.to_string()))?;
        // added to one of our own range, so that no file decides what later recordings allocate
        let mut ours = new_buckets();
        ours.add(&stored).map_err(|error| DamagedHistogram(error.to_string()))?;
        Ok(Self {
            count: ours.len(),
            buckets: Some(Box::new(ours)),
            sum: *sum,
            sum_squares: *sum_squares,
            min: *min,
            max: *max,
            clamped: *clamped,
        })
    }

    fn some(&self, ns: u64) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(ns))
    }
}

/// Without the buckets, which would fill pages.
impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { buckets: _, count, sum, sum_squares, min, max, clamped } = self;
        f.debug_struct("Histogram")
            .field("count", count)
            .field("sum", sum)
            .field("sum_squares", sum_squares)
            .field("min", min)
            .field("max", max)
            .field("clamped", clamped)
            .finish_non_exhaustive()
    }
}

#[cold]
fn new_buckets() -> Buckets {
    Buckets::new_with_bounds(1, HIGHEST_NS, DIGITS).expect("the bounds are constants that fit")
}

/// A duration in nanoseconds; 584 years and more are all the same.
#[inline]
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(duration.subsec_nanos()))
}

#[cfg(test)]
mod tests;

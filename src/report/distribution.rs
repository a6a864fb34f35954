//! A histogram as a report keeps it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::quantity::microseconds;
use crate::metrics::Histogram;
use crate::metrics::histogram::HistogramParts;

/// A distribution of durations. In a file it is null without durations; else it holds figures for people and, beside
/// them, all that it takes to merge it with another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution(pub Histogram);

impl std::ops::Deref for Distribution {
    type Target = Histogram;

    fn deref(&self) -> &Histogram {
        &self.0
    }
}

/// What stands in the file.
#[derive(Serialize, Deserialize)]
struct Stored {
    count: u64,
    avg_us: Option<f64>,
    stddev_us: Option<f64>,
    min_us: Option<f64>,
    p50_us: Option<f64>,
    p90_us: Option<f64>,
    p95_us: Option<f64>,
    p99_us: Option<f64>,
    p99_9_us: Option<f64>,
    max_us: Option<f64>,
    /// More than 24 hours.
    clamped: u64,
    /// Sums go beyond what a JSON number holds exactly.
    sum_ns: String,
    sum_squares_ns2: String,
    min_ns: u64,
    max_ns: u64,
    hdr_v2: String,
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let histogram = &self.0;
        if histogram.is_empty() {
            return serializer.serialize_none();
        }
        let percentile = |percent| histogram.percentile(percent).map(|d| microseconds(d.as_nanos() as f64));
        let parts = histogram.to_parts();
        Stored {
            count: histogram.count(),
            avg_us: histogram.mean_ns().map(microseconds),
            stddev_us: histogram.stddev_ns().map(microseconds),
            min_us: histogram.min().map(|d| microseconds(d.as_nanos() as f64)),
            p50_us: percentile(50.0),
            p90_us: percentile(90.0),
            p95_us: percentile(95.0),
            p99_us: percentile(99.0),
            p99_9_us: percentile(99.9),
            max_us: histogram.max().map(|d| microseconds(d.as_nanos() as f64)),
            clamped: parts.clamped,
            sum_ns: parts.sum.to_string(),
            sum_squares_ns2: parts.sum_squares.to_string(),
            min_ns: parts.min,
            max_ns: parts.max,
            hdr_v2: BASE64_STANDARD.encode(&parts.buckets),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(stored) = Option::<Stored>::deserialize(deserializer)? else {
            return Ok(Self::default());
        };
        let number = |text: &str| text.parse::<u128>().map_err(D::Error::custom);
        let parts = HistogramParts {
            buckets: BASE64_STANDARD.decode(&stored.hdr_v2).map_err(D::Error::custom)?,
            sum: number(&stored.sum_ns)?,
            sum_squares: number(&stored.sum_squares_ns2)?,
            min: stored.min_ns,
            max: stored.max_ns,
            clamped: stored.clamped,
        };
        let histogram = Histogram::from_parts(&parts).map_err(D::Error::custom)?;
        if histogram.count() != stored.count {
            return Err(D::Error::custom("the buckets of a histogram do not add up to its count"));
        }
        Ok(Self(histogram))
    }
}

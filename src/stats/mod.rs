//! Pure statistics of measured values. Nothing here knows what was measured.

pub mod moments;

mod median;
mod search;

pub use median::median;
pub use moments::Moments;
pub use search::RateSearch;

/// The arithmetic mean; none of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    values.iter().copied().collect::<Moments>().mean()
}

/// The standard deviation of the values as a whole population; none of no values.
pub fn stddev(values: &[f64]) -> Option<f64> {
    values.iter().copied().collect::<Moments>().stddev()
}

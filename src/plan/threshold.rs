//! Pass and fail: rules about figures that decide the exit code.

use super::MetricRef;
use super::metric::Metric;

/// A rule about a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdPlan {
    /// As written: `failed = 0`.
    pub text: String,
    /// The figure.
    pub metric: MetricRef,
    /// What it has to be.
    pub comparison: Comparison,
    /// Compared with the figure, in its unit: seconds, a number, or a part of 1.
    pub value: f64,
}

/// What a figure has to be to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Less.
    Less,
    /// Less or equal.
    AtMost,
    /// Equal.
    Equal,
    /// Greater or equal.
    AtLeast,
    /// Greater.
    Greater,
}

impl Comparison {
    /// Whether it holds between a figure and a value.
    #[expect(clippy::float_cmp, reason = "equality is asked for of counts, which are whole numbers")]
    pub fn holds(self, figure: f64, value: f64) -> bool {
        match self {
            Self::Less => figure < value,
            Self::AtMost => figure <= value,
            Self::Equal => figure == value,
            Self::AtLeast => figure >= value,
            Self::Greater => figure > value,
        }
    }
}

impl ThresholdPlan {
    /// `failed = 0`, which holds unless a scenario says otherwise.
    pub fn no_failures() -> Self {
        let metric = MetricRef::of_all_phases("failed", Metric::Failed(None), None);
        Self { text: "failed = 0".to_owned(), metric, comparison: Comparison::Equal, value: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Comparison;

    #[test]
    fn comparisons_differ_at_the_border() {
        let all = [Comparison::Less, Comparison::AtMost, Comparison::Equal, Comparison::AtLeast, Comparison::Greater];
        assert_eq!(all.map(|c| c.holds(1.0, 2.0)), [true, true, false, false, false]);
        assert_eq!(all.map(|c| c.holds(2.0, 2.0)), [false, true, true, true, false]);
        assert_eq!(all.map(|c| c.holds(3.0, 2.0)), [false, false, false, true, true]);
    }
}

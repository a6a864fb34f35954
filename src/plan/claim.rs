//! What a publication says about its figures, beyond the figures themselves.

use super::metric::MetricRef;
use super::threshold::Comparison;

/// A statement about figures, which a run bears out or not. It never decides an exit code.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimPlan {
    /// As written: `tps@clients=100 > 3 * tps@clients=10`.
    pub text: String,
    /// The figure that it is about.
    pub figure: PointFigure,
    /// What it says of the figure.
    pub says: Says,
}

/// A figure, at a point of the matrix where one is given.
#[derive(Debug, Clone, PartialEq)]
pub struct PointFigure {
    /// The figure.
    pub metric: MetricRef,
    /// Variables with the values that they have at the point.
    pub at: Vec<(String, String)>,
}

/// What is said of a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// How it stands to a value or to another figure.
    Stands(Relation, Expected),
    /// That transactions fail with this error; the figure is how many do.
    FailsWith(ClaimedError),
}

/// How a figure stands to what is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// As a comparison has it.
    Compares(Comparison),
    /// Not further from it than this part of it: `+- 10%`.
    WithinPart(f64),
    /// Not further from it than this, in the figure's unit: `+- 2ms`.
    Within(f64),
    /// Of its order of magnitude: `~`.
    About,
}

/// What a figure is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// A value in the figure's unit: seconds, a number, or a part of 1.
    Value(f64),
    /// So many times another figure.
    Figure(f64, PointFigure),
}

/// An error, as a publication names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimedError {
    /// By its SQLSTATE.
    Sqlstate(String),
    /// By words of its message, whatever their case.
    Message(String),
}

impl Relation {
    /// `~` allows this factor upwards and downwards: what is nearer to the expected value than to ten times it or to a
    /// tenth of it, on the scale of magnitudes.
    pub const MAGNITUDE: f64 = 3.162_277_660_168_379_5;

    /// Whether a measured figure stands so to an expected one.
    pub fn holds(self, measured: f64, expected: f64) -> bool {
        // what was written in decimals is not exact, and neither is its border
        let near = |bound: f64| (measured - expected).abs() <= bound * (1.0 + 1e-12);
        match self {
            Self::Compares(comparison) => comparison.holds(measured, expected),
            Self::WithinPart(part) => near(part * expected.abs()),
            Self::Within(bound) => near(bound),
            Self::About if measured * expected > 0.0 => {
                let ratio = measured / expected;
                (ratio.recip()).max(ratio) <= Self::MAGNITUDE
            }
            Self::About => measured == 0.0 && expected == 0.0,
        }
    }
}

impl ClaimPlan {
    /// Its figures: the one that it is about, and the one that this is compared with.
    pub fn figures(&self) -> impl Iterator<Item = &PointFigure> {
        let other = match &self.says {
            Says::Stands(_, Expected::Figure(_, other)) => Some(other),
            _ => None,
        };
        std::iter::once(&self.figure).chain(other)
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Relation};

    #[test]
    fn borders_are_within() {
        let tenth = Relation::WithinPart(0.1);
        assert!(tenth.holds(1751.4, 1946.0) && tenth.holds(2140.6, 1946.0) && !tenth.holds(2140.7, 1946.0));
        let two = Relation::Within(0.002);
        assert!(two.holds(0.010, 0.008) && !two.holds(0.0101, 0.008));
        assert!(Relation::Compares(Comparison::Greater).holds(2.0, 1.0));
    }

    #[test]
    fn about_is_nearer_than_the_next_power_of_ten() {
        let about = |measured, expected| Relation::About.holds(measured, expected);
        assert!(about(0.010, 0.010) && about(0.0316, 0.010) && about(0.0032, 0.010));
        assert!(!about(0.032, 0.010) && !about(0.0031, 0.010) && !about(0.0, 0.010) && !about(-0.010, 0.010));
        assert!(about(0.0, 0.0));
    }
}

//! Figures that a scenario's own queries gave.

use std::time::SystemTime;

/// What became of one such figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnMetric {
    /// The values, in the order in which they were taken.
    pub points: Vec<OwnPoint>,
    /// How often it could not be taken.
    pub failed: u64,
    /// Why not, the first time.
    pub error: Option<String>,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnPoint {
    /// The number of the phase that ran; none: before the first or after the last.
    pub phase: Option<usize>,
    /// When it was asked for.
    pub at: SystemTime,
    /// What the query gave.
    pub value: f64,
}

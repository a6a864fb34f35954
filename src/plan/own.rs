//! Figures of the scenario's own, which a query gives.

use std::time::Duration;

use super::step::SetupStatement;

/// A figure that the server is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnMetricPlan {
    /// Its name in reports and rules.
    pub name: String,
    /// The question; the first value of the first row is the figure.
    pub statement: SetupStatement,
    /// When it is asked.
    pub taken: Taken,
}

/// When a figure is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Once, before the first phase.
    AtStart,
    /// Once, after the last phase.
    AtEnd,
    /// Again and again while a phase runs: a curve.
    Every(Duration),
}

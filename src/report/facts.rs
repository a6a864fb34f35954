//! What a report is built from, besides the plan.

use std::time::{Duration, SystemTime};

use super::model::Environment;
use crate::metrics::{OwnMetric, RunMetrics};

/// What a run was like.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// The version of this program.
    pub version: String,
    /// When it began, set-up included.
    pub started: SystemTime,
    /// Server and host.
    pub environment: Environment,
    /// Steps that were run, in order.
    pub steps: Vec<StepFacts>,
    /// What was measured.
    pub metrics: RunMetrics,
    /// Figures of the scenario's own, one for each that the plan has; empty where none were asked for.
    pub own: Vec<OwnMetric>,
    /// What else its reader must know first; one sentence each, lower case, no full stop.
    pub warnings: Vec<String>,
}

/// A step that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepFacts {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub elapsed: Duration,
    /// Rows that it made, where it says.
    pub rows: Option<u64>,
    /// Whether what it makes was there already and was kept.
    pub kept: bool,
    /// The phase that it came before, for a step that stands between phases.
    pub before_phase: Option<usize>,
}

//! Loads that run beside the phases.

use super::phase::{LoadPlan, PhaseKind, PhasePlan, StopPlan};
use crate::id::PhaseId;
use crate::source::Span;

/// A load beside the phases, with clients of its own; reported apart.
#[derive(Debug, Clone, PartialEq)]
pub struct BackgroundPlan {
    /// Its name in reports.
    pub name: String,
    /// What it puts on the server, once per replica.
    pub load: LoadPlan,
    /// The phases that it stands beside.
    pub phases: Vec<PhaseId>,
    /// Where it was written.
    pub span: Span,
}

impl BackgroundPlan {
    /// The load as it stands beside a phase: it ramps over that one's length, and ends with it.
    #[must_use]
    pub fn beside(&self, phase: &PhasePlan) -> PhasePlan {
        PhasePlan {
            id: phase.id,
            name: self.name.clone(),
            kind: PhaseKind::Background,
            load: self.load.clone(),
            stop: match phase.stop {
                StopPlan::Duration(length) => StopPlan::Duration(length),
                StopPlan::Transactions(_) | StopPlan::TransactionsPerClient(_) | StopPlan::WithPhase => {
                    StopPlan::WithPhase
                }
            },
            stop_if: None,
            find: None,
            span: self.span,
        }
    }
}

//! Steps of set-up and teardown.

use std::sync::Arc;
use std::time::Duration;

use super::{FillPlan, InitPlan};
use crate::source::Span;

/// One step, timed and named in the report.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPlan {
    /// Its name: as given, else made from what it does (`schema.sql`, `fill customers`).
    pub name: String,
    /// Where it was written.
    pub span: Span,
    /// What it does.
    pub kind: StepKind,
    /// Whether a statement that the server refuses is passed over, and the next one sent.
    pub passes_over_errors: bool,
}

/// The kinds of step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Statements, sent one by one in the simple protocol.
    Sql(Vec<SetupStatement>),
    /// Rows made in the server.
    Fill(Arc<FillPlan>),
    /// What `pgbench -i` does.
    Pgbench(InitPlan),
    /// Doing nothing for a while.
    Wait(Duration),
}

/// A statement of set-up with its variables put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupStatement {
    /// The text.
    pub sql: String,
    /// Where it was written.
    pub span: Span,
}

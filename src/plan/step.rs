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
    /// Rows from a file.
    Copy(CopyPlan),
    /// What `pgbench -i` does.
    Pgbench(InitPlan),
    /// Doing nothing for a while.
    Wait(Duration),
    /// Doing nothing until the server says true.
    WaitUntil(WaitUntilPlan),
    /// The embedded server is stopped and started again.
    Restart,
    /// A command for `sh`.
    Shell(String),
}

/// A statement of set-up with its variables put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupStatement {
    /// The text.
    pub sql: String,
    /// Where it was written.
    pub span: Span,
    /// The rows of a `COPY … FROM stdin`, as they were written; none: it is another statement.
    pub rows: Option<Arc<str>>,
}

impl SetupStatement {
    /// A statement without rows of its own.
    pub fn new(sql: impl Into<String>, span: Span) -> Self {
        Self { sql: sql.into(), span, rows: None }
    }
}

/// A table that takes the rows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyPlan {
    /// The table, as written (it may be qualified).
    pub table: String,
    /// The file of comma-separated values, as the scenario names it; its first line names the columns.
    pub csv: String,
    /// Where it was named.
    pub span: Span,
}

/// A question that is asked until the answer is true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitUntilPlan {
    /// The question; the first value of the first row is the answer.
    pub question: SetupStatement,
    /// How long it may take to become true.
    pub timeout: Duration,
}

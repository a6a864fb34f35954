//! Steps of set-up and teardown.

use std::sync::Arc;
use std::time::Duration;

use super::InitPlan;
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
    Fill(FillPlan),
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

/// A table to be filled.
#[derive(Debug, Clone, PartialEq)]
pub struct FillPlan {
    /// The table, as written (it may be qualified).
    pub table: String,
    /// How many rows.
    pub rows: u64,
    /// Columns with what makes their values; others take their defaults.
    pub columns: Vec<(String, ColumnPlan)>,
}

/// What makes a column's values.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnPlan {
    /// The row's number, from 1.
    Series,
    /// Whole numbers in a range, both ends included, each alike.
    UniformInteger {
        /// Smallest.
        low: i64,
        /// Largest.
        high: i64,
    },
    /// Numbers in a range with so many digits after the point.
    UniformNumber {
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
        /// Digits kept.
        round: Option<u32>,
    },
    /// Days or moments in a range, both ends included; the text is PostgreSQL's.
    UniformTime {
        /// Earliest, such as `2024-01-01` or `2024-01-01 12:00:00`.
        low: String,
        /// Latest.
        high: String,
    },
    /// One of these, with a chance in proportion to its weight.
    Choice(Vec<(String, f64)>),
    /// A SQL expression; `i` in it is the row's number.
    Sql(String),
}

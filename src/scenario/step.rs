//! Steps of set-up and teardown.

use super::Error;
use super::column::ColumnSpec;
use super::initialization::InitSpec;
use super::node::{Node, NodeKind, Scalar};
use super::quantity::Quantity;
use super::read::{Faults, Fields, Named, Read};
use super::shape::{Sections, Shape};
use crate::source::Span;

/// One step: optional keys, of which one says what kind it is.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSpec {
    /// Where it was written.
    pub span: Span,
    /// Whether faults were found in it; a key that is missing then may be one that was misspelt.
    pub faulty: bool,
    /// Its name in the report.
    pub name: Option<Scalar>,
    /// Statements.
    pub sql: Option<Scalar>,
    /// A file of statements.
    pub file: Option<Scalar>,
    /// A table to be filled …
    pub fill: Option<Scalar>,
    /// … with so many rows …
    pub rows: Option<Scalar>,
    /// … for each row of another table …
    pub per: Option<Scalar>,
    /// … whose columns are made like this …
    pub columns: Named<ColumnSpec>,
    /// … by so many sessions.
    pub workers: Option<Scalar>,
    /// A table to be filled from a file …
    pub copy: Option<Scalar>,
    /// … of comma-separated values.
    pub csv: Option<Scalar>,
    /// A pause.
    pub wait: Option<WaitSpec>,
    /// pgbench's own initialization.
    pub pgbench: Option<InitSpec>,
    /// What is started anew.
    pub restart: Option<Scalar>,
    /// A command of the shell.
    pub shell: Option<Scalar>,
    /// What an error of one of its statements means.
    pub on_error: Option<Scalar>,
}

/// The keys that say what kind of step it is.
pub(super) const STEP_KINDS: [&str; 8] = ["sql", "file", "fill", "copy", "wait", "pgbench", "restart", "shell"];

impl Read for StepSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        if let NodeKind::Scalar(word) = &node.kind {
            errors.push(Error::WrongType {
                form: None,
                section: "a step".to_owned(),
                expected: "a key with a value, such as `sql: checkpoint`",
                found: "a single value",
                span: word.span,
            });
            return None;
        }
        let mut fields = Fields::open(node, "a step", errors)?;
        let mut spec = Self {
            span: node.span,
            faulty: false,
            name: fields.get("name"),
            sql: fields.get("sql"),
            file: fields.get("file"),
            fill: fields.get("fill"),
            rows: fields.quantity("rows", Quantity::Counts(0)),
            per: fields.get("per"),
            columns: fields.or_default("columns"),
            workers: fields.quantity("workers", Quantity::Whole(1)),
            copy: fields.get("copy"),
            csv: fields.get("csv"),
            wait: fields.get("wait"),
            pgbench: fields.get("pgbench"),
            restart: fields.choice("restart", &["embedded"]),
            shell: fields.get("shell"),
            on_error: fields.choice("on_error", &["abort_run", "continue"]),
        };
        spec.faulty = fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a step")
    }
}

/// A pause: a duration, or a condition to become true.
#[derive(Debug, Clone, PartialEq)]
pub enum WaitSpec {
    /// So long.
    Duration(Scalar),
    /// Until a query says true.
    Until {
        /// The query.
        until: Scalar,
        /// How long at most.
        timeout: Option<Scalar>,
    },
}

impl Read for WaitSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        if let NodeKind::Scalar(duration) = &node.kind {
            return Some(Self::Duration(duration.clone()));
        }
        let mut fields = Fields::open(node, "`wait`", errors)?;
        let until = fields.need("until", "say what to wait for, or write a duration: `wait: 10s`");
        let timeout = fields.quantity("timeout", Quantity::Period);
        fields.close();
        Some(Self::Until { until: until?, timeout })
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`wait`").or_quantity(Quantity::Duration)
    }
}

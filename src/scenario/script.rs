//! `scripts`, `feeds` and `metrics`.

use super::load::DelaySpec;
use super::node::{Node, Scalar};
use super::quantity::Quantity;
use super::read::{Faults, Fields, Read, wrong_type};
use super::shape::{Sections, Shape};
use crate::source::Span;

/// A script: a file, SQL in place or one of pgbench's builtins.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptSpec {
    /// Where it was written.
    pub span: Span,
    /// Whether faults were found in it; a key that is missing then may be one that was misspelt.
    pub faulty: bool,
    /// A script file.
    pub file: Option<Scalar>,
    /// The script itself.
    pub sql: Option<Scalar>,
    /// The name of a builtin.
    pub builtin: Option<Scalar>,
    /// The pause after each of its transactions.
    pub think: Option<DelaySpec>,
}

impl Read for ScriptSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        if node.as_scalar().is_some() {
            errors.push(wrong_type(node, "a script", "`{sql: …}`, `{file: …}` or `{builtin: …}`"));
            return None;
        }
        let mut fields = Fields::open(node, "a script", errors)?;
        let mut spec = Self {
            span: node.span,
            faulty: false,
            file: fields.get("file"),
            sql: fields.get("sql"),
            builtin: fields.choice("builtin", &["tpcb-like", "simple-update", "select-only"]),
            think: fields.get("think"),
        };
        spec.faulty = fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a script")
    }
}

/// Rows for `\feed`.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedSpec {
    /// Where it was written.
    pub span: Span,
    /// Whether faults were found in it; a key that is missing then may be one that was misspelt.
    pub faulty: bool,
    /// A query that gives them.
    pub query: Option<Scalar>,
    /// A file that holds them.
    pub csv: Option<Scalar>,
    /// Their order.
    pub order: Option<Scalar>,
    /// What comes after the last.
    pub at_end: Option<Scalar>,
}

impl Read for FeedSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "a feed", errors)?;
        let mut spec = Self {
            span: node.span,
            faulty: false,
            query: fields.get("query"),
            csv: fields.get("csv"),
            order: fields.choice("order", &["sequential", "random", "per_client"]),
            at_end: fields.choice("at_end", &["restart", "stop"]),
        };
        spec.faulty = fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a feed")
    }
}

/// A figure of the scenario's own.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSpec {
    /// Where it was written.
    pub span: Span,
    /// What gives it.
    pub query: Option<Scalar>,
    /// When it is taken once.
    pub at: Option<Scalar>,
    /// How often it is taken.
    pub every: Option<Scalar>,
}

impl Read for MetricSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "a metric", errors)?;
        let spec = Self {
            span: node.span,
            query: fields.need("query", "say what gives the figure"),
            at: fields.choice("at", &["start", "end"]),
            every: fields.quantity("every", Quantity::Period),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a metric")
    }
}

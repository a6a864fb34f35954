//! The step `pgbench`: pgbench's own initialization.

use super::node::{Node, Scalar};
use super::quantity::Quantity;
use super::read::{Faults, Fields, Read};
use super::shape::{Sections, Shape};
use crate::source::Span;

/// The options of `pgbench -i`, under their long names.
#[derive(Debug, Clone, PartialEq)]
pub struct InitSpec {
    /// Where it was written.
    pub span: Span,
    /// The scale factor.
    pub scale: Option<Scalar>,
    /// Letters of steps.
    pub init_steps: Option<Scalar>,
    /// How full a page gets, in percent.
    pub fillfactor: Option<Scalar>,
    /// Whether tables refer to each other.
    pub foreign_keys: Option<Scalar>,
    /// Whether tables are unlogged.
    pub unlogged_tables: Option<Scalar>,
    /// How many partitions the accounts have.
    pub partitions: Option<Scalar>,
    /// How they are partitioned.
    pub partition_method: Option<Scalar>,
    /// Where the tables go.
    pub tablespace: Option<Scalar>,
    /// Where the indexes go.
    pub index_tablespace: Option<Scalar>,
    /// From how many sessions the rows come.
    pub jobs: Option<Scalar>,
}

impl Read for InitSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "`pgbench`", errors)?;
        let spec = Self {
            span: node.span,
            scale: fields.quantity("scale", Quantity::Whole(1)),
            init_steps: fields.get("init_steps"),
            fillfactor: fields.quantity("fillfactor", Quantity::Whole(10)),
            foreign_keys: fields.choice("foreign_keys", &["true", "false"]),
            unlogged_tables: fields.choice("unlogged_tables", &["true", "false"]),
            partitions: fields.quantity("partitions", Quantity::Whole(0)),
            partition_method: fields.choice("partition_method", &["range", "hash"]),
            tablespace: fields.get("tablespace"),
            index_tablespace: fields.get("index_tablespace"),
            jobs: fields.quantity("jobs", Quantity::Whole(1)),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`pgbench`")
    }
}

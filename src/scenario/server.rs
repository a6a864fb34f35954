//! `server`, `vars`, `report`: what holds for the whole scenario.

use super::node::{Node, NodeKind, Scalar};
use super::quantity::{NUMBER, Quantity};
use super::read::{Faults, Fields, Named, Read};
use super::shape::{Sections, Shape};

/// `server`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerSpec {
    /// The major version that the embedded server takes.
    pub version: Option<Scalar>,
    /// The oldest major version that will do.
    pub min_version: Option<Scalar>,
    /// Extensions that set-up creates.
    pub extensions: Vec<Scalar>,
    /// Settings of the server.
    pub settings: Named<Scalar>,
    /// How the embedded server authenticates.
    pub auth: Option<Scalar>,
}

impl Read for ServerSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "`server`", errors)?;
        let spec = Self {
            version: fields.quantity("version", Quantity::Whole(8)),
            min_version: fields.quantity("min_version", Quantity::Whole(8)),
            extensions: fields.or_default("extensions"),
            settings: fields.or_default("settings"),
            auth: fields.choice("auth", &["trust", "scram-sha-256"]),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`server`")
    }
}

/// A variable: a value, or a value with what there is to say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct VarSpec {
    /// Its value unless `-D` gives another …
    pub default: Option<Scalar>,
    /// … or what the server is asked for it; it has one of the two.
    pub query: Option<Scalar>,
    /// The smallest value allowed.
    pub min: Option<Scalar>,
    /// What it is.
    pub description: Option<Scalar>,
}

impl Read for VarSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        if let NodeKind::Scalar(default) = &node.kind {
            return Some(Self { default: Some(default.clone()), query: None, min: None, description: None });
        }
        let mut fields = Fields::open(node, "a variable", errors)?;
        let query: Option<Scalar> = fields.get("query");
        let default = fields.get("default");
        if query.is_none() {
            fields.note_missing("default", "give the variable its value: `{default: 10}`");
        }
        let (min, description) = (fields.quantity("min", NUMBER), fields.get("description"));
        fields.close();
        (default.is_some() || query.is_some()).then_some(Self { default, query, min, description })
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a variable").or_value()
    }
}

/// `report`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportSpec {
    /// The version of pgbench whose wording its block takes.
    pub pgbench: Option<Scalar>,
    /// How often plain progress is printed.
    pub progress: Option<Scalar>,
    /// Percentiles that the block has besides.
    pub percentiles: Vec<Scalar>,
}

impl Read for ReportSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "`report`", errors)?;
        let spec = Self {
            pgbench: fields.quantity("pgbench", Quantity::Number(Some(9), None)),
            progress: fields.quantity("progress", Quantity::Period),
            percentiles: fields.or_default("percentiles"),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`report`")
    }
}

//! `published`: what others reported.

use super::node::{Node, Scalar};
use super::read::{Faults, Fields, Named, Read};
use super::shape::{Sections, Shape};
use crate::source::Span;

/// A publication.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSpec {
    /// Where it was written.
    pub span: Span,
    /// Its title.
    pub title: Option<Scalar>,
    /// Where it is.
    pub url: Option<Scalar>,
    /// When it appeared.
    pub date: Option<Scalar>,
    /// Remarks for the reader.
    pub notes: Vec<Scalar>,
    /// The systems that it measured.
    pub systems: Vec<SystemSpec>,
    /// What it says about them.
    pub claims: Vec<Scalar>,
}

impl Read for PublishedSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "`published`", errors)?;
        let spec = Self {
            span: node.span,
            title: fields.need("title", "give the publication's title"),
            url: fields.get("url"),
            date: fields.get("date"),
            notes: fields.or_default("notes"),
            systems: fields.or_default("systems"),
            claims: fields.or_default("claims"),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`published`")
    }
}

/// A system that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemSpec {
    /// Where it was written.
    pub span: Span,
    /// What the publication calls it.
    pub name: Option<Scalar>,
    /// The server's version.
    pub version: Option<Scalar>,
    /// What it ran on.
    pub hardware: Named<Scalar>,
    /// Settings of the server.
    pub settings: Named<Scalar>,
    /// The point of the matrix that it belongs to.
    pub at: Named<Scalar>,
    /// Its figures.
    pub results: Named<Scalar>,
}

impl Read for SystemSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "a published system", errors)?;
        let spec = Self {
            span: node.span,
            name: fields.need("name", "say what the publication calls it"),
            version: fields.get("version"),
            hardware: fields.or_default("hardware"),
            settings: fields.or_default("settings"),
            at: fields.or_default("at"),
            results: fields.or_default("results"),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a published system")
    }
}

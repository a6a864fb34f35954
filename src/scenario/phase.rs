//! `phases` and `background`.

use super::load::LoadSpec;
use super::node::{Node, Scalar};
use super::read::{Faults, Fields, Read};
use super::shape::{Sections, Shape};
use super::step::{STEP_KINDS, StepSpec};
use crate::source::Span;

/// An entry of `phases`.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseItem {
    /// A phase.
    Phase(Box<PhaseSpec>),
    /// A step of set-up between phases.
    Step(Box<StepSpec>),
}

impl Read for PhaseItem {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        if STEP_KINDS.iter().any(|kind| node.get(kind).is_some()) {
            StepSpec::read(node, what, errors).map(|step| Self::Step(Box::new(step)))
        } else {
            PhaseSpec::read(node, what, errors).map(|phase| Self::Phase(Box::new(phase)))
        }
    }

    fn shape(sections: &mut Sections) -> Shape {
        StepSpec::shape(sections);
        PhaseSpec::shape(sections);
        Shape::PhaseItem(&STEP_KINDS)
    }
}

/// A phase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseSpec {
    /// Where it was written.
    pub span: Span,
    /// Whether faults were found in it; a key that is missing then may be one that was misspelt.
    pub faulty: bool,
    /// Its name in reports.
    pub name: Option<Scalar>,
    /// Whether its figures count.
    pub measure: Option<Scalar>,
    /// What ends the run early.
    pub stop_if: Option<Scalar>,
    /// What the highest rate has to keep.
    pub find: Option<Scalar>,
    /// The keys of `load` that it sets again, and when it ends.
    pub load: LoadSpec,
}

impl Read for PhaseSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "a phase", errors)?;
        let mut spec = Self {
            span: node.span,
            faulty: false,
            name: fields.name("name"),
            measure: fields.choice("measure", &["true", "false"]),
            stop_if: fields.get("stop_if"),
            find: fields.get("find"),
            load: LoadSpec::read_fields(&mut fields),
        };
        spec.faulty = fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a phase")
    }
}

/// Work beside the load.
#[derive(Debug, Clone, PartialEq)]
pub struct BackgroundSpec {
    /// Where it was written.
    pub span: Span,
    /// The phases that it runs in.
    pub phases: Option<Vec<Scalar>>,
    /// Its load.
    pub load: LoadSpec,
}

impl Read for BackgroundSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "a background load", errors)?;
        let spec = Self { span: node.span, phases: fields.get("phases"), load: LoadSpec::read_fields(&mut fields) };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a background load")
    }
}

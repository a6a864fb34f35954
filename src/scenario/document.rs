//! The whole document.

use super::Error;
use super::load::LoadSpec;
use super::node::{Node, NodeKind, Scalar};
use super::phase::{BackgroundSpec, PhaseItem};
use super::published::PublishedSpec;
use super::quantity::Quantity;
use super::read::{Faults, Fields, Named, Read, note_invalid_names, note_invalid_variables};
use super::script::{FeedSpec, MetricSpec, ScriptSpec};
use super::server::{ReportSpec, ServerSpec, VarSpec};
use super::shape::{Sections, Shape};
use super::step::StepSpec;

/// A scenario as it was written.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is named after its key; docs/reference/scenario.md describes them")]
pub struct Scenario {
    /// The document that it was read from, without the comments.
    pub root: Node,
    pub name: Option<Scalar>,
    pub description: Option<Scalar>,
    pub seed: Option<Scalar>,
    pub streams: Option<Scalar>,
    pub vars: Named<VarSpec>,
    pub server: ServerSpec,
    pub setup: Vec<StepSpec>,
    pub feeds: Named<FeedSpec>,
    pub scripts: Named<ScriptSpec>,
    pub load: LoadSpec,
    pub background: Named<BackgroundSpec>,
    pub phases: Vec<PhaseItem>,
    pub thresholds: Vec<Scalar>,
    pub metrics: Named<MetricSpec>,
    pub matrix: Named<Vec<Scalar>>,
    pub reset: Option<Scalar>,
    pub profiles: Named<Node>,
    pub report: ReportSpec,
    pub published: Option<PublishedSpec>,
    pub teardown: Vec<StepSpec>,
}

/// The format's version.
struct Version;

impl Read for Version {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        let Scalar { text, span, .. } = Read::read(node, what, errors)?;
        if text != "1" {
            errors.push(Error::UnknownFormat { version: text, span });
        }
        Some(Self)
    }

    fn shape(_: &mut Sections) -> Shape {
        Shape::Number(1)
    }
}

/// A part of a scenario, to be laid over it.
struct Part(Node);

impl Read for Part {
    fn read(node: &Node, _: &str, _: &mut Faults) -> Option<Self> {
        Some(Self(node.clone()))
    }

    fn shape(_: &mut Sections) -> Shape {
        Shape::Part("a scenario")
    }
}

impl Read for Scenario {
    fn read(root: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(root, "a scenario", errors)?;
        let _: Option<Version> = fields.need("reprise", "begin the scenario with `reprise: 1`");
        let scenario = Self {
            root: root.clone(),
            name: fields.name("name"),
            description: fields.get("description"),
            seed: fields.get_only("seed", Shape::Word(&["random"]).or_quantity(Quantity::Whole(0))),
            streams: fields.choice("streams", &["per_client", "pgbench", "pgbench_14"]),
            vars: fields.or_default("vars"),
            server: fields.or_default("server"),
            setup: fields.or_default("setup"),
            feeds: fields.or_default("feeds"),
            scripts: fields
                .need("scripts", "name at least one script: `scripts: {browse: {file: browse.sql}}`")
                .unwrap_or_default(),
            load: fields.need("load", "say what is put on the server: `load: {clients: 10}`").unwrap_or_default(),
            background: fields.or_default("background"),
            phases: fields.or_default("phases"),
            thresholds: fields.or_default("thresholds"),
            metrics: fields.or_default("metrics"),
            matrix: fields.or_default("matrix"),
            reset: fields.choice("reset", &["setup", "template", "truncate", "none"]),
            profiles: Named(
                fields.or_default::<Named<Part>>("profiles").0.into_iter().map(|(name, part)| (name, part.0)).collect(),
            ),
            report: fields.or_default("report"),
            published: fields.get("published"),
            teardown: fields.or_default("teardown"),
        };
        fields.close();
        scenario.note_names(errors);
        Some(scenario)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a scenario")
    }
}

impl Scenario {
    fn note_names(&self, errors: &mut Faults) {
        note_invalid_variables(&self.vars, errors);
        note_invalid_names(&self.feeds, errors);
        note_invalid_names(&self.scripts, errors);
        note_invalid_names(&self.background, errors);
        note_invalid_names(&self.metrics, errors);
        note_invalid_names(&self.profiles, errors);
        for (_, node) in &self.profiles.0 {
            if !matches!(node.kind, NodeKind::Map { .. }) {
                errors.push(super::read::wrong_type(node, "a profile", "keys of a scenario"));
            }
        }
    }
}

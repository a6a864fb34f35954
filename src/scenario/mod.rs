//! YAML → what was written, with spans.
//!
//! [`parse`] reads a document into a [`Scenario`]: options stay optional, names stay names, and whatever may be a
//! `:name` or an expression stays a [`Scalar`]. All faults of a document are reported at once.

mod column;
mod document;
mod error;
mod files;
mod form;
mod initialization;
mod load;
mod node;
mod phase;
mod profile;
mod published;
mod quantity;
mod read;
mod reference;
mod schema;
mod script;
mod server;
mod shape;
mod step;
mod synonyms;
mod yaml;

pub use column::{ColumnSpec, GENERATORS, OPTIONS};
pub use document::Scenario;
pub use error::{Error, TooMuch};
pub use initialization::InitSpec;
pub use load::{DelaySpec, LoadSpec, SessionSpec};
pub use node::{Node, NodeKind, Scalar};
pub use phase::{BackgroundSpec, PhaseItem, PhaseSpec};
pub use profile::Change;
pub use published::{PublishedSpec, SystemSpec};
pub use read::Named;
pub use script::{FeedSpec, MetricSpec, ScriptSpec};
pub use server::{ReportSpec, ServerSpec, VarSpec};
pub use step::{StepSpec, WaitSpec};

pub use schema::json_schema;

use crate::source::SourceId;
use read::{Faults, Read};

/// Parses a scenario, its profiles included.
pub fn parse(source: SourceId, text: &str) -> Result<Scenario, Vec<Error>> {
    match parse_partly(source, text) {
        (Some(scenario), errors) if errors.is_empty() => Ok(scenario),
        (_, errors) => Err(errors),
    }
}

/// Parses as much of a scenario as makes sense, so that what is left can be checked as well.
pub fn parse_partly(source: SourceId, text: &str) -> (Option<Scenario>, Vec<Error>) {
    let root = match yaml::parse(source, text) {
        Ok(root) => root,
        Err(error) => return (None, vec![error]),
    };
    let mut errors = Faults::default();
    let scenario = Scenario::read(&root, "a scenario", &mut errors);
    if let Some(scenario) = &scenario {
        scenario.note_files_outside(&mut errors);
        scenario.note_profile_faults(&mut errors);
    }
    (scenario, errors.errors())
}

//! The report as JSON: the format of `run.json`.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::model::SCHEMA_VERSION;
use super::{Error, Report};

/// The report as one JSON document that ends with a line feed.
#[expect(clippy::missing_panics_doc, reason = "all keys are strings, and no writer is involved")]
pub fn render(report: &Report) -> String {
    let mut text = serde_json::to_string(report).expect("a report is plain data");
    text.push('\n');
    text
}

/// The report that `text` holds.
pub fn parse(text: &str) -> Result<Report, Error> {
    parse_versioned(text)
}

/// A document that says which version of the format it has.
pub(super) fn parse_versioned<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    #[derive(Deserialize)]
    struct Version {
        schema_version: Option<u64>,
    }
    let damaged = |error: serde_json::Error| {
        if error.is_eof() { Error::Truncated(error.line()) } else { Error::Damaged(error.to_string()) }
    };
    let version: Version = serde_json::from_str(text).map_err(damaged)?;
    match version.schema_version {
        None => Err(Error::NotAReport),
        Some(found) if found > u64::from(SCHEMA_VERSION) => Err(Error::Newer { found }),
        Some(_) => serde_json::from_str(text).map_err(damaged),
    }
}

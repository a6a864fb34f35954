//! What somebody else measured, beside what was measured here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Report;
use super::claims::{ClaimReport, Claims};
use super::metric::{self, Unit};
use super::quantity;
use crate::plan::PublishedPlan;
use crate::plan::published::PublishedSystem;

/// A publication's figures beside those of this run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedReport {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: Option<String>,
    /// When it appeared.
    pub date: Option<String>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// The systems that it measured.
    pub systems: Vec<SystemReport>,
    /// What it says about their figures, and whether it is so here.
    #[serde(default)]
    pub claims: Vec<ClaimReport>,
}

/// One system of a publication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemReport {
    /// What the publication calls it.
    pub name: String,
    /// Its server's version.
    pub version: Option<String>,
    /// Its hardware.
    pub hardware: BTreeMap<String, String>,
    /// The point of the matrix that it belongs to.
    pub at: BTreeMap<String, String>,
    /// In what its set-up and this one differ.
    pub differences: Vec<Difference>,
    /// Its figures.
    pub results: Vec<ResultReport>,
}

/// Something that is not the same here as there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What.
    pub what: String,
    /// There.
    pub published: String,
    /// Here.
    pub here: String,
}

/// A published figure beside the measured one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultReport {
    /// Its name, as in thresholds.
    pub metric: String,
    /// What the figures are in.
    pub unit: Unit,
    /// Theirs.
    pub published: f64,
    /// Theirs, as it was written.
    pub published_text: String,
    /// Ours, where this run has it.
    pub measured: Option<f64>,
    /// Ours by theirs.
    pub ratio: Option<f64>,
}

/// Puts a publication beside a report; nothing where all its systems belong to other points of the matrix.
pub(super) fn compare(published: &PublishedPlan, report: &Report) -> Option<PublishedReport> {
    let here: Vec<&PublishedSystem> = published.systems.iter().filter(|system| is_of_point(system, report)).collect();
    let claims = Claims::of_run(&published.claims, report);
    if here.is_empty() && claims.is_empty() && !(published.systems.is_empty() && published.claims.is_empty()) {
        return None;
    }
    Some(PublishedReport {
        title: published.title.clone(),
        url: published.url.clone(),
        date: published.date.clone(),
        notes: published.notes.clone(),
        systems: here.into_iter().map(|system| compare_system(system, report)).collect(),
        claims,
    })
}

/// Whether a system belongs to this point of the matrix, or to none.
fn is_of_point(system: &PublishedSystem, report: &Report) -> bool {
    let vars = &report.scenario.vars;
    let other = |(name, value): &(String, String)| {
        vars.iter().any(|var| var.origin == "matrix" && var.name == *name && !same(&var.value, value))
    };
    !system.at.iter().any(other)
}

fn compare_system(system: &PublishedSystem, report: &Report) -> SystemReport {
    let results = system.results.iter().map(|result| {
        let measured = metric::resolve(report, &result.metric).map(|figure| figure.value);
        ResultReport {
            metric: result.metric.text.clone(),
            unit: metric::unit(&result.metric),
            published: result.value,
            published_text: result.text.clone(),
            measured,
            ratio: measured.filter(|_| result.value != 0.0).map(|measured| measured / result.value),
        }
    });
    SystemReport {
        name: system.name.clone(),
        version: system.version.clone(),
        hardware: system.hardware.iter().cloned().collect(),
        at: system.at.iter().cloned().collect(),
        differences: differences(system, report),
        results: results.collect(),
    }
}

/// Everything known to differ; what is not known here says so, since it may.
fn differences(system: &PublishedSystem, report: &Report) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut differs = |what: &str, published: &str, here: Option<String>| {
        let here = here.unwrap_or_else(|| "not known".to_owned());
        if !same(published, &here) {
            differences.push(Difference { what: what.to_owned(), published: published.to_owned(), here });
        }
    };
    let scenario = &report.scenario;
    let changes = scenario.profile.iter().flat_map(|profile| &profile.changes);
    for change in changes {
        differs(&change.key, change.before.as_deref().unwrap_or("not set"), Some(change.after.clone()));
    }
    for var in scenario.vars.iter().filter(|var| var.origin == "command_line" && var.value != var.default) {
        differs(&format!("vars.{}", var.name), &var.default, Some(var.value.clone()));
    }
    for (name, value) in &system.at {
        let here = scenario.vars.iter().find(|var| var.name == *name).map(|var| var.value.clone());
        differs(&format!("vars.{name}"), value, here);
    }
    let server = &report.environment.server;
    if let Some(version) = &system.version {
        // `15.14 (Debian 15.14-0)`: how it was packaged is no difference
        let here = server.version.split_whitespace().next().map(ToOwned::to_owned);
        differs("server version", version, here);
    }
    for (name, value) in &system.settings {
        differs(name, value, server.settings.get(name).cloned());
    }
    // the server's machine is this one only where the server was made here
    let host = server.embedded.then_some(&report.environment.client);
    for (name, value) in &system.hardware {
        let here = match name.as_str() {
            "cpus" => host.and_then(|host| host.cpus).map(|cpus| cpus.to_string()),
            "memory" => host.and_then(|host| host.memory_bytes).map(quantity::bytes),
            _ => continue,
        };
        differs(name, value, here);
    }
    differences
}

/// Whether two values are the same to a reader: blanks, case and trailing zeros do not matter (`16GB`, `16.0 GB`).
pub(super) fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
        let unit = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit);
        number.parse::<f64>().map_or(text.clone(), |number| format!("{number}{unit}"))
    };
    a == b || plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn writing_is_no_difference() {
        assert!(same("16GB", "16.0 GB") && same("on", "ON") && same("300", "300"));
        assert!(!same("9.4.5", "9.4.50") && !same("16GB", "15.6 GB"));
    }
}

//! What a reader must know first.

use super::page::Page;
use crate::report::Report;
use crate::report::model::{HostFacts, Outcome, ScenarioReport};
use crate::report::quantity::bytes;
use crate::term::style::Tone;

/// Where the facts begin.
const INDENT: usize = 10;

pub(super) fn write(page: &mut Page, report: &Report) {
    let scenario = &report.scenario;
    let description = scenario.description.as_deref().unwrap_or_default();
    page.section(&scenario.name, description.lines().next().unwrap_or_default());
    let tone = match report.verdict.outcome {
        Outcome::Complete => Tone::Better,
        Outcome::Incomplete | Outcome::Interrupted => Tone::Warning,
        Outcome::NothingMeasured => Tone::Error,
    };
    let verdict = page.paint(tone, &report.verdict.text);
    page.line(&verdict);
    for threshold in report.thresholds.iter().filter(|threshold| !threshold.met) {
        let missed = format!("not met: {}, and it {}", threshold.rule, threshold.found());
        let missed = page.paint(Tone::Error, &missed);
        page.line(&missed);
    }
    page.blank();
    for warning in &report.warnings {
        let lead = page.paint(Tone::Warning, "warning");
        page.hanging(&lead, INDENT, warning, Tone::Plain);
    }
    if !report.warnings.is_empty() {
        page.blank();
    }
    for (name, fact) in facts(report) {
        let lead = page.paint(Tone::Muted, name);
        page.hanging(&lead, INDENT, &fact, Tone::Plain);
    }
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let scenario = &report.scenario;
    let server = &report.environment.server;
    let reason = if server.reason.is_empty() { String::new() } else { format!(" ({})", server.reason) };
    let mut facts = vec![("server", format!("PostgreSQL {}, {}{reason}", server.version, server.target))];
    facts.push(("client", host(&report.environment.client)));
    if let Some(profile) = &scenario.profile {
        let changes: Vec<_> = (profile.changes.iter())
            .map(|change| match &change.before {
                Some(before) => format!("{} {before} → {}", change.key, change.after),
                None => format!("{} = {}", change.key, change.after),
            })
            .collect();
        let changes = if changes.is_empty() { String::new() } else { format!(": {}", changes.join(", ")) };
        facts.push(("profile", format!("{}{changes}", profile.name)));
    }
    if !scenario.vars.is_empty() {
        facts.push(("vars", vars(scenario)));
    }
    facts.push(("seed", scenario.seed.to_string()));
    facts.push(("run", format!("{}, reprise {}", moment(&report.started), report.reprise_version)));
    facts
}

fn vars(scenario: &ScenarioReport) -> String {
    let vars = scenario.vars.iter().map(|var| match var.origin.as_str() {
        "command_line" => format!("{} = {} (-D; scenario {})", var.name, var.value, var.default),
        _ => format!("{} = {}", var.name, var.value),
    });
    vars.collect::<Vec<_>>().join(", ")
}

fn host(host: &HostFacts) -> String {
    let mut parts = vec![host.name.clone()];
    parts.extend(host.cpus.map(|cpus| format!("{cpus} cpus")));
    parts.extend(host.cpu_model.clone());
    parts.extend(host.memory_bytes.map(bytes));
    parts.push(host.os.clone());
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// `2026-11-30T00:53:10.500Z` as `2026-11-30 00:53:10 UTC`.
fn moment(rfc3339: &str) -> String {
    let seconds = rfc3339.split(['.', 'Z']).next().unwrap_or(rfc3339);
    format!("{} UTC", seconds.replacen('T', " ", 1))
}

//! A plan as something to read, in a pull request or before a run.

mod decisions;
mod fill;
mod page;
mod phases;
mod programs;
mod published;
mod steps;

use std::time::Duration;

pub use page::Around;

use super::compile::show_value;
use super::{AuthPlan, Plan, Streams, VarOrigin};
use crate::eval::Algorithm;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail<'a> {
    /// What a run does, as a page for a review.
    Page(&'a Around),
    /// What the plan holds, the compiled scripts too: ops with their jump targets, statements as they are sent.
    Programs,
}

/// The plan as text.
pub fn print(plan: &Plan, detail: Detail<'_>) -> String {
    let mut out = String::new();
    head(plan, &mut out);
    if let Detail::Page(around) = detail {
        page::summary(plan, around, &mut out);
    }
    vars(plan, &mut out);
    steps::print("setup", &plan.setup, &mut out);
    let page = match detail {
        Detail::Page(around) => Some(around),
        Detail::Programs => None,
    };
    phases::print(plan, page, &mut out);
    if let Detail::Page(_) = detail {
        page::time_line(plan, &mut out);
    }
    decisions::print(plan, &mut out);
    for threshold in &plan.thresholds {
        line(&mut out, 0, &format!("passes if {}; else exit code 3", threshold.text));
    }
    published::print(plan, &mut out);
    if let Detail::Page(around) = detail {
        page::hosts(plan, around, &mut out);
    }
    steps::print("teardown, by `run --only teardown`", &plan.teardown, &mut out);
    if detail == Detail::Programs {
        programs::print(plan, &mut out);
    }
    out
}

fn head(plan: &Plan, out: &mut String) {
    line(out, 0, &plan.name);
    if let Some(description) = &plan.description {
        line(out, 2, description);
    }
    let server = &plan.server;
    let mut rows = vec![("seed", plan.seed.to_string())];
    if plan.streams == Streams::PerThread {
        let whose = if plan.algorithm == Algorithm::Rand48 { "pgbench's up to 14" } else { "pgbench's" };
        rows.push(("streams", format!("one per thread, as {whose}")));
    }
    rows.extend(server.version.map(|version| ("server", format!("PostgreSQL {version}"))));
    rows.extend(server.min_version.map(|version| ("at least", format!("PostgreSQL {version}"))));
    if server.auth == AuthPlan::ScramSha256 {
        rows.push(("auth", "scram-sha-256".to_owned()));
    }
    if !server.extensions.is_empty() {
        rows.push(("extensions", server.extensions.join(", ")));
    }
    for (name, value) in &server.settings {
        rows.push(("setting", format!("{name} = {value}")));
    }
    table(out, &rows);
    if let Some(profile) = &plan.profile {
        line(out, 0, "");
        line(out, 0, &format!("profile {}", profile.name));
        for change in &profile.changes {
            let before = change.before.as_deref().unwrap_or("nothing");
            line(out, 2, &format!("{}: {before} → {}", change.key, change.after));
        }
    }
}

fn vars(plan: &Plan, out: &mut String) {
    if plan.vars.is_empty() {
        return;
    }
    line(out, 0, "");
    line(out, 0, "vars");
    let rows: Vec<(&str, String)> = plan
        .vars
        .iter()
        .map(|var| {
            let mut text = show_value(&var.value);
            match var.origin {
                VarOrigin::Default => {}
                VarOrigin::Query => text = format!("asked when the phases begin: {}", show_value(&var.default)),
                VarOrigin::Profile => text.push_str(&set_by("profile", &show_value(&var.default))),
                VarOrigin::Point => text.push_str(&set_by("the matrix", &show_value(&var.default))),
                VarOrigin::CommandLine => text.push_str(&set_by("-D", &show_value(&var.default))),
            }
            if let Some(description) = &var.description {
                text.push_str("  -- ");
                text.push_str(description);
            }
            (var.name.as_str(), text)
        })
        .collect();
    table(out, &rows);
}

fn set_by(origin: &str, default: &str) -> String {
    format!(" (by {origin}; the scenario says {default})")
}

/// Two columns, the first as wide as its widest text.
fn table(out: &mut String, rows: &[(&str, String)]) {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, text) in rows {
        line(out, 2, &format!("{name:width$}  {text}"));
    }
}

/// A text, each of its lines indented.
fn line(out: &mut String, indent: usize, text: &str) {
    for text in text.split('\n') {
        let text = format!("{:indent$}{text}", "");
        out.push_str(text.trim_end());
        out.push('\n');
    }
}

/// A duration in the largest of PostgreSQL's units that leaves no fraction.
pub(crate) fn duration(duration: Duration) -> String {
    const UNITS: [(u128, &str); 6] = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "min"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
    ];
    let nanoseconds = duration.as_nanos();
    if nanoseconds == 0 {
        return "0s".to_owned();
    }
    match UNITS.iter().find(|(unit, _)| nanoseconds.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", nanoseconds / unit),
        None => format!("{}us", nanoseconds as f64 / 1e3),
    }
}

/// A whole number with a comma between thousands: `15,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its word in the singular or the plural.
fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::duration;

    #[test]
    fn a_duration_takes_the_largest_unit_that_leaves_no_fraction() {
        let shown = [90_000_000_u64, 500_000, 1_500_000, 250, 0].map(|us| duration(Duration::from_micros(us)));
        assert_eq!(shown, ["90s", "500ms", "1500ms", "250us", "0s"]);
    }
}

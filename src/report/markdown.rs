//! The report as Markdown, for pull requests and posts. What is long is folded away.

use std::fmt::Write as _;

use super::Report;
use super::matrix::MatrixReport;
use super::metric::figure;
use super::phase::PhaseReport;
use super::published::PublishedReport;
use super::quantity::{NONE, count, duration, duration_or_none, rate, ratio, share};
use crate::metrics::Histogram;

/// One document.
pub fn render(report: &Report) -> String {
    let mut out = format!("## {}\n\n", text(&report.scenario.name));
    let _ = writeln!(out, "**{}**\n", text(&report.verdict.text));
    for threshold in report.thresholds.iter().filter(|threshold| !threshold.met) {
        let _ = writeln!(out, "- ❌ not met: {}, and it {}", code(&threshold.rule), text(&threshold.found()));
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "- ⚠️ {}", text(warning));
    }
    if report.thresholds.iter().any(|threshold| !threshold.met) || !report.warnings.is_empty() {
        out.push('\n');
    }
    let server = &report.environment.server;
    let client = &report.environment.client;
    let cpus = client.cpus.map(|cpus| format!(", {cpus} cpus")).unwrap_or_default();
    let facts = format!("PostgreSQL {}, {}; client {}{cpus}", server.version, server.target, client.name);
    let _ = writeln!(out, "{}; seed {}; {}", text(&facts), report.scenario.seed, text(&report.started));
    phases(&mut out, &report.phases);
    for phase in report.phases.iter().filter(|phase| phase.measured) {
        statements(&mut out, phase);
    }
    if let Some(published) = &report.published {
        published_beside(&mut out, published);
    }
    thresholds(&mut out, report);
    steps(&mut out, report);
    out
}

/// The points of a matrix.
pub fn render_matrix(matrix: &MatrixReport) -> String {
    let mut out = format!("## {}\n", text(&matrix.scenario));
    let columns: Vec<&str> = matrix.vars.iter().map(String::as_str).collect();
    let figures = ["tps", "latency avg", "p95", "p99", "failed", "not met"];
    let mut rows = Vec::new();
    for point in &matrix.points {
        let mut row: Vec<String> =
            matrix.vars.iter().map(|var| text(point.at.get(var).map_or("", String::as_str))).collect();
        let time = |us: Option<f64>| duration_or_none(us.map(|us| us * 1e3));
        row.push(point.tps.map_or_else(|| NONE.to_owned(), rate));
        row.extend([point.latency_avg_us, point.latency_p95_us, point.latency_p99_us].map(time));
        row.push(count(point.failed));
        row.push(match &point.error {
            Some(error) => text(error),
            None => point.not_met.iter().map(|rule| code(rule)).collect::<Vec<_>>().join(", "),
        });
        rows.push(row);
    }
    let texts = columns.len();
    table(&mut out, &[columns, figures.to_vec()].concat(), texts, &rows);
    out
}

fn phases(out: &mut String, phases: &[PhaseReport]) {
    let mut rows = Vec::new();
    let mut row = |name: String, phase: &PhaseReport| {
        let mut row = vec![name, phase.load.clients.to_string(), duration(phase.elapsed_us as f64 * 1e3)];
        row.extend([count(phase.total.transactions), count(phase.total.failed)]);
        row.push(phase.tps.map_or_else(|| NONE.to_owned(), rate));
        row.extend(latencies(&phase.total.latency));
        rows.push(row);
    };
    for phase in phases {
        let name = text(&phase.name);
        row(if phase.measured { name } else { format!("{name} (not measured)") }, phase);
        for beside in &phase.background {
            row(format!("{} beside {}", text(&beside.name), text(&phase.name)), beside);
        }
    }
    let columns =
        ["phase", "clients", "time", "transactions", "failed", "tps", "latency avg", "p50", "p95", "p99", "max"];
    table(out, &columns, 1, &rows);
}

fn statements(out: &mut String, phase: &PhaseReport) {
    let all = || phase.scripts.iter().flat_map(|script| &script.commands);
    let total: u128 = all().map(|command| command.latency.sum_ns()).sum();
    let mut rows = Vec::new();
    for script in &phase.scripts {
        for command in script.commands.iter().filter(|command| command.is_shown()) {
            let latency = &command.latency;
            let mut row = vec![text(&script.name), code(&command.title()), count(latency.count())];
            row.push(share(latency.sum_ns() as f64, total as f64));
            row.push(if command.word == "SQL" { count(command.rows) } else { NONE.to_owned() });
            row.extend(latencies(latency));
            row.push(count(command.failures));
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n<details><summary>Statements of {}</summary>", text(&phase.name));
    let columns = ["script", "statement", "count", "time", "rows", "avg", "p50", "p95", "p99", "max", "failed"];
    table(out, &columns, 2, &rows);
    out.push_str("\n</details>\n");
}

fn published_beside(out: &mut String, published: &PublishedReport) {
    let title = published.title.as_str();
    let _ = writeln!(out, "\n### Published beside measured: {}", text(title));
    for system in &published.systems {
        let row = |result: &super::published::ResultReport| {
            vec![
                code(&result.metric),
                result.measured.map_or_else(|| NONE.to_owned(), |value| figure(value, result.unit)),
                figure(result.published, result.unit),
                result.ratio.map_or_else(|| NONE.to_owned(), ratio),
            ]
        };
        let rows: Vec<_> = system.results.iter().map(row).collect();
        table(out, &["metric", "measured", &text(&system.name), "ratio"], 1, &rows);
        let differences = system.differences.iter().map(|d| vec![text(&d.what), text(&d.published), text(&d.here)]);
        let differences: Vec<_> = differences.collect();
        if !differences.is_empty() {
            table(out, &["not the same", "published", "here"], 3, &differences);
        }
    }
    let claims = published.claims.iter().map(|claim| vec![text(claim.verdict.words()), code(&claim.name())]);
    let claims: Vec<_> = claims.collect();
    if !claims.is_empty() {
        table(out, &["verdict", "claim"], 2, &claims);
    }
}

fn thresholds(out: &mut String, report: &Report) {
    let rows: Vec<Vec<String>> = (report.thresholds.iter())
        .map(|rule| {
            let measured = rule.measured.map_or_else(|| NONE.to_owned(), |value| figure(value, rule.unit));
            vec![code(&rule.rule), measured, if rule.met { "met" } else { "not met" }.to_owned()]
        })
        .collect();
    table(out, &["threshold", "measured", "verdict"], 1, &rows);
}

fn steps(out: &mut String, report: &Report) {
    let rows: Vec<Vec<String>> = (report.steps.iter())
        .map(|step| {
            let time = if step.kept { "kept".to_owned() } else { duration(step.elapsed_us as f64 * 1e3) };
            vec![text(&step.name), time, step.rows.map(count).unwrap_or_default()]
        })
        .collect();
    if !rows.is_empty() {
        out.push_str("\n<details><summary>Set-up</summary>\n");
        table(out, &["step", "time", "rows"], 1, &rows);
        out.push_str("\n</details>\n");
    }
}

/// avg, p50, p95, p99, max
fn latencies(latency: &Histogram) -> [String; 5] {
    let of = |d: Option<std::time::Duration>| d.map(|d| d.as_nanos() as f64);
    let figures = [
        latency.mean_ns(),
        of(latency.percentile(50.0)),
        of(latency.percentile(95.0)),
        of(latency.percentile(99.0)),
        of(latency.max()),
    ];
    figures.map(duration_or_none)
}

/// A table behind a blank line; the first `texts` columns stand to the left, the figures to the right. Cells are
/// Markdown already.
fn table(out: &mut String, columns: &[&str], texts: usize, rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    out.push('\n');
    out.push_str(&line(&mut columns.iter().copied()));
    out.push_str(&line(&mut (0..columns.len()).map(|at| if at < texts { "---" } else { "---:" })));
    for row in rows {
        out.push_str(&line(&mut row.iter().map(String::as_str)));
    }
}

/// Text in one line that means nothing to Markdown or HTML.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '|' => out.extend(['\\', c]),
            _ => escape(c, &mut out),
        }
    }
    out
}

/// The same as code. Backticks would need longer backticks around them, and `|` ends a cell even there.
fn code(text: &str) -> String {
    let mut out = String::from("<code>");
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '|' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            _ => escape(c, &mut out),
        }
    }
    out.push_str("</code>");
    out
}

fn escape(c: char, out: &mut String) {
    match c {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '@' => out.push_str("&#64;"),
        c if c.is_control() => out.push('\u{fffd}'),
        c => out.push(c),
    }
}

//! The points of a matrix, one a row.

use super::page::{INDENT, Page};
use crate::report::matrix::{MatrixReport, PointReport};
use crate::report::model::Outcome;
use crate::report::quantity::{count, duration_or_none, rate};
use crate::term::style::{Style, Tone};
use crate::term::table::{Cell, Column, Table};

/// The matrix as text for a terminal of this width.
pub fn render(matrix: &MatrixReport, width: usize, style: Style) -> String {
    let mut page = Page::new(width, style);
    let description = matrix.description.as_deref().unwrap_or_default();
    page.section(&matrix.scenario, description.lines().next().unwrap_or_default());
    let complete = matrix.points.iter().filter(|point| point.is_complete()).count();
    let tone = if complete == matrix.of { Tone::Better } else { Tone::Warning };
    let stopped = if matrix.interrupted { "interrupted: " } else { "" };
    let verdict = page.paint(tone, &format!("{stopped}{complete} of {} points complete", matrix.of));
    page.line(&verdict);
    let taken = matrix.points.iter().filter(|point| point.taken).count();
    if taken > 0 {
        page.line(&format!("{taken} of them {} there from an earlier run", if taken == 1 { "was" } else { "were" }));
    }
    let titles = matrix.vars.join(", ");
    page.section("Matrix", &format!("one run for each combination of {titles}"));
    write_points(&mut page, matrix);
    if let Some(curves) = matrix.curves() {
        super::curve::write(&mut page, &curves, rate);
    }
    write_rules(&mut page, matrix);
    write_remarks(&mut page, matrix);
    super::claims::write(&mut page, &matrix.claims);
    page.finish()
}

fn write_points(page: &mut Page, matrix: &MatrixReport) {
    let mut columns: Vec<Column> = matrix.vars.iter().map(Column::number).collect();
    columns.extend(["tps", "latency avg", "p95", "p99", "failed"].map(Column::number));
    columns.push(Column::text(""));
    let mut table = Table::new(INDENT, columns);
    for point in &matrix.points {
        let value = |var: &String| point.at.get(var).cloned().unwrap_or_default();
        let mut cells: Vec<Cell> = matrix.vars.iter().map(|var| Cell::new(value(var), Tone::Heading)).collect();
        let latencies = [point.latency_avg_us, point.latency_p95_us, point.latency_p99_us];
        cells.push(Cell::new(point.tps.map_or_else(|| "-".to_owned(), rate), Tone::Value));
        cells.extend(latencies.map(|us| Cell::from(duration_or_none(us.map(|us| us * 1e3)))));
        let tone = if point.failed > 0 { Tone::Error } else { Tone::Plain };
        cells.push(Cell::new(count(point.failed), tone));
        cells.push(remark(point));
        table.row(cells);
    }
    page.table(&table);
}

fn remark(point: &PointReport) -> Cell {
    match point.outcome {
        None => Cell::new("could not be run", Tone::Error),
        Some(Outcome::NothingMeasured) => Cell::new("nothing measured", Tone::Error),
        Some(Outcome::Incomplete) => Cell::new("incomplete", Tone::Warning),
        Some(Outcome::Interrupted) => Cell::new("interrupted", Tone::Warning),
        Some(Outcome::Complete) if !point.not_met.is_empty() => Cell::new("not met", Tone::Error),
        Some(Outcome::Complete) if point.taken => Cell::new("earlier run", Tone::Muted),
        Some(Outcome::Complete) => Cell::default(),
    }
}

/// Each threshold once. `failed = 0`, which holds unstated, is worth a line only where it does not hold.
fn write_rules(page: &mut Page, matrix: &MatrixReport) {
    let rules = matrix.rules();
    let rules: Vec<_> = rules.iter().filter(|rule| rule.rule != "failed = 0" || !rule.not_met.is_empty()).collect();
    if rules.is_empty() {
        return;
    }
    page.section("Thresholds", "");
    for rule in rules {
        let of = rule.met + rule.not_met.len();
        let (tone, text) = match rule.not_met.len() {
            0 => (Tone::Better, format!("met at all {of} points")),
            _ => (Tone::Error, format!("met at {} of {of} points, not at {}", rule.met, rule.not_met.join("; "))),
        };
        let lead = page.paint(tone, &format!("  {}", rule.rule));
        page.hanging(&lead, rule.rule.chars().count() + 4, &text, Tone::Plain);
    }
}

/// What was wrong with points, each of which has more in its own report.
fn write_remarks(page: &mut Page, matrix: &MatrixReport) {
    let mut remarks = Vec::new();
    for point in &matrix.points {
        remarks.extend(point.error.clone().map(|text| (matrix.name_of(&point.at), text)));
    }
    if !remarks.is_empty() {
        page.blank();
    }
    for (name, text) in remarks {
        let lead = page.paint(Tone::Error, &format!("  {name}"));
        page.hanging(&lead, name.chars().count() + 4, &text, Tone::Plain);
    }
}

//! What somebody else measured, beside what was measured here.

use super::page::{INDENT, Page};
use crate::report::metric::figure;
use crate::report::published::{PublishedReport, SystemReport};
use crate::report::quantity::{NONE, ratio};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

pub(super) fn write(page: &mut Page, published: &PublishedReport) {
    let remark = [Some(&published.title), published.date.as_ref(), published.url.as_ref()];
    let remark: Vec<_> = remark.into_iter().flatten().map(String::as_str).collect();
    page.section("Published beside measured", &remark.join(", "));
    if !published.systems.is_empty() {
        write_differences(page, &published.systems);
        write_systems(page, &published.systems);
    }
    let columns = results_fitting(page.width, published);
    for systems in published.systems.chunks(columns) {
        page.blank();
        page.table(&results(systems));
    }
    if !published.notes.is_empty() {
        page.blank();
    }
    for note in &published.notes {
        page.hanging("  note", 8, note, Tone::Plain);
    }
}

/// What is not the same, once for all systems that have it.
fn write_differences(page: &mut Page, systems: &[SystemReport]) {
    let mut rows: Vec<(&crate::report::published::Difference, Vec<&str>)> = Vec::new();
    for system in systems {
        for difference in &system.differences {
            match rows.iter_mut().find(|(known, _)| *known == difference) {
                Some((_, names)) => names.push(&system.name),
                None => rows.push((difference, vec![&system.name])),
            }
        }
    }
    if rows.is_empty() {
        page.line("  no difference in set-up is known");
        return;
    }
    let mut columns = vec![Column::text("not the same"), Column::text("published"), Column::text("here")];
    columns.push(Column::flexible("system"));
    let mut table = Table::new(INDENT, columns);
    for (difference, names) in rows {
        let who = if names.len() == systems.len() { "all".to_owned() } else { names.join(", ") };
        table.row(vec![
            Cell::new(difference.what.clone(), Tone::Warning),
            difference.published.clone().into(),
            difference.here.clone().into(),
            if systems.len() > 1 { who } else { names[0].to_owned() }.into(),
        ]);
    }
    page.table(&table);
}

fn write_systems(page: &mut Page, systems: &[SystemReport]) {
    page.blank();
    let widest = systems.iter().map(|system| system.name.chars().count()).max().unwrap_or(0);
    for system in systems {
        let mut facts: Vec<String> = system.version.iter().map(|version| format!("PostgreSQL {version}")).collect();
        facts.extend(system.hardware.iter().map(|(key, value)| match key.as_str() {
            "note" => value.clone(),
            _ => format!("{key} {value}"),
        }));
        facts.extend(system.at.iter().map(|(key, value)| format!("at {key} = {value}")));
        let lead = format!("  {}", page.paint(Tone::Heading, &system.name));
        page.hanging(&lead, widest + 4, &facts.join(", "), Tone::Muted);
    }
}

/// How many systems fit beside each other.
fn results_fitting(width: usize, published: &PublishedReport) -> usize {
    let all = published.systems.len();
    let fits = |n: &usize| published.systems.chunks(*n).all(|systems| results(systems).natural_width() <= width);
    (1..=all).rev().find(fits).unwrap_or(1)
}

fn results(systems: &[SystemReport]) -> Table {
    let mut columns = vec![Column::text("metric"), Column::number("measured")];
    for system in systems {
        columns.push(Column::number(system.name.clone()));
        columns.push(Column::number("ratio"));
    }
    let mut names: Vec<&str> = Vec::new();
    for result in systems.iter().flat_map(|system| &system.results) {
        if !names.contains(&result.metric.as_str()) {
            names.push(&result.metric);
        }
    }
    let mut table = Table::new(INDENT, columns);
    for name in names {
        let found: Vec<_> =
            systems.iter().map(|system| system.results.iter().find(|result| result.metric == name)).collect();
        let here = found.iter().flatten().next();
        let measured = here.and_then(|result| result.measured.map(|value| figure(value, result.unit)));
        let mut cells = vec![name.into(), Cell::new(measured.unwrap_or_else(|| NONE.to_owned()), Tone::Value)];
        for result in found {
            let theirs = result.map(|result| figure(result.published, result.unit));
            let by = result.and_then(|result| result.ratio).map(ratio);
            cells.push(theirs.unwrap_or_else(|| NONE.to_owned()).into());
            cells.push(Cell::new(by.unwrap_or_else(|| NONE.to_owned()), Tone::Heading));
        }
        table.row(cells);
    }
    table
}

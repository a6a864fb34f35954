//! What went wrong, by kind.

use super::page::{INDENT, Page};
use crate::report::Report;
use crate::report::phase::PhaseReport;
use crate::report::quantity::{NONE, count, duration};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

/// Kinds that are shown of a phase; run.json has them all.
const MOST: usize = 10;

pub(super) fn write(page: &mut Page, report: &Report) {
    let several = report.phases.len() > 1;
    for phase in &report.phases {
        let title = if several { format!("Errors of phase {}", phase.name) } else { "Errors".to_owned() };
        write_load(page, &title, phase);
        for beside in &phase.background {
            let title = if several { format!(" beside {}", phase.name) } else { String::new() };
            write_load(page, &format!("Errors of background {}{title}", beside.name), beside);
        }
    }
}

fn write_load(page: &mut Page, title: &str, load: &PhaseReport) {
    if !load.errors.is_empty() {
        page.section(title, "each failed try, with the first message of its kind");
        write_phase(page, load);
    }
}

fn write_phase(page: &mut Page, phase: &PhaseReport) {
    let mut columns = vec![Column::number("count")];
    columns.extend(["class", "sqlstate", "script"].map(Column::text));
    columns.extend(["first", "last"].map(Column::number));
    columns.push(Column::flexible("message").at_least(60));
    let mut table = Table::new(INDENT, columns);
    for error in phase.errors.iter().take(MOST) {
        table.row(vec![
            Cell::new(count(error.count), Tone::Error),
            error.class.clone().into(),
            error.sqlstate.clone().unwrap_or_else(|| NONE.to_owned()).into(),
            error.script.clone().into(),
            duration(error.first_us as f64 * 1e3).into(),
            duration(error.last_us as f64 * 1e3).into(),
            error.message.lines().next().unwrap_or_default().into(),
        ]);
    }
    page.table(&table);
    let rest = &phase.errors[phase.errors.len().min(MOST)..];
    let more = rest.iter().map(|error| error.count).sum::<u64>() + phase.errors_dropped;
    if more > 0 {
        page.line(&format!("  and {} of other kinds", count(more)));
    }
}

//! Times in which clients had no session.

use super::page::{INDENT, Page};
use crate::report::Report;
use crate::report::phase::OutageReport;
use crate::report::quantity::{NONE, count, duration};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

/// Outages that are shown of a load; run.json has them all.
const MOST: usize = 10;

pub(super) fn write(page: &mut Page, report: &Report) {
    let loads = || report.phases.iter().flat_map(|phase| std::iter::once(phase).chain(&phase.background));
    if loads().all(|load| load.outages.is_empty()) {
        return;
    }
    page.section("Outages", "from a client's loss of its session to its next successful transaction");
    let several = report.phases.len() > 1 || report.phases.iter().any(|phase| !phase.background.is_empty());
    let mut columns = Vec::new();
    if several {
        columns.push(Column::flexible("load"));
    }
    columns.extend(["since", "clients", "first transaction after", "all back after"].map(Column::number));
    let mut table = Table::new(INDENT, columns);
    let mut more = 0;
    for load in loads() {
        for outage in load.outages.iter().take(MOST) {
            let mut cells: Vec<Cell> = if several { vec![load.name.clone().into()] } else { Vec::new() };
            cells.push(duration(outage.since_us as f64 * 1e3).into());
            cells.push(count(outage.clients.into()).into());
            cells.extend([outage.first_back_us, outage.all_back_us].map(|at| after(outage, at)));
            table.row(cells);
        }
        more += load.outages.len().saturating_sub(MOST);
    }
    page.table(&table);
    if more > 0 {
        page.line(&format!("  and {} more", count(more as u64)));
    }
}

/// How long it took from the beginning to that moment.
fn after(outage: &OutageReport, at: Option<u64>) -> Cell {
    match at {
        Some(at) => duration(at.saturating_sub(outage.since_us) as f64 * 1e3).into(),
        None => Cell::new(NONE, Tone::Error),
    }
}

//! Which statements the time went to.

use super::page::{INDENT, Page};
use super::phase::failures;
use crate::report::phase::{CommandReport, PhaseReport};
use crate::report::quantity::{NONE, count, duration_or_none, share};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

/// A statement cut shorter than this is hardly told from another; it gets a line of its own instead.
const READABLE: usize = 40;

pub(super) fn write(page: &mut Page, phase: &PhaseReport) {
    let all = || phase.scripts.iter().flat_map(|script| &script.commands);
    if all().all(|command| command.latency.is_empty()) {
        return;
    }
    let total: u128 = all().map(|command| command.latency.sum_ns()).sum();
    let retries = all().any(|command| command.retries > 0);
    for script in &phase.scripts {
        if !script.commands.iter().any(CommandReport::is_shown) {
            continue;
        }
        let title =
            if phase.scripts.len() > 1 { format!("statement of {}", script.name) } else { "statement".to_owned() };
        let mut columns = vec![Column::flexible(title).at_least(READABLE)];
        columns.extend(["count", "time", "rows", "avg", "p50", "p95", "p99", "max", "failed"].map(Column::number));
        if retries {
            columns.push(Column::number("retries"));
        }
        let mut table = Table::new(INDENT, columns);
        for command in script.commands.iter().filter(|command| command.is_shown()) {
            let latency = &command.latency;
            let time = |ns: Option<f64>| Cell::new(duration_or_none(ns), Tone::Value);
            let percentile = |percent| time(latency.percentile(percent).map(|d| d.as_nanos() as f64));
            let mut cells = vec![
                command.title().into(),
                count(latency.count()).into(),
                share(latency.sum_ns() as f64, total as f64).into(),
                rows(command).into(),
                time(latency.mean_ns()),
                percentile(50.0),
                percentile(95.0),
                percentile(99.0),
                time(latency.max().map(|d| d.as_nanos() as f64)),
                failures(command.failures),
            ];
            if retries {
                cells.push(count(command.retries).into());
            }
            table.row(cells);
        }
        page.blank();
        page.table(&table);
    }
}

/// Only statements have rows.
fn rows(command: &CommandReport) -> String {
    if command.word == "SQL" { count(command.rows) } else { NONE.to_owned() }
}

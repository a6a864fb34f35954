//! What was done before and between the phases.

use super::page::{INDENT, Page};
use crate::report::Report;
use crate::report::model::StepReport;
use crate::report::quantity::{count, duration};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

pub(super) fn write(page: &mut Page, report: &Report) {
    if report.steps.is_empty() {
        return;
    }
    let total: u64 = report.steps.iter().map(|step| step.elapsed_us).sum();
    let remark = if report.steps.iter().all(|step| step.kept) {
        "kept from an earlier run".to_owned()
    } else {
        duration(total as f64 * 1e3)
    };
    page.section("Set-up", &remark);
    let mut table =
        Table::new(INDENT, vec![Column::flexible(""), Column::number(""), Column::number(""), Column::text("")]);
    for step in &report.steps {
        let name = match step.before_phase.map(|number| report.phases.get(number)) {
            None => step.name.clone(),
            Some(Some(phase)) => format!("{} (before {})", step.name, phase.name),
            Some(None) => format!("{} (at the end)", step.name),
        };
        table.row(vec![
            name.into(),
            time(step),
            step.rows.filter(|rows| *rows > 0).map(rows).unwrap_or_default().into(),
        ]);
    }
    page.table(&table);
}

fn time(step: &StepReport) -> Cell {
    if step.kept {
        Cell::new("kept", Tone::Muted)
    } else {
        Cell::new(duration(step.elapsed_us as f64 * 1e3), Tone::Value)
    }
}

fn rows(rows: u64) -> String {
    format!("{} {}", count(rows), if rows == 1 { "row" } else { "rows" })
}

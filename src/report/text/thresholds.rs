//! The rules that decide whether a run passed.

use super::page::{INDENT, Page};
use crate::report::Report;
use crate::report::metric::figure;
use crate::report::quantity::NONE;
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

/// The rule that every run is held to; alone and met it is not worth a section.
const USUAL: &str = "failed = 0";

pub(super) fn write(page: &mut Page, report: &Report) {
    let thresholds = &report.thresholds;
    if thresholds.iter().all(|threshold| threshold.rule == USUAL) {
        return;
    }
    let missed = thresholds.iter().filter(|threshold| !threshold.met).count();
    let remark = if missed == 0 { "all met".to_owned() } else { format!("{missed} of {} not met", thresholds.len()) };
    page.section("Thresholds", &remark);
    let mut columns = vec![Column::flexible("rule").at_least(24), Column::number("measured")];
    columns.push(Column::text(""));
    let mut table = Table::new(INDENT, columns);
    for threshold in thresholds {
        let measured = threshold.measured.map_or_else(|| NONE.to_owned(), |value| figure(value, threshold.unit));
        let verdict = match (threshold.met, &threshold.reason) {
            (true, _) => Cell::new("met", Tone::Better),
            (false, Some(_)) => Cell::new("can't be told", Tone::Error),
            (false, None) => Cell::new("not met", Tone::Error),
        };
        table.row(vec![threshold.rule.clone().into(), Cell::new(measured, Tone::Value), verdict]);
    }
    page.table(&table);
}

//! Figures of the scenario's own.

use super::page::{INDENT, Page};
use crate::report::Report;
use crate::report::own::OwnMetricReport;
use crate::report::quantity::{NONE, count, number};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

pub(super) fn write(page: &mut Page, report: &Report) {
    if report.metrics.is_empty() {
        return;
    }
    page.section("Metrics", "figures of the scenario's own");
    let curves = report.metrics.iter().any(|own| own.taken == "every");
    let mut columns = vec![Column::flexible(""), Column::number("value")];
    if curves {
        columns.extend(["avg", "min", "max", "taken"].map(Column::number));
    }
    columns.push(Column::text(""));
    let mut table = Table::new(INDENT, columns);
    for own in &report.metrics {
        let value = own.value.map_or_else(|| NONE.to_owned(), number);
        let mut cells = vec![own.name.clone().into(), Cell::new(value, Tone::Value)];
        if curves {
            cells.extend(curve(own).map(Cell::from));
        }
        let when = if own.taken == "every" { String::new() } else { format!("at the {}", own.taken) };
        cells.push(Cell::new(when, Tone::Muted));
        table.row(cells);
    }
    page.table(&table);
    for own in report.metrics.iter().filter(|own| own.failed > 0) {
        let times = if own.failed == 1 { "once".to_owned() } else { format!("{} times", count(own.failed)) };
        let error = own.error.as_deref().unwrap_or_default();
        let lead = page.paint(Tone::Error, &format!("  {}", own.name));
        page.hanging(&lead, own.name.chars().count() + 4, &format!("could not be taken {times}: {error}"), Tone::Plain);
    }
}

/// Mean, least and greatest value, and how many there are.
fn curve(own: &OwnMetricReport) -> [String; 4] {
    let values = || own.points.iter().map(|point| point.value);
    let Some(least) = values().reduce(f64::min) else {
        return [NONE, NONE, NONE, if own.taken == "every" { "0" } else { "" }].map(str::to_owned);
    };
    let mean = values().sum::<f64>() / own.points.len() as f64;
    [
        number(mean),
        number(least),
        values().reduce(f64::max).map_or_else(String::new, number),
        count(own.points.len() as u64),
    ]
}

//! What a search for the highest rate found.

use super::page::{INDENT, Page};
use crate::report::Report;
use crate::report::find::TrialReport;
use crate::report::metric::figure;
use crate::report::phase::PhaseReport;
use crate::report::quantity::{NONE, rate};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

pub(super) fn write(page: &mut Page, report: &Report) {
    for phase in &report.phases {
        write_phase(page, phase);
    }
}

fn write_phase(page: &mut Page, phase: &PhaseReport) {
    let Some(find) = &phase.find else { return };
    let found = match find.found {
        Some(found) => format!("{}/s keeps {}", rate(found), find.rule),
        None => format!("none of the range keeps {}", find.rule),
    };
    page.section(&format!("Highest rate, phase {}", phase.name), &found);
    let mut columns = vec![Column::number("trial"), Column::number("rate"), Column::number("tps")];
    columns.extend([Column::number(find.figure()), Column::text("")]);
    let mut table = Table::new(INDENT, columns);
    for (number, trial) in find.trials.iter().enumerate() {
        let measured = trial.measured.map_or_else(|| NONE.to_owned(), |value| figure(value, find.unit));
        table.row(vec![
            (number + 1).to_string().into(),
            format!("{}/s", rate(trial.rate)).into(),
            trial.tps.map_or_else(|| NONE.to_owned(), rate).into(),
            Cell::new(measured, Tone::Value),
            match trial {
                TrialReport { kept: true, .. } => Cell::new("kept", Tone::Better),
                TrialReport { reached: false, .. } => Cell::new("rate not reached", Tone::Warning),
                TrialReport { .. } => Cell::new("not kept", Tone::Warning),
            },
        ]);
    }
    page.table(&table);
    super::curve::write(page, &find.curves(), |value| figure(value, find.unit));
}

//! The report for a terminal.

mod claims;
mod curve;
mod errors;
mod find;
mod headline;
pub mod matrix;
mod outages;
mod own;
mod page;
mod phase;
mod published;
mod statements;
mod steps;
mod thresholds;

use page::Page;

use super::Report;
use crate::term::style::Style;

/// The report as text for a terminal of this width. pgbench's block keeps its own line lengths.
pub fn render(report: &Report, width: usize, style: Style) -> String {
    let mut page = Page::new(width, style);
    headline::write(&mut page, report);
    steps::write(&mut page, report);
    for phase in report.phases.iter().filter(|phase| phase.measured) {
        phase::write(&mut page, report, phase);
    }
    phase::write_overview(&mut page, report);
    outages::write(&mut page, report);
    find::write(&mut page, report);
    errors::write(&mut page, report);
    thresholds::write(&mut page, report);
    own::write(&mut page, report);
    if let Some(published) = &report.published {
        published::write(&mut page, published);
        claims::write(&mut page, &published.claims);
    }
    page.finish()
}

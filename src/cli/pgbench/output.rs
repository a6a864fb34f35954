//! What a run leaves behind besides pgbench's report: percentiles, and the whole report as JSON.

use std::fs;
use std::path::Path;

use super::options::{Format, Options};
use crate::cli::run::facts;
use crate::pg::{Admin, Target};
use crate::report::block::with_percentiles;
use crate::report::{Environment, Report, json};

/// Where the run takes place, if somebody will read it.
pub(super) async fn environment(options: &Options, admin: &Admin, target: &Target) -> Environment {
    if options.format == Format::Text && options.out.is_none() {
        return Environment::default();
    }
    // a server that doesn't say can be measured all the same
    facts::of_server(admin, target.describe()).await.unwrap_or_default()
}

/// What standard output gets; `block` is pgbench's report.
pub(super) fn render(options: &Options, report: &Report, block: &str) -> String {
    match options.format {
        Format::Json => json::render(report),
        Format::Text => match report.phases.first() {
            Some(phase) => with_percentiles(block, phase, &options.percentiles),
            None => block.to_owned(),
        },
    }
}

/// Writes the whole report to the file that the environment names.
pub(super) fn keep(report: &Report, path: &Path) -> Result<(), String> {
    fs::write(path, json::render(report)).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split(" (os error").next().unwrap_or(&reason);
        let path = path.display();
        format!("could not write report file \"{path}\": {reason}\nhint: REPRISE_OUT names a file that can be written.")
    })
}

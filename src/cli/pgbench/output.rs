//! What a run leaves behind besides pgbench's report: percentiles, and the whole report as JSON.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::options::{Format, Options};
use crate::cli::run::facts;
use crate::pg::{Admin, Target};
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
        Format::Text => with_percentiles(block, &percentiles(options, report)),
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

/// The line of percentiles; empty where none are asked for, or nothing was measured.
fn percentiles(options: &Options, report: &Report) -> String {
    let Some(phase) = report.phases.first() else { return String::new() };
    let mut line = String::new();
    for percent in &options.percentiles {
        let Some(latency) = percent.parse().ok().and_then(|percent| phase.total.latency.percentile(percent)) else {
            return String::new();
        };
        let separator = if line.is_empty() { "latency percentiles =" } else { "," };
        // writing to a string does not fail
        let _ = write!(line, "{separator} p{percent} {:.3} ms", latency.as_secs_f64() * 1e3);
    }
    if !line.is_empty() {
        line.push('\n');
    }
    line
}

/// pgbench's report with a line below its latencies.
fn with_percentiles(block: &str, line: &str) -> String {
    let begins = |line: &str| ["latency average", "latency stddev"].iter().any(|word| line.starts_with(word));
    let lines: Vec<&str> = block.split_inclusive('\n').collect();
    match lines.iter().rposition(|line| begins(line)) {
        Some(last) => lines[..=last].concat() + line + &lines[last + 1..].concat(),
        None => block.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::with_percentiles;

    #[test]
    fn percentiles_stand_below_the_latencies() {
        let block = "a\nlatency average = 1 ms\nlatency stddev = 1 ms\ntps = 1\n - latency average = 2 ms\n";
        assert_eq!(
            with_percentiles(block, "p\n"),
            "a\nlatency average = 1 ms\nlatency stddev = 1 ms\np\ntps = 1\n - latency average = 2 ms\n"
        );
        assert_eq!(with_percentiles("a\n", "p\n"), "a\n");
        assert_eq!(with_percentiles(block, ""), block);
    }
}

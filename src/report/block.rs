//! The figures of pgbench's block, from a phase.

use std::time::Duration;

use super::Report;
use super::pgbench::{self, BlockConnecting, BlockCounts, BlockScript, BlockStop, PgbenchBlock, Wording};
use super::phase::{Figures, PhaseReport, StopReport};
use crate::metrics::{FailureClass, Histogram};

/// The blocks of all measured phases, with an empty line between them.
pub fn render(report: &Report) -> String {
    let measured = report.phases.iter().filter(|phase| phase.measured);
    measured.map(|phase| text(report, phase)).collect::<Vec<_>>().join("\n")
}

/// The block of a phase as text.
pub(super) fn text(report: &Report, phase: &PhaseReport) -> String {
    let scale = report.scenario.vars.iter().find(|var| var.name == "scale").and_then(|var| var.value.parse().ok());
    let block = pgbench::render(&of(phase, scale.unwrap_or(1)), Wording::of_major(report.scenario.pgbench));
    with_percentiles(&block, phase, &report.scenario.percentiles)
}

/// A block with a line of percentiles below its latencies; without one where none are asked for, or nothing was
/// measured.
pub fn with_percentiles(block: &str, phase: &PhaseReport, percentiles: &[String]) -> String {
    let latency = |percent: &str| phase.total.latency.percentile(percent.parse().ok()?);
    let figures: Option<Vec<String>> = (percentiles.iter())
        .map(|percent| Some(format!("p{percent} {:.3} ms", latency(percent)?.as_secs_f64() * 1e3)))
        .collect();
    match figures.filter(|figures| !figures.is_empty()) {
        Some(figures) => with_line(block, &format!("latency percentiles = {}\n", figures.join(", "))),
        None => block.to_owned(),
    }
}

/// pgbench's report with a line below its latencies.
fn with_line(block: &str, line: &str) -> String {
    let begins = |line: &str| ["latency average", "latency stddev"].iter().any(|word| line.starts_with(word));
    let lines: Vec<&str> = block.split_inclusive('\n').collect();
    match lines.iter().rposition(|line| begins(line)) {
        Some(last) => lines[..=last].concat() + line + &lines[last + 1..].concat(),
        None => block.to_owned(),
    }
}

/// The block of a phase. pgbench's `-r` is not in it: the report has a table of statements of its own.
pub fn of(phase: &PhaseReport, scale: i64) -> PgbenchBlock {
    let load = &phase.load;
    let connecting = if load.connections == "per_transaction" {
        let all = u64::try_from(phase.total.connection_time.sum_ns()).unwrap_or(u64::MAX);
        BlockConnecting::EachTransaction(Duration::from_nanos(all))
    } else {
        BlockConnecting::Initial(Duration::from_micros(phase.connecting_us))
    };
    let lag = &phase.total.schedule_lag;
    let total = counts(&phase.total);
    PgbenchBlock {
        scale,
        partitions: None,
        query_mode: load.protocol.clone(),
        clients: load.clients,
        threads: load.threads,
        max_tries: load.max_tries,
        stop: match load.stop {
            StopReport::DurationUs(us) => BlockStop::Duration(Duration::from_micros(us)),
            StopReport::Transactions(n) => BlockStop::Transactions(n),
            StopReport::TransactionsPerClient(n) => BlockStop::TransactionsPerClient(n),
            // only a load beside a phase, which has no block of its own
            StopReport::WithPhase => BlockStop::Duration(Duration::from_micros(phase.elapsed_us)),
        },
        latency_limit: load.latency_limit_us.map(Duration::from_micros),
        latencies: true,
        failures_detailed: false,
        per_command: false,
        elapsed: Duration::from_micros(phase.elapsed_us),
        connecting,
        total,
        // as pgbench has it: the mean of none is no number
        lag_ms: load.rate.map(|_| {
            let mean = if total.transactions == 0 { f64::NAN } else { milliseconds(lag.mean_ns()) };
            (mean, milliseconds(lag.max().map(|max| max.as_nanos() as f64)))
        }),
        scripts: (phase.scripts.iter())
            .map(|script| BlockScript {
                description: script.description.clone(),
                weight: script.weight,
                counts: counts(&script.figures),
                commands: Vec::new(),
            })
            .collect(),
    }
}

fn counts(figures: &Figures) -> BlockCounts {
    let of_class = |class: FailureClass| figures.failed_by_class.get(class.name()).copied().unwrap_or(0);
    let (serialization, deadlock) = (of_class(FailureClass::Serialization), of_class(FailureClass::Deadlock));
    let latency: &Histogram = &figures.latency;
    BlockCounts {
        transactions: figures.transactions,
        skipped: figures.skipped,
        serialization,
        deadlock,
        other: figures.failed.saturating_sub(serialization + deadlock),
        retried: figures.retried,
        retries: figures.retries,
        late: figures.late,
        latency_avg_ms: milliseconds(latency.mean_ns()),
        latency_stddev_ms: milliseconds(latency.stddev_ns()),
    }
}

fn milliseconds(ns: Option<f64>) -> f64 {
    ns.unwrap_or(0.0) / 1e6
}

#[cfg(test)]
mod tests {
    use super::with_line;

    #[test]
    fn percentiles_stand_below_the_latencies() {
        let block = "a\nlatency average = 1 ms\nlatency stddev = 1 ms\ntps = 1\n - latency average = 2 ms\n";
        assert_eq!(
            with_line(block, "p\n"),
            "a\nlatency average = 1 ms\nlatency stddev = 1 ms\np\ntps = 1\n - latency average = 2 ms\n"
        );
        assert_eq!(with_line("a\n", "p\n"), "a\n");
    }
}

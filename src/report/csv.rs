//! The report as CSV: a figure a row, so that a table of one shape takes the figures of every run.
//!
//! ```sql
//! create table figures (run text, kind text, phase text, script text, name text, metric text, stat text,
//!                       value double precision, unit text);
//! \copy figures from 'run.csv' with (format csv, header)
//! ```

use std::fmt::Write as _;

use super::distribution::Distribution;
use super::phase::{Figures, PhaseReport};
use super::quantity::microseconds;
use super::{Report, Unit};

/// The names of the columns.
pub const HEADER: &str = "run,kind,phase,script,name,metric,stat,value,unit\n";

/// The rows of a report, without the header; `run` is what the first column calls it.
pub fn rows(report: &Report, run: &str) -> String {
    let mut rows = Rows { text: String::new(), run: field(run) };
    for step in &report.steps {
        rows.push(["step", "", "", &step.name, "seconds", ""], Some(step.elapsed_us as f64 / 1e6), "s");
    }
    for phase in &report.phases {
        rows.phase("phase", &phase.name, "", phase);
        for beside in &phase.background {
            rows.phase("background", &phase.name, &beside.name, beside);
        }
    }
    for metric in &report.metrics {
        rows.push(["metric", "", "", &metric.name, "value", ""], metric.value, "");
    }
    for rule in &report.thresholds {
        let unit = match rule.unit {
            Unit::Seconds => "s",
            Unit::PerSecond => "1/s",
            Unit::Share => "share",
            Unit::Count | Unit::Own => "",
        };
        rows.push(["threshold", "", "", &rule.rule, "measured", ""], rule.measured, unit);
        rows.push(["threshold", "", "", &rule.rule, "met", ""], Some(f64::from(u8::from(rule.met))), "");
    }
    rows.text
}

/// The report as one document.
pub fn render(report: &Report) -> String {
    format!("{HEADER}{}", rows(report, &report.scenario.name))
}

struct Rows {
    text: String,
    run: String,
}

impl Rows {
    /// Kind, phase, script, name, metric and statistic; a figure that does not exist is an empty value, which `COPY`
    /// reads as null.
    fn push(&mut self, names: [&str; 6], value: Option<f64>, unit: &str) {
        self.text.push_str(&self.run);
        for name in names {
            self.text.push(',');
            self.text.push_str(&field(name));
        }
        let value = value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default();
        let _ = writeln!(self.text, ",{value},{unit}");
    }

    fn phase(&mut self, kind: &str, phase: &str, name: &str, report: &PhaseReport) {
        self.push([kind, phase, "", name, "elapsed", ""], Some(report.elapsed_us as f64), "us");
        self.push([kind, phase, "", name, "tps", ""], report.tps, "1/s");
        self.figures([kind, phase, "", name], &report.total);
        for script in &report.scripts {
            self.figures([kind, phase, &script.name, name], &script.figures);
            for command in script.commands.iter().filter(|command| command.is_shown()) {
                let title = command.title();
                let at = ["statement", phase, &script.name, &title];
                self.distribution(at, "latency", &command.latency);
                let counts = [("rows", command.rows), ("failures", command.failures), ("retries", command.retries)];
                for (metric, count) in counts {
                    self.push([at[0], at[1], at[2], at[3], metric, ""], Some(count as f64), "");
                }
            }
        }
    }

    fn figures(&mut self, at: [&str; 4], figures: &Figures) {
        let Figures {
            transactions,
            failed,
            failed_by_class,
            skipped,
            late,
            retried,
            retries,
            unfinished,
            latency,
            service_time,
            schedule_lag,
            pool_wait,
            connection_time,
            below,
        } = figures;
        let [kind, phase, script, name] = at;
        let counts = [
            ("transactions", transactions),
            ("failed", failed),
            ("skipped", skipped),
            ("late", late),
            ("retried", retried),
            ("retries", retries),
            ("unfinished", unfinished),
        ];
        for (metric, count) in counts {
            self.push([kind, phase, script, name, metric, ""], Some(*count as f64), "");
        }
        for (class, count) in failed_by_class {
            self.push([kind, phase, script, name, "failed", class], Some(*count as f64), "");
        }
        let times = [
            ("latency", latency),
            ("service_time", service_time),
            ("schedule_lag", schedule_lag),
            ("pool_wait", pool_wait),
            ("connection_time", connection_time),
        ];
        for (metric, distribution) in times {
            self.distribution(at, metric, distribution);
        }
        for below in below {
            let bound = format!("count(<{}us)", below.bound_us);
            self.push([kind, phase, script, name, "latency", &bound], Some(below.count as f64), "");
        }
    }

    /// The statistics of durations, in microseconds as run.json has them; nothing where there are none.
    fn distribution(&mut self, at: [&str; 4], metric: &str, distribution: &Distribution) {
        if distribution.is_empty() {
            return;
        }
        let [kind, phase, script, name] = at;
        self.push([kind, phase, script, name, metric, "count"], Some(distribution.count() as f64), "");
        let of = |d: Option<std::time::Duration>| d.map(|d| d.as_nanos() as f64);
        let percentile = |percent| of(distribution.percentile(percent));
        let statistics = [
            ("min", of(distribution.min())),
            ("avg", distribution.mean_ns()),
            ("p50", percentile(50.0)),
            ("p90", percentile(90.0)),
            ("p95", percentile(95.0)),
            ("p99", percentile(99.0)),
            ("p99.9", percentile(99.9)),
            ("max", of(distribution.max())),
            ("stddev", distribution.stddev_ns()),
        ];
        for (stat, ns) in statistics {
            self.push([kind, phase, script, name, metric, stat], ns.map(microseconds), "us");
        }
    }
}

/// A field as RFC 4180 has it, which `COPY … (format csv)` reads.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text == "\\." {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

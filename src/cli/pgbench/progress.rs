//! `-P`: a line for what happened since the last one.

use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};

use crate::metrics::Sample;
use crate::report::pgbench::Wording;

/// What the lines have.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Columns {
    /// Schedule lag: with `-R`.
    pub(super) lag: bool,
    /// Skipped transactions: with `-R` and `-L`.
    pub(super) skipped: bool,
    /// Retries: with more than one try.
    pub(super) retries: bool,
    /// The time of day in the place of that since the start.
    pub(super) timestamp: bool,
}

/// Makes the lines.
#[derive(Debug)]
pub(super) struct Progress {
    columns: Columns,
    wording: Wording,
    every: Duration,
    /// Sessions are opened from here on.
    begun: Instant,
    /// The last line, on the run's clock.
    last: Instant,
    /// From the start of the clients' clock to the next line.
    next: Duration,
    since: Sample,
}

impl Progress {
    /// Lines this far apart for a run that begins now.
    pub(super) fn new(every: Duration, columns: Columns, wording: Wording, now: Instant) -> Self {
        Self { columns, wording, every, begun: now, last: now, next: every, since: Sample::default() }
    }

    /// Takes in what happened lately; the line that is due.
    pub(super) fn line(&mut self, elapsed: Duration, sample: &Sample, now: Instant) -> Option<String> {
        self.since.merge(sample);
        // samples come a little early or late; the nearest whole second is meant
        if elapsed + Duration::from_millis(500) < self.next {
            return None;
        }
        self.next += self.every;
        let interval = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        let time = if self.columns.timestamp {
            let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            format!("{}.{:03} s", unix.as_secs(), unix.subsec_millis())
        } else {
            format!("{:.1} s", now.duration_since(self.begun).as_secs_f64())
        };
        let sample = std::mem::take(&mut self.since);
        Some(self.text(&time, interval, &sample))
    }

    fn text(&self, time: &str, interval: f64, sample: &Sample) -> String {
        let Sample { counters, latency, lag, .. } = sample;
        let milliseconds = |ns: Option<f64>| ns.unwrap_or(0.0) / 1e6;
        let mut line = format!(
            "progress: {time}, {:.1} tps, lat {:.3} ms stddev {:.3}",
            counters.transactions as f64 / interval,
            milliseconds(latency.mean_ns()),
            milliseconds(latency.stddev_ns()),
        );
        let failures = self.wording >= Wording::V15;
        // writing to a string does not fail
        if failures {
            let _ = write!(line, ", {} failed", counters.failed());
        }
        if self.columns.lag {
            // starts on time are not in the lag's count, and they are no less lags
            let mean = lag.sum as f64 / counters.transactions.max(1) as f64;
            let _ = write!(line, ", lag {:.3} ms", mean / 1e6);
        }
        if self.columns.skipped {
            let _ = write!(line, ", {} skipped", counters.skipped);
        }
        if self.columns.retries && failures {
            let _ = write!(line, ", {} retried, {} retries", counters.retried, counters.retries);
        }
        line.push('\n');
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sample {
        let mut sample = Sample::default();
        sample.counters.transactions = 4;
        sample.counters.skipped = 3;
        sample.counters.retried = 1;
        sample.counters.retries = 2;
        for us in [100, 300, 100, 300] {
            sample.latency.record(Duration::from_micros(us));
        }
        sample.lag.record(Duration::from_micros(50));
        sample
    }

    fn progress(every: u64, columns: Columns, wording: Wording) -> (Progress, Instant) {
        let now = Instant::now();
        (Progress::new(Duration::from_secs(every), columns, wording, now), now)
    }

    #[test]
    fn a_line_has_what_its_version_and_the_options_give_it() {
        let all = Columns { lag: true, skipped: true, retries: true, timestamp: false };
        let second = Duration::from_secs(1);
        let mut lines = String::new();
        for (columns, wording) in [
            (Columns::default(), Wording::V18),
            (all, Wording::V15),
            (Columns::default(), Wording::V14),
            (all, Wording::V9_6),
        ] {
            let (mut progress, now) = progress(1, columns, wording);
            lines += &progress.line(second, &sample(), now + second * 2).unwrap();
        }
        insta::assert_snapshot!(lines);
    }

    #[test]
    fn several_samples_make_a_line_and_an_interval_without_any_has_zeros() {
        let (mut progress, now) = progress(2, Columns::default(), Wording::V18);
        let second = Duration::from_secs(1);
        assert_eq!(progress.line(second, &sample(), now + second), None);
        let line = progress.line(second * 2, &sample(), now + second * 2).unwrap();
        assert_eq!(line, "progress: 2.0 s, 4.0 tps, lat 0.200 ms stddev 0.100, 0 failed\n");
        progress.line(second * 3, &Sample::default(), now + second * 3);
        let line = progress.line(second * 4, &Sample::default(), now + second * 4).unwrap();
        assert_eq!(line, "progress: 4.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed\n");
    }
}

//! `-l`: a file per thread with a line for each transaction, or for each interval.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use super::aggregate::Aggregate;
use crate::clock::Clock;
use crate::eval::Generator;
use crate::exec::{TransactionEnd, TransactionLog, TransactionLogs, TransactionOutcome};
use crate::metrics::FailureClass;

/// What is logged, and how.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Debug, Clone, Copy)]
pub(super) struct LogStyle {
    /// `--sampling-rate`
    pub(super) sampling_rate: Option<f64>,
    /// `--aggregate-interval`
    pub(super) interval: Option<Duration>,
    /// Schedule lag: with `-R`.
    pub(super) lag: bool,
    /// The latency limit is there: with `-L`.
    pub(super) limit: bool,
    /// Retries: with more than one try.
    pub(super) retries: bool,
    /// `--failures-detailed`
    pub(super) failures_detailed: bool,
    /// Intervals have all columns, whatever the options: from 15 on.
    pub(super) all_columns: bool,
}

/// Makes the files `PREFIX.<pid>` and `PREFIX.<pid>.<n>`. The error is the message for people.
pub(super) fn open(prefix: &str, threads: u32, style: LogStyle, clock: Clock) -> Result<Arc<TransactionLogs>, String> {
    let process = std::process::id();
    let mut files = Vec::new();
    for thread in 0..threads {
        let path = if thread == 0 { format!("{prefix}.{process}") } else { format!("{prefix}.{process}.{thread}") };
        let file = File::create(&path).map_err(|error| {
            let text = error.to_string();
            format!("could not open logfile \"{path}\": {}", text.split(" (os error").next().unwrap_or(&text))
        })?;
        files.push(Some((path, file)));
    }
    let files = Mutex::new(files);
    Ok(Arc::new(move |thread: usize, random: Generator| {
        let mut files = files.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let taken = files.get_mut(thread).and_then(Option::take);
        let (path, file) =
            taken.map_or_else(|| (String::new(), None), |(path, file)| (path, Some(BufWriter::new(file))));
        Box::new(Log {
            path,
            file,
            style,
            clock,
            random,
            line: Vec::with_capacity(128),
            aggregate: Aggregate::default(),
        })
    }))
}

/// The log of one thread.
struct Log {
    path: String,
    /// Gone when it could not be written.
    file: Option<BufWriter<File>>,
    style: LogStyle,
    clock: Clock,
    random: Generator,
    line: Vec<u8>,
    aggregate: Aggregate,
}

impl TransactionLog for Log {
    fn begin(&mut self, start: Instant) {
        if let Some(interval) = self.style.interval {
            self.aggregate = Aggregate::new(self.unix(start).as_secs(), interval.as_secs());
        }
    }

    fn ended(&mut self, end: &TransactionEnd) {
        if self.style.interval.is_some() {
            self.finished_intervals(end.at);
            self.aggregate.add(end);
            return;
        }
        if self.style.sampling_rate.is_some_and(|rate| self.random.next_double() > rate) {
            return;
        }
        let at = self.unix(end.at);
        self.line.clear();
        write_line(&mut self.line, end, at, self.style);
        self.write();
    }

    fn close(&mut self, at: Instant) {
        if self.style.interval.is_some() {
            self.finished_intervals(at);
        }
        let flushed = self.file.as_mut().map_or(Ok(()), BufWriter::flush);
        self.give_up_on(flushed);
    }
}

impl Log {
    fn unix(&self, at: Instant) -> Duration {
        self.clock.wall(at).duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    /// Writes the intervals that are over.
    fn finished_intervals(&mut self, at: Instant) {
        let now = self.unix(at);
        loop {
            self.line.clear();
            if !self.aggregate.finish(now.as_secs(), self.style, &mut self.line) {
                return;
            }
            self.write();
        }
    }

    fn write(&mut self) {
        if let Some(file) = &mut self.file {
            let written = file.write_all(&self.line);
            self.give_up_on(written);
        }
    }

    /// A file that can't be written is complained of once, and the run goes on.
    fn give_up_on(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.file = None;
            let path = &self.path;
            let text = format!("pgbench: error: could not write logfile \"{path}\": {error}\n");
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}

/// The line of a transaction.
fn write_line(out: &mut Vec<u8>, end: &TransactionEnd, at: Duration, style: LogStyle) {
    let TransactionEnd { client, number, script, outcome, latency, lag, tries, at: _ } = end;
    let mut digits = itoa::Buffer::new();
    let mut field = |out: &mut Vec<u8>, number: u64| {
        if !out.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(digits.format(number).as_bytes());
    };
    let micros = |duration: &Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    field(out, client.0.into());
    field(out, *number);
    let word: &[u8] = match outcome {
        TransactionOutcome::Done => b"",
        TransactionOutcome::Skipped => b" skipped",
        TransactionOutcome::Failed(FailureClass::Serialization) if style.failures_detailed => b" serialization",
        TransactionOutcome::Failed(FailureClass::Deadlock) if style.failures_detailed => b" deadlock",
        TransactionOutcome::Failed(_) => b" failed",
    };
    let done = word.is_empty();
    if done {
        field(out, micros(latency));
    } else {
        out.extend_from_slice(word);
    }
    field(out, script.0.into());
    field(out, at.as_secs());
    field(out, at.subsec_micros().into());
    if style.lag {
        field(out, if done { micros(lag) } else { 0 });
    }
    if style.retries {
        field(out, tries.saturating_sub(1).into());
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests;

//! What one thread's transactions were like in an interval of the aggregated log.

use std::time::Duration;

use super::log::LogStyle;
use crate::exec::{TransactionEnd, TransactionOutcome};
use crate::metrics::FailureClass;

/// The interval under way.
#[derive(Debug, Default)]
pub(super) struct Aggregate {
    /// Its first second, as Unix time.
    start: u64,
    length: u64,
    counts: Counts,
}

/// What happened in it.
#[derive(Debug, Default)]
struct Counts {
    latency: Sums,
    lag: Sums,
    skipped: u64,
    retried: u64,
    retries: u64,
    serialization: u64,
    deadlock: u64,
}

/// Some durations in whole microseconds.
#[derive(Debug, Default)]
struct Sums {
    count: u64,
    sum: u128,
    squares: u128,
    min: u64,
    max: u64,
}

impl Sums {
    fn add(&mut self, duration: Duration) {
        let us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.min = if self.count == 0 { us } else { self.min.min(us) };
        self.max = self.max.max(us);
        self.count += 1;
        self.sum += u128::from(us);
        self.squares = self.squares.saturating_add(u128::from(us) * u128::from(us));
    }

    fn fields(&self) -> [u128; 4] {
        [self.sum, self.squares, self.min.into(), self.max.into()]
    }
}

impl Aggregate {
    /// Intervals of so many seconds from a second on.
    pub(super) fn new(start: u64, length: u64) -> Self {
        Self { start, length, counts: Counts::default() }
    }

    /// Takes in a transaction.
    pub(super) fn add(&mut self, end: &TransactionEnd) {
        let counts = &mut self.counts;
        if end.outcome == TransactionOutcome::Skipped {
            counts.skipped += 1;
            return;
        }
        if end.tries > 1 {
            counts.retried += 1;
            counts.retries += u64::from(end.tries - 1);
        }
        match end.outcome {
            TransactionOutcome::Done => {
                counts.latency.add(end.latency);
                counts.lag.add(end.lag);
            }
            TransactionOutcome::Failed(FailureClass::Deadlock) => counts.deadlock += 1,
            TransactionOutcome::Failed(_) | TransactionOutcome::Skipped => counts.serialization += 1,
        }
    }

    /// Writes the interval's line and begins the next, where it is over; false where it isn't.
    pub(super) fn finish(&mut self, now: u64, style: LogStyle, line: &mut Vec<u8>) -> bool {
        if self.length == 0 || now < self.start + self.length {
            return false;
        }
        let Counts { latency, lag, skipped, retried, retries, serialization, deadlock } =
            std::mem::take(&mut self.counts);
        let mut digits = itoa::Buffer::new();
        let mut field = |number: u128| {
            if !line.is_empty() {
                line.push(b' ');
            }
            line.extend_from_slice(digits.format(number).as_bytes());
        };
        let only = |wanted: bool, number: u64| if wanted { u128::from(number) } else { 0 };
        field(self.start.into());
        field(latency.count.into());
        latency.fields().into_iter().for_each(&mut field);
        if style.lag || style.all_columns {
            let fields = if style.lag { lag.fields() } else { [0; 4] };
            fields.into_iter().for_each(&mut field);
        }
        if style.all_columns || (style.lag && style.limit) {
            field(only(style.limit, skipped));
        }
        if style.all_columns {
            field(only(style.retries, retried));
            field(only(style.retries, retries));
            field(only(style.failures_detailed, serialization));
            field(only(style.failures_detailed, deadlock));
        }
        line.push(b'\n');
        self.start += self.length;
        true
    }
}

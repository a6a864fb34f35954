//! What one worker observes in one phase.

use std::time::{Duration, Instant};

use super::histogram::nanoseconds;
use super::{
    CommandMetrics, Counters, ErrorKind, FailureClass, Histogram, PhaseMetrics, Sample, ScriptMetrics, Spread, SqlState,
};
use crate::id::{CommandId, ScriptId};

/// The instants of one transaction: scheduled ≤ started ≤ acquired ≤ finished.
///
/// Schedule lag = started − scheduled. Pool wait or connection time = acquired − started. Service time =
/// finished − acquired. Latency = finished − scheduled, all tries and backoff in it.
#[derive(Debug, Clone, Copy)]
pub struct TransactionTimes {
    /// When it should have begun: in the closed model, when it did.
    pub scheduled: Instant,
    /// When the client turned to it.
    pub started: Instant,
    /// When it had a session.
    pub acquired: Instant,
    /// When its last command was done.
    pub finished: Instant,
}

/// How waiting for a session is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acquisition {
    /// The client has its own session: no wait.
    Owned,
    /// It waited for the pool.
    Pool,
    /// It connected.
    Connect,
}

/// A failed try or transaction.
#[derive(Debug, Clone, Copy)]
pub struct FailureEvent<'a> {
    /// Its class.
    pub class: FailureClass,
    /// Its SQLSTATE.
    pub sqlstate: SqlState,
    /// The script.
    pub script: ScriptId,
    /// The command that failed; `None` where no command ran (connecting, waiting for the pool).
    pub command: Option<CommandId>,
    /// The message; only the first of its kind is kept.
    pub message: &'a str,
    /// When.
    pub at: Instant,
}

/// How much a recorder keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Whole transactions only: [`Recorder::command`] does nothing, and its caller need not read the clock for it.
    Transactions,
    /// Commands too.
    Commands,
}

/// What one worker observes in one phase.
///
/// [`Recorder::transaction`] and [`Recorder::command`] are the measured path: no lock, no lookup by name, and no
/// allocation once each histogram in use has seen its first duration.
#[derive(Debug)]
pub struct Recorder {
    start: Instant,
    detail: Detail,
    bounds: Box<[Duration]>,
    metrics: PhaseMetrics,
    /// By script: whether every service time so far was the latency, so that it needs no histogram of its own.
    service_is_latency: Box<[bool]>,
    interval: Interval,
}

/// The interval since the last sample.
#[derive(Debug)]
struct Interval {
    from: Duration,
    counters: Counters,
    lag: Spread,
    /// By script; they join those of the whole phase when the interval ends, so that a latency is counted once.
    latencies: Box<[Histogram]>,
    /// All scripts' latencies, for the sample's buckets; empty between samples.
    coarse: hdrhistogram::Histogram<u64>,
}

impl Recorder {
    /// A recorder for a phase whose clock starts at `start`. `bounds` are those of the exact `count(<D)` counters.
    pub fn new(scripts: usize, commands: usize, bounds: &[Duration], start: Instant, detail: Detail) -> Self {
        let script = ScriptMetrics { below: vec![0; bounds.len()], ..ScriptMetrics::default() };
        Self {
            start,
            detail,
            bounds: bounds.into(),
            metrics: PhaseMetrics {
                scripts: vec![script; scripts],
                commands: vec![CommandMetrics::default(); commands],
                ..PhaseMetrics::default()
            },
            service_is_latency: vec![true; scripts].into(),
            interval: Interval::new(scripts),
        }
    }

    /// Whether commands are recorded, too.
    #[inline]
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Sets the phase's start again: where sessions opened after the recorder was made.
    pub fn restart(&mut self, start: Instant) {
        self.start = start;
    }

    /// A transaction succeeded. `late`: over the latency limit.
    #[inline]
    pub fn transaction(
        &mut self,
        script: ScriptId,
        times: &TransactionTimes,
        acquisition: Acquisition,
        tries: u32,
        late: bool,
    ) {
        let latency = times.finished.saturating_duration_since(times.scheduled);
        let index = script.index();
        let metrics = &mut self.metrics.scripts[index];
        if times.acquired != times.scheduled || !self.service_is_latency[index] {
            if std::mem::take(&mut self.service_is_latency[index]) {
                metrics.service_time = metrics.latency.clone();
                metrics.service_time.merge(&self.interval.latencies[index]);
            }
            metrics.service_time.record(times.finished.saturating_duration_since(times.acquired));
        }
        self.interval.latencies[index].record(latency);
        metrics.count_below(&self.bounds, latency);
        if times.started > times.scheduled {
            let lag = times.started.saturating_duration_since(times.scheduled);
            metrics.schedule_lag.record(lag);
            self.interval.lag.record(lag);
        }
        match acquisition {
            Acquisition::Owned => {}
            Acquisition::Pool => {
                metrics.pool_wait.record(times.acquired.saturating_duration_since(times.started));
            }
            Acquisition::Connect => {
                metrics.connection_time.record(times.acquired.saturating_duration_since(times.started));
            }
        }
        metrics.counts.transactions += 1;
        metrics.counts.late += u64::from(late);
        metrics.counts.retried += u64::from(tries > 1);
        metrics.counts.retries += u64::from(tries.saturating_sub(1));
    }

    /// A transaction ended with an error after all tries. Its times are in no distribution but that of pool waits,
    /// whose longest are the ones that failed.
    pub fn failed(
        &mut self,
        script: ScriptId,
        times: &TransactionTimes,
        acquisition: Acquisition,
        tries: u32,
        class: FailureClass,
    ) {
        let metrics = &mut self.metrics.scripts[script.index()];
        if acquisition == Acquisition::Pool {
            metrics.pool_wait.record(times.acquired.saturating_duration_since(times.started));
        }
        metrics.counts.failed[class as usize] += 1;
        metrics.counts.retried += u64::from(tries > 1);
        metrics.counts.retries += u64::from(tries.saturating_sub(1));
    }

    /// A transaction was not started because it was already too late.
    pub fn skipped(&mut self, script: Option<ScriptId>) {
        self.counters_of(script).skipped += 1;
    }

    /// A transaction was cut off at the end.
    pub fn unfinished(&mut self, script: Option<ScriptId>) {
        self.counters_of(script).unfinished += 1;
    }

    /// A command completed.
    #[inline]
    pub fn command(&mut self, command: CommandId, elapsed: Duration, rows: u64) {
        if self.detail >= Detail::Commands {
            let metrics = &mut self.metrics.commands[command.index()];
            metrics.histogram.record(elapsed);
            metrics.rows += rows;
        }
    }

    /// A command ended its transaction for good.
    pub fn command_failed(&mut self, command: CommandId) {
        self.metrics.commands[command.index()].failures += 1;
    }

    /// A command ended a try that is followed by another.
    pub fn command_retried(&mut self, command: CommandId) {
        self.metrics.commands[command.index()].retries += 1;
    }

    /// A try failed.
    pub fn error(&mut self, event: &FailureEvent) {
        let FailureEvent { class, sqlstate, script, command, message, at } = *event;
        let at = at.saturating_duration_since(self.start);
        self.metrics.errors.record(ErrorKind { class, sqlstate, script, command }, message, at);
    }

    /// A session was opened outside of a transaction.
    pub fn connected(&mut self, elapsed: Duration) {
        self.metrics.connected.record(elapsed);
    }

    /// What happened since the last call; also kept in the time line, under the second that the interval began in.
    /// To be called once a second: it allocates.
    pub fn take_sample(&mut self, now: Instant) -> Sample {
        let counters = self.counters();
        let interval = &mut self.interval;
        let mut latency = Spread::default();
        for (script, latencies) in self.metrics.scripts.iter_mut().zip(&mut interval.latencies) {
            latency.merge(&latencies.spread());
            for (value, count) in latencies.buckets() {
                interval.coarse.saturating_record_n(nanoseconds(value), count);
            }
            script.latency.merge(latencies);
            latencies.reset();
        }
        let coarse = &interval.coarse;
        let sample = Sample {
            counters: counters.since(&interval.counters),
            latency,
            lag: std::mem::take(&mut interval.lag),
            latencies: coarse
                .iter_recorded()
                .map(|step| (coarse.highest_equivalent(step.value_iterated_to()), step.count_at_value()))
                .collect(),
        };
        self.metrics.timeline.add(interval.from, &sample);
        interval.coarse.reset();
        interval.counters = counters;
        interval.from = now.saturating_duration_since(self.start);
        sample
    }

    /// Ends the recording: the rest since the last sample goes to the time line.
    pub fn finish(mut self) -> PhaseMetrics {
        if self.counters() != self.interval.counters {
            self.take_sample(self.start);
        }
        for (script, same) in self.metrics.scripts.iter_mut().zip(&self.service_is_latency) {
            if *same {
                script.service_time = script.latency.clone();
            }
            if !script.schedule_lag.is_empty() {
                // those that began on time; they were not worth a thought while measuring
                script.schedule_lag.record_n(Duration::ZERO, script.latency.count() - script.schedule_lag.count());
            }
        }
        self.metrics
    }

    fn counters_of(&mut self, script: Option<ScriptId>) -> &mut Counters {
        match script {
            Some(script) => &mut self.metrics.scripts[script.index()].counts,
            None => &mut self.metrics.unassigned,
        }
    }

    fn counters(&self) -> Counters {
        let mut counters = self.metrics.unassigned;
        for script in &self.metrics.scripts {
            counters.merge(&script.counts);
        }
        counters
    }
}

impl Interval {
    fn new(scripts: usize) -> Self {
        Self {
            from: Duration::ZERO,
            counters: Counters::default(),
            lag: Spread::default(),
            latencies: vec![Histogram::default(); scripts].into(),
            coarse: hdrhistogram::Histogram::new_with_bounds(1, 24 * 60 * 60 * 1_000_000_000, 2)
                .expect("the bounds are constants that fit"),
        }
    }
}

#[cfg(test)]
mod tests;

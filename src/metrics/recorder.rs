//! What one worker observes in one phase.

use std::time::{Duration, Instant};

use super::{FailureClass, SqlState};
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

// TO BE IMPLEMENTED: the Recorder with these methods, none of which allocates or locks except `error` (rare path):
//
// Recorder::new(scripts: usize, commands: usize, bounds: &[Duration] /* ascending count(<D) bounds */, start: Instant)
// fn transaction(&mut self, script, &TransactionTimes, Acquisition, tries: u32, late: bool)   a successful transaction
// fn failed(&mut self, script, &TransactionTimes, Acquisition, tries, class)      ended with an error after all tries
// fn skipped(&mut self, script: Option<ScriptId>)    not started because already too late
// fn unfinished(&mut self, script: Option<ScriptId>, class-less)   cut off at the end
// fn command(&mut self, command: CommandId, elapsed: Duration, rows: u64)         a command that completed
// fn command_failed(&mut self, command: CommandId) / fn command_retried(&mut self, command: CommandId)
// fn error(&mut self, &FailureEvent)    every failed try: counts (class, sqlstate, script, command), keeps first message, first and last time
// fn connected(&mut self, elapsed: Duration)   a session was opened outside a transaction (before the clock starts)
// fn take_sample(&mut self) -> Sample   counters since the last call, for progress and time line (sum/sum of squares/min/max of latency, tps counts, failed, skipped, lag, retries, and a small histogram so p50/p95/p99 per interval can be shown)
// fn finish(self) -> PhaseMetrics / merge

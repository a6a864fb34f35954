//! The end of each transaction, told to whoever keeps a log.

use std::time::{Duration, Instant};

use crate::eval::Generator;
use crate::id::{ClientId, ScriptId};
use crate::metrics::FailureClass;

/// Takes the ends of one worker's transactions, on the worker's thread: what it does there is on the measured path.
pub trait TransactionLog {
    /// The phase's clock starts.
    fn begin(&mut self, start: Instant);
    /// A transaction ended.
    fn ended(&mut self, end: &TransactionEnd);
    /// The worker's last client is done.
    fn close(&mut self, at: Instant);
}

/// Makes the log of the worker of that number, with the stream that draws which transactions are in it.
pub type TransactionLogs = dyn Fn(usize, Generator) -> Box<dyn TransactionLog> + Send + Sync;

/// A transaction that ended.
#[derive(Debug, Clone, Copy)]
pub struct TransactionEnd {
    /// The client.
    pub client: ClientId,
    /// The client's how many-th it was, from 1, skipped ones counted.
    pub number: u64,
    /// The script.
    pub script: ScriptId,
    /// How it ended.
    pub outcome: TransactionOutcome,
    /// Scheduled start to finish.
    pub latency: Duration,
    /// Scheduled to actual start.
    pub lag: Duration,
    /// Its tries.
    pub tries: u32,
    /// When it ended.
    pub at: Instant,
}

/// How a transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionOutcome {
    /// It succeeded.
    Done,
    /// It failed.
    Failed(FailureClass),
    /// It was not started because already too late.
    Skipped,
}

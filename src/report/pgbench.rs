//! pgbench's own report, line for line.
//!
//! [`PgbenchBlock`] holds figures only, whoever measured them; [`render`] words them as a version of pgbench does.
//! What greps for `tps =` keeps working.

mod lines;
mod scripts;

use std::time::Duration;

/// The version whose wording a block takes: a major one of PostgreSQL, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[expect(missing_docs, reason = "a version is a version")]
pub enum Wording {
    V9_6,
    V10,
    V11,
    V12,
    V13,
    V14,
    V15,
    V16,
    V17,
    #[default]
    V18,
}

impl Wording {
    /// The wording of a major version; 9 is 9.6. What is older takes the oldest, what is newer the newest.
    pub fn of_major(major: u32) -> Self {
        match major {
            ..=9 => Self::V9_6,
            10 => Self::V10,
            11 => Self::V11,
            12 => Self::V12,
            13 => Self::V13,
            14 => Self::V14,
            15 => Self::V15,
            16 => Self::V16,
            17 => Self::V17,
            18.. => Self::V18,
        }
    }
}

/// The figures of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct PgbenchBlock {
    /// `scaling factor`
    pub scale: i64,
    /// How the accounts are partitioned (`range`, `hash`) and into how many, where a builtin script ran on them.
    pub partitions: Option<(String, u64)>,
    /// `simple`, `extended` or `prepared`.
    pub query_mode: String,
    /// Clients.
    pub clients: u32,
    /// Threads.
    pub threads: u32,
    /// Tries of a transaction; 0: without limit.
    pub max_tries: u32,
    /// What ended it.
    pub stop: BlockStop,
    /// Where starts came from a schedule (`-R`): the mean and the greatest schedule lag in milliseconds.
    pub lag_ms: Option<(f64, f64)>,
    /// The latency limit (`-L`).
    pub latency_limit: Option<Duration>,
    /// Whether each latency was measured: pgbench does with `-P`, `-R` and `-L`.
    pub latencies: bool,
    /// Whether failures are told apart (`--failures-detailed`).
    pub failures_detailed: bool,
    /// Whether each command has its line (`-r`).
    pub per_command: bool,
    /// From the first thread's start to the end.
    pub elapsed: Duration,
    /// How long connecting took.
    pub connecting: BlockConnecting,
    /// All scripts together.
    pub total: BlockCounts,
    /// The scripts, at least one.
    pub scripts: Vec<BlockScript>,
}

/// What ended the run of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockStop {
    /// So many transactions of each client (`-t`).
    TransactionsPerClient(u64),
    /// So many transactions of all clients together; pgbench has no such thing, and so no line for it.
    Transactions(u64),
    /// So long (`-T`).
    Duration(Duration),
}

/// How long connecting took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockConnecting {
    /// Until all clients had their sessions.
    Initial(Duration),
    /// Each transaction connected (`-C`): all of them together.
    EachTransaction(Duration),
}

/// How transactions ended, and how long successful ones took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BlockCounts {
    /// Successful.
    pub transactions: u64,
    /// Skipped.
    pub skipped: u64,
    /// Failed with a serialization failure.
    pub serialization: u64,
    /// Failed with a deadlock.
    pub deadlock: u64,
    /// Failed with something else.
    pub other: u64,
    /// Needed more than one try.
    pub retried: u64,
    /// Tries after the first.
    pub retries: u64,
    /// Over the latency limit.
    pub late: u64,
    /// Mean of the measured latencies in milliseconds.
    pub latency_avg_ms: f64,
    /// Their standard deviation.
    pub latency_stddev_ms: f64,
}

/// A script of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockScript {
    /// The file as it was given, or `<builtin: …>`.
    pub description: String,
    /// Its weight.
    pub weight: u32,
    /// Its figures.
    pub counts: BlockCounts,
    /// Its commands.
    pub commands: Vec<BlockCommand>,
}

/// A command of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockCommand {
    /// Its first line.
    pub text: String,
    /// Its mean time in milliseconds; 0 where it never completed.
    pub latency_avg_ms: f64,
    /// Tries that it ended for good.
    pub failures: u64,
    /// Tries that it ended and that were tried again.
    pub retries: u64,
}

impl BlockCounts {
    fn failed(&self) -> u64 {
        self.serialization + self.deadlock + self.other
    }

    fn total(&self) -> u64 {
        self.transactions + self.skipped + self.failed()
    }
}

impl PgbenchBlock {
    fn per_second(&self, n: u64) -> f64 {
        per_second(n, self.elapsed)
    }
}

fn per_second(n: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { n as f64 / elapsed.as_secs_f64() }
}

/// The block in a version's wording; each line ends with a line feed.
pub fn render(block: &PgbenchBlock, wording: Wording) -> String {
    let mut out = String::new();
    // writing to a string does not fail
    let _ = lines::write(&mut out, block, wording);
    out
}

#[cfg(test)]
mod tests;

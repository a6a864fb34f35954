//! What all recorders of a phase have observed together.

use std::time::Duration;

use super::{Counters, ErrorLog, Histogram, Timeline};

/// Everything observed in one phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseMetrics {
    /// By `ScriptId`.
    pub scripts: Vec<ScriptMetrics>,
    /// By `CommandId`.
    pub commands: Vec<CommandMetrics>,
    /// Transactions that ended before it was drawn which script they run.
    pub unassigned: Counters,
    /// Failed tries by kind.
    pub errors: ErrorLog,
    /// Second by second.
    pub timeline: Timeline,
    /// How long sessions took to open outside of transactions.
    pub connected: Histogram,
}

/// Everything observed of one script's transactions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptMetrics {
    /// Scheduled start to finish, of the successful ones.
    pub latency: Histogram,
    /// Acquired to finish, likewise.
    pub service_time: Histogram,
    /// Scheduled to actual start, likewise; empty in the closed model.
    pub schedule_lag: Histogram,
    /// Waiting for a pooled connection, whatever came of the transaction; empty without a pool.
    pub pool_wait: Histogram,
    /// Connecting, of the successful ones; empty unless each transaction connects.
    pub connection_time: Histogram,
    /// How they ended.
    pub counts: Counters,
    /// For each bound of the report, how many latencies were below it, exactly.
    pub below: Vec<u64>,
}

/// Everything observed of one command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommandMetrics {
    /// How long it took, where it completed.
    pub histogram: Histogram,
    /// Rows that it returned or touched.
    pub rows: u64,
    /// Tries that it ended for good.
    pub failures: u64,
    /// Tries that it ended and that were tried again.
    pub retries: u64,
}

impl PhaseMetrics {
    /// Takes in `other`, which has the same scripts, commands and bounds.
    pub fn merge(&mut self, other: &Self) {
        let Self { scripts, commands, unassigned, errors, timeline, connected } = other;
        self.scripts.resize_with(self.scripts.len().max(scripts.len()), ScriptMetrics::default);
        for (ours, theirs) in self.scripts.iter_mut().zip(scripts) {
            ours.merge(theirs);
        }
        self.commands.resize_with(self.commands.len().max(commands.len()), CommandMetrics::default);
        for (ours, theirs) in self.commands.iter_mut().zip(commands) {
            ours.merge(theirs);
        }
        self.unassigned.merge(unassigned);
        self.errors.merge(errors);
        self.timeline.merge(timeline);
        self.connected.merge(connected);
    }

    /// All scripts as if they were one.
    pub fn total(&self) -> ScriptMetrics {
        let mut total = ScriptMetrics::default();
        for script in &self.scripts {
            total.merge(script);
        }
        total.counts.merge(&self.unassigned);
        total
    }
}

impl ScriptMetrics {
    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self { latency, service_time, schedule_lag, pool_wait, connection_time, counts, below } = other;
        self.latency.merge(latency);
        self.service_time.merge(service_time);
        self.schedule_lag.merge(schedule_lag);
        self.pool_wait.merge(pool_wait);
        self.connection_time.merge(connection_time);
        self.counts.merge(counts);
        self.below.resize(self.below.len().max(below.len()), 0);
        for (ours, theirs) in self.below.iter_mut().zip(below) {
            *ours += theirs;
        }
    }

    /// Adds a latency to the exact counters.
    #[inline]
    pub(super) fn count_below(&mut self, bounds: &[Duration], latency: Duration) {
        for (below, bound) in self.below.iter_mut().zip(bounds) {
            *below += u64::from(latency < *bound);
        }
    }
}

impl CommandMetrics {
    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self { histogram, rows, failures, retries } = other;
        self.histogram.merge(histogram);
        self.rows += rows;
        self.failures += failures;
        self.retries += retries;
    }
}

//! The part of a report that is about one phase.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::find::FindReport;

/// A phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// Its name.
    pub name: String,
    /// Whether its figures count.
    pub measured: bool,
    /// What was put on the server.
    pub load: LoadReport,
    /// When its clock started.
    pub started: String,
    /// From then to the end of its last transaction.
    pub elapsed_us: u64,
    /// How it ended: `complete`, `interrupted`, `server_lost`, `aborted` or `stopped` (by its `stop_if`).
    pub ending: String,
    /// Opening its first sessions, before its clock started.
    pub connecting_us: u64,
    /// Clients that ended early.
    pub clients_ended: u32,
    /// What became of its schedule; none in the closed model.
    pub arrivals: Option<ArrivalsReport>,
    /// CPU time of the client's threads.
    pub client_cpu_us: u64,
    /// How much later than asked for the client's timer woke.
    pub timer_lag: Distribution,
    /// How long sessions took to open outside of transactions.
    pub connected: Distribution,
    /// Successful transactions a second.
    pub tps: Option<f64>,
    /// All scripts together.
    pub total: Figures,
    /// Each script.
    pub scripts: Vec<ScriptReport>,
    /// Failed tries by kind, most frequent first.
    pub errors: Vec<ErrorReport>,
    /// Failed tries of kinds beyond the number that is kept apart.
    pub errors_dropped: u64,
    /// What a search for the highest rate found, of which these are one trial's figures.
    #[serde(default)]
    pub find: Option<FindReport>,
    /// Second by second.
    pub timeline: Vec<SecondReport>,
    /// The feed that had no more rows, where one ended it or some of its clients.
    #[serde(default)]
    pub ran_dry: Option<String>,
    /// Times in which clients had no session, in order.
    #[serde(default)]
    pub outages: Vec<OutageReport>,
    /// The loads that stood beside it; nothing of them is in its figures.
    #[serde(default)]
    pub background: Vec<PhaseReport>,
}

impl PhaseReport {
    /// From its start to the end of its last transaction in seconds: what every figure a second is over.
    pub fn seconds(&self) -> f64 {
        Duration::from_micros(self.elapsed_us).as_secs_f64()
    }
}

/// A time in which clients had no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutageReport {
    /// When the first of them had none any more, from the phase's start.
    pub since_us: u64,
    /// How many clients.
    pub clients: u32,
    /// When the first of their transactions succeeded again; none: never in the phase.
    pub first_back_us: Option<u64>,
    /// When each of them had had a successful transaction again; none: not all of them did in the phase.
    pub all_back_us: Option<u64>,
}

/// What a phase put on the server, all replicas together unless said otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadReport {
    /// Clients; of a ramp, the most.
    pub clients: u32,
    /// Clients at its beginning and its end, where the two differ.
    #[serde(default)]
    pub clients_ramp: Option<(u32, u32)>,
    /// The client's threads.
    pub threads: u32,
    /// How many times the load stood side by side.
    pub replicas: u32,
    /// `simple`, `extended` or `prepared`.
    pub protocol: String,
    /// `per_client`, `per_transaction` or `pool`.
    pub connections: String,
    /// Connections of a replica's pool.
    pub pool_size: Option<u32>,
    /// What ends it.
    pub stop: StopReport,
    /// Target starts a second at its beginning and its end; none in the closed model.
    pub rate: Option<(f64, f64)>,
    /// Over it, a transaction is late.
    pub latency_limit_us: Option<u64>,
    /// Tries of a transaction; 0: without limit.
    pub max_tries: u32,
}

/// What ends a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReport {
    /// Its duration.
    DurationUs(u64),
    /// So many transactions of all clients together.
    Transactions(u64),
    /// So many transactions of each client.
    TransactionsPerClient(u64),
    /// The phase that it stands beside.
    WithPhase,
}

/// What became of an open phase's schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivalsReport {
    /// Starts that fell due while the phase ran.
    pub due: u64,
    /// Of those, begun.
    pub begun: u64,
}

/// The figures of some transactions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Successful ones.
    pub transactions: u64,
    /// Ended with an error after all tries.
    pub failed: u64,
    /// The failed ones by class; classes without any are left out.
    pub failed_by_class: BTreeMap<String, u64>,
    /// Not started because already too late.
    pub skipped: u64,
    /// Successful, over the latency limit.
    pub late: u64,
    /// Needed more than one try.
    pub retried: u64,
    /// Tries after the first.
    pub retries: u64,
    /// Cut off at the end.
    pub unfinished: u64,
    /// Scheduled start to finish.
    pub latency: Distribution,
    /// Acquired to finish.
    pub service_time: Distribution,
    /// Scheduled to actual start; none in the closed model.
    pub schedule_lag: Distribution,
    /// Waiting for a pooled connection.
    pub pool_wait: Distribution,
    /// Connecting, where each transaction does.
    pub connection_time: Distribution,
    /// Exact counts of latencies below a bound.
    pub below: Vec<BelowReport>,
}

impl Figures {
    /// Successful, failed and skipped ones: what percentages are of.
    pub fn total(&self) -> u64 {
        self.transactions + self.failed + self.skipped
    }

    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self {
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
        } = other;
        self.transactions += transactions;
        self.failed += failed;
        for (class, n) in failed_by_class {
            *self.failed_by_class.entry(class.clone()).or_default() += n;
        }
        self.skipped += skipped;
        self.late += late;
        self.retried += retried;
        self.retries += retries;
        self.unfinished += unfinished;
        self.latency.0.merge(latency);
        self.service_time.0.merge(service_time);
        self.schedule_lag.0.merge(schedule_lag);
        self.pool_wait.0.merge(pool_wait);
        self.connection_time.0.merge(connection_time);
        for theirs in below {
            match self.below.iter_mut().find(|ours| ours.bound_us == theirs.bound_us) {
                Some(ours) => ours.count += theirs.count,
                None => self.below.push(theirs.clone()),
            }
        }
    }
}

/// How many latencies were below a bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BelowReport {
    /// The bound.
    pub bound_us: u64,
    /// How many.
    pub count: u64,
}

/// A script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptReport {
    /// Its name.
    pub name: String,
    /// What pgbench's block calls it.
    pub description: String,
    /// Its weight in the phase's mix; 0 where the mix does not name it.
    pub weight: u32,
    /// Its figures.
    pub figures: Figures,
    /// Its commands.
    pub commands: Vec<CommandReport>,
}

/// A command of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandReport {
    /// SQL up to its first line end, a meta-command whole.
    pub text: String,
    /// The name that `\label` gave it.
    pub label: Option<String>,
    /// The meta-command's name, or `SQL`.
    pub word: String,
    /// How long it took, where it completed.
    pub latency: Distribution,
    /// Rows that it returned or touched.
    pub rows: u64,
    /// Tries that it ended for good.
    pub failures: u64,
    /// Tries that it ended and that were tried again.
    pub retries: u64,
}

impl CommandReport {
    /// Whether a table of statements has it: statements, and meta-commands that took time or failed.
    pub fn is_shown(&self) -> bool {
        self.word == "SQL" || self.word == "sleep" || self.failures > 0 || self.retries > 0
    }

    /// Its text in one line, behind its label.
    pub fn title(&self) -> String {
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &self.label {
            Some(label) => format!("{label}: {text}"),
            None => text,
        }
    }
}

/// Failed tries of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// The class.
    pub class: String,
    /// The SQLSTATE, where the server gave one.
    pub sqlstate: Option<String>,
    /// The script.
    pub script: String,
    /// The command, where one ran.
    pub command: Option<String>,
    /// How many.
    pub count: u64,
    /// The first one's message.
    pub message: String,
    /// When the first came, from the phase's start.
    pub first_us: u64,
    /// When the last came.
    pub last_us: u64,
}

/// What happened in one second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondReport {
    /// Counted from the phase's start.
    pub second: u32,
    /// Successful transactions.
    pub transactions: u64,
    /// Failed ones.
    pub failed: u64,
    /// Skipped ones.
    pub skipped: u64,
    /// Tries after the first.
    pub retries: u64,
    /// The mean latency.
    pub latency_avg_us: Option<f64>,
    /// The standard deviation of the latencies.
    pub latency_stddev_us: Option<f64>,
    /// The shortest latency.
    pub latency_min_us: Option<f64>,
    /// The median latency.
    pub latency_p50_us: Option<f64>,
    /// The latency that 95 % did not exceed.
    pub latency_p95_us: Option<f64>,
    /// The latency that 99 % did not exceed.
    pub latency_p99_us: Option<f64>,
    /// The longest latency.
    pub latency_max_us: Option<f64>,
    /// The mean schedule lag of successful transactions.
    pub lag_avg_us: Option<f64>,
    /// Latencies by bucket: the highest nanoseconds of the bucket (two significant digits), and how many.
    pub latencies_ns: Vec<(u64, u64)>,
}

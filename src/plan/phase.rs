//! Phases and the load that each puts on the server.

use std::time::Duration;

use super::ThresholdPlan;
use crate::id::{PhaseId, ScriptId};
use crate::source::Span;

/// A part of a run with one shape of load.
#[derive(Debug, Clone, PartialEq)]
pub struct PhasePlan {
    /// Its number; phase k draws as seed + k.
    pub id: PhaseId,
    /// Its name in reports.
    pub name: String,
    /// Whether its figures count.
    pub kind: PhaseKind,
    /// What is put on the server, once per replica.
    pub load: LoadPlan,
    /// When it ends.
    pub stop: StopPlan,
    /// What ends it and the run before.
    pub stop_if: Option<ThresholdPlan>,
    /// What its trials have to keep: it is run again and again, at rates between the ends of its `rate`, to find the
    /// highest that does.
    pub find: Option<ThresholdPlan>,
    /// Where it was written.
    pub span: Span,
}

/// What a phase is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PhaseKind {
    /// Its figures count.
    #[default]
    Measure,
    /// It only warms the server up.
    Warmup,
    /// It is a load beside a phase.
    Background,
}

/// When a phase ends; per replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopPlan {
    /// After this time no transaction is begun.
    Duration(Duration),
    /// All clients of a replica together do so many transactions.
    Transactions(u64),
    /// Each client does so many transactions.
    TransactionsPerClient(u64),
    /// A load beside a phase ends when that does.
    WithPhase,
}

/// The load of a phase. All figures are per replica.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadPlan {
    /// Which scripts, how often.
    pub mix: Mix,
    /// Clients at the beginning and at the end of the phase.
    pub clients: Ramp<u32>,
    /// How many times this load stands side by side.
    pub replicas: u32,
    /// OS threads per replica; at least one, at most as many as clients.
    pub threads: u32,
    /// How statements travel.
    pub protocol: Protocol,
    /// Who has connections.
    pub connections: ConnectionPolicy,
    /// What each session is set up with.
    pub session: SessionPlan,
    /// The server that this load goes to, where it is not the one of set-up.
    pub url: Option<String>,
    /// The longest that one statement may take before the client gives the session up.
    pub timeout: Option<Duration>,
    /// Tries of one transaction; 0: without limit.
    pub max_tries: u32,
    /// SQLSTATEs that are tried again.
    pub retry: Vec<[u8; 5]>,
    /// The pause before a retry.
    pub retry_delay: Delay,
    /// What a failure that is not tried again means.
    pub on_error: OnError,
    /// Over it, a transaction is late; with a rate, a start that is later than it is skipped.
    pub latency_limit: Option<Duration>,
    /// Closed model: the least distance between two starts of one client.
    pub pacing: Option<Duration>,
    /// Closed model: the pause after a transaction.
    pub think: Delay,
    /// Open model: starts come from a schedule.
    pub arrivals: Option<ArrivalPlan>,
    /// What running transactions get when the phase's time is over; `None`: as long as they take.
    pub grace: Option<Duration>,
}

/// Scripts with weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mix {
    /// In the order in which a draw walks them.
    pub entries: Vec<(ScriptId, u32)>,
    /// The sum of the weights; at least 1.
    pub total: u64,
}

/// A figure that goes from one value to another in a straight line over the phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ramp<T> {
    /// At the beginning.
    pub from: T,
    /// At the end.
    pub to: T,
}

impl LoadPlan {
    /// The most connections that it holds at once, of all its replicas.
    pub fn most_connections(&self) -> u64 {
        let each = match self.connections {
            ConnectionPolicy::Pool(pool) => pool.size.min(self.clients.max()),
            ConnectionPolicy::PerClient | ConnectionPolicy::PerTransaction => self.clients.max(),
        };
        u64::from(each) * u64::from(self.replicas)
    }
}

impl<T: Copy + PartialOrd> Ramp<T> {
    /// A ramp that stays where it is.
    pub fn flat(value: T) -> Self {
        Self { from: value, to: value }
    }

    /// The larger end.
    pub fn max(self) -> T {
        if self.to > self.from { self.to } else { self.from }
    }

    /// Whether it stays where it is.
    pub fn is_flat(self) -> bool {
        self.from == self.to
    }
}

/// How statements travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// One Query message with the values in the text.
    Simple,
    /// Parse, Bind, Describe, Execute, Sync for every execution.
    Extended,
    /// Parsed once per session, then Bind, Describe, Execute, Sync.
    Prepared,
}

/// Who has connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionPolicy {
    /// Each client its own, for the phase.
    PerClient,
    /// A new one for each transaction.
    PerTransaction,
    /// Clients share a pool.
    Pool(PoolPlan),
}

/// A pool of connections; one per replica, on one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolPlan {
    /// The most connections.
    pub size: u32,
    /// How long a client waits for one.
    pub timeout: Duration,
    /// Whether the next user of a session sends `discard all` ahead of its first statement, in the same packet.
    pub discard_all: bool,
}

/// What each session is set up with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionPlan {
    /// Another role than that of set-up.
    pub user: Option<String>,
    /// Its password; never shown.
    pub password: Option<Secret>,
    /// Settings given at connection start.
    pub settings: Vec<(String, String)>,
    /// Statements that each new session runs first.
    pub on_connect: Vec<String>,
}

/// A text that no output shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What a failure that is not tried again means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// Rolled back, counted, reconnected where the session is lost; the client goes on. SQLSTATE class 42 stops the run all the same.
    #[default]
    Continue,
    /// The client ends.
    AbortClient,
    /// The run ends.
    AbortRun,
    /// As pgbench: serialization and deadlock failures are counted, anything else ends the client.
    Pgbench,
}

/// An open model's schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrivalPlan {
    /// Starts a second, all clients of a replica together.
    pub rate: Ramp<f64>,
    /// How they are spread.
    pub kind: ArrivalKind,
}

/// How scheduled starts are spread over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArrivalKind {
    /// Independent of each other: exponential distances.
    #[default]
    Poisson,
    /// Equal distances.
    Even,
    /// All starts of a second at its beginning.
    Burst,
}

/// A pause, fixed or drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Delay {
    /// None.
    #[default]
    None,
    /// Always the same.
    Constant(Duration),
    /// Each time in the range alike.
    Uniform {
        /// Shortest.
        low: Duration,
        /// Longest.
        high: Duration,
    },
    /// Exponentially distributed.
    Exponential {
        /// Its mean.
        mean: Duration,
    },
    /// Normally distributed, cut off at zero.
    Normal {
        /// Its mean before the cut.
        mean: Duration,
        /// Its standard deviation before the cut.
        stddev: Duration,
    },
}

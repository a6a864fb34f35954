//! What a whole run has observed: the phases with the facts that their executor adds.

use std::time::{Duration, SystemTime};

use super::{Histogram, Outage, PhaseMetrics};

/// What a run has observed.
#[derive(Debug, Clone)]
pub struct RunMetrics {
    /// The phases that began, in order.
    pub phases: Vec<PhaseRun>,
    /// How the run ended.
    pub ending: Ending,
}

/// How a run or a phase ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Ending {
    /// As planned.
    #[default]
    Complete,
    /// Somebody stopped it.
    Interrupted,
    /// The server went away, or answered no more; what it was like.
    ServerLost(String),
    /// An error was set to end it, or no client was left; why.
    Aborted(String),
    /// A rule was set to end it: the rule.
    Stopped(String),
}

/// What one phase has observed.
#[derive(Debug, Clone)]
pub struct PhaseRun {
    /// What its recorders saw.
    pub metrics: PhaseMetrics,
    /// When its clock started.
    pub started: SystemTime,
    /// From its clock's start to the end of its last transaction.
    pub elapsed: Duration,
    /// Opening its first sessions, before its clock started.
    pub connecting: Duration,
    /// Clients of all replicas.
    pub clients: u32,
    /// Threads of all replicas.
    pub threads: u32,
    /// Clients that ended early.
    pub clients_ended: u32,
    /// How it ended.
    pub ending: Ending,
    /// What became of its schedule; `None` in the closed model.
    pub arrivals: Option<Arrivals>,
    /// CPU time of its threads while its clock ran.
    pub client_cpu: Duration,
    /// How much later than asked for the timer woke clients.
    pub timer_lag: Histogram,
    /// The feed that had no more rows, where one ended it or some of its clients.
    pub dry: Option<String>,
    /// Times in which clients had no session, in order.
    pub outages: Vec<Outage>,
    /// The loads that stood beside it, in the order of the plan.
    pub beside: Vec<PhaseRun>,
    /// The search that this is the best trial of.
    pub search: Option<Search>,
}

/// A search for the highest rate that keeps a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// What was tried, in order.
    pub trials: Vec<Trial>,
    /// The number of the trial whose figures stand for the phase.
    pub shown: usize,
}

/// One trial of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Starts a second, all replicas together.
    pub rate: f64,
    /// The figure of the rule, in its unit.
    pub figure: Option<f64>,
    /// Successful transactions a second.
    pub tps: Option<f64>,
    /// Whether nearly all of its starts were begun.
    pub reached: bool,
    /// Whether the rule was kept, and the rate reached.
    pub kept: bool,
}

/// What became of an open phase's schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arrivals {
    /// Starts that fell due while the phase ran.
    pub due: u64,
    /// Of those, begun.
    pub begun: u64,
}

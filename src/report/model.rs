//! The report: what is kept of a run.
//!
//! This is the format of `run.json`, which `docs/reference/run-json.md` describes. Durations are microseconds, and
//! their keys say so; moments are RFC 3339 in UTC.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::metric::{Unit, figure};
use super::own::OwnMetricReport;
use super::phase::PhaseReport;
use super::published::PublishedReport;

/// The format's version: raised whenever a reader of the one before would get something wrong.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that is kept of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The format's version.
    pub schema_version: u32,
    /// The version of the program that wrote it.
    pub reprise_version: String,
    /// When the run began.
    pub started: String,
    /// What was run.
    pub scenario: ScenarioReport,
    /// Where it was run.
    pub environment: Environment,
    /// How it ended.
    pub verdict: Verdict,
    /// What makes the figures doubtful; most important first.
    pub warnings: Vec<String>,
    /// The rules that decide whether the run passed.
    pub thresholds: Vec<ThresholdReport>,
    /// Steps, those between phases included.
    pub steps: Vec<StepReport>,
    /// The phases that began.
    pub phases: Vec<PhaseReport>,
    /// Figures of the scenario's own.
    #[serde(default)]
    pub metrics: Vec<OwnMetricReport>,
    /// What somebody else measured, beside what was measured here.
    pub published: Option<PublishedReport>,
}

/// A rule about a figure, and whether it was met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThresholdReport {
    /// The rule: `failed = 0`.
    pub rule: String,
    /// The figure, in its unit; none where the run does not have it, which is not met.
    pub measured: Option<f64>,
    /// What the figure is in.
    pub unit: Unit,
    /// Whether the rule was met.
    pub met: bool,
    /// Why the figure can't be told, where the run does not have it.
    #[serde(default)]
    pub reason: Option<String>,
}

impl ThresholdReport {
    /// What the figure was: `was 61.2 ms`, `can't be told, since phase steady did not begin`.
    pub fn found(&self) -> String {
        match (self.measured, &self.reason) {
            (Some(value), _) => format!("was {}", figure(value, self.unit)),
            (None, Some(reason)) => format!("can't be told, since {reason}"),
            (None, None) => "can't be told".to_owned(),
        }
    }
}

/// What was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioReport {
    /// Its name.
    pub name: String,
    /// In its author's words.
    pub description: Option<String>,
    /// The seed of data and load.
    pub seed: u64,
    /// Its variables.
    pub vars: Vec<VarReport>,
    /// The profile that was applied.
    pub profile: Option<ProfileReport>,
    /// What it asks of a server.
    pub server: ServerRequirement,
    /// The version whose wording pgbench's block takes.
    pub pgbench: u32,
    /// Percentiles of the latency that the block has besides, as written.
    #[serde(default)]
    pub percentiles: Vec<String>,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VarReport {
    /// Its name.
    pub name: String,
    /// Its value in this run.
    pub value: String,
    /// The value that the scenario gives it.
    pub default: String,
    /// Why it has its value: `scenario`, `profile`, `command_line`, `matrix` or `query`.
    pub origin: String,
}

/// A profile and what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileReport {
    /// Its name.
    pub name: String,
    /// Each changed key.
    pub changes: Vec<ChangeReport>,
}

/// A key that a profile changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeReport {
    /// Its path.
    pub key: String,
    /// What the scenario says.
    pub before: Option<String>,
    /// What held.
    pub after: String,
}

/// What a scenario asks of its server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerRequirement {
    /// The major version.
    pub version: Option<u32>,
    /// The least major version.
    pub min_version: Option<u32>,
    /// Extensions.
    pub extensions: Vec<String>,
    /// Settings.
    pub settings: BTreeMap<String, String>,
}

/// Where a run took place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The server.
    pub server: ServerFacts,
    /// The machine that the clients ran on.
    pub client: HostFacts,
}

/// A server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// As `server_version` says it.
    pub version: String,
    /// As `server_version_num` says it.
    pub version_num: u32,
    /// Where it is, without passwords: `embedded`, or host and database.
    pub target: String,
    /// Why it was this one.
    pub reason: String,
    /// Whether it was made for the run, and so has the hardware of the client.
    pub embedded: bool,
    /// Settings that are not the default, and all that the scenario or its published systems name.
    pub settings: BTreeMap<String, String>,
    /// Extensions with their versions.
    pub extensions: BTreeMap<String, String>,
}

/// A machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Its name.
    pub name: String,
    /// Its operating system.
    pub os: String,
    /// What its processor calls itself.
    pub cpu_model: Option<String>,
    /// Its processors.
    pub cpus: Option<u32>,
    /// Its memory.
    pub memory_bytes: Option<u64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// `complete`, `incomplete`, `interrupted` or `nothing_measured`.
    pub outcome: Outcome,
    /// In a few words.
    pub text: String,
}

/// The ways in which a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As planned.
    Complete,
    /// Measured, but not all of it.
    Incomplete,
    /// Stopped by its user.
    Interrupted,
    /// No transaction of a measured phase ended.
    NothingMeasured,
}

impl Outcome {
    /// The exit code of `run`.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::NothingMeasured => 1,
            Self::Incomplete => 2,
            Self::Interrupted => 130,
        }
    }
}

/// A step of set-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub elapsed_us: u64,
    /// Rows that it made, where it says.
    pub rows: Option<u64>,
    /// Whether what it makes was there already and was kept.
    pub kept: bool,
    /// The number of the phase that it came before, from 0; none for set-up.
    pub before_phase: Option<usize>,
}

//! The IR: what a run will do.
//!
//! Plain data. Every name is a number, every jump a target, every default applied; nothing here knows how it was
//! written, and nothing is left to look up while a run measures.

pub mod background;
pub mod claim;
pub mod compile;
mod error;
pub mod feed;
pub mod fill;
pub mod initialization;
pub mod matrix;
pub mod metric;
pub mod own;
pub mod pattern;
pub mod phase;
pub mod print;
pub mod program;
pub mod published;
pub(crate) mod reset;
pub(crate) mod setup_sql;
pub mod step;
pub mod threshold;

use crate::diagnostic::Diagnostic;
use crate::eval::{Algorithm, Value};
use crate::id::{FeedId, PhaseId};
use crate::source::Span;

pub use background::BackgroundPlan;
pub use claim::ClaimPlan;
pub use error::Error;
pub use feed::{FeedPlan, FeedVariable};
pub use fill::FillPlan;
pub use initialization::InitPlan;
pub use matrix::MatrixPlan;
pub use metric::MetricRef;
pub use own::OwnMetricPlan;
pub use phase::{LoadPlan, PhasePlan};
pub use print::{Detail, print};
pub use program::{CommandPlan, Op, Program, StatementPlan};
pub use published::PublishedPlan;
pub use reset::ResetPlan;
use step::StepKind;
pub use step::StepPlan;
pub use threshold::ThresholdPlan;

/// A compiled scenario.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario's name.
    pub name: String,
    /// What it is, in its author's words.
    pub description: Option<String>,
    /// The seed of data and load.
    pub seed: u64,
    /// How random numbers are made.
    pub algorithm: Algorithm,
    /// Whose random streams choose scripts and arrivals.
    pub streams: Streams,
    /// What it asks of a server.
    pub server: ServerPlan,
    /// The scenario's variables with their values.
    pub vars: Vec<VarPlan>,
    /// What the server is asked for when the phases begin.
    pub queries: Vec<VarQuery>,
    /// The profile that was applied.
    pub profile: Option<ProfilePlan>,
    /// Steps before the first phase.
    pub setup: Vec<StepPlan>,
    /// What is done with the data between two rounds of a run.
    pub reset: ResetPlan,
    /// The variables of the scripts, indexed by `SlotId`.
    pub slots: Vec<SlotPlan>,
    /// The scripts, indexed by `ScriptId`.
    pub scripts: Vec<Program>,
    /// Every command of every script, indexed by `CommandId`.
    pub commands: Vec<CommandPlan>,
    /// Every SQL command of every script, indexed by `StatementId`.
    pub statements: Vec<StatementPlan>,
    /// Steps that stand between phases: the phase that each comes before (an index of `phases`, or its length for the
    /// end), in order.
    pub interludes: Vec<(usize, StepPlan)>,
    /// The phases in order, indexed by `PhaseId`.
    pub phases: Vec<PhasePlan>,
    /// Loads beside the phases.
    pub backgrounds: Vec<BackgroundPlan>,
    /// Where scripts take rows from, indexed by `FeedId`.
    pub feeds: Vec<FeedPlan>,
    /// Variables that nothing but feeds fills whose columns the server knows.
    pub fed: Vec<FeedVariable>,
    /// Steps of `run --only teardown`.
    pub teardown: Vec<StepPlan>,
    /// Figures of its own.
    pub metrics: Vec<OwnMetricPlan>,
    /// What is varied; nothing in the plan of one point.
    pub matrix: MatrixPlan,
    /// Rules that decide the exit code.
    pub thresholds: Vec<ThresholdPlan>,
    /// What the report shows.
    pub report: ReportPlan,
    /// What somebody else measured.
    pub published: Option<PublishedPlan>,
    /// What is worth knowing before a run and refuses none: what nothing uses, what is taken in another way than it is
    /// written. Each stands at its place in the scenario.
    pub warnings: Vec<Diagnostic>,
}

/// Whose streams of random numbers choose scripts, arrivals and samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Streams {
    /// One set per client, so that cutting a load into threads changes nothing.
    #[default]
    PerClient,
    /// One set per thread, shared by its clients, as pgbench has them.
    PerThread,
}

/// What a scenario asks of its server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerPlan {
    /// The embedded server takes this major version; on another server a difference is reported.
    pub version: Option<u32>,
    /// Below this major version the run is refused.
    pub min_version: Option<u32>,
    /// Created by set-up; refused where they are not available.
    pub extensions: Vec<String>,
    /// Given to the embedded server; compared with any other and reported.
    pub settings: Vec<(String, String)>,
    /// How the embedded server authenticates.
    pub auth: AuthPlan,
}

/// How the embedded server authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthPlan {
    /// No password.
    #[default]
    Trust,
    /// A password made for the run.
    ScramSha256,
}

/// A variable of the scenario with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct VarPlan {
    /// Its name.
    pub name: String,
    /// Its value in this run.
    pub value: Value,
    /// The value that the scenario gives it.
    pub default: Value,
    /// Why it has its value.
    pub origin: VarOrigin,
    /// What its author says about it.
    pub description: Option<String>,
}

impl VarPlan {
    /// Its value as text.
    pub fn value_text(&self) -> String {
        self.value.to_string()
    }

    /// The value that the scenario gives it, as text.
    pub fn default_text(&self) -> String {
        self.default.to_string()
    }
}

/// Where a variable's value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VarOrigin {
    /// The scenario.
    Default,
    /// A profile.
    Profile,
    /// `-D`.
    CommandLine,
    /// The point of the matrix.
    Point,
    /// The server, which is asked when the phases begin; until then there is no value.
    Query,
}

/// What the server is asked for the value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VarQuery {
    /// The variable.
    pub name: String,
    /// The question; the first value of the first row is the answer.
    pub statement: step::SetupStatement,
}

impl Plan {
    /// The most connections that a phase and the loads beside it hold at once.
    pub fn most_connections(&self) -> u64 {
        let of_phase = |phase: &PhasePlan| {
            let beside = self.backgrounds.iter().filter(|background| background.phases.contains(&phase.id));
            phase.load.most_connections() + beside.map(|background| background.load.most_connections()).sum::<u64>()
        };
        self.phases.iter().map(of_phase).max().unwrap_or(0)
    }

    /// Whether a load runs a script that takes rows from the feed.
    pub fn takes_from(&self, load: &LoadPlan, feed: FeedId) -> bool {
        let run = load.mix.entries.iter().filter(|(_, weight)| *weight > 0);
        let mut ops = run.flat_map(|(script, _)| &self.scripts[script.index()].ops);
        ops.any(|op| matches!(&op.kind, program::OpKind::Feed(id) if *id == feed))
    }

    /// Whether a phase or a load beside it takes rows from the feed.
    pub fn needs_feed(&self, phase: PhaseId, feed: FeedId) -> bool {
        let beside = self.backgrounds.iter().filter(|background| background.phases.contains(&phase));
        let loads = std::iter::once(&self.phases[phase.index()].load).chain(beside.map(|beside| &beside.load));
        loads.into_iter().any(|load| self.takes_from(load, feed))
    }

    /// Every step: of set-up, between phases, of teardown.
    pub fn steps(&self) -> impl Iterator<Item = &StepPlan> {
        self.setup.iter().chain(self.interludes.iter().map(|(_, step)| step)).chain(&self.teardown)
    }

    /// Where it runs commands of the shell, in steps and in scripts.
    pub fn shell_commands(&self) -> Vec<Span> {
        let steps = self.steps().filter(|step| matches!(step.kind, StepKind::Shell(_))).map(|step| step.span);
        let is_shell = |op: &&Op| matches!(op.kind, program::OpKind::Shell { .. });
        let ops = self.scripts.iter().flat_map(|script| script.ops.iter()).filter(is_shell);
        steps.chain(ops.map(|op| self.commands[op.command.index()].span)).collect()
    }

    /// The plan with the answers to its queries, one each in their order, as the values of its variables.
    #[must_use]
    pub fn with_answers(mut self, answers: &[String]) -> Self {
        for (VarQuery { name, .. }, answer) in self.queries.iter().zip(answers) {
            let value = compile::text_value(answer);
            for var in self.vars.iter_mut().filter(|var| var.name == *name) {
                var.value = value.clone();
            }
            for slot in self.slots.iter_mut().filter(|slot| slot.name == *name) {
                slot.initial = SlotInitial::Constant(value.clone());
            }
        }
        self
    }
}

/// A profile that was applied, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfilePlan {
    /// Its name.
    pub name: String,
    /// Each changed key with its value before and after, as text, such as `vars.tasks`, `5000`, `100`.
    pub changes: Vec<ProfileChange>,
}

/// One key that a profile changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileChange {
    /// The key's path.
    pub key: String,
    /// What the scenario says; absent where the profile added the key.
    pub before: Option<String>,
    /// What holds now.
    pub after: String,
}

/// A variable of the scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotPlan {
    /// Its name, without colon.
    pub name: String,
    /// Its value when a client begins; `None`: undefined until a script sets it.
    pub initial: SlotInitial,
}

/// What a variable holds when a client begins.
#[derive(Debug, Clone, PartialEq)]
pub enum SlotInitial {
    /// Nothing.
    Undefined,
    /// The same for every client.
    Constant(Value),
    /// The client's number.
    ClientId,
    /// The seed for hashes, drawn from the phase's base generator.
    DefaultSeed,
    /// The phase's seed.
    RandomSeed,
}

/// What the report shows besides what it always shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportPlan {
    /// The version whose wording pgbench's block takes.
    pub pgbench: u32,
    /// How often a plain progress line is printed.
    pub progress: std::time::Duration,
    /// Percentiles of the latency that pgbench's block has besides, above 0 and at most 100, as written.
    pub percentiles: Vec<String>,
    /// The bounds of exact `count(<D)` counters, ascending.
    pub bounds: Vec<std::time::Duration>,
}

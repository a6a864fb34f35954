//! What a scenario is compiled with, besides itself.

use crate::plan::{ProfileChange, ProfilePlan};
use crate::scenario::Change;
use crate::source::SourceId;

/// Reads a file that the scenario names.
pub type Texts<'a> = dyn Fn(&str) -> Option<(SourceId, &'a str)> + 'a;

/// The surroundings of a scenario. Nothing here is read by the compiler itself.
pub struct CompileInputs<'a> {
    /// What the scenario goes by unless it has a name: the stem of its file.
    pub name: &'a str,
    /// Variables set by `-D`, in order.
    pub defines: &'a [(String, String)],
    /// The profile that was laid over the scenario.
    pub profile: Option<ProfilePlan>,
    /// The point of the matrix that is compiled: variables, each with the number of its value. Empty: none.
    pub point: &'a [(String, usize)],
    /// The files that `Scenario::files` lists.
    pub texts: &'a Texts<'a>,
    /// The variables of the environment, for `${NAME}`. `check` may answer each name with some text.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// The machine's cores.
    pub cores: usize,
    /// What `seed: random` takes.
    pub random_seed: u64,
}

impl ProfilePlan {
    /// The profile `name` with what it changed.
    pub fn new(name: &str, changes: Vec<Change>) -> Self {
        let changes = changes.into_iter().map(|Change { key, before, after }| ProfileChange { key, before, after });
        Self { name: name.to_owned(), changes: changes.collect() }
    }
}

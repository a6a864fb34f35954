//! What clients tell while they run, on their own threads.

use crate::eval::Value;
use crate::id::{ClientId, CommandId, ScriptId};
use crate::pg::ServerError;

/// Hears what clients tell. It is called on the workers' threads, several of them at a time.
pub trait Listener: Send + Sync {
    /// What it wants to hear besides what scripts show. Asked once, before a phase begins; what nobody wants costs a
    /// comparison.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// A command's `debug(…)` shows a value.
    fn debug(&self, command: CommandId, value: &Value) {
        let _ = (command, value);
    }

    /// The server said something that is no error.
    fn notice(&self, notice: &ServerError) {
        let _ = notice;
    }

    /// A try ended with an error that may be tried again.
    fn try_failed(&self, failed: &TryFailed<'_>) {
        let _ = failed;
    }

    /// What became of such a transaction.
    fn try_decided(&self, decided: &TryDecided) {
        let _ = decided;
    }

    /// A statement returned a row: the bodies of its description and of the row, for [`pg::columns`](crate::pg::columns)
    /// and [`pg::values`](crate::pg::values). Rows of a pipeline are not told.
    fn row(&self, description: &[u8], row: &[u8]) {
        let _ = (description, row);
    }

    /// A command has ended well, with so many rows; the variables as they are now, by `SlotId`.
    fn ended(&self, command: CommandId, rows: u64, slots: &[Option<Value>]) {
        let _ = (command, rows, slots);
    }

    /// A client takes a step.
    fn step(&self, client: ClientId, step: Step<'_>) {
        let _ = (client, step);
    }
}

/// A listener that wants nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silence;

impl Listener for Silence {}

/// What a listener wants to hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is wanted or not, whatever else is")]
pub struct Wants {
    /// What the server says that is no error.
    pub notices: bool,
    /// Errors that may be tried again, and what becomes of their transactions.
    pub tries: bool,
    /// Every step of every client.
    pub steps: bool,
    /// What each command came to: its rows, and the variables after it.
    pub results: bool,
}

/// A try that ended with an error that may be tried again.
#[derive(Debug)]
pub struct TryFailed<'a> {
    /// The client.
    pub client: ClientId,
    /// The script.
    pub script: ScriptId,
    /// The command that failed.
    pub command: Option<CommandId>,
    /// The server's error as libpq words it.
    pub message: &'a str,
}

/// What became of a transaction whose try failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TryDecided {
    /// The client.
    pub client: ClientId,
    /// Whether it is tried again; else it has failed.
    pub again: bool,
    /// The number of the try, from 1.
    pub tries: u32,
    /// How much of the latency limit is used, where there is one.
    pub used: Option<f64>,
}

/// A step of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// It begins a transaction.
    Script(ScriptId),
    /// It executes a meta-command.
    Command(CommandId),
    /// It prepares a statement under this name.
    Preparing(&'a str),
    /// It sends a statement: its text, or the name that it is prepared under.
    Sending(&'a str),
    /// It waits for an answer, or goes on with one.
    Receiving,
    /// It ends a pipeline in which so many syncs are not answered yet.
    PipelineEnding(u32),
    /// A word of a shell command is a variable.
    ShellWord {
        /// The command's first word.
        command: &'a str,
        /// The variable, without colon.
        name: &'a str,
        /// What it holds.
        value: &'a str,
    },
}

//! Compiled scripts: flat programs with jump targets.

use crate::eval::Expr;
use crate::id::{CommandId, FeedId, ScriptId, SlotId, StatementId};
use crate::plan::phase::Delay;
use crate::source::Span;

/// A compiled script.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Its name in mixes and reports.
    pub name: String,
    /// What pgbench's report calls it: the file as given, or `<builtin: …>`.
    pub description: String,
    /// The commands that came from it: a run of ids.
    pub commands: std::ops::Range<u32>,
    /// What a client does, from the first op to the last; a jump target of `ops.len()` ends the transaction.
    pub ops: Vec<Op>,
    /// The pause after each of its transactions, where the script has its own.
    pub think: Option<Delay>,
    /// Whether `builtin:` named it.
    pub builtin: bool,
    /// Whether a reference to a variable that is still undefined fails the transaction. pgbench's scripts send it as
    /// it stands (simple) or as null (extended).
    pub strict: bool,
}

/// One thing that a client does.
#[derive(Debug, Clone, PartialEq)]
pub struct Op {
    /// The command that it came from; times and failures are charged to it.
    pub command: CommandId,
    /// What to do.
    pub kind: OpKind,
}

/// The kinds of op. A target is an index into the program's `ops`.
#[derive(Debug, Clone, PartialEq)]
pub enum OpKind {
    /// Sends a statement; outside a pipeline its results are read before the next op.
    Execute(StatementId),
    /// Assigns to a variable.
    Set(SlotId, Expr),
    /// Waits.
    Sleep(SleepPlan),
    /// Goes on at the target unless the condition holds.
    JumpUnless(Expr, u32),
    /// Goes on at the target.
    Jump(u32),
    /// Enters pipeline mode. In the prepared protocol the listed statements are prepared first.
    StartPipeline(Box<[StatementId]>),
    /// Sends a Sync and stays in pipeline mode.
    SyncPipeline,
    /// Sends a Sync, reads all results and leaves pipeline mode.
    EndPipeline,
    /// `\assert`: fails the transaction with class `assertion` and the text unless the condition holds.
    Assert(Expr, Box<str>),
    /// `\repeat`: pushes a loop of so many rounds, or goes on at the target when there is none to do.
    Repeat {
        /// The number of rounds.
        count: Expr,
        /// Counts from 1.
        counter: Option<SlotId>,
        /// Behind the matching `EndRepeat`.
        end: u32,
    },
    /// `\endrepeat`: one round less; goes back to the target while one is left.
    EndRepeat {
        /// The op behind the matching `Repeat`.
        start: u32,
    },
    /// `\shell` and `\setshell`: runs the words, joined by blanks, with `sh`.
    Shell {
        /// What is run.
        words: Box<[ShellWord]>,
        /// Takes the integer on the first line of its output.
        store: Option<SlotId>,
    },
    /// Fails the transaction: the command assigns to what can't be a variable's name, which pgbench finds only here.
    Misnamed(Box<str>),
    /// `\feed`: takes the next row of a feed.
    Feed(FeedId),
}

/// A word of a shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellWord {
    /// As it is.
    Text(Box<str>),
    /// A variable's value.
    Slot(SlotId),
}

/// How long a `\sleep` waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SleepPlan {
    /// A constant time.
    Constant(std::time::Duration),
    /// A variable's value, as an integer, times so many microseconds.
    Slot(SlotId, u32),
}

/// A command of a script as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPlan {
    /// Its script.
    pub script: ScriptId,
    /// Its number within the script, from 0.
    pub number: u32,
    /// As pgbench shows it: SQL up to its first line end, a meta-command whole.
    pub display: String,
    /// The name that `\label` gave it.
    pub label: Option<String>,
    /// Where it was written.
    pub span: Span,
    /// The statement that it sends, if it is SQL.
    pub statement: Option<StatementId>,
    /// The meta-command's name (`set`, `sleep`, …), or `SQL`.
    pub word: &'static str,
}

/// A SQL command, cut for both families of protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementPlan {
    /// The command that it belongs to.
    pub command: CommandId,
    /// For the simple protocol: text with the variables' values put in.
    pub simple: Box<[TemplatePart]>,
    /// For the extended and prepared protocols: text with `$1`, `$2`, …
    pub extended: Box<str>,
    /// The parameters of `extended`, in order.
    pub parameters: Box<[SlotId]>,
    /// What is done with its results.
    pub store: Option<StorePlan>,
}

/// A piece of a statement in the simple protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// As it is.
    Text(Box<str>),
    /// A variable's value as it is; while it is undefined, the reference as written (`:name`).
    Raw(SlotId),
    /// A variable's value as a SQL literal.
    Literal(SlotId),
    /// A variable's value as a quoted identifier.
    Identifier(SlotId),
}

/// `\gset` or `\aset`: which columns go where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorePlan {
    /// False: the last result, exactly one row. True: the last row of every result that has one.
    pub all: bool,
    /// Put before each column's name.
    pub prefix: Box<str>,
    /// The variables that some script refers to and that this prefix can reach: column name (without prefix) and slot.
    /// Columns that nothing refers to are checked for a valid name and dropped.
    pub columns: Box<[(Box<str>, SlotId)]>,
}

//! Scripts → programs: blocks become jumps, commands get their numbers.

use super::ProgramError;
use super::feeds::FeedDraft;
use super::fold::fold_constants;
use super::meta::Block;
use super::names::Names;
use super::statement::{Target, compile_statement};
use crate::id::{CommandId, FeedId, ScriptId, StatementId};
use crate::plan::phase::{Delay, Protocol};
use crate::plan::program::OpKind;
use crate::plan::{CommandPlan, Error, FeedVariable, Op, Program, SlotPlan, StatementPlan, VarPlan};
use crate::script::Dialect;
use crate::script::ast::{Command, CommandKind, Script, Sql, SqlPart, StoreKind};

/// A script to be compiled.
pub(crate) struct ScriptInput<'a> {
    /// Its name in mixes and reports.
    pub(crate) name: &'a str,
    /// What pgbench's report calls it.
    pub(crate) description: String,
    /// What it says.
    pub(crate) script: &'a Script,
    /// The pause after each of its transactions.
    pub(crate) think: Option<Delay>,
    /// Whether it is one of pgbench's own.
    pub(crate) builtin: bool,
    /// The protocols that it is sent in.
    pub(crate) protocols: Vec<Protocol>,
}

/// All scripts, compiled.
pub(crate) struct Compiled {
    /// The variables of all of them.
    pub(crate) slots: Vec<SlotPlan>,
    /// In the order of the inputs.
    pub(crate) scripts: Vec<Program>,
    /// All their commands.
    pub(crate) commands: Vec<CommandPlan>,
    /// All their SQL commands.
    pub(crate) statements: Vec<StatementPlan>,
    /// Variables that nothing but feeds fills whose columns the server knows.
    pub(crate) fed: Vec<FeedVariable>,
}

/// Compiles all scripts of a plan together: their variables are shared, as a client keeps its variables from one
/// transaction to the next.
pub(crate) fn compile_scripts(
    inputs: &[ScriptInput<'_>],
    vars: &[VarPlan],
    dialect: Dialect,
    feeds: &[FeedDraft],
    errors: &mut Vec<Error>,
) -> Compiled {
    let mut names = Names::new(vars, dialect);
    for command in inputs.iter().flat_map(|input| &input.script.commands) {
        declare(command, feeds, &mut names, errors);
    }
    let mut all = Compiled {
        slots: Vec::new(),
        scripts: Vec::new(),
        commands: Vec::new(),
        statements: Vec::new(),
        fed: Vec::new(),
    };
    for (index, input) in inputs.iter().enumerate() {
        let target = Target { dialect, protocols: &input.protocols };
        let mut compiler = Compiler {
            id: ScriptId::from_index(index),
            target,
            names: &mut names,
            all: &mut all,
            errors,
            ops: vec![],
            feeds,
        };
        let program = compiler.program(input);
        all.scripts.push(program);
    }
    for statement in &mut all.statements {
        if let Some(store) = &mut statement.store {
            store.columns = names.reached_by(&store.prefix).into();
        }
    }
    (all.slots, all.fed) = names.into_slots();
    fold_constants(&mut all.scripts, &all.statements, &all.slots);
    all
}

/// Makes known what a command defines, before anything is resolved: scripts may use each other's variables.
fn declare(command: &Command, feeds: &[FeedDraft], names: &mut Names, errors: &mut Vec<Error>) {
    match &command.kind {
        CommandKind::Set { name, .. }
        | CommandKind::SetShell { name, .. }
        | CommandKind::Repeat { counter: Some(name), .. } => {
            names.assign(&name.text, name.span, errors);
        }
        CommandKind::Sql(sql) => {
            if let Some(store) = &sql.store {
                let text = sql.parts.iter().filter_map(|part| match part {
                    SqlPart::Text(text) => Some(text.as_str()),
                    SqlPart::Variable(_) => None,
                });
                names.store(&store.prefix, Some(&text.collect::<String>()));
            }
        }
        CommandKind::Feed(name) => {
            if let Some(at) = feeds.iter().position(|feed| feed.name == name.text) {
                names.feed(FeedId::from_index(at), &feeds[at]);
            }
        }
        _ => {}
    }
}

/// Compiles one script.
pub(super) struct Compiler<'a, 'b> {
    id: ScriptId,
    pub(super) target: Target<'a>,
    pub(super) names: &'b mut Names,
    pub(super) all: &'b mut Compiled,
    pub(super) errors: &'b mut Vec<Error>,
    pub(super) ops: Vec<Op>,
    pub(super) feeds: &'a [FeedDraft],
}

impl Compiler<'_, '_> {
    fn program(&mut self, input: &ScriptInput<'_>) -> Program {
        let first = self.all.commands.len();
        let mut blocks: Vec<Block> = Vec::new();
        let mut pipeline: Option<usize> = None;
        for (number, command) in input.script.commands.iter().enumerate() {
            let id = CommandId::from_index(self.all.commands.len());
            let statement = match &command.kind {
                CommandKind::Sql(sql) => Some(self.statement(id, sql, command, pipeline.is_some())),
                _ => None,
            };
            self.all.commands.push(CommandPlan {
                script: self.id,
                number: u32::try_from(number).unwrap_or(u32::MAX),
                display: command.display.clone(),
                label: command.label.as_ref().map(|label| label.text.clone()),
                span: command.span,
                statement,
                word: word(&command.kind),
            });
            match (&command.kind, statement) {
                (_, Some(statement)) => self.push(id, OpKind::Execute(statement)),
                (kind, None) => self.meta(id, kind, command.span, &mut blocks, &mut pipeline),
            }
        }
        self.close_pipeline(pipeline, input.script.commands.last());
        self.check_statements(input);
        let range =
            u32::try_from(first).unwrap_or(u32::MAX)..u32::try_from(self.all.commands.len()).unwrap_or(u32::MAX);
        Program {
            name: input.name.to_owned(),
            description: input.description.clone(),
            commands: range,
            ops: std::mem::take(&mut self.ops),
            think: input.think,
            builtin: input.builtin,
            strict: self.target.dialect == Dialect::Extended,
        }
    }

    fn statement(&mut self, id: CommandId, sql: &Sql, command: &Command, in_pipeline: bool) -> StatementId {
        if let (true, Some(store), Dialect::Extended) = (in_pipeline, &sql.store, self.target.dialect) {
            let word = if store.kind == StoreKind::Gset { "gset" } else { "aset" };
            self.errors.push(ProgramError::StoreInPipeline { word, span: store.span }.into());
        }
        let plan = compile_statement(id, sql, command.span, &self.target, self.names, self.errors);
        self.all.statements.push(plan);
        StatementId::from_index(self.all.statements.len() - 1)
    }

    pub(super) fn push(&mut self, command: CommandId, kind: OpKind) {
        self.ops.push(Op { command, kind });
    }

    pub(super) fn here(&self) -> u32 {
        u32::try_from(self.ops.len()).unwrap_or(u32::MAX)
    }

    fn close_pipeline(&mut self, pipeline: Option<usize>, last: Option<&Command>) {
        if let (Some(_), Some(last), Dialect::Extended) = (pipeline, last, self.target.dialect) {
            let what = "the script ends with a pipeline open";
            self.errors.push(ProgramError::PipelineNesting { what, span: last.span }.into());
        }
    }

    /// A transaction that sends nothing looks fast and measures nothing; pgbench allows it all the same.
    fn check_statements(&mut self, input: &ScriptInput<'_>) {
        let does_something = input.script.commands.iter().any(|command| {
            matches!(command.kind, CommandKind::Sql(_) | CommandKind::Sleep { .. } | CommandKind::Shell { .. })
        });
        if does_something || self.target.dialect == Dialect::Pgbench {
            return;
        }
        if let (Some(first), Some(last)) = (input.script.commands.first(), input.script.commands.last()) {
            let span = first.span.to(last.span);
            self.errors.push(ProgramError::NoStatement { script: input.name.to_owned(), span }.into());
        }
    }
}

/// The name of a command in messages.
fn word(kind: &CommandKind) -> &'static str {
    match kind {
        CommandKind::Sql(_) => "SQL",
        CommandKind::Set { .. } => "set",
        CommandKind::SetShell { .. } => "setshell",
        CommandKind::Shell { .. } => "shell",
        CommandKind::Sleep { .. } => "sleep",
        CommandKind::If(_) => "if",
        CommandKind::Elif(_) => "elif",
        CommandKind::Else => "else",
        CommandKind::Endif => "endif",
        CommandKind::StartPipeline => "startpipeline",
        CommandKind::SyncPipeline => "syncpipeline",
        CommandKind::EndPipeline => "endpipeline",
        CommandKind::Feed(_) => "feed",
        CommandKind::Repeat { .. } => "repeat",
        CommandKind::EndRepeat => "endrepeat",
        CommandKind::Assert { .. } => "assert",
    }
}

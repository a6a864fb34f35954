//! Scripts → programs: blocks become jumps, commands get their numbers.

use std::time::Duration;

use super::ProgramError;
use super::expression::{Resolve, compile_expression};
use super::names::Names;
use super::statement::{Target, compile_statement};
use crate::diagnostic::Diagnostic;
use crate::eval::{Expr, Value};
use crate::id::{CommandId, ScriptId, SlotId, StatementId};
use crate::plan::phase::{Delay, Protocol};
use crate::plan::program::{OpKind, ShellWord, SleepPlan};
use crate::plan::{CommandPlan, Error, Op, Program, SlotPlan, StatementPlan, VarPlan};
use crate::script::Dialect;
use crate::script::ast::{
    Command, CommandKind, Expr as Ast, Script, SleepAmount, SleepUnit, Sql, SqlPart, StoreKind, Word,
};
use crate::source::Span;

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
    /// What they ask for and can't have yet.
    pub(crate) not_yet: Vec<Diagnostic>,
}

/// Compiles all scripts of a plan together: their variables are shared, as a client keeps its variables from one
/// transaction to the next.
pub(crate) fn compile_scripts(
    inputs: &[ScriptInput<'_>],
    vars: &[VarPlan],
    dialect: Dialect,
    protocols: &[Protocol],
    errors: &mut Vec<Error>,
) -> Compiled {
    let mut names = Names::new(vars, dialect);
    for command in inputs.iter().flat_map(|input| &input.script.commands) {
        declare(command, &mut names, errors);
    }
    let mut all = Compiled {
        slots: Vec::new(),
        scripts: Vec::new(),
        commands: Vec::new(),
        statements: Vec::new(),
        not_yet: Vec::new(),
    };
    for (index, input) in inputs.iter().enumerate() {
        let target = Target { dialect, protocols };
        let mut compiler =
            Compiler { id: ScriptId::from_index(index), target, names: &mut names, all: &mut all, errors, ops: vec![] };
        let program = compiler.program(input);
        all.scripts.push(program);
    }
    for statement in &mut all.statements {
        if let Some(store) = &mut statement.store {
            store.columns = names.reached_by(&store.prefix).into();
        }
    }
    all.slots = names.into_slots();
    all
}

/// Makes known what a command defines, before anything is resolved: scripts may use each other's variables.
fn declare(command: &Command, names: &mut Names, errors: &mut Vec<Error>) {
    match &command.kind {
        CommandKind::Set { name, .. } | CommandKind::SetShell { name, .. } => {
            names.assign(&name.text, name.span, errors);
        }
        CommandKind::Repeat { counter: Some(name), .. } => {
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
        // the columns of a feed are known when it is read; until then it may define any name
        CommandKind::Feed(_) => names.store("", None),
        _ => {}
    }
}

struct Compiler<'a, 'b> {
    id: ScriptId,
    target: Target<'a>,
    names: &'b mut Names,
    all: &'b mut Compiled,
    errors: &'b mut Vec<Error>,
    ops: Vec<Op>,
}

/// A block that is open, with the jumps that wait for its end.
enum Block {
    If { false_jump: Option<usize>, end_jumps: Vec<usize> },
    Repeat { at: usize },
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

    fn push(&mut self, command: CommandId, kind: OpKind) {
        self.ops.push(Op { command, kind });
    }

    fn here(&self) -> u32 {
        u32::try_from(self.ops.len()).unwrap_or(u32::MAX)
    }

    fn meta(
        &mut self,
        id: CommandId,
        kind: &CommandKind,
        span: Span,
        blocks: &mut Vec<Block>,
        pipeline: &mut Option<usize>,
    ) {
        match kind {
            CommandKind::Sql(_) => {}
            CommandKind::Set { name, value } => {
                let value = compile_expression(value, self.names, self.errors);
                let slot = self.names.assign(&name.text, name.span, self.errors);
                if let (Some(slot), Some(value)) = (slot, value) {
                    self.push(id, OpKind::Set(slot, value));
                }
            }
            CommandKind::Sleep { amount, unit } => self.sleep(id, amount, *unit),
            CommandKind::Shell { words } => self.shell(id, words, None, span),
            CommandKind::SetShell { name, words } => {
                let slot = self.names.assign(&name.text, name.span, self.errors);
                self.shell(id, words, slot, span);
            }
            CommandKind::Feed(name) => {
                self.not_yet("feeds", name.span);
                self.push(id, OpKind::Feed(name.text.as_str().into()));
            }
            CommandKind::Assert { condition, text } => {
                if let Some(condition) = compile_expression(condition, self.names, self.errors) {
                    let text = text.as_deref().unwrap_or("assertion failed");
                    self.push(id, OpKind::Assert(condition, text.into()));
                }
            }
            CommandKind::If(_) | CommandKind::Elif(_) | CommandKind::Else | CommandKind::Endif => {
                self.branch(id, kind, blocks);
            }
            CommandKind::Repeat { .. } | CommandKind::EndRepeat => self.repeat(id, kind, blocks),
            CommandKind::StartPipeline | CommandKind::SyncPipeline | CommandKind::EndPipeline => {
                self.pipeline(id, kind, span, pipeline);
            }
        }
    }

    fn not_yet(&mut self, what: &str, span: Span) {
        self.all.not_yet.push(
            Diagnostic::error("plan::not_yet", format!("{what} can't be run yet"))
                .label(span, "not yet")
                .help("this version checks it, a later one runs it"),
        );
    }

    fn sleep(&mut self, id: CommandId, amount: &SleepAmount, unit: SleepUnit) {
        let unit: u32 = match unit {
            SleepUnit::Microseconds => 1,
            SleepUnit::Milliseconds => 1_000,
            SleepUnit::Seconds => 1_000_000,
        };
        let plan = match amount {
            SleepAmount::Constant(n) => {
                let microseconds = u64::try_from(*n).unwrap_or(0).saturating_mul(u64::from(unit));
                SleepPlan::Constant(Duration::from_micros(microseconds))
            }
            SleepAmount::Variable(name) => match self.names.variable(&name.text, name.span, self.errors) {
                Some(slot) => SleepPlan::Slot(slot, unit),
                None => return,
            },
        };
        self.push(id, OpKind::Sleep(plan));
    }

    fn shell(&mut self, id: CommandId, words: &[Word], store: Option<SlotId>, span: Span) {
        self.not_yet("shell commands", span);
        let words: Option<Box<[ShellWord]>> = words
            .iter()
            .map(|word| match word {
                Word::Text(text) => Some(ShellWord::Text(text.as_str().into())),
                Word::Variable(name) => self.names.variable(&name.text, name.span, self.errors).map(ShellWord::Slot),
            })
            .collect();
        if let Some(words) = words {
            self.push(id, OpKind::Shell { words, store });
        }
    }

    fn branch(&mut self, id: CommandId, kind: &CommandKind, blocks: &mut Vec<Block>) {
        match kind {
            CommandKind::If(condition) => {
                let false_jump = self.jump_unless(id, condition);
                blocks.push(Block::If { false_jump, end_jumps: Vec::new() });
            }
            CommandKind::Elif(condition) => {
                let end = self.ops.len();
                self.push(id, OpKind::Jump(0));
                self.land_false(blocks, Some(end));
                let next = self.jump_unless(id, condition);
                if let Some(Block::If { false_jump, .. }) = blocks.last_mut() {
                    *false_jump = next;
                }
            }
            CommandKind::Else => {
                let end = self.ops.len();
                self.push(id, OpKind::Jump(0));
                self.land_false(blocks, Some(end));
            }
            _ => {
                self.land_false(blocks, None);
                let here = self.here();
                if let Some(Block::If { end_jumps, .. }) = blocks.pop() {
                    for at in end_jumps {
                        self.ops[at].kind = OpKind::Jump(here);
                    }
                }
            }
        }
    }

    fn jump_unless(&mut self, id: CommandId, condition: &Ast) -> Option<usize> {
        let condition = compile_expression(condition, self.names, self.errors)?;
        let at = self.ops.len();
        self.push(id, OpKind::JumpUnless(condition, 0));
        Some(at)
    }

    /// The jump taken when the last condition was false lands here; `end` is one more jump to the block's end.
    fn land_false(&mut self, blocks: &mut [Block], end: Option<usize>) {
        let here = self.here();
        let Some(Block::If { false_jump, end_jumps }) = blocks.last_mut() else { return };
        end_jumps.extend(end);
        if let Some(at) = false_jump.take()
            && let OpKind::JumpUnless(_, target) = &mut self.ops[at].kind
        {
            *target = here;
        }
    }

    fn repeat(&mut self, id: CommandId, kind: &CommandKind, blocks: &mut Vec<Block>) {
        if let CommandKind::Repeat { count, counter } = kind {
            let count = compile_expression(count, self.names, self.errors);
            let counter = counter.as_ref().and_then(|name| self.names.assign(&name.text, name.span, self.errors));
            blocks.push(Block::Repeat { at: self.ops.len() });
            let count = count.unwrap_or(Expr::Constant(Value::Integer(0)));
            self.push(id, OpKind::Repeat { count, counter, end: 0 });
        } else if let Some(Block::Repeat { at }) = blocks.pop() {
            let start = u32::try_from(at + 1).unwrap_or(u32::MAX);
            self.push(id, OpKind::EndRepeat { start });
            let here = self.here();
            if let OpKind::Repeat { end, .. } = &mut self.ops[at].kind {
                *end = here;
            }
        }
    }

    fn pipeline(&mut self, id: CommandId, kind: &CommandKind, span: Span, pipeline: &mut Option<usize>) {
        let checked = self.target.dialect == Dialect::Extended;
        if checked && self.target.protocols.contains(&Protocol::Simple) {
            self.errors.push(ProgramError::PipelineInSimple { span }.into());
        }
        let what = match (kind, pipeline.is_some()) {
            (CommandKind::StartPipeline, true) => Some("the pipeline is open already"),
            (CommandKind::SyncPipeline | CommandKind::EndPipeline, false) => Some("no pipeline is open"),
            _ => None,
        };
        if let (true, Some(what)) = (checked, what) {
            self.errors.push(ProgramError::PipelineNesting { what, span }.into());
        }
        match kind {
            CommandKind::StartPipeline => {
                *pipeline = Some(self.ops.len());
                self.push(id, OpKind::StartPipeline(Box::default()));
            }
            CommandKind::SyncPipeline => self.push(id, OpKind::SyncPipeline),
            _ => {
                if let Some(at) = pipeline.take() {
                    let inside = self.ops[at..].iter().filter_map(|op| match op.kind {
                        OpKind::Execute(statement) => Some(statement),
                        _ => None,
                    });
                    self.ops[at].kind = OpKind::StartPipeline(inside.collect());
                }
                self.push(id, OpKind::EndPipeline);
            }
        }
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

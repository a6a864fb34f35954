//! Meta-commands → ops: blocks become jumps.

use std::time::Duration;

use super::ProgramError;
use super::expression::{Resolve, compile_expression};
use super::program::Compiler;
use crate::eval::{Expr, Value};
use crate::id::{CommandId, FeedId, SlotId};
use crate::name::is_name;
use crate::plan::phase::Protocol;
use crate::plan::program::{OpKind, ShellWord, SleepPlan};
use crate::script::Dialect;
use crate::script::ast::{CommandKind, Expr as Ast, SleepAmount, SleepUnit, Word};
use crate::source::Span;
use crate::suggest::nearest;

/// A block that is open, with the jumps that wait for its end.
pub(super) enum Block {
    If { false_jump: Option<usize>, end_jumps: Vec<usize> },
    Repeat { at: usize },
}

impl Compiler<'_, '_> {
    /// What a meta-command does, and which blocks it opens or closes.
    pub(super) fn meta(
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
                let noted = self.errors.len();
                let value = compile_expression(value, self.names, self.errors);
                // what this command itself sets is not what its expression was meant to read
                for error in &mut self.errors[noted..] {
                    error.forget_nearest(&name.text);
                }
                let slot = self.names.assign(&name.text, name.span, self.errors);
                if let (Some(slot), Some(value)) = (slot, value) {
                    self.push(id, OpKind::Set(slot, value));
                    if !is_name(name.text.bytes()) {
                        let message = format!("set: invalid variable name: \"{}\"", name.text);
                        self.push(id, OpKind::Misnamed(message.into()));
                    }
                }
            }
            CommandKind::Sleep { amount, unit } => self.sleep(id, amount, *unit),
            CommandKind::Shell { words } => self.shell(id, words, None),
            CommandKind::SetShell { name, words } => {
                let slot = self.names.assign(&name.text, name.span, self.errors);
                self.shell(id, words, slot);
                if !is_name(name.text.bytes()) {
                    let message = format!("setshell: invalid variable name: \"{}\"", name.text);
                    self.push(id, OpKind::Misnamed(message.into()));
                }
            }
            CommandKind::Feed(name) => {
                if let Some(at) = self.feeds.iter().position(|feed| feed.name == name.text) {
                    self.push(id, OpKind::Feed(FeedId::from_index(at)));
                } else {
                    let nearest = nearest(&name.text, self.feeds.iter().map(|feed| feed.name.as_str()));
                    let (nearest, name, span) = (nearest.map(str::to_owned), name.text.clone(), name.span);
                    self.errors.push(ProgramError::UnknownFeed { name, span, nearest }.into());
                }
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

    fn shell(&mut self, id: CommandId, words: &[Word], store: Option<SlotId>) {
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
}

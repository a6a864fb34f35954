//! Scripts that stand in the scenario itself: their places move from the text to the scenario.

use crate::script::ast::{Command, CommandKind, Expr, ExprKind, Name, Script, SleepAmount, Sql, SqlPart, Word};
use crate::source::Span;

/// The script with every place moved.
pub(super) fn relocate(mut script: Script, to: &dyn Fn(Span) -> Span) -> Script {
    script.commands.iter_mut().for_each(|command| relocate_command(command, to));
    script
}

fn relocate_command(command: &mut Command, to: &dyn Fn(Span) -> Span) {
    command.span = to(command.span);
    if let Some(label) = &mut command.label {
        relocate_name(label, to);
    }
    match &mut command.kind {
        CommandKind::Sql(sql) => relocate_sql(sql, to),
        CommandKind::Set { name, value } => {
            relocate_name(name, to);
            relocate_expression(value, to);
        }
        CommandKind::SetShell { name, words } => {
            relocate_name(name, to);
            relocate_words(words, to);
        }
        CommandKind::Shell { words } => relocate_words(words, to),
        CommandKind::Sleep { amount: SleepAmount::Variable(name), .. } | CommandKind::Feed(name) => {
            relocate_name(name, to);
        }
        CommandKind::If(condition) | CommandKind::Elif(condition) | CommandKind::Assert { condition, .. } => {
            relocate_expression(condition, to);
        }
        CommandKind::Repeat { count, counter } => {
            relocate_expression(count, to);
            if let Some(name) = counter {
                relocate_name(name, to);
            }
        }
        CommandKind::Sleep { amount: SleepAmount::Constant(_), .. }
        | CommandKind::Else
        | CommandKind::Endif
        | CommandKind::StartPipeline
        | CommandKind::SyncPipeline
        | CommandKind::EndPipeline
        | CommandKind::EndRepeat => {}
    }
}

pub(super) fn relocate_sql(sql: &mut Sql, to: &dyn Fn(Span) -> Span) {
    for part in &mut sql.parts {
        if let SqlPart::Variable(reference) = part {
            relocate_name(&mut reference.name, to);
        }
    }
    if let Some(store) = &mut sql.store {
        store.span = to(store.span);
    }
}

fn relocate_name(name: &mut Name, to: &dyn Fn(Span) -> Span) {
    name.span = to(name.span);
}

fn relocate_words(words: &mut [Word], to: &dyn Fn(Span) -> Span) {
    for word in words {
        if let Word::Variable(name) = word {
            relocate_name(name, to);
        }
    }
}

fn relocate_expression(expr: &mut Expr, to: &dyn Fn(Span) -> Span) {
    expr.span = to(expr.span);
    match &mut expr.kind {
        ExprKind::Unary(_, operand) | ExprKind::Is { operand, .. } => relocate_expression(operand, to),
        ExprKind::Binary(_, left, right) => {
            relocate_expression(left, to);
            relocate_expression(right, to);
        }
        ExprKind::Case { branches, otherwise } => {
            for (when, then) in branches {
                relocate_expression(when, to);
                relocate_expression(then, to);
            }
            if let Some(expr) = otherwise {
                relocate_expression(expr, to);
            }
        }
        ExprKind::Call { function, arguments } => {
            relocate_name(function, to);
            for argument in arguments {
                relocate_expression(argument, to);
            }
        }
        ExprKind::Null
        | ExprKind::Boolean(_)
        | ExprKind::Integer(_)
        | ExprKind::Double(_)
        | ExprKind::Text(_)
        | ExprKind::Variable(_) => {}
    }
}

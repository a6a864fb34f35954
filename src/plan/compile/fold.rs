//! Constants in expressions, worked out once.
//!
//! `random(1, 100000 * :scale)` need not multiply at every draw when nothing ever assigns to `:scale`.

use crate::eval::{self, Expr, Function, Generator, Scope, Value};
use crate::id::SlotId;
use crate::plan::program::OpKind;
use crate::plan::{Program, SlotInitial, SlotPlan, StatementPlan};

/// Works out what is constant in all expressions of these programs.
pub(super) fn fold_constants(programs: &mut [Program], statements: &[StatementPlan], slots: &[SlotPlan]) {
    let known = constants(programs, statements, slots);
    for op in programs.iter_mut().flat_map(|program| &mut program.ops) {
        match &mut op.kind {
            OpKind::Set(_, expr)
            | OpKind::JumpUnless(expr, _)
            | OpKind::Assert(expr, _)
            | OpKind::Repeat { count: expr, .. } => fold(expr, &known),
            _ => {}
        }
    }
}

/// The values of the variables that nothing assigns to.
fn constants(programs: &[Program], statements: &[StatementPlan], slots: &[SlotPlan]) -> Vec<Option<Value>> {
    let mut known: Vec<Option<Value>> = (slots.iter())
        .map(|slot| match &slot.initial {
            // the executor assigns to this one
            _ if slot.name == "ROW_COUNT" => None,
            SlotInitial::Constant(value) => Some(value.clone()),
            _ => None,
        })
        .collect();
    let assigned = programs.iter().flat_map(|program| &program.ops).filter_map(|op| match &op.kind {
        OpKind::Set(slot, _) => Some(*slot),
        OpKind::Repeat { counter, .. } => *counter,
        OpKind::Shell { store, .. } => *store,
        _ => None,
    });
    let stored = statements.iter().filter_map(|statement| statement.store.as_ref());
    let stored = stored.flat_map(|store| store.columns.iter().map(|(_, slot)| *slot));
    let feeds = programs.iter().flat_map(|program| &program.ops).any(|op| matches!(op.kind, OpKind::Feed(_)));
    for slot in assigned.chain(stored) {
        known[slot.index()] = None;
    }
    // which columns a feed has is not known before it is read
    if feeds {
        known.fill(None);
    }
    known
}

fn fold(expr: &mut Expr, known: &[Option<Value>]) {
    match expr {
        Expr::Constant(_) => {}
        Expr::Slot(slot) => {
            if let Some(value) = value_of(*slot, known) {
                *expr = Expr::Constant(value);
            }
        }
        Expr::Not(operand) | Expr::Is { operand, .. } => fold(operand, known),
        Expr::And(left, right) | Expr::Or(left, right) => {
            fold(left, known);
            fold(right, known);
        }
        Expr::Case(branches, otherwise) => {
            for (when, then) in branches {
                fold(when, known);
                fold(then, known);
            }
            if let Some(otherwise) = otherwise {
                fold(otherwise, known);
            }
        }
        Expr::Call(function, arguments) => {
            // these look at a variable's text, not at the number that it may spell
            if matches!(function, Function::Concat | Function::Choice | Function::Equal | Function::NotEqual) {
                return;
            }
            for argument in arguments.iter_mut() {
                fold(argument, known);
            }
            let constant = arguments.iter().all(|argument| matches!(argument, Expr::Constant(_)));
            if let (true, true, Some(value)) = (constant, is_arithmetic(*function), evaluate(expr)) {
                *expr = Expr::Constant(value);
            }
        }
    }
}

/// Only numbers: a text stays with its variable, so that an error can name it.
fn value_of(slot: SlotId, known: &[Option<Value>]) -> Option<Value> {
    let value = match known.get(slot.index())?.as_ref()? {
        Value::Text(text) => Value::parse_text(&text.0).ok()?,
        value => value.clone(),
    };
    matches!(value, Value::Integer(_) | Value::Double(_)).then_some(value)
}

fn is_arithmetic(function: Function) -> bool {
    matches!(function, Function::Add | Function::Subtract | Function::Multiply | Function::Divide | Function::Modulo)
}

/// The value of an expression without variables; none where evaluating fails, which then happens when it runs.
fn evaluate(expr: &Expr) -> Option<Value> {
    let mut scope = Scope {
        slots: &[],
        random: &mut Generator::from_seed(0),
        client: 0,
        iteration: 0,
        now_us: &|| 0,
        debug: &mut |_| (),
        strict_text: true,
    };
    eval::evaluate(expr, &mut scope).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_with_a_constant_variable_is_worked_out_and_an_overflow_is_left() {
        let known = [Some(Value::Integer(10)), None];
        let call = |function, left, right| Expr::Call(function, Box::new([left, right]));
        let number = |n| Expr::Constant(Value::Integer(n));
        let mut expr = call(Function::Random, number(1), call(Function::Multiply, number(100), Expr::Slot(SlotId(0))));
        fold(&mut expr, &known);
        assert_eq!(expr, call(Function::Random, number(1), number(1000)));
        let mut unknown = call(Function::Add, number(1), Expr::Slot(SlotId(1)));
        fold(&mut unknown, &known);
        assert_eq!(unknown, call(Function::Add, number(1), Expr::Slot(SlotId(1))));
        let mut overflow = call(Function::Multiply, number(i64::MAX), Expr::Slot(SlotId(0)));
        fold(&mut overflow, &known);
        assert_eq!(overflow, call(Function::Multiply, number(i64::MAX), number(10)));
    }
}

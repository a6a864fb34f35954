//! The evaluation of expressions.
//!
//! Operands are evaluated from left to right; `plan` compiles `a > b` to `Call(Less, [b, a])` and `a >= b` to
//! `Call(LessEqual, [b, a])`, so there the right one comes first, as in pgbench. It also gives the hashes and `permute`
//! their seed where a script leaves it out.
//!
//! Recursion is as deep as the expression is nested, which the parser limits.

use super::error::Error;
use super::expr::{Expr, Function};
use super::function;
use super::operator;
use super::scope::Scope;
use super::value::{Text, Value};

/// The value of an expression.
pub fn evaluate(expr: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    match expr {
        Expr::Constant(value) => Ok(value.clone()),
        Expr::Slot(slot) => scope.read(*slot),
        Expr::Not(operand) => not(operand, scope),
        Expr::Is { operand, constant, negated } => is(operand, constant, *negated, scope),
        Expr::And(left, right) => logic(left, right, false, scope),
        Expr::Or(left, right) => logic(left, right, true, scope),
        Expr::Case(branches, otherwise) => case(branches, otherwise.as_deref(), scope, evaluate),
        Expr::Call(function, arguments) => call(*function, arguments, scope),
    }
}

/// Whether an expression holds as the condition of an `\if` or a `case`: true, or a number other than zero.
pub fn evaluate_condition(expr: &Expr, scope: &mut Scope<'_>) -> Result<bool, Error> {
    typed(expr, scope)?.to_condition()
}

/// The value of an expression as an integer.
pub fn evaluate_integer(expr: &Expr, scope: &mut Scope<'_>) -> Result<i64, Error> {
    typed(expr, scope)?.to_integer()
}

/// The value of an expression where a text can't stand: one that spells a value becomes it, any other is an error.
#[inline]
pub(super) fn typed(expr: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    if let Expr::Slot(slot) = expr {
        return scope.read_typed(*slot);
    }
    match evaluate(expr, scope)? {
        Value::Text(Text(bytes)) => Value::parse_text(&bytes),
        value => Ok(value),
    }
}

/// The value of an expression where a text is welcome: a variable's text stays as it came, so that a telephone number
/// keeps its zeros and `no` does not turn into false.
pub(super) fn verbatim(expr: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    match expr {
        Expr::Slot(slot) => scope.raw(*slot).cloned(),
        Expr::Case(branches, otherwise) => case(branches, otherwise.as_deref(), scope, verbatim),
        _ => evaluate(expr, scope),
    }
}

fn not(operand: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    match typed(operand, scope)? {
        Value::Null => Ok(Value::Null),
        value => Ok(Value::Boolean(!value.to_boolean()?)),
    }
}

fn is(operand: &Expr, constant: &Value, negated: bool, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let value = evaluate(operand, scope)?;
    Ok(Value::Boolean((value == *constant) != negated))
}

/// `and` (decided by false) and `or` (decided by true). A null on the left also decides, unlike in SQL.
fn logic(left: &Expr, right: &Expr, decisive: bool, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let left = typed(left, scope)?;
    if left == Value::Null || left.to_boolean()? == decisive {
        return Ok(left);
    }
    match typed(right, scope)? {
        Value::Null => Ok(Value::Null),
        right => right.to_boolean().map(Value::Boolean),
    }
}

/// What `value_of` makes of the expression that a `case` chooses.
fn case(
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    scope: &mut Scope<'_>,
    value_of: fn(&Expr, &mut Scope<'_>) -> Result<Value, Error>,
) -> Result<Value, Error> {
    for (condition, chosen) in branches {
        if evaluate_condition(condition, scope)? {
            return value_of(chosen, scope);
        }
    }
    otherwise.map_or(Ok(Value::Null), |chosen| value_of(chosen, scope))
}

fn call(function: Function, arguments: &[Expr], scope: &mut Scope<'_>) -> Result<Value, Error> {
    match (function, arguments) {
        // what nearly every script draws with
        (Function::Random, [Expr::Constant(Value::Integer(low)), Expr::Constant(Value::Integer(high))])
            if high.checked_sub(*low).is_some_and(|distance| distance >= 0) =>
        {
            Ok(Value::Integer(scope.random.uniform(*low, *high)))
        }
        (Function::Equal, [left, right]) => equality(left, right, false, scope),
        (Function::NotEqual, [left, right]) => equality(left, right, true, scope),
        (Function::Least | Function::Greatest, _) => operator::extremum(function, arguments, scope),
        (Function::Concat, _) => function::concat(arguments, scope),
        (Function::Choice, _) => function::choice(arguments, scope),
        (Function::Debug, [argument]) => debug(argument, scope),
        (_, []) => function::nullary(function, scope),
        (_, [argument]) => unary(function, argument, scope),
        (_, [left, right]) => binary(function, left, right, scope),
        (_, [first, second, third]) => ternary(function, [first, second, third], scope),
        _ => Err(Error::ArgumentCount),
    }
}

fn debug(argument: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let value = evaluate(argument, scope)?;
    (scope.debug)(&value);
    Ok(value)
}

fn unary(function: Function, argument: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    match typed(argument, scope)? {
        Value::Null => Ok(Value::Null),
        value => function::unary(function, &value, scope),
    }
}

#[inline]
fn binary(function: Function, left: &Expr, right: &Expr, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let left = typed(left, scope)?;
    let right = typed(right, scope)?;
    if left == Value::Null || right == Value::Null {
        return Ok(Value::Null);
    }
    operator::binary(function, &left, &right, scope)
}

fn ternary(function: Function, arguments: [&Expr; 3], scope: &mut Scope<'_>) -> Result<Value, Error> {
    let [first, second, third] = arguments;
    let first = typed(first, scope)?;
    let second = typed(second, scope)?;
    let third = typed(third, scope)?;
    if first == Value::Null || second == Value::Null || third == Value::Null {
        return Ok(Value::Null);
    }
    function::ternary(function, &first, &second, &third, scope)
}

/// `=` and `<>`. Two texts are compared byte by byte. Where no text is in sight but those of variables, these count as
/// the values that they spell, if they spell any.
fn equality(left: &Expr, right: &Expr, negated: bool, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let value_of = if makes_text(left) || makes_text(right) { verbatim } else { evaluate };
    let left_value = value_of(left, scope)?;
    let right_value = value_of(right, scope)?;
    Ok(match equal(left_value, right_value, left, right)? {
        Some(equal) => Value::Boolean(equal != negated),
        None => Value::Null,
    })
}

/// Whether an expression is meant to give a text, other than by reading a variable that has one.
fn makes_text(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(value) => matches!(value, Value::Text(_)),
        Expr::Case(branches, otherwise) => {
            branches.iter().any(|(_, chosen)| makes_text(chosen)) || otherwise.as_deref().is_some_and(makes_text)
        }
        Expr::Call(function, _) => {
            matches!(function, Function::Concat | Function::Choice | Function::RandomString | Function::Uuid)
        }
        _ => false,
    }
}

/// Whether the values that the two expressions gave are equal; none if one is null.
fn equal(left_value: Value, right_value: Value, left: &Expr, right: &Expr) -> Result<Option<bool>, Error> {
    if let (Value::Text(left), Value::Text(right)) = (&left_value, &right_value) {
        return Ok(Some(left == right));
    }
    match (spelled(left_value, left)?, spelled(right_value, right)?) {
        (Value::Null, _) | (_, Value::Null) => Ok(None),
        (left, right) => operator::equal(&left, &right).map(Some),
    }
}

/// A value that `expr` gave, with a text turned into the value that it spells.
#[inline]
fn spelled(value: Value, expr: &Expr) -> Result<Value, Error> {
    let Value::Text(Text(bytes)) = value else { return Ok(value) };
    Value::parse_text(&bytes).map_err(|error| match expr {
        Expr::Slot(slot) => error.of_variable(*slot),
        _ => error,
    })
}

#[cfg(test)]
mod tests;

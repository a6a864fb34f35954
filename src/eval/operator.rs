//! Functions of numbers: operators and what else takes two values, none of them null or a text.

use super::error::Error;
use super::evaluate::typed;
use super::expr::{Expr, Function};
use super::function::Range;
use super::hash;
use super::permute::permute;
use super::scope::Scope;
use super::value::Value;

/// The most arguments that `least` and `greatest` take.
pub(super) const MAX_ARGUMENTS: usize = 16;

/// Two numbers of one type: doubles if either is one.
enum Pair {
    Integers(i64, i64),
    Doubles(f64, f64),
}

impl Pair {
    #[inline]
    fn of(left: &Value, right: &Value) -> Result<Self, Error> {
        match (left, right) {
            (Value::Integer(left), Value::Integer(right)) => Ok(Self::Integers(*left, *right)),
            (Value::Double(_), _) | (_, Value::Double(_)) => Ok(Self::Doubles(left.to_double()?, right.to_double()?)),
            _ => Ok(Self::Integers(left.to_integer()?, right.to_integer()?)),
        }
    }
}

/// A function of two values.
#[inline]
pub(super) fn binary(function: Function, left: &Value, right: &Value, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let integers = || Ok::<_, Error>((left.to_integer()?, right.to_integer()?));
    match function {
        Function::Add => arithmetic(left, right, "add", i64::checked_add, |left, right| left + right),
        Function::Subtract => arithmetic(left, right, "sub", i64::checked_sub, |left, right| left - right),
        Function::Multiply => arithmetic(left, right, "mul", i64::checked_mul, |left, right| left * right),
        Function::Divide => match Pair::of(left, right)? {
            Pair::Integers(_, 0) => Err(Error::DivisionByZero),
            Pair::Integers(left, right) => {
                left.checked_div(right).map(Value::Integer).ok_or(Error::BigintOutOfRange("div"))
            }
            Pair::Doubles(left, right) => Ok(Value::Double(left / right)),
        },
        Function::Modulo => match integers()? {
            (_, 0) => Err(Error::DivisionByZero),
            (left, right) => Ok(Value::Integer(left.wrapping_rem(right))),
        },
        Function::Less => Ok(Value::Boolean(match Pair::of(left, right)? {
            Pair::Integers(left, right) => left < right,
            Pair::Doubles(left, right) => left < right,
        })),
        Function::LessEqual => Ok(Value::Boolean(match Pair::of(left, right)? {
            Pair::Integers(left, right) => left <= right,
            Pair::Doubles(left, right) => left <= right,
        })),
        Function::ShiftLeft => integers().map(|(left, right)| Value::Integer(left.wrapping_shl(shift_count(right)))),
        Function::ShiftRight => integers().map(|(left, right)| Value::Integer(left.wrapping_shr(shift_count(right)))),
        Function::BitOr => integers().map(|(left, right)| Value::Integer(left | right)),
        Function::BitAnd => integers().map(|(left, right)| Value::Integer(left & right)),
        Function::BitXor => integers().map(|(left, right)| Value::Integer(left ^ right)),
        Function::Pow => Ok(Value::Double(left.to_double()?.powf(right.to_double()?))),
        Function::Random => {
            let Range { low, high } = Range::of(left, right)?;
            Ok(Value::Integer(scope.random.uniform(low, high)))
        }
        Function::HashMurmur2 => integers().map(|(value, seed)| Value::Integer(hash::murmur2(value, seed))),
        Function::HashFnv1a => integers().map(|(value, seed)| Value::Integer(hash::fnv1a(value, seed))),
        _ => Err(Error::ArgumentCount),
    }
}

/// `permute(index, size, seed)`
pub(super) fn permutation(index: &Value, size: &Value, seed: &Value) -> Result<Value, Error> {
    let (index, size, seed) = (index.to_integer()?, size.to_integer()?, seed.to_integer()?);
    if size <= 0 {
        return Err(Error::PermuteSize);
    }
    Ok(Value::Integer(permute(index, size, seed)))
}

/// Whether two values are equal as numbers.
#[inline]
#[expect(clippy::float_cmp, reason = "the language compares exactly")]
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, Error> {
    Ok(match Pair::of(left, right)? {
        Pair::Integers(left, right) => left == right,
        Pair::Doubles(left, right) => left == right,
    })
}

/// `least` and `greatest`. As many arguments as are allowed are evaluated before there are found to be too many.
pub(super) fn extremum(function: Function, arguments: &[Expr], scope: &mut Scope<'_>) -> Result<Value, Error> {
    let mut values = [const { Value::Null }; MAX_ARGUMENTS];
    for (value, argument) in values.iter_mut().zip(arguments) {
        *value = typed(argument, scope)?;
    }
    match values.get(..arguments.len()) {
        Some([first, others @ ..]) => choose(function == Function::Least, first, others),
        Some([]) => Err(Error::ArgumentCount),
        None => Err(Error::TooManyArguments),
    }
}

/// The least or the greatest value. No comparison with what is not a number holds, so the later value takes its place.
fn choose(least: bool, first: &Value, others: &[Value]) -> Result<Value, Error> {
    let all = || std::iter::once(first).chain(others);
    if all().any(|value| *value == Value::Null) {
        return Ok(Value::Null);
    }
    if all().any(|value| matches!(value, Value::Double(_))) {
        let mut chosen = first.to_double()?;
        for other in others {
            let other = other.to_double()?;
            let keep = if least { chosen < other } else { chosen > other };
            chosen = if keep { chosen } else { other };
        }
        return Ok(Value::Double(chosen));
    }
    let mut chosen = first.to_integer()?;
    for other in others {
        let other = other.to_integer()?;
        chosen = if least { chosen.min(other) } else { chosen.max(other) };
    }
    Ok(Value::Integer(chosen))
}

#[inline]
fn arithmetic(
    left: &Value,
    right: &Value,
    name: &'static str,
    integers: impl Fn(i64, i64) -> Option<i64>,
    doubles: impl Fn(f64, f64) -> f64,
) -> Result<Value, Error> {
    match Pair::of(left, right)? {
        Pair::Integers(left, right) => integers(left, right).map(Value::Integer).ok_or(Error::BigintOutOfRange(name)),
        Pair::Doubles(left, right) => Ok(Value::Double(doubles(left, right))),
    }
}

/// What a 64-bit processor looks at of a shift's distance: its six lowest bits.
fn shift_count(distance: i64) -> u32 {
    (distance.cast_unsigned() & 63) as u32
}

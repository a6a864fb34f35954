//! Functions that are not operators.

use super::error::Error;
use super::evaluate::verbatim;
use super::expr::{Expr, Function};
use super::operator;
use super::room::Room;
use super::scope::Scope;
use super::value::{Text, Value};

/// The longest random string: what a single statement can carry without being a test of memory.
pub(super) const RANDOM_STRING_MAX: i64 = 1 << 20;

/// The bounds of a random function, in order and with a count that is an integer.
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Range {
    #[inline]
    pub(super) fn of(low: &Value, high: &Value) -> Result<Self, Error> {
        let (low, high) = (low.to_integer()?, high.to_integer()?);
        if low > high {
            return Err(Error::EmptyRange);
        }
        if high.checked_sub(low).and_then(|distance| distance.checked_add(1)).is_none() {
            return Err(Error::RangeTooLarge);
        }
        Ok(Self { low, high })
    }
}

/// A function without arguments.
pub(super) fn nullary(function: Function, scope: &mut Scope<'_>) -> Result<Value, Error> {
    match function {
        Function::Pi => Ok(Value::Double(std::f64::consts::PI)),
        Function::Uuid => Ok(uuid(scope)),
        Function::Client => Ok(Value::Integer(i64::from(scope.client))),
        Function::Iteration => Ok(Value::Integer(scope.iteration.cast_signed())),
        Function::NowMicroseconds => Ok(Value::Integer((scope.now_us)())),
        _ => Err(Error::ArgumentCount),
    }
}

/// A function of one value, which is neither null nor a text.
pub(super) fn unary(function: Function, value: &Value, scope: &mut Scope<'_>) -> Result<Value, Error> {
    match function {
        Function::Abs => match value {
            // not f64::abs: a negative zero keeps its sign, as in pgbench
            Value::Double(double) => Ok(Value::Double(if *double < 0.0 { -double } else { *double })),
            _ => Ok(Value::Integer(value.to_integer()?.wrapping_abs())),
        },
        Function::ToInteger => value.to_integer().map(Value::Integer),
        Function::ToDouble => value.to_double().map(Value::Double),
        Function::Sqrt => Ok(Value::Double(value.to_double()?.sqrt())),
        Function::Ln => Ok(Value::Double(value.to_double()?.ln())),
        Function::Exp => Ok(Value::Double(value.to_double()?.exp())),
        Function::RandomString => random_string(value.to_integer()?, scope),
        _ => Err(Error::ArgumentCount),
    }
}

/// A function of three values, none of them null or a text.
pub(super) fn ternary(
    function: Function,
    first: &Value,
    second: &Value,
    third: &Value,
    scope: &mut Scope<'_>,
) -> Result<Value, Error> {
    if function == Function::Permute {
        return operator::permutation(first, second, third);
    }
    let Range { low, high } = Range::of(first, second)?;
    let parameter = third.to_double()?;
    let random = &mut *scope.random;
    // what is not a number would never satisfy a rejection method, so it is refused with what is too small
    match function {
        Function::RandomExponential if parameter > 0.0 => Ok(random.exponential(low, high, parameter)),
        Function::RandomExponential => Err(Error::ExponentialParameter(parameter)),
        Function::RandomGaussian if parameter >= 2.0 => Ok(random.gaussian(low, high, parameter)),
        Function::RandomGaussian => Err(Error::GaussianParameter(parameter)),
        Function::RandomZipfian if (1.001..=1000.0).contains(&parameter) => Ok(random.zipfian(low, high, parameter)),
        Function::RandomZipfian => Err(Error::ZipfianParameter(parameter)),
        _ => Err(Error::ArgumentCount),
    }
    .map(Value::Integer)
}

/// `a || b`: the SQL texts of the values, null if any of them is null.
pub(super) fn concat(arguments: &[Expr], scope: &mut Scope<'_>) -> Result<Value, Error> {
    let mut joined = Room::new();
    let mut null = false;
    for (index, argument) in arguments.iter().enumerate() {
        match verbatim(argument, scope)? {
            Value::Null => null = true,
            // takes over what a chain has joined so far
            Value::Text(Text(bytes)) if index == 0 => joined = bytes,
            value => value.write_sql(&mut joined),
        }
    }
    Ok(if null { Value::Null } else { Value::Text(Text(joined)) })
}

/// `choice(a, b, …)`: one draw picks, and only the picked argument is evaluated, as by a `case`.
pub(super) fn choice(arguments: &[Expr], scope: &mut Scope<'_>) -> Result<Value, Error> {
    let last = arguments.len().checked_sub(1).ok_or(Error::ArgumentCount)?;
    let picked = scope.random.up_to(last as u64);
    let picked = usize::try_from(picked).unwrap_or(last);
    verbatim(&arguments[picked], scope)
}

/// Letters from a to z, each alike.
fn random_string(length: i64, scope: &mut Scope<'_>) -> Result<Value, Error> {
    let size = usize::try_from(length).ok().filter(|_| length <= RANDOM_STRING_MAX);
    let size = size.ok_or(Error::RandomStringLength(length))?;
    #[expect(clippy::cast_possible_truncation, reason = "below 26")]
    let letter = |_| b'a' + scope.random.up_to(25) as u8;
    let mut text = Room::new();
    text.extend((0..size).map(letter));
    Ok(Value::Text(Text(text)))
}

/// A version 4 UUID (RFC 9562) from two draws.
fn uuid(scope: &mut Scope<'_>) -> Value {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    /// Bytes that a hyphen stands before.
    const GROUPS: [usize; 4] = [4, 6, 8, 10];

    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&scope.random.next_u64().to_be_bytes());
    bytes[8..].copy_from_slice(&scope.random.next_u64().to_be_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;

    let mut text = Room::new();
    for (index, byte) in bytes.iter().enumerate() {
        if GROUPS.contains(&index) {
            text.push(b'-');
        }
        text.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    }
    Value::Text(Text(text))
}

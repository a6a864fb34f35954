//! What a text means where a value is needed.

use super::error::Error;
use super::strtod;
use super::value::Value;

/// Why a text is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    Empty,
    Malformed,
    IntegerOutOfRange,
    InvalidInteger,
}

impl Misfit {
    /// The error for the text that is meant.
    #[cold]
    pub(super) fn error(self, text: &[u8]) -> Error {
        let text = || String::from_utf8_lossy(text).into_owned().into_boxed_str();
        match self {
            Self::Empty => Error::EmptyText,
            Self::Malformed => Error::MalformedText(text()),
            Self::IntegerOutOfRange => Error::IntegerOutOfRange(text()),
            Self::InvalidInteger => Error::InvalidInteger(text()),
        }
    }
}

/// The null, boolean, integer or double that `text` spells, tried in this order.
pub(super) fn parse(text: &[u8]) -> Result<Value, Misfit> {
    let Some(&first) = text.first() else { return Err(Misfit::Empty) };
    if first.is_ascii_alphabetic()
        && let Some(value) = word(text)
    {
        return Ok(value);
    }
    match integer(text) {
        Some(outcome) => outcome.map(Value::Integer),
        None => strtod::parse(text).map(Value::Double).ok_or(Misfit::Malformed),
    }
}

fn word(text: &[u8]) -> Option<Value> {
    let is = |word: &[u8]| text.eq_ignore_ascii_case(word);
    let begins = |word: &[u8]| word.get(..text.len()).is_some_and(is);
    if is(b"null") {
        Some(Value::Null)
    } else if begins(b"true") || begins(b"yes") || is(b"on") {
        Some(Value::Boolean(true))
    } else if begins(b"false") || begins(b"no") || is(b"off") || is(b"of") {
        Some(Value::Boolean(false))
    } else {
        None
    }
}

/// None unless the text is blanks, a sign and digits, all three optional.
fn integer(text: &[u8]) -> Option<Result<i64, Misfit>> {
    let text = strtod::trim_start(text);
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if digits.is_empty() {
        return Some(Err(Misfit::InvalidInteger));
    }
    // counting downwards reaches the smallest integer, whose negation does not exist
    let down = digits.iter().try_fold(0_i64, |sum, digit| sum.checked_mul(10)?.checked_sub(i64::from(digit - b'0')));
    let value = if negative { down } else { down.and_then(i64::checked_neg) };
    Some(value.ok_or(Misfit::IntegerOutOfRange))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accepted() {
        for (text, value) in [
            ("null", Value::Null),
            ("nUlL", Value::Null),
            ("t", Value::Boolean(true)),
            ("TRU", Value::Boolean(true)),
            ("y", Value::Boolean(true)),
            ("YeS", Value::Boolean(true)),
            ("on", Value::Boolean(true)),
            ("f", Value::Boolean(false)),
            ("n", Value::Boolean(false)),
            ("No", Value::Boolean(false)),
            ("off", Value::Boolean(false)),
            ("OF", Value::Boolean(false)),
            ("+4", Value::Integer(4)),
            (" \t-007", Value::Integer(-7)),
            ("9223372036854775807", Value::Integer(i64::MAX)),
            ("-9223372036854775808", Value::Integer(i64::MIN)),
            ("1.50", Value::Double(1.5)),
            (" 1e3", Value::Double(1000.0)),
            ("0x1F", Value::Double(31.0)),
            ("inf", Value::Double(f64::INFINITY)),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(value), "{text}");
        }
        assert!(matches!(parse(b"nan"), Ok(Value::Double(nan)) if nan.is_nan()));
    }

    #[test]
    fn refused() {
        for (text, misfit) in [
            ("", Misfit::Empty),
            ("o", Misfit::Malformed),
            ("nu", Misfit::Malformed),
            ("truee", Misfit::Malformed),
            (" true", Misfit::Malformed),
            ("bla", Misfit::Malformed),
            ("4 ", Misfit::Malformed),
            ("1e400", Misfit::Malformed),
            ("9223372036854775808", Misfit::IntegerOutOfRange),
            ("-9223372036854775809", Misfit::IntegerOutOfRange),
            ("+", Misfit::InvalidInteger),
            ("  ", Misfit::InvalidInteger),
        ] {
            assert_eq!(parse(text.as_bytes()), Err(misfit), "{text}");
        }
    }

    proptest! {
        #[test]
        fn integers_survive_their_sql_text(value: i64) {
            let mut text = Vec::new();
            Value::Integer(value).write_sql(&mut text);
            prop_assert_eq!(parse(&text), Ok(Value::Integer(value)));
        }

        #[test]
        fn any_bytes_are_judged(text: Vec<u8>) {
            let _ = parse(&text);
        }
    }
}

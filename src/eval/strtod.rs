//! Doubles from text, the way C's `strtod` reads them.

/// The number that the whole of `text` spells; none where `strtod` would stop early or report a range error.
pub(super) fn parse(text: &[u8]) -> Option<f64> {
    let text = trim_start(text);
    let (negative, body) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let magnitude = match body {
        [b'0', b'x' | b'X', digits @ ..] => hexadecimal(digits)?,
        [b'0'..=b'9' | b'.', ..] => decimal(body)?,
        _ => word(body)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Without the leading blanks of C's `isspace`.
pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    &text[blanks..]
}

fn decimal(text: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let mantissa = text.split(|byte| matches!(byte, b'e' | b'E')).next()?;
    in_range(value, mantissa.iter().all(|byte| matches!(byte, b'0' | b'.')))
}

/// Overflow and underflow are range errors, as are numbers too small for a full mantissa.
fn in_range(value: f64, zero: bool) -> Option<f64> {
    (zero || value.is_normal()).then_some(value)
}

fn word(text: &[u8]) -> Option<f64> {
    if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
        return Some(f64::INFINITY);
    }
    let (nan, payload) = text.split_at_checked(3)?;
    let payload_is_valid = match payload {
        [] => true,
        [b'(', inner @ .., b')'] => inner.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
        _ => false,
    };
    (nan.eq_ignore_ascii_case(b"nan") && payload_is_valid).then_some(f64::NAN)
}

/// What follows `0x`: hexadecimal digits with at most one point, then perhaps `p` and a binary exponent.
fn hexadecimal(text: &[u8]) -> Option<f64> {
    /// Beyond it, every mantissa of a text that fits into memory over- or underflows.
    const EXPONENT_LIMIT: i64 = 1 << 40;

    let split = text.iter().position(|byte| matches!(byte, b'p' | b'P'));
    let (digits, mut exponent) = match split {
        Some(at) => (&text[..at], binary_exponent(&text[at + 1..], EXPONENT_LIMIT)?),
        None => (text, 0),
    };
    let mut mantissa = 0_u64;
    let mut point = false;
    let mut any = false;
    for &byte in digits {
        if byte == b'.' {
            if point {
                return None;
            }
            point = true;
            continue;
        }
        let digit = u64::from(char::from(byte).to_digit(16)?);
        any = true;
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | digit;
            exponent -= if point { 4 } else { 0 };
        } else {
            // a full mantissa: what is left only decides in which direction it is rounded
            mantissa |= u64::from(digit != 0);
            exponent += if point { 0 } else { 4 };
        }
    }
    if !any {
        return None;
    }
    in_range(scale(mantissa as f64, exponent), mantissa == 0)
}

fn binary_exponent(text: &[u8], limit: i64) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    if digits.is_empty() {
        return None;
    }
    digits
        .iter()
        .try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| (sum * 10 + i64::from(byte - b'0')).min(limit)))
        .map(|magnitude| sign * magnitude)
}

/// `value * 2^exponent`, in steps that are exact as long as the result has a full mantissa.
fn scale(mut value: f64, exponent: i64) -> f64 {
    /// Powers of two up to this one, and their reciprocals, are normal doubles.
    const STEP: i32 = 1000;

    let mut left = i32::try_from(exponent.clamp(-4000, 4000)).unwrap_or(0);
    while left != 0 {
        let step = left.clamp(-STEP, STEP);
        value *= 2_f64.powi(step);
        left -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accepted() {
        for (text, value) in [
            ("1.5", 1.5),
            (" \t\n1.5", 1.5),
            ("+1.", 1.0),
            (".5", 0.5),
            ("-1e3", -1000.0),
            ("0e999", 0.0),
            ("-0.0", -0.0),
            ("0x1F", 31.0),
            ("-0X.8", -0.5),
            ("0x1.8p3", 12.0),
            ("0x10P-1", 8.0),
            ("0x123456789abcdef01", 0x1234_5678_9abc_def0_u64 as f64 * 16.0),
            ("0x10000000000000800000000001", 1.0f64.mul_add(2f64.powi(100), 2f64.powi(48))),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("1.7976931348623157e308", f64::MAX),
        ] {
            assert_eq!(parse(text.as_bytes()), Some(value), "{text}");
        }
        for text in ["nan", "NaN", "-nan", "nan(1_a)"] {
            assert!(parse(text.as_bytes()).is_some_and(f64::is_nan), "{text}");
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            " ",
            ".",
            "+",
            "1.5 ",
            "1e",
            "e5",
            "1e400",
            "1e-400",
            "1e-310",
            "0x",
            "0x.",
            "0x1p",
            "0x1.2.3",
            "0x1p5000",
            "0x1p-5000",
            "infin",
            "nan(",
            "nan(-)",
            "1_0",
            "1.5x",
            "++1",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse(b"\xff"), None);
    }

    proptest! {
        #[test]
        fn shortest_form_reads_back(value in prop::num::f64::NORMAL) {
            prop_assert_eq!(parse(format!("{value:?}").as_bytes()), Some(value));
        }

        #[test]
        fn hexadecimal_integers_round_as_casts_do(value: u64, zeros in 0_usize..4) {
            prop_assert_eq!(parse(format!("0x{}{value:x}", "0".repeat(zeros)).as_bytes()), Some(value as f64));
        }
    }
}

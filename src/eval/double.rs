//! Doubles as text, the way C's `printf` writes them.

use std::fmt::{self, Write};

/// Digits after the first that `%.15g` can show.
const FRACTION_DIGITS: usize = 14;

/// Long enough for the longest `{:.14e}`: `-1.23456789012345e-324`.
const SCIENTIFIC_LEN: usize = 32;

/// Appends `%.15g`, with PostgreSQL's words for what is not a number.
pub(super) fn write_general(value: f64, out: &mut Vec<u8>) {
    if let Some(word) = word(value) {
        out.extend_from_slice(word.as_bytes());
        return;
    }
    let mut scientific = StackText { bytes: [0; SCIENTIFIC_LEN], len: 0 };
    // the buffer fits every double, so nothing can fail
    let _ = write!(scientific, "{value:.FRACTION_DIGITS$e}");
    let text = &scientific.bytes[..scientific.len];
    let text = match text.strip_prefix(b"-") {
        Some(rest) => {
            out.push(b'-');
            rest
        }
        None => text,
    };

    let mut digits = [b'0'; FRACTION_DIGITS + 1];
    digits[0] = text[0];
    digits[1..].copy_from_slice(&text[2..=FRACTION_DIGITS + 1]);
    let exponent = decimal_exponent(&text[FRACTION_DIGITS + 3..]);
    let significant = digits.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
    let digits = &digits[..];

    match usize::try_from(exponent) {
        Ok(whole) if whole <= FRACTION_DIGITS => {
            out.extend_from_slice(&digits[..=whole]);
            if significant > whole + 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[whole + 1..significant]);
            }
        }
        Err(_) if exponent >= -4 => {
            out.extend_from_slice(&b"0.000"[..=exponent.unsigned_abs() as usize]);
            out.extend_from_slice(&digits[..significant]);
        }
        _ => {
            out.push(digits[0]);
            if significant > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..significant]);
            }
            out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
            if exponent.unsigned_abs() < 10 {
                out.push(b'0');
            }
            out.extend_from_slice(itoa::Buffer::new().format(exponent.unsigned_abs()).as_bytes());
        }
    }
}

/// Shows `%f`: six digits after the point.
pub(super) struct Fixed(pub(super) f64);

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match word(self.0) {
            Some(word) => f.write_str(word),
            None => write!(f, "{:.6}", self.0),
        }
    }
}

fn word(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ => None,
    }
}

fn decimal_exponent(text: &[u8]) -> i32 {
    let (sign, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    sign * digits.iter().fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0'))
}

struct StackText {
    bytes: [u8; SCIENTIFIC_LEN],
    len: usize,
}

impl Write for StackText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn general(value: f64) -> String {
        let mut out = Vec::new();
        write_general(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_cases() {
        for (value, text) in [
            (1.0 / 3.0, "0.333333333333333"),
            (2.0 / 3.0, "0.666666666666667"),
            (100_000.0, "100000"),
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (-123.25, "-123.25"),
            (0.1 + 0.2, "0.3"),
            (1e14, "100000000000000"),
            (123_456_789_012_345.0, "123456789012345"),
            (999_999_999_999_999.9, "1e+15"),
            (1e15, "1e+15"),
            (1.25e15, "1.25e+15"),
            (1e20, "1e+20"),
            (1e100, "1e+100"),
            (0.0001, "0.0001"),
            (0.001_25, "0.00125"),
            (0.000_099_999_999_999_999_99, "0.0001"),
            (3e-5, "3e-05"),
            (-3.5e-7, "-3.5e-07"),
            (std::f64::consts::PI, "3.14159265358979"),
            (f64::from_bits(1), "4.94065645841247e-324"),
            (f64::MAX, "1.79769313486232e+308"),
            (f64::MIN, "-1.79769313486232e+308"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
            (-f64::NAN, "NaN"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    proptest! {
        #[test]
        fn reads_back_to_fifteen_digits(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let read: f64 = general(value).parse().unwrap();
            prop_assert_eq!(format!("{read:.14e}"), format!("{value:.14e}"));
        }

        #[test]
        fn integers_of_fifteen_digits_stay_integers(value in -999_999_999_999_999_i64..=999_999_999_999_999) {
            prop_assert_eq!(general(value as f64), value.to_string());
        }
    }
}

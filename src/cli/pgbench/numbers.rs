//! Numbers as C's library reads them.

/// How an integer of an option can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It is not one.
    NotInteger,
    /// It is too small or too large.
    OutOfRange,
}

/// `strtol`'s blanks.
fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// The integer that `text` begins with, if it does, and what is left; beyond 64 bits, the nearest that fits, and false.
fn begin(text: &str) -> (Option<(i64, bool)>, &str) {
    let body = trim_start(text);
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return (None, text);
    }
    let negative = body.starts_with('-');
    let (number, rest) = unsigned.split_at(digits);
    let value = match number.parse::<i128>() {
        Ok(number) => i64::try_from(if negative { -number } else { number }),
        // it is longer yet
        Err(_) => i64::try_from(i128::MAX),
    };
    let nearest = if negative { i64::MIN } else { i64::MAX };
    (Some((value.unwrap_or(nearest), value.is_ok())), rest)
}

/// An option's integer: blanks around it are allowed, and nothing at all is 0.
pub(super) fn integer(text: &str, least: u32, most: u32) -> Result<u32, Wrong> {
    let (number, rest) = begin(text);
    if !rest.chars().all(is_space) {
        return Err(Wrong::NotInteger);
    }
    let (number, _) = number.unwrap_or((0, true));
    u32::try_from(number).ok().filter(|n| (least..=most).contains(n)).ok_or(Wrong::OutOfRange)
}

/// `atoi`: what begins as a number counts, anything else is 0; 32 bits of 64 are kept.
#[expect(clippy::cast_possible_truncation, reason = "as C does it")]
pub(super) fn leading_integer(text: &str) -> i32 {
    begin(text).0.map_or(0, |(number, _)| number as i32)
}

/// `strtol` over the whole of `text`, blanks before it allowed.
pub(super) fn whole_integer(text: &str) -> Option<i64> {
    match begin(text) {
        (Some((number, true)), "") => Some(number),
        _ => None,
    }
}

/// `strtoul` over the whole of `text`: a negative number wraps around, one that is too large is the largest.
pub(super) fn whole_unsigned(text: &str) -> Option<u64> {
    let body = trim_start(text);
    let digits = body.strip_prefix(['+', '-']).unwrap_or(body);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(match digits.parse::<u64>() {
        Ok(number) if body.starts_with('-') => number.wrapping_neg(),
        Ok(number) => number,
        Err(_) => u64::MAX,
    })
}

/// `atof`: the longest beginning that is a number, else 0.
pub(super) fn leading_number(text: &str) -> f64 {
    let text = trim_start(text);
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.rev().find_map(|end| text[..end].parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::{Wrong, integer, leading_integer, leading_number, whole_integer, whole_unsigned};

    #[test]
    fn an_options_integer_may_have_blanks_around_it() {
        for (text, expected) in [
            (" +5\t", Ok(5)),
            ("", Err(Wrong::OutOfRange)),
            ("0", Err(Wrong::OutOfRange)),
            ("-1", Err(Wrong::OutOfRange)),
            ("99999999999999999999999999999999999999999999", Err(Wrong::OutOfRange)),
            ("3x", Err(Wrong::NotInteger)),
            ("+", Err(Wrong::NotInteger)),
            ("1.5", Err(Wrong::NotInteger)),
        ] {
            assert_eq!(integer(text, 1, 100), expected, "{text:?}");
        }
    }

    #[test]
    fn other_integers_have_their_own_rules() {
        assert_eq!(["abc", "7up", "4294967295", " -3"].map(leading_integer), [0, 7, -1, -3]);
        assert_eq!(
            ["3", " +3", "3 ", "", "9223372036854775808"].map(whole_integer),
            [Some(3), Some(3), None, None, None]
        );
        assert_eq!(
            ["5", " +5", "-1", "18446744073709551616", "5 ", "", "0x1"].map(whole_unsigned),
            [Some(5), Some(5), Some(u64::MAX), Some(u64::MAX), None, None, None]
        );
    }

    #[test]
    fn a_number_ends_where_it_stops_being_one() {
        let numbers = ["10tps", " 2.5e1x", "x", ""].map(|text| leading_number(text).to_string());
        assert_eq!(numbers, ["10", "25", "0", "0"]);
    }
}

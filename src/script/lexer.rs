//! The words and signs of an expression, whether or not they make sense together.

use super::dialect::Dialect;
use super::statement::Input;
use super::tokens::{Token, TokenKind, Tokens};
use super::words::KEYWORDS;
use crate::name;

/// Cuts the text of an expression into tokens; what is none is `Stray`. Strings and `||` are extensions.
pub(super) fn lex(input: Input<'_>, dialect: Dialect) -> Tokens<'_> {
    let bytes = input.text.as_bytes();
    let (mut list, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let blank = blank_length(&bytes[at..]);
        if blank > 0 {
            at += blank;
            continue;
        }
        let (kind, length) = next(&input.text[at..], dialect);
        list.push(Token { kind, bytes: at..at + length });
        at += length;
    }
    Tokens { input, list, dialect }
}

/// A line end counts as a blank, also with the backslash that goes on behind it.
fn blank_length(rest: &[u8]) -> usize {
    match rest {
        [b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C, ..] => 1,
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

fn next(text: &str, dialect: Dialect) -> (TokenKind, usize) {
    let rest = text.as_bytes();
    match rest {
        [first, ..] if name::begins(*first) => {
            let length = count(rest, name::goes_on);
            (word_kind(&text[..length]), length)
        }
        [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => number(rest),
        [b':', second, ..] if name::goes_on(*second) => (TokenKind::Operand, 1 + count(&rest[1..], name::goes_on)),
        [b'\'', ..] if dialect == Dialect::Extended => string(rest),
        [b'(', ..] => (TokenKind::Open, 1),
        [b')', ..] => (TokenKind::Close, 1),
        [b',', ..] => (TokenKind::Separator, 1),
        [b'-', ..] => (TokenKind::Minus, 1),
        [b'+', ..] => (TokenKind::Plus, 1),
        [b'~', ..] => (TokenKind::Prefix, 1),
        [b'|', b'|', ..] if dialect == Dialect::Extended => (TokenKind::Infix, 2),
        [b'<', b'<' | b'=' | b'>', ..] | [b'>', b'>' | b'=', ..] | [b'!', b'=', ..] => (TokenKind::Infix, 2),
        [b'<' | b'>' | b'=' | b'|' | b'&' | b'#' | b'*' | b'/' | b'%', ..] => (TokenKind::Infix, 1),
        _ => (TokenKind::Stray, text.chars().next().map_or(1, char::len_utf8)),
    }
}

fn word_kind(word: &str) -> TokenKind {
    match KEYWORDS.into_iter().find(|keyword| keyword.eq_ignore_ascii_case(word)) {
        None => TokenKind::Name,
        Some("null" | "true" | "false") => TokenKind::Operand,
        Some("case") => TokenKind::Open,
        Some("end") => TokenKind::Close,
        Some("not") => TokenKind::Prefix,
        Some("is" | "isnull" | "notnull") => TokenKind::Postfix,
        Some("when" | "then" | "else") => TokenKind::Separator,
        Some(_) => TokenKind::Infix,
    }
}

/// Digits; with a point or an exponent they are a double.
fn number(rest: &[u8]) -> (TokenKind, usize) {
    let digits = |at: usize| count(&rest[at..], |byte| byte.is_ascii_digit());
    let (mut kind, mut at) = (TokenKind::Integer, digits(0));
    if rest.get(at) == Some(&b'.') {
        (kind, at) = (TokenKind::Double, at + 1 + digits(at + 1));
    }
    let sign = match &rest[at..] {
        [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] => 1,
        [b'e' | b'E', b'0'..=b'9', ..] => 0,
        _ => return (kind, at),
    };
    (TokenKind::Double, at + 1 + sign + digits(at + 1 + sign))
}

fn string(rest: &[u8]) -> (TokenKind, usize) {
    let mut at = 1;
    while let Some(quote) = memchr::memchr(b'\'', &rest[at..]) {
        at += quote + 1;
        if rest.get(at) != Some(&b'\'') {
            return (TokenKind::Text, at);
        }
        at += 1;
    }
    (TokenKind::OpenText, rest.len())
}

fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

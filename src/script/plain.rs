//! The pieces that most of a script consists of, cut without the grammar, which takes a hundred times as long.
//!
//! `grammar/script.pest` says what they are; a test of `parser` holds the two against each other. What could be anything
//! but plain is left to the grammar.

use memchr::{memchr, memchr2};

use super::piece::{Bytes, Piece, PieceKind};

/// The piece at byte `at`, if it is a plain one.
pub(super) fn cut(text: &str, at: usize) -> Option<Piece> {
    let rest = &text.as_bytes()[at..];
    let (kind, length, unterminated) = match rest {
        [b';', ..] => (PieceKind::Semicolon, 1, false),
        [b'(', ..] => (PieceKind::Open, 1, false),
        [b')', ..] => (PieceKind::Close, 1, false),
        [b'\'', ..] => {
            let (length, unterminated) = string_length(rest);
            (PieceKind::Literal, length, unterminated)
        }
        [b'-', b'-', ..] => (PieceKind::LineComment, memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()), false),
        [b'\\', b';' | b':', ..] => return None,
        [b'\\', ..] => {
            let (words, length) = words(rest, at);
            (PieceKind::MetaCommand(words), length, false)
        }
        [first, ..] if is_space(*first) => (PieceKind::Blank, count(rest, is_space), false),
        _ => match text_length(rest) {
            0 => return None,
            length => (PieceKind::Text, length, false),
        },
    };
    Some(Piece { kind, bytes: at..at + length, unterminated })
}

/// The length of the string that starts here, and whether it is never closed.
fn string_length(rest: &[u8]) -> (usize, bool) {
    let mut at = 1;
    while let Some(quote) = memchr(b'\'', &rest[at..]) {
        at += quote + 1;
        if rest.get(at) != Some(&b'\'') {
            return (at, false);
        }
        at += 1;
    }
    (rest.len(), true)
}

/// The words of the meta-command that starts here, and its length.
fn words(rest: &[u8], start: usize) -> (Vec<Bytes>, usize) {
    let mut words: Vec<Bytes> = Vec::new();
    let (mut at, mut inside) = (1, false);
    while at < rest.len() && rest[at] != b'\n' {
        let continued = continuation_length(&rest[at..]);
        if continued == 0 && !is_meta_blank(rest[at]) {
            match words.last_mut().filter(|_| inside) {
                Some(word) => word.end += 1,
                None => words.push(start + at..start + at + 1),
            }
            inside = true;
        } else {
            inside = false;
        }
        at += continued.max(1);
    }
    (words, at)
}

/// The length of a backslash with a line end behind it.
fn continuation_length(rest: &[u8]) -> usize {
    match rest {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

/// How far words, numbers, blanks and signs without a meaning of their own reach.
fn text_length(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() {
        at += match &rest[at..] {
            [b'0'..=b'9', ..] => {
                let digits = count(&rest[at..], |byte| byte.is_ascii_digit());
                let ends = rest.get(at + digits).is_none_or(|byte| !is_letter(*byte));
                digits + if ends { 0 } else { count(&rest[at + digits..], is_word) }
            }
            [first, ..] if is_letter(*first) => match count(&rest[at..], is_word) {
                length if may_be_more(&rest[at..at + length], rest.get(at + length)) => return at,
                length => length,
            },
            [b':', b':', ..] => 2,
            [b':', next, ..] if is_letter(*next) || next.is_ascii_digit() => {
                1 + count(&rest[at + 1..], |byte| is_letter(byte) || byte.is_ascii_digit())
            }
            [b':' | b';' | b'(' | b')' | b'\'' | b'"' | b'\\' | b'$', ..] | [b'-', b'-', ..] | [b'/', b'*', ..] => {
                return at;
            }
            _ => 1,
        };
    }
    at
}

/// Whether a word may be the start of a quote, or one that opens or closes a block.
fn may_be_more(word: &[u8], next: Option<&u8>) -> bool {
    let prefix = matches!(next, Some(b'\'' | b'&')) && word.len() == 1;
    let is = |keyword: &str| word.eq_ignore_ascii_case(keyword.as_bytes());
    prefix || is("begin") || is("case") || is("end") || is("create")
}

fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

fn is_space(byte: u8) -> bool {
    byte == b'\n' || is_meta_blank(byte)
}

fn is_meta_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_word(byte: u8) -> bool {
    is_letter(byte) || byte.is_ascii_digit() || byte == b'$'
}

//! What the words and signs of an expression say before anybody looks at their order.

use std::ops::Range;

use super::dialect::Dialect;
use super::error::{Error, ErrorKind};
use super::statement::Input;

/// How many parentheses and `case` may be open at once.
const MAX_OPEN: usize = 200;
/// How many operators may stand in what is open: together with [`MAX_OPEN`] the depth of the tree.
const MAX_OPERATORS: usize = 1000;

/// One word or sign.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) bytes: Range<usize>,
}

/// What kinds of token there are, as far as their order matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Integer,
    Double,
    /// A variable, or a constant that is no number.
    Operand,
    Text,
    /// A string that is never closed.
    OpenText,
    Name,
    /// `(` or `case`
    Open,
    /// `)` or `end`
    Close,
    Minus,
    Plus,
    /// `not`, `~`
    Prefix,
    Infix,
    /// `is`, `isnull`, `notnull`
    Postfix,
    /// `,`, `when`, `then`, `else`
    Separator,
    /// No token at all.
    Stray,
}

impl TokenKind {
    /// A value may end with it, so that a sign behind it stands between two values.
    fn ends_operand(self) -> bool {
        matches!(self, Self::Integer | Self::Double | Self::Operand | Self::Text | Self::Close | Self::Postfix)
    }
}

/// The tokens of one expression.
pub(super) struct Tokens<'a> {
    pub(super) input: Input<'a>,
    pub(super) list: Vec<Token>,
    pub(super) dialect: Dialect,
}

impl Tokens<'_> {
    /// Finds characters that mean nothing and constants out of range. They come before every other fault, as in
    /// pgbench, which reads the line to its end before it reports one, and so reports the last of them.
    pub(super) fn check_constants(&self) -> Result<(), Error> {
        let mut faults = self.list.iter().filter_map(|token| Some(self.error(self.constant_fault(token)?, token)));
        let fault = if self.dialect == Dialect::Pgbench { faults.next_back() } else { faults.next() };
        fault.map_or(Ok(()), Err)
    }

    fn constant_fault(&self, token: &Token) -> Option<ErrorKind> {
        let text = self.text(token);
        match token.kind {
            TokenKind::Stray => text.chars().next().map(ErrorKind::UnexpectedCharacter),
            TokenKind::OpenText => Some(ErrorKind::Unterminated("the string")),
            TokenKind::Integer if text.parse::<i64>().is_err() && text != MINIMUM => {
                Some(ErrorKind::IntegerOverflow(text.to_owned()))
            }
            TokenKind::Double if double(text).is_none() => Some(ErrorKind::DoubleOverflow(text.to_owned())),
            _ => None,
        }
    }

    /// Refuses what nests so deep that reading or computing it would use up the stack.
    pub(super) fn check_depth(&self) -> Result<(), Error> {
        // operators in each open level; the last is the innermost
        let mut levels = vec![0];
        let mut operators = 0;
        for token in &self.list {
            match token.kind {
                TokenKind::Open => levels.push(0),
                TokenKind::Close if levels.len() > 1 => operators -= levels.pop().unwrap_or(0),
                kind if kind.ends_operand() && kind != TokenKind::Postfix => {}
                TokenKind::Name | TokenKind::Separator => {}
                _ => {
                    operators += 1;
                    if let Some(level) = levels.last_mut() {
                        *level += 1;
                    }
                }
            }
            if levels.len() > MAX_OPEN || operators > MAX_OPERATORS {
                return Err(self.error(ErrorKind::TooDeep, token));
            }
        }
        Ok(())
    }

    /// The first token that only some places or dialects allow, with its fault.
    pub(super) fn misplaced(&self) -> Option<(usize, Error)> {
        let counted = self.miscounted().map(|(at, kind)| (at, self.error(kind, &self.list[at])));
        let found = self.out_of_place();
        match (counted, found) {
            (Some((close, _)), Some((token, error))) if token < close => Some((token, error)),
            (counted, found) => counted.or(found),
        }
        .map(|(token, error)| (self.list[token].bytes.start, error))
    }

    fn out_of_place(&self) -> Option<(usize, Error)> {
        self.list.iter().enumerate().find_map(|(at, token)| {
            let text = self.text(token);
            let kind = match token.kind {
                TokenKind::Integer if text == MINIMUM && !self.is_negated(at) => ErrorKind::IntegerWithoutMinus,
                // the grammar takes `||`; pgbench sees two signs
                TokenKind::Infix if self.dialect == Dialect::Pgbench && self.doubles_bar(at) => {
                    ErrorKind::UnexpectedToken(text.to_owned())
                }
                // pgbench looks a function up before it looks at what follows
                TokenKind::Name if self.dialect == Dialect::Pgbench && !self.knows(token) && self.starts(at) => {
                    ErrorKind::UnknownFunction(text.to_owned())
                }
                _ => return None,
            };
            Some((at, self.error(kind, token)))
        })
    }

    fn doubles_bar(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.list[before]) else { return false };
        let token = &self.list[at];
        self.text(token) == "|" && self.text(before) == "|" && before.bytes.end == token.bytes.start
    }

    /// Whether a value can start at a token.
    fn starts(&self, at: usize) -> bool {
        !self.kind_before(at, 1).is_some_and(TokenKind::ends_operand)
    }

    /// Whether the token before is a minus that no value precedes.
    fn is_negated(&self, at: usize) -> bool {
        self.kind_before(at, 1) == Some(TokenKind::Minus)
            && !self.kind_before(at, 2).is_some_and(TokenKind::ends_operand)
    }

    fn kind_before(&self, at: usize, back: usize) -> Option<TokenKind> {
        at.checked_sub(back).and_then(|at| self.list.get(at)).map(|token| token.kind)
    }

    /// The fault of an expression that can't be read on from byte `at`.
    pub(super) fn unexpected(&self, at: usize) -> Error {
        let index = self.list.partition_point(|token| token.bytes.end <= at);
        let before = index.checked_sub(1).and_then(|index| self.list.get(index));
        if let Some(name) = before.filter(|token| token.kind == TokenKind::Name && !self.knows(token)) {
            return self.error(ErrorKind::BareName(self.text(name).to_owned()), name);
        }
        match (self.list.get(index), before) {
            (Some(token), _) => self.error(ErrorKind::UnexpectedToken(self.text(token).to_owned()), token),
            (None, Some(last)) => {
                let kind = ErrorKind::UnexpectedEnd(Some(self.text(last).to_owned()));
                let end = last.bytes.end;
                Error::new(kind, self.input.span(end..end))
            }
            (None, None) => {
                let end = self.input.text.trim_end().len();
                Error::new(ErrorKind::UnexpectedEnd(None), self.input.span(end..end))
            }
        }
    }

    /// pgbench stumbles over a name that it doesn't know at once, over one that it knows at the next token.
    fn knows(&self, name: &Token) -> bool {
        super::words::PGBENCH_FUNCTIONS.iter().any(|(known, ..)| known.eq_ignore_ascii_case(self.text(name)))
    }

    pub(super) fn text(&self, token: &Token) -> &str {
        &self.input.text[token.bytes.clone()]
    }

    fn error(&self, kind: ErrorKind, token: &Token) -> Error {
        Error::new(kind, self.input.span(token.bytes.clone()))
    }
}

/// The integer that has no positive counterpart in 64 bits.
pub(super) const MINIMUM: &str = "9223372036854775808";

/// A number as a double, unless it is too large for one or too small for all its digits.
pub(super) fn double(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    let zero = number == 0.0 && text.split(['e', 'E']).next().is_some_and(|m| !m.contains(|c| matches!(c, '1'..='9')));
    (number.is_normal() || zero).then_some(number)
}

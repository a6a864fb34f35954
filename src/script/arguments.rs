//! How many arguments the functions of an expression get.

use super::dialect::Dialect;
use super::error::ErrorKind;
use super::tokens::{Token, TokenKind, Tokens};
use super::words::PGBENCH_FUNCTIONS;

/// The most arguments that a call is checked for: `least` and `greatest` find too many when they run.
const ANY: usize = usize::MAX;

/// A parenthesis or `case` that is open.
#[derive(Default)]
struct Open {
    /// The function that the parenthesis belongs to, in lower case.
    function: Option<String>,
    /// Something stands in it.
    filled: bool,
    commas: usize,
}

impl Tokens<'_> {
    /// The first call with a wrong number of arguments: its `)`, and the fault. pgbench finds it there; in our dialect
    /// it is found when the call is compiled.
    pub(super) fn miscounted(&self) -> Option<(usize, ErrorKind)> {
        if self.dialect == Dialect::Extended {
            return None;
        }
        let mut open: Vec<Open> = Vec::new();
        for (at, token) in self.list.iter().enumerate() {
            match token.kind {
                TokenKind::Open => {
                    fill(&mut open);
                    open.push(Open { function: self.function_before(at), ..Open::default() });
                }
                TokenKind::Close => {
                    let fault = open.pop().and_then(Open::close);
                    if fault.is_some() {
                        return Some(at).zip(fault);
                    }
                }
                TokenKind::Separator if self.text(token) == "," => {
                    if let Some(innermost) = open.last_mut() {
                        innermost.commas += 1;
                    }
                }
                _ => fill(&mut open),
            }
        }
        None
    }

    fn function_before(&self, at: usize) -> Option<String> {
        let name: &Token = self.list.get(at.checked_sub(1)?)?;
        (name.kind == TokenKind::Name && self.text(&self.list[at]) == "(").then(|| self.text(name).to_ascii_lowercase())
    }
}

fn fill(open: &mut [Open]) {
    if let Some(innermost) = open.last_mut() {
        innermost.filled = true;
    }
}

impl Open {
    fn close(self) -> Option<ErrorKind> {
        let name = self.function?;
        let given = if self.filled { self.commas + 1 } else { 0 };
        let (_, low, high) = PGBENCH_FUNCTIONS.into_iter().find(|(known, ..)| *known == name)?;
        let high = high.unwrap_or(ANY);
        (given < low || given > high).then_some(ErrorKind::ArgumentCount { any: high == ANY, function: name })
    }
}

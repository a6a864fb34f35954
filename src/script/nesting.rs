//! The nesting of `\if` and `\repeat`, checked while the commands are read.

use super::error::{Error, ErrorKind};
use super::structure::{Structure, StructureKind};
use crate::source::Span;

/// What is open.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    open: Vec<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    span: Span,
    kind: OpenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    If,
    Else,
    Repeat,
}

impl Nesting {
    /// Takes in a meta-command by its name in lower case; `command` is its number, counted from 1.
    pub(super) fn advance(&mut self, name: &str, span: Span, command: usize) -> Result<(), Error> {
        let last = self.open.last().copied();
        let kind = last.map(|open| open.kind);
        let fault = match name {
            // as deep as anybody likes: nothing that reads or compiles it recurses
            "if" | "repeat" => {
                let kind = if name == "if" { OpenKind::If } else { OpenKind::Repeat };
                self.open.push(Open { span, kind });
                return Ok(());
            }
            "elif" if kind == Some(OpenKind::If) => return Ok(()),
            "else" if kind == Some(OpenKind::If) => {
                self.open.pop();
                self.open.push(Open { span, kind: OpenKind::Else });
                return Ok(());
            }
            "endif" if matches!(kind, Some(OpenKind::If | OpenKind::Else)) => {
                self.open.pop();
                return Ok(());
            }
            "endrepeat" if kind == Some(OpenKind::Repeat) => {
                self.open.pop();
                return Ok(());
            }
            "elif" if kind == Some(OpenKind::Else) => StructureKind::ElifAfterElse,
            "else" if kind == Some(OpenKind::Else) => StructureKind::ElseAfterElse,
            "elif" => StructureKind::ElifWithoutIf,
            "else" => StructureKind::ElseWithoutIf,
            "endif" => StructureKind::EndifWithoutIf,
            "endrepeat" => StructureKind::EndrepeatWithoutRepeat,
            _ => return Ok(()),
        };
        self.close_crossing(name);
        Err(error(fault, span, command, last.map(|open| open.span)))
    }

    /// What is still open at the end of a script of `commands` commands.
    pub(super) fn finish(self, commands: usize) -> impl Iterator<Item = Error> {
        self.open.into_iter().map(move |open| {
            let fault = match open.kind {
                OpenKind::If | OpenKind::Else => StructureKind::IfWithoutEndif,
                OpenKind::Repeat => StructureKind::RepeatWithoutEndrepeat,
            };
            error(fault, open.span, commands + 1, None)
        })
    }

    /// An `\endif` inside a `\repeat` that was opened inside the `\if` closes both, so that one slip is one error.
    fn close_crossing(&mut self, name: &str) {
        let closes = |open: &Open| match name {
            "endif" => matches!(open.kind, OpenKind::If | OpenKind::Else),
            "endrepeat" => open.kind == OpenKind::Repeat,
            _ => false,
        };
        if let Some(at) = self.open.iter().rposition(closes) {
            self.open.truncate(at);
        }
    }
}

fn error(kind: StructureKind, span: Span, command: usize, opened: Option<Span>) -> Error {
    Error::new(ErrorKind::Structure(Structure { kind, command, opened }), span)
}

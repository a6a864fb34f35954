//! The same faults in pgbench's own words.

use super::error::{Error, ErrorKind};
use super::structure::{Structure, StructureKind};
use crate::source::Span;

/// What pgbench says about a fault; the caller knows the script's description and finds the line's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PgbenchMessage {
    /// `FILE:LINE: TEXT (MORE) in command "COMMAND"`, then the line and a caret.
    Syntax {
        /// What is wrong.
        text: String,
        /// What follows in parentheses.
        more: Option<String>,
        /// The first word of the meta-command.
        command: Option<String>,
        /// The place whose line is named.
        at: Span,
        /// The text that is shown, from the backslash on.
        echo: Option<Span>,
        /// The column of the caret, from 0, in bytes.
        caret: Option<usize>,
    },
    /// `condition error in script "…" command N: TEXT`
    Condition {
        /// N
        command: usize,
        /// What is wrong.
        text: &'static str,
    },
    /// `empty command list for script "…"`
    Empty,
}

/// Which parts of the report a fault has.
struct Shape {
    text: String,
    more: Option<String>,
    /// The command is named.
    named: bool,
    /// The line is shown.
    echoed: bool,
    caret: Caret,
}

#[derive(Clone, Copy)]
enum Caret {
    None,
    /// Under the first byte of the span.
    First,
    /// Under the last byte of the span.
    Last,
    /// Where the line ends.
    End,
}

impl Shape {
    fn new(text: &str, caret: Caret) -> Self {
        Self { text: text.to_owned(), more: None, named: true, echoed: true, caret }
    }

    fn more(mut self, more: impl Into<String>) -> Self {
        self.more = Some(more.into());
        self
    }
}

/// What pgbench would say about the faults of a script: it stops at the first, and checks the nesting once all else is
/// read.
pub fn pgbench_message(errors: &[Error]) -> Option<PgbenchMessage> {
    let late = |error: &&Error| matches!(error.kind, ErrorKind::Structure(_));
    errors.iter().find(|error| !late(error)).or(errors.first()).map(Error::pgbench_message)
}

impl Error {
    /// What pgbench would say. Faults that only the extensions know are syntax errors.
    pub fn pgbench_message(&self) -> PgbenchMessage {
        match &self.kind {
            ErrorKind::Empty => PgbenchMessage::Empty,
            ErrorKind::Structure(structure) => structure.pgbench_message(),
            kind => self.syntax(kind.shape()),
        }
    }

    fn syntax(&self, shape: Shape) -> PgbenchMessage {
        let line = self.line.as_ref();
        let column = |at: u32| line.map(|line| (at.saturating_sub(line.span.start)) as usize);
        let caret = match shape.caret {
            Caret::None => None,
            Caret::First => column(self.span.start),
            Caret::Last => column(self.span.end.saturating_sub(1)),
            Caret::End => line.map(|line| line.end_column),
        };
        PgbenchMessage::Syntax {
            text: shape.text,
            more: shape.more,
            command: line.filter(|_| shape.named).map(|line| line.command.clone()),
            at: line.map_or(self.span, |line| line.span),
            echo: line.filter(|_| shape.echoed).map(|line| line.span),
            caret,
        }
    }
}

impl ErrorKind {
    fn shape(&self) -> Shape {
        match self {
            Self::UnknownMetaCommand(_) => Shape::new("invalid command", Caret::None),
            // the name of \set is missed before the line is read on
            Self::MissingArgument { command: "set", .. } => {
                Shape { echoed: false, ..Shape::new("missing argument", Caret::None) }
            }
            Self::MissingArgument { command: "shell", .. } => Shape::new("missing command", Caret::None),
            Self::MissingArgument { .. } => Shape::new("missing argument", Caret::None),
            Self::TooManyArguments { command: "sleep" } => Shape::new("too many arguments", Caret::First),
            Self::TooManyArguments { command } => {
                Shape { echoed: matches!(*command, "gset" | "aset"), ..Shape::new("too many arguments", Caret::None) }
            }
            Self::UnexpectedArgument { .. } => Shape::new("unexpected argument", Caret::None),
            Self::SleepTime(word) => {
                Shape::new("invalid sleep time, must be an integer", Caret::First).more(word.as_str())
            }
            Self::SleepUnit(word) => {
                Shape::new("unrecognized time unit, must be us, ms or s", Caret::First).more(word.as_str())
            }
            Self::StoreWithoutSql { .. } | Self::SecondStore => Shape {
                more: self.previous(),
                named: false,
                echoed: false,
                ..Shape::new("\\gset must follow an SQL command", Caret::None)
            },
            Self::UnexpectedCharacter(character) => {
                Shape::new("unexpected character", Caret::Last).more(character.to_string())
            }
            Self::IntegerOverflow(number) => Shape::new("bigint constant overflow", Caret::Last).more(number.as_str()),
            Self::DoubleOverflow(number) => Shape::new("double constant overflow", Caret::Last).more(number.as_str()),
            Self::BareName(name) | Self::UnknownFunction(name) => {
                Shape::new("unexpected function name", Caret::Last).more(name.as_str())
            }
            Self::ArgumentCount { function, any: true } => {
                Shape::new("at least one argument expected", Caret::Last).more(function.as_str())
            }
            Self::ArgumentCount { function, .. } => {
                Shape::new("unexpected number of arguments", Caret::Last).more(function.as_str())
            }
            // the stack of its parser
            Self::TooDeep => Shape::new("memory exhausted", Caret::Last),
            Self::UnexpectedEnd(_) => Shape::new("syntax error", Caret::End),
            _ => Shape::new("syntax error", Caret::Last),
        }
    }

    fn previous(&self) -> Option<String> {
        match self {
            Self::StoreWithoutSql { previous, .. } => previous.clone(),
            _ => None,
        }
    }
}

impl Structure {
    fn pgbench_message(self) -> PgbenchMessage {
        let text = match self.kind {
            StructureKind::ElifWithoutIf => "\\elif without matching \\if",
            StructureKind::ElifAfterElse => "\\elif after \\else",
            StructureKind::ElseWithoutIf => "\\else without matching \\if",
            StructureKind::ElseAfterElse => "\\else after \\else",
            StructureKind::EndifWithoutIf => "\\endif without matching \\if",
            _ => "\\if without matching \\endif",
        };
        PgbenchMessage::Condition { command: self.command, text }
    }
}

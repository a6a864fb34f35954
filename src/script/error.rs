//! What can be wrong with a script.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest;

use super::structure::Structure;
use super::words;

/// A fault of a script, an expression or set-up SQL.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The place that is shown.
    pub span: Span,
    /// The meta-command that it stands in, if any.
    pub line: Option<Line>,
}

/// A meta-command as it was written, for messages in pgbench's manner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its first word, as written.
    pub command: String,
    /// From the backslash to the end of the line.
    pub span: Span,
    /// Where pgbench's caret points when the line ends too early: the column, from 0, in bytes.
    pub end_column: usize,
}

/// The kinds of fault.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ErrorKind {
    /// No command at all.
    #[error("the script has no command")]
    Empty,
    /// `\foo`
    #[error("unknown meta-command `\\{0}`")]
    UnknownMetaCommand(String),
    /// A word is missing; what it would be, and how the command is written.
    #[error("`\\{command}` needs {what}")]
    MissingArgument {
        /// The command, in lower case.
        command: &'static str,
        /// The missing argument.
        what: &'static str,
    },
    /// More words than the command takes.
    #[error("too many arguments for `\\{command}`")]
    TooManyArguments {
        /// The command, in lower case.
        command: &'static str,
    },
    /// A word behind a command that takes none.
    #[error("`\\{command}` takes no argument")]
    UnexpectedArgument {
        /// The command, in lower case.
        command: &'static str,
    },
    /// `\sleep 1.5`
    #[error("`{0}` is not a whole number")]
    SleepTime(String),
    /// `\sleep 1 week`
    #[error("unknown time unit `{0}`")]
    SleepUnit(String),
    /// `\gset` or `\aset` without a SQL command of its own before it; the first line of what stands there instead.
    #[error("`\\{command}` follows no SQL command")]
    StoreWithoutSql {
        /// `gset` or `aset`
        command: &'static str,
        /// The first line of the command before.
        previous: Option<String>,
    },
    /// A second `\gset` or `\aset` for one SQL command.
    #[error("the statement stores its result already")]
    SecondStore,
    /// A word that no variable, feed or label can be called.
    #[error("`{0}` is not a name")]
    InvalidName(String),
    /// `\label` before a `\label`.
    #[error("two labels for one statement")]
    SecondLabel,
    /// `\label` with no SQL behind it.
    #[error("label `{0}` names no statement")]
    LabelWithoutSql(String),
    /// A quote or comment that is never closed.
    #[error("{0} is never closed")]
    Unterminated(&'static str),
    /// A character that no expression has.
    #[error("`{0}` has no meaning in an expression")]
    UnexpectedCharacter(char),
    /// A word or sign at the wrong place.
    #[error("unexpected `{0}` in an expression")]
    UnexpectedToken(String),
    /// The expression stops too early; the last word or sign, if there is one.
    #[error("the expression {}", .0.as_ref().map_or_else(|| "is missing".to_owned(), |last| format!("is not complete after `{last}`")))]
    UnexpectedEnd(Option<String>),
    /// `1 < 2 < 3`
    #[error("comparisons can't be chained")]
    ChainedComparison,
    /// A name without a colon before or parentheses behind it.
    #[error("`{0}` is neither a variable nor a function call")]
    BareName(String),
    /// A function that pgbench does not have, where only its own are allowed.
    #[error("unknown function `{0}`")]
    UnknownFunction(String),
    /// A function of pgbench's with another number of arguments than it takes, where only its own are allowed.
    #[error("wrong number of arguments for `{function}`")]
    ArgumentCount {
        /// In lower case.
        function: String,
        /// It takes any number but none.
        any: bool,
    },
    /// 9223372036854775808 without a minus before it.
    #[error("integer 9223372036854775808 is out of range")]
    IntegerWithoutMinus,
    /// An integer of more than 64 bits.
    #[error("integer {0} is out of range")]
    IntegerOverflow(String),
    /// A number too large or too small for a double.
    #[error("number {0} is out of range")]
    DoubleOverflow(String),
    /// More nesting than any sensible expression has.
    #[error("the expression is nested too deeply")]
    TooDeep,
    /// A fault in the nesting of `\if` or `\repeat`.
    #[error("{0}")]
    Structure(Structure),
    /// A script that begins with a byte order mark.
    #[error("the script begins with a byte order mark")]
    ByteOrderMark,
    /// A script with a byte that no text has.
    #[error("the script has a NUL byte")]
    Nul,
    /// COPY from or to the client, which no script can do.
    #[error("a script can't copy rows from or to the client")]
    CopyInScript,
    /// A meta-command in set-up SQL.
    #[error("a meta-command can't stand in set-up SQL")]
    MetaCommandInSql,
    /// The data of a COPY run to the end of the file.
    #[error("the data of `copy` have no end")]
    CopyWithoutEnd,
    /// A COPY between the client and the server without rows behind it.
    #[error("this `copy` has no rows to send, or sends some back")]
    CopyWithoutRows,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span, line: None }
    }

    pub(super) fn on(mut self, line: &Line) -> Self {
        self.line = Some(line.clone());
        self
    }

    /// How it is shown to people.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, label, help) = self.parts();
        let mut diagnostic = Diagnostic::error(code, self.to_string()).label(self.span, label);
        if let ErrorKind::Structure(Structure { opened: Some(opened), .. }) = self.kind {
            diagnostic = diagnostic.label(opened, "opened here");
        }
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// Code, label and help.
    fn parts(&self) -> (&'static str, String, Option<String>) {
        let said = |code, label: &str, help: &str| (code, label.to_owned(), Some(help.to_owned()));
        match &self.kind {
            ErrorKind::Empty => said(
                "script::empty",
                "nothing to run",
                "a script needs a SQL command or a meta-command; blanks and `--` comments are none",
            ),
            ErrorKind::UnknownMetaCommand(name) => {
                ("script::unknown_meta_command", "not a meta-command".to_owned(), Some(meta_command_help(name)))
            }
            ErrorKind::MissingArgument { command, what } => {
                ("script::missing_argument", format!("{what} is missing"), Some(usage(command)))
            }
            ErrorKind::TooManyArguments { command } => {
                ("script::too_many_arguments", "one word too many".to_owned(), Some(usage(command)))
            }
            ErrorKind::UnexpectedArgument { command } => {
                ("script::unexpected_argument", "nothing may stand here".to_owned(), Some(usage(command)))
            }
            ErrorKind::SleepTime(_) => said(
                "script::sleep_time",
                "not a time",
                "write a whole number or `:name`, then `us`, `ms` or `s`: `\\sleep 1500 ms`",
            ),
            ErrorKind::SleepUnit(_) => said("script::sleep_unit", "not a unit", "the units are `us`, `ms` and `s`"),
            ErrorKind::StoreWithoutSql { command, previous } => (
                "script::store_without_sql",
                "no result to store".to_owned(),
                Some(match previous {
                    Some(previous) => format!("put `\\{command}` behind a SQL command; before it stands `{previous}`"),
                    None => format!("put `\\{command}` behind a SQL command"),
                }),
            ),
            ErrorKind::SecondStore => said(
                "script::second_store",
                "a second one",
                "a SQL command has one `\\gset` or one `\\aset`; leave out the other",
            ),
            ErrorKind::InvalidName(_) => said(
                "script::invalid_name",
                "not a name",
                "a name starts with a letter or `_` and goes on with letters, digits and `_`",
            ),
            ErrorKind::SecondLabel => {
                said("script::second_label", "the statement has a label already", "leave out one of the two")
            }
            ErrorKind::LabelWithoutSql(_) => said(
                "script::label_without_sql",
                "no SQL follows",
                "put `\\label` before the SQL command that it names",
            ),
            ErrorKind::Unterminated(_) => said(
                "script::unterminated",
                "opened here",
                "everything behind it belongs to it; close it where it should end",
            ),
            ErrorKind::Structure(structure) => structure.parts(),
            ErrorKind::ByteOrderMark => said(
                "script::byte_order_mark",
                "it is before the first command",
                "save the file as UTF-8 without a byte order mark; the server takes it for a syntax error",
            ),
            ErrorKind::Nul => said("script::nul", "here", "take it out; pgbench reads nothing behind it"),
            ErrorKind::CopyInScript => said(
                "script::copy",
                "it would wait for rows, or send some",
                "use `insert … select`, `copy` from or to a file of the server, or a step of `setup`",
            ),
            ErrorKind::MetaCommandInSql => said(
                "script::meta_command_in_sql",
                "a backslash command",
                "only SQL can stand here; meta-commands belong in scripts",
            ),
            ErrorKind::CopyWithoutEnd => {
                said("script::copy_without_end", "starts here", "end the data with a line that has only `\\.`")
            }
            ErrorKind::CopyWithoutRows => said(
                "script::copy_without_rows",
                "it would wait for rows, or send some",
                "write the rows on the lines behind it, up to one that has only `\\.`; or use a step of `copy`",
            ),
            kind => kind.expression_parts(),
        }
    }
}

impl ErrorKind {
    /// Code, label and help of the faults of expressions.
    fn expression_parts(&self) -> (&'static str, String, Option<String>) {
        let said = |code, label: &str, help: &str| (code, label.to_owned(), Some(help.to_owned()));
        match self {
            Self::UnexpectedCharacter(character) => (
                "script::unexpected_character",
                "not part of an expression".to_owned(),
                Some(character_help(*character).to_owned()),
            ),
            Self::UnexpectedEnd(_) => said(
                "script::unexpected_end",
                "it ends here",
                "close its parentheses and give each operator a value; `\\` at the end of a line goes on in the next",
            ),
            Self::ChainedComparison => said(
                "script::chained_comparison",
                "a second comparison",
                "combine two comparisons with `and`, or put one in parentheses",
            ),
            Self::BareName(name) => (
                "script::bare_name",
                "what is this?".to_owned(),
                Some(match suggest::nearest(name, words::KEYWORDS) {
                    Some(keyword) => format!("did you mean `{keyword}`?"),
                    None => format!("write `:{name}` for the variable or `{name}(…)` for the function"),
                }),
            ),
            Self::UnknownFunction(name) => (
                "script::unknown_function",
                "not a function of pgbench".to_owned(),
                Some(match suggest::nearest(name, words::PGBENCH_FUNCTIONS.iter().map(|(known, ..)| *known)) {
                    Some(function) => format!("did you mean `{function}`?"),
                    None => format!("write `:{name}` for the variable of that name"),
                }),
            ),
            Self::ArgumentCount { function, .. } => {
                ("script::argument_count", "the call ends here".to_owned(), Some(argument_help(function)))
            }
            Self::IntegerWithoutMinus | Self::IntegerOverflow(_) => said(
                "script::integer_overflow",
                "more than 64 bits",
                "integers go from -9223372036854775808 to 9223372036854775807; with a decimal point it is a double",
            ),
            Self::DoubleOverflow(_) => said(
                "script::double_overflow",
                "not a double",
                "the size of a double is between 2.3e-308 and 1.7e308, or 0",
            ),
            Self::TooDeep => said(
                "script::too_deep",
                "too deep from here",
                "compute parts of it with `\\set` first; 200 parentheses and 1000 operators are the limit",
            ),
            _ => said(
                "script::unexpected_token",
                "not expected here",
                "between two values stands an operator, between two operators a value",
            ),
        }
    }
}

fn meta_command_help(name: &str) -> String {
    let known = || words::META_COMMANDS.iter().map(|(command, _)| *command);
    if let Some(nearest) = suggest::nearest(name, known()) {
        return format!("did you mean `\\{nearest}`?");
    }
    let all: Vec<_> = known().map(|command| format!("`\\{command}`")).collect();
    format!("the meta-commands are {}", all.join(", "))
}

fn usage(command: &str) -> String {
    let usage = words::META_COMMANDS.iter().find(|(name, _)| *name == command).map_or("", |(_, usage)| *usage);
    format!("it is written `\\{command}{usage}`")
}

fn argument_help(function: &str) -> String {
    let takes = words::PGBENCH_FUNCTIONS.iter().find(|(known, ..)| *known == function);
    match takes.map(|(_, low, high)| (*low, *high)) {
        Some((0, Some(0))) => format!("`{function}` takes no argument"),
        Some((low, Some(high))) if low == high => format!("`{function}` takes {low}"),
        Some((low, Some(high))) => format!("`{function}` takes {low} to {high}"),
        _ => format!("`{function}` takes at least one"),
    }
}

fn character_help(character: char) -> &'static str {
    match character {
        ';' => "a meta-command ends at the end of its line, without `;`",
        '"' => "a string stands in single quotes",
        '^' => "for powers there is `pow(x, y)`, for exclusive or `#`",
        '\\' => "a backslash goes on in the next line only where nothing follows it",
        '!' => "not equal is `<>` or `!=`, negation is `not`",
        ':' => "a variable is written `:name`",
        '\'' => "strings are an extension, which is switched off here",
        _ => {
            "expressions have numbers, `:name`, `function(…)`, `+ - * / %`, comparisons, `and`, `or`, `not` and `case`"
        }
    }
}

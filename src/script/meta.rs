//! One meta-command line → what it says.

use super::ast::{CommandKind, Expr, Name, SleepAmount, SleepUnit, Store, StoreKind, Word};
use super::dialect::Dialect;
use super::error::{Error, ErrorKind, Line};
use super::parser_expression::{self as expression, Place};
use super::piece::Bytes;
use super::statement::{Input, name_length};
use crate::source::Span;

/// The most arguments that pgbench has room for.
const MAX_ARGUMENTS: usize = 255;

/// What a meta-command turns out to be.
pub(super) enum Meta {
    /// A command of its own.
    Command(CommandKind),
    /// Belongs to the SQL command before.
    Store(Store),
    /// Belongs to the SQL command behind.
    Label(Name),
}

/// A meta-command cut into words, the first of which is its name.
pub(super) struct MetaLine<'a> {
    input: Input<'a>,
    bytes: Bytes,
    /// The first word.
    command: Bytes,
    words: &'a [Bytes],
    dialect: Dialect,
    name: String,
    line: Line,
}

impl<'a> MetaLine<'a> {
    /// `None` for a backslash with no word behind it, which means nothing.
    pub(super) fn new(input: Input<'a>, bytes: Bytes, words: &'a [Bytes], dialect: Dialect) -> Option<Self> {
        let (first, words) = words.split_first()?;
        let command = &input.text[first.clone()];
        let shown = input.text[bytes.clone()].trim_end_matches(['\n', '\r']);
        let line = Line {
            command: command.to_owned(),
            span: input.span(bytes.start..bytes.start + shown.len()),
            // the line end is a sign of its own, the end of the file is not
            end_column: bytes.len() - usize::from(bytes.end == input.text.len()),
        };
        let name = command.to_ascii_lowercase();
        Some(Self { input, bytes, command: first.clone(), words, dialect, name, line })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn trimmed_span(&self) -> Span {
        let text = self.input.text[self.bytes.clone()].trim_end();
        self.input.span(self.bytes.start..self.bytes.start + text.len())
    }

    /// How pgbench shows it.
    pub(super) fn display(&self) -> String {
        let start = self.line.span.start as usize - self.input.offset;
        self.input.text[start..self.line.span.end as usize - self.input.offset].to_owned()
    }

    pub(super) fn error(&self, kind: ErrorKind, span: Span) -> Error {
        Error::new(kind, span).on(&self.line)
    }

    fn text(&self, word: usize) -> Option<&str> {
        self.words.get(word).map(|bytes| &self.input.text[bytes.clone()])
    }

    fn word_span(&self, word: usize) -> Span {
        self.words.get(word).map_or(self.trimmed_span(), |bytes| self.input.span(bytes.clone()))
    }

    fn missing(&self, command: &'static str, what: &'static str) -> Error {
        self.error(ErrorKind::MissingArgument { command, what }, self.trimmed_span())
    }

    fn at_most(&self, command: &'static str, count: usize) -> Result<(), Error> {
        if self.words.len() <= count {
            return Ok(());
        }
        Err(self.error(ErrorKind::TooManyArguments { command }, self.word_span(count)))
    }

    /// A variable's name. pgbench looks at it when the command runs.
    fn name_at(&self, word: usize, command: &'static str, what: &'static str) -> Result<Name, Error> {
        let text = self.text(word).ok_or_else(|| self.missing(command, what))?;
        if self.dialect == Dialect::Extended && name_length(text) != text.len() {
            return Err(self.error(ErrorKind::InvalidName(text.to_owned()), self.word_span(word)));
        }
        Ok(Name { text: text.to_owned(), span: self.word_span(word) })
    }

    /// Everything behind the first `skip` words.
    fn rest(&self, skip: usize) -> (&'a str, usize) {
        let start = if skip == 0 { self.command.end } else { self.words[skip - 1].end };
        (&self.input.text[start..self.bytes.end], start)
    }

    fn expression(&self, skip: usize, place: Place) -> Result<expression::Parsed, Error> {
        let (text, start) = self.rest(skip);
        let input = Input { text, offset: self.input.offset + start, ..self.input };
        expression::parse(input, place, self.dialect).map_err(|error| error.on(&self.line))
    }

    fn plain_expression(&self, skip: usize) -> Result<Expr, Error> {
        self.expression(skip, Place::Alone).map(|parsed| parsed.expr)
    }
}

/// Reads one meta-command.
pub(super) fn parse(line: &MetaLine<'_>) -> Result<Meta, Error> {
    let extended = line.dialect == Dialect::Extended;
    let command = match line.name() {
        "set" => {
            let name = line.name_at(0, "set", "a variable's name")?;
            CommandKind::Set { name, value: line.plain_expression(1)? }
        }
        "if" => CommandKind::If(line.plain_expression(0)?),
        "elif" => CommandKind::Elif(line.plain_expression(0)?),
        "else" => alone(line, "else", CommandKind::Else)?,
        "endif" => alone(line, "endif", CommandKind::Endif)?,
        "sleep" => parse_sleep(line)?,
        "setshell" => {
            line.at_most("setshell", MAX_ARGUMENTS)?;
            let name = line.name_at(0, "setshell", "a variable's name")?;
            CommandKind::SetShell { name, words: parse_words(line, 1, "setshell")? }
        }
        "shell" => {
            line.at_most("shell", MAX_ARGUMENTS)?;
            CommandKind::Shell { words: parse_words(line, 0, "shell")? }
        }
        "startpipeline" => alone(line, "startpipeline", CommandKind::StartPipeline)?,
        "syncpipeline" => alone(line, "syncpipeline", CommandKind::SyncPipeline)?,
        "endpipeline" => alone(line, "endpipeline", CommandKind::EndPipeline)?,
        "gset" => return parse_store(line, StoreKind::Gset, "gset"),
        "aset" => return parse_store(line, StoreKind::Aset, "aset"),
        "feed" if extended => {
            line.at_most("feed", 1)?;
            CommandKind::Feed(line.name_at(0, "feed", "the name of a feed")?)
        }
        "label" if extended => {
            line.at_most("label", 1)?;
            return line.name_at(0, "label", "a name").map(Meta::Label);
        }
        "repeat" if extended => {
            let parsed = line.expression(0, Place::Repeat)?;
            CommandKind::Repeat { count: parsed.expr, counter: parsed.counter }
        }
        "endrepeat" if extended => alone(line, "endrepeat", CommandKind::EndRepeat)?,
        "assert" if extended => {
            let parsed = line.expression(0, Place::Assert)?;
            CommandKind::Assert { condition: parsed.expr, text: parsed.text }
        }
        _ => {
            let span = line.input.span(line.bytes.start..line.command.end);
            return Err(line.error(ErrorKind::UnknownMetaCommand(line.line.command.clone()), span));
        }
    };
    Ok(Meta::Command(command))
}

fn alone(line: &MetaLine<'_>, command: &'static str, kind: CommandKind) -> Result<CommandKind, Error> {
    if line.words.is_empty() {
        return Ok(kind);
    }
    Err(line.error(ErrorKind::UnexpectedArgument { command }, line.word_span(0)))
}

fn parse_store(line: &MetaLine<'_>, kind: StoreKind, command: &'static str) -> Result<Meta, Error> {
    line.at_most(command, 1)?;
    let prefix = line.text(0).unwrap_or_default();
    Ok(Meta::Store(Store { kind, prefix: prefix.to_owned(), span: line.trimmed_span() }))
}

fn parse_words(line: &MetaLine<'_>, skip: usize, command: &'static str) -> Result<Vec<Word>, Error> {
    if line.words.len() <= skip {
        return Err(line.missing(command, "a command"));
    }
    let word = |at: usize| {
        let text = line.text(at).unwrap_or_default();
        match text.strip_prefix(':') {
            // a doubled colon stands for one
            Some(rest) if rest.starts_with(':') => Word::Text(rest.to_owned()),
            Some(name) => Word::Variable(Name { text: name.to_owned(), span: line.word_span(at) }),
            None => Word::Text(text.to_owned()),
        }
    };
    Ok((skip..line.words.len()).map(word).collect())
}

/// `\sleep N [unit]`; the unit may be glued to a number when no word follows.
fn parse_sleep(line: &MetaLine<'_>) -> Result<CommandKind, Error> {
    let word = line.text(0).ok_or_else(|| line.missing("sleep", "a time"))?;
    line.at_most("sleep", 2)?;
    if let Some(name) = word.strip_prefix(':') {
        let amount = SleepAmount::Variable(Name { text: name.to_owned(), span: line.word_span(0) });
        return Ok(CommandKind::Sleep { amount, unit: parse_unit(line, line.text(1), line.word_span(1))? });
    }
    let sign = usize::from(word.starts_with(['+', '-']));
    let digits = word[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let (number, glued) = word.split_at(sign + digits);
    let no_number = digits == 0 && (line.dialect == Dialect::Extended || !glued.is_empty());
    if no_number || !glued.is_empty() && line.words.len() > 1 {
        return Err(line.error(ErrorKind::SleepTime(word.to_owned()), line.word_span(0)));
    }
    let amount = SleepAmount::Constant(saturating_integer(number));
    let unit = if glued.is_empty() {
        parse_unit(line, line.text(1), line.word_span(1))?
    } else {
        let span = line.word_span(0);
        let start = span.start as usize + number.len();
        parse_unit(line, Some(glued), Span::new(span.source, start..span.end as usize))?
    };
    Ok(CommandKind::Sleep { amount, unit })
}

fn parse_unit(line: &MetaLine<'_>, word: Option<&str>, span: Span) -> Result<SleepUnit, Error> {
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("us") => Ok(SleepUnit::Microseconds),
        Some("ms") => Ok(SleepUnit::Milliseconds),
        Some("s") | None => Ok(SleepUnit::Seconds),
        Some(_) => Err(line.error(ErrorKind::SleepUnit(word.unwrap_or_default().to_owned()), span)),
    }
}

/// A sign and digits as a number; what has no digits is 0.
fn saturating_integer(text: &str) -> i64 {
    text.parse().unwrap_or(match text.as_bytes() {
        [] | [b'+' | b'-'] => 0,
        [b'-', ..] => i64::MIN,
        _ => i64::MAX,
    })
}

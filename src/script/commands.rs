//! A script's pieces → its commands, and all that is wrong with them.

use super::ast::{Command, CommandKind, Name, Script, SqlPlace, Store, StoreKind, VariableForm};
use super::copy;
use super::depth::Depth;
use super::dialect::Dialect;
use super::error::{Error, ErrorKind};
use super::meta::{self, Meta, MetaLine};
use super::nesting::Nesting;
use super::parser;
use super::piece::{Bytes, Piece, PieceKind};
use super::statement::{Input, Statement};
use crate::source::{SourceId, Span};

/// More than anybody mends at once.
const MAX_ERRORS: usize = 50;

/// Parses a script file. Every command that can't be read is reported and passed over, so the errors are those of the
/// whole file, in their order; pgbench knows the first one only.
pub fn parse(source: SourceId, text: &str, dialect: Dialect) -> Result<Script, Vec<Error>> {
    let nul = memchr::memchr(0, text.as_bytes());
    let input = Input { source, text: &text[..nul.unwrap_or(text.len())], offset: 0 };
    let mut commands = Commands::new(input, dialect);
    commands.errors.extend(check_bytes(input, nul, dialect));
    let mut depth = Depth::default();
    for piece in parser::parse_script(input.text) {
        let ends = depth.advance(&piece.kind);
        commands.push(piece, ends);
        if commands.has_seen_enough() {
            return Err(commands.errors());
        }
    }
    commands.finish()
}

/// What pgbench passes over (it reads a file to its first NUL) or on to the server (a byte order mark), which takes it
/// for a syntax error.
fn check_bytes(input: Input<'_>, nul: Option<usize>, dialect: Dialect) -> Vec<Error> {
    if dialect == Dialect::Pgbench {
        return Vec::new();
    }
    let mark = input.text.starts_with('\u{feff}').then(|| Error::new(ErrorKind::ByteOrderMark, input.span(0..3)));
    let nul = nul.map(|at| Error::new(ErrorKind::Nul, input.span(at..at + 1)));
    mark.into_iter().chain(nul).collect()
}

/// Adds a piece of SQL to a statement. Blanks and `--` comments before its first word are no part of it.
pub(super) fn push_sql(statement: &mut Statement<'_>, piece: Piece, dialect: Dialect) {
    let Piece { kind, bytes, .. } = piece;
    match kind {
        PieceKind::Blank | PieceKind::LineComment if statement.is_empty() => {}
        PieceKind::LineComment | PieceKind::BlockComment => statement.push(bytes, SqlPlace::Comment),
        PieceKind::Literal => statement.push(bytes, SqlPlace::Literal),
        PieceKind::QuotedIdentifier => statement.push(bytes, SqlPlace::QuotedIdentifier),
        PieceKind::ForcedSemicolon => statement.push_as(";", bytes),
        PieceKind::ForcedColon => statement.push_escaped_colon(bytes),
        // psql asks so whether a variable is set; pgbench's answer is always no
        PieceKind::TestVariable => statement.push_as("FALSE", bytes),
        PieceKind::LiteralVariable(name) if dialect == Dialect::Extended => {
            statement.push_quoted(bytes, name, VariableForm::Literal);
        }
        PieceKind::IdentifierVariable(name) if dialect == Dialect::Extended => {
            statement.push_quoted(bytes, name, VariableForm::Identifier);
        }
        _ => statement.push(bytes, SqlPlace::Plain),
    }
}

/// The error of a quote or comment that is never closed. pgbench sends such a text, so it is one in our dialect only.
pub(super) fn check_terminated(piece: &Piece, input: Input<'_>, dialect: Dialect) -> Option<Error> {
    let what = match piece.kind {
        _ if !piece.unterminated || dialect == Dialect::Pgbench => return None,
        PieceKind::BlockComment => "the comment",
        PieceKind::QuotedIdentifier => "the quoted identifier",
        PieceKind::Literal => "the string",
        _ => return None,
    };
    let first = input.text[piece.bytes.start..].chars().next().map_or(0, char::len_utf8);
    let span = input.span(piece.bytes.start..piece.bytes.start + first);
    Some(Error::new(ErrorKind::Unterminated(what), span))
}

/// The commands read so far.
struct Commands<'a> {
    input: Input<'a>,
    dialect: Dialect,
    done: Vec<Command>,
    errors: Vec<Error>,
    statement: Statement<'a>,
    nesting: Nesting,
    /// A `\label` that has not met its statement.
    label: Option<(Name, Span)>,
    /// A command was there, though it could not be read: a `\gset` behind it gets no error of its own.
    broken: bool,
}

impl<'a> Commands<'a> {
    fn new(input: Input<'a>, dialect: Dialect) -> Self {
        Self {
            input,
            dialect,
            done: Vec::new(),
            errors: Vec::new(),
            statement: Statement::new(input),
            nesting: Nesting::default(),
            label: None,
            broken: false,
        }
    }

    fn push(&mut self, piece: Piece, ends: bool) {
        self.errors.extend(check_terminated(&piece, self.input, self.dialect));
        match piece.kind {
            PieceKind::MetaCommand(words) => {
                self.end_statement();
                self.push_meta(piece.bytes, &words);
            }
            _ => push_sql(&mut self.statement, piece, self.dialect),
        }
        if ends {
            self.end_statement();
        }
    }

    fn end_statement(&mut self) {
        if let Some((sql, span, display)) = self.statement.take() {
            if self.dialect == Dialect::Extended && copy::transfers_rows(&self.input.text[span.range()]) {
                self.errors.push(Error::new(ErrorKind::CopyInScript, span));
            }
            let label = self.label.take().map(|(name, _)| name);
            self.push_command(Command { span, display, label, kind: CommandKind::Sql(sql) });
        }
    }

    fn push_command(&mut self, command: Command) {
        self.done.push(command);
        self.broken = false;
    }

    fn push_meta(&mut self, bytes: Bytes, words: &[Bytes]) {
        let Some(line) = MetaLine::new(self.input, bytes, words, self.dialect) else {
            return;
        };
        // a line that can't be read still opens or closes what it names
        let extension = matches!(line.name(), "repeat" | "endrepeat");
        if self.dialect == Dialect::Extended || !extension {
            let nested = self.nesting.advance(line.name(), line.trimmed_span(), self.done.len() + 1);
            self.errors.extend(nested.err().filter(|_| self.dialect == Dialect::Extended || self.errors.is_empty()));
        }
        match meta::parse(&line) {
            Ok(Meta::Command(kind)) => {
                let (span, display) = (line.trimmed_span(), line.display());
                self.push_command(Command { span, display, label: None, kind });
            }
            Ok(Meta::Store(store)) => self.push_store(store, &line),
            Ok(Meta::Label(name)) => self.push_label(name, line.trimmed_span()),
            Err(error) => {
                self.errors.push(error);
                self.broken = true;
            }
        }
    }

    fn push_store(&mut self, store: Store, line: &MetaLine<'_>) {
        if self.broken {
            return;
        }
        let command = match store.kind {
            StoreKind::Gset => "gset",
            StoreKind::Aset => "aset",
        };
        let fault = match self.done.last_mut() {
            Some(Command { kind: CommandKind::Sql(sql), .. }) if sql.store.is_none() => {
                sql.store = Some(store);
                return;
            }
            Some(Command { kind: CommandKind::Sql(_), .. }) => ErrorKind::SecondStore,
            previous => ErrorKind::StoreWithoutSql { command, previous: previous.map(|other| other.display.clone()) },
        };
        self.errors.push(line.error(fault, line.trimmed_span()));
    }

    fn push_label(&mut self, name: Name, span: Span) {
        if self.label.is_some() {
            self.errors.push(Error::new(ErrorKind::SecondLabel, span));
        }
        self.label = Some((name, span));
    }

    fn finish(mut self) -> Result<Script, Vec<Error>> {
        self.end_statement();
        if let Some((name, span)) = self.label.take() {
            self.errors.push(Error::new(ErrorKind::LabelWithoutSql(name.text), span));
        }
        let nesting = std::mem::take(&mut self.nesting);
        self.errors.extend(nesting.finish(self.done.len()).take(MAX_ERRORS));
        if self.done.is_empty() && self.errors.is_empty() {
            let first_line = self.input.text.find('\n').unwrap_or(self.input.text.len());
            self.errors.push(Error::new(ErrorKind::Empty, self.input.span(0..first_line)));
        }
        if self.errors.is_empty() {
            return Ok(Script { source: self.input.source, commands: self.done });
        }
        Err(self.errors())
    }

    /// Nothing that follows could be told.
    fn has_seen_enough(&self) -> bool {
        match self.dialect {
            // it checks the nesting once all else is read
            Dialect::Pgbench => self.errors.last().is_some_and(|error| !matches!(error.kind, ErrorKind::Structure(_))),
            Dialect::Extended => self.errors.len() >= MAX_ERRORS,
        }
    }

    fn errors(mut self) -> Vec<Error> {
        self.errors.sort_by_key(|error| error.span.start);
        self.errors
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CommandKind, Dialect, ErrorKind, parse, parse_expression, print, print_expression};
    use crate::source::SourceId;

    const SOURCE: SourceId = SourceId(0);

    #[test]
    fn deep_expressions_are_refused_and_long_ones_not() {
        let refused = |text: &str| {
            let error = parse_expression(SOURCE, text, 0, Dialect::Pgbench).unwrap_err();
            assert_eq!(error.kind, ErrorKind::TooDeep, "{}", &text[..20]);
        };
        let nested = |depth: usize, open: &str, close: &str| open.repeat(depth) + "1" + &close.repeat(depth);
        refused(&nested(5_000, "(", ")"));
        refused(&nested(5_000, "(", ""));
        refused(&nested(5_000, "not ", ""));
        refused(&nested(5_000, "- ", ""));
        refused(&nested(5_000, "case when 1 then ", " end"));
        refused(&nested(5_000, "abs(", ")"));
        refused(&nested(5_000, "1 + ", ""));
        refused(&nested(5_000, "1 = not ", ""));
        refused(&nested(5_000, "", " is null"));
        for fits in [nested(190, "(", ")"), nested(190, "abs(", ")"), nested(990, "1 + ", ""), nested(990, "not ", "")]
        {
            let expr = parse_expression(SOURCE, &fits, 0, Dialect::Pgbench).unwrap();
            let printed = print_expression(&expr);
            assert_eq!(print_expression(&parse_expression(SOURCE, &printed, 0, Dialect::Pgbench).unwrap()), printed);
        }
        assert!(parse_expression(SOURCE, &nested(490, "1 = not ", ""), 0, Dialect::Pgbench).is_ok());
        let nested = nested(190, "case when 1 then ", " end");
        assert!(parse_expression(SOURCE, &nested, 0, Dialect::Pgbench).is_ok());
    }

    #[test]
    fn commands_may_nest_as_deep_as_one_likes() {
        let open = "\\if 1\n".repeat(10_000);
        let text = open.clone() + &"\\endif\n".repeat(10_000);
        assert_eq!(parse(SOURCE, &text, Dialect::Pgbench).unwrap().commands.len(), 20_000);
        let errors = parse(SOURCE, &open, Dialect::Extended).unwrap_err();
        assert_eq!(errors.len(), 50);
        for opener in ["(", "/*", "$a$", "'"] {
            let script = parse(SOURCE, &opener.repeat(20_000), Dialect::Pgbench).unwrap();
            assert_eq!(script.commands.len(), 1);
        }
    }

    #[test]
    fn a_large_script_is_read_in_one_pass() {
        let text = "insert into t values (1, 'it''s', :x); -- done\n\\set x random(1, 10)\n".repeat(500);
        let script = parse(SOURCE, &text, Dialect::Pgbench).unwrap();
        assert_eq!(script.commands.len(), 1_000);
        let last = script.commands.last().unwrap();
        assert!(matches!(last.kind, CommandKind::Set { .. }));
        assert_eq!(last.span.range(), text.len() - 21..text.len() - 1);
    }

    #[test]
    fn the_text_ends_at_the_first_nul() {
        let script = parse(SOURCE, "select 1;\0 select 2;", Dialect::Pgbench).unwrap();
        assert_eq!(print(&script), "select 1;\n");
    }
}

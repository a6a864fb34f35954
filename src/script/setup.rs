//! Set-up SQL: statements without meta-commands, and what `pg_dump` writes.

use super::ast::SetupItem;
use super::commands::{check_terminated, push_sql};
use super::copy;
use super::depth::Depth;
use super::dialect::Dialect;
use super::error::{Error, ErrorKind};
use super::parser;
use super::piece::{Bytes, PieceKind};
use super::statement::{Input, Statement};
use crate::source::SourceId;

/// Splits SQL that stands at byte `offset` of a source into its statements. `COPY … FROM stdin` keeps its data; the
/// `\restrict` and `\unrestrict` that `pg_dump` writes are passed over, any other backslash command is an error.
pub fn parse_sql(source: SourceId, text: &str, offset: usize, dialect: Dialect) -> Result<Vec<SetupItem>, Vec<Error>> {
    let input = Input { source, text, offset };
    let mut depth = Depth::default();
    let mut sql = Statement::new(input);
    let (mut items, mut errors) = (Vec::new(), Vec::new());
    for piece in parser::parse_setup(text) {
        errors.extend(check_terminated(&piece, input, dialect));
        let ends = depth.advance(&piece.kind);
        match piece.kind {
            PieceKind::MetaCommand(words) => errors.extend(check_meta_command(input, piece.bytes, &words)),
            PieceKind::Copy { statement, data } => {
                if piece.unterminated {
                    errors.push(Error::new(ErrorKind::CopyWithoutEnd, input.span(statement.clone())));
                }
                items.extend(take(&mut sql));
                items.push(parse_copy(input, statement, data, dialect));
            }
            _ => push_sql(&mut sql, piece, dialect),
        }
        if ends {
            items.extend(take(&mut sql));
        }
    }
    items.extend(take(&mut sql).filter(|item| !is_comment(input, item)));
    let waits = |item: &&SetupItem| matches!(item, SetupItem::Sql { .. }) && copy::transfers_rows(written(input, item));
    errors.extend(items.iter().filter(waits).map(|item| Error::new(ErrorKind::CopyWithoutRows, item.span())));
    if errors.is_empty() { Ok(items) } else { Err(errors) }
}

fn take(statement: &mut Statement<'_>) -> Option<SetupItem> {
    statement.take().map(|(sql, span, _)| SetupItem::Sql { sql, span })
}

/// The item as it was written.
fn written<'a>(input: Input<'a>, item: &SetupItem) -> &'a str {
    let range = item.span().range();
    &input.text[range.start - input.offset..range.end - input.offset]
}

/// What stands behind the last statement may be a mere comment.
fn is_comment(input: Input<'_>, item: &SetupItem) -> bool {
    parser::parse_script(written(input, item))
        .all(|piece| matches!(piece.kind, PieceKind::Blank | PieceKind::LineComment | PieceKind::BlockComment))
}

fn check_meta_command(input: Input<'_>, bytes: Bytes, words: &[Bytes]) -> Option<Error> {
    let word = words.first().map_or("", |word| &input.text[word.clone()]);
    if matches!(word, "restrict" | "unrestrict" | "") {
        return None;
    }
    let end = words.first().map_or(bytes.end, |word| word.end);
    Some(Error::new(ErrorKind::MetaCommandInSql, input.span(bytes.start..end)))
}

fn parse_copy(input: Input<'_>, statement: Bytes, data: Bytes, dialect: Dialect) -> SetupItem {
    let (span, data) = (input.span(statement.clone()), input.span(data));
    let part = Input { text: &input.text[statement.clone()], offset: input.offset + statement.start, ..input };
    let mut sql = Statement::new(part);
    for piece in parser::parse_script(part.text) {
        push_sql(&mut sql, piece, dialect);
    }
    let sql = sql.take().map(|(sql, ..)| sql).unwrap_or_default();
    SetupItem::Copy { sql, span, data }
}

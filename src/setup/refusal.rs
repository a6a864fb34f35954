//! What the server refuses, as errors of the set-up.

use super::Error;
use crate::pg;
use crate::plan::step::SetupStatement;
use crate::source::Span;

/// What the server has against a statement of a step.
pub(super) fn refused(step: &str, statement: &SetupStatement, error: pg::Error) -> Error {
    Error::Statement { step: step.to_owned(), span: place(statement, &error), error }
}

/// The server refused a statement of ours.
pub(super) fn failed(what: &str) -> impl FnOnce(pg::Error) -> Error {
    let what = what.to_owned();
    move |error| Error::Server { what, error }
}

/// The place in a statement that the server's error is about, as far as the text is what was written.
pub(super) fn place(statement: &SetupStatement, error: &pg::Error) -> Span {
    let written = statement.span.range().len() == statement.sql.len();
    let position = error.server_error().and_then(|error| error.position).filter(|_| written);
    let Some(at) = position.and_then(|at| statement.sql.char_indices().nth((at as usize).saturating_sub(1))) else {
        return statement.span;
    };
    let rest = &statement.sql[at.0..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(at.1.len_utf8());
    let start = statement.span.range().start + at.0;
    Span::new(statement.span.source, start..start + length)
}

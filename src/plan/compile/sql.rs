//! SQL of set-up: split into statements, with the scenario's variables put in.

use std::sync::Arc;

use super::scripts::moved;
use super::values::{Values, show};
use crate::plan::Error;
use crate::plan::step::SetupStatement;
use crate::scenario::Scalar;
use crate::script::ast::{SetupItem, SqlPart, SqlPlace, VariableForm, VariableRef};
use crate::script::{self, Dialect};
use crate::source::{SourceId, Span};

/// Splits a text of statements that have no rows of their own; `inline` is the scalar that it stands in, where it is
/// no file of its own.
pub(super) fn split_sql(
    source: SourceId,
    text: &str,
    inline: Option<&Scalar>,
    values: &mut Values<'_>,
) -> Option<Vec<SetupStatement>> {
    let statements = split_step(source, text, inline, values)?;
    if let Some(copy) = statements.iter().find(|statement| statement.rows.is_some()) {
        let help = "only a step of `sql` or `file` sends rows along".to_owned();
        values.needs("COPY … FROM stdin", "a step", copy.span, help);
        return None;
    }
    Some(statements)
}

/// The one statement of a scalar; `what` calls it.
pub(super) fn split_one(scalar: &Scalar, what: &str, values: &mut Values<'_>) -> Option<SetupStatement> {
    let mut statements = split_sql(scalar.span.source, &scalar.text, Some(scalar), values)?;
    if statements.len() == 1 {
        return statements.pop();
    }
    values.invalid(scalar, what, "one statement", None);
    None
}

/// The same for a step, whose statements may be a `COPY … FROM stdin` with the rows behind it.
pub(super) fn split_step(
    source: SourceId,
    text: &str,
    inline: Option<&Scalar>,
    values: &mut Values<'_>,
) -> Option<Vec<SetupStatement>> {
    let place = |span: Span| inline.map_or(span, |scalar| scalar.place(span.range()));
    let items = match script::parse_sql(source, text, 0, Dialect::Extended) {
        Ok(items) => items,
        Err(errors) => {
            for error in errors {
                let diagnostic = error.diagnostic();
                let moved = inline.map_or(diagnostic.clone(), |scalar| moved(diagnostic, scalar));
                values.fault(Error::Script(Box::new(moved)));
            }
            return None;
        }
    };
    let mut split = Vec::new();
    for item in items {
        let (sql, span, rows) = match item {
            SetupItem::Sql { sql, span } => (sql, span, None),
            SetupItem::Copy { sql, span, data } => (sql, span, Some(Arc::from(&text[data.range()]))),
        };
        let mut statement = String::new();
        for part in sql.parts {
            match part {
                SqlPart::Text(part) => statement.push_str(&part),
                SqlPart::Variable(reference) => put_in(&reference, &mut statement, &place, values),
            }
        }
        split.push(SetupStatement { sql: statement, span: place(span), rows });
    }
    Some(split)
}

/// Puts a variable's value in. Inside quotes and comments a name that no variable has is left alone.
fn put_in(reference: &VariableRef, text: &mut String, place: &dyn Fn(Span) -> Span, values: &mut Values<'_>) {
    let name = &reference.name.text;
    let value = values.var(name).map(show);
    match (value, reference.form) {
        (Some(value), VariableForm::Raw) => text.push_str(&value),
        (Some(value), VariableForm::Literal) => text.push_str(&quote(&value, '\'')),
        (Some(value), VariableForm::Identifier) => text.push_str(&quote(&value, '"')),
        (None, VariableForm::Raw) if reference.place != SqlPlace::Plain => {
            text.push(':');
            text.push_str(name);
        }
        (None, _) => {
            let error = values.undefined(name, place(reference.name.span));
            values.fault(error);
        }
    }
}

fn quote(text: &str, mark: char) -> String {
    let doubled = text.replace(mark, &format!("{mark}{mark}"));
    // as in PQescapeLiteral: with a backslash only the escape form means the same under every setting
    if mark == '\'' && doubled.contains('\\') {
        return format!(" E'{}'", doubled.replace('\\', "\\\\"));
    }
    format!("{mark}{doubled}{mark}")
}

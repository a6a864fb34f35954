//! Feeds: rows of values for scripts.

use std::sync::Arc;

use super::step::SetupStatement;
use crate::eval::Value;
use crate::id::{FeedId, SlotId};
use crate::source::Span;

/// A feed that some script takes rows from.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedPlan {
    /// Its name.
    pub name: String,
    /// Where its rows come from.
    pub source: FeedSource,
    /// Which row comes next.
    pub order: FeedOrder,
    /// Whether the phase ends after the last row; else the first one follows.
    pub stops: bool,
    /// The variables that scripts read and that a column of its may fill: the column's name and the variable.
    pub wanted: Vec<(String, SlotId)>,
    /// Where it was written.
    pub span: Span,
}

/// Where a feed's rows come from.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedSource {
    /// The server is asked before each phase that uses it.
    Query(SetupStatement),
    /// A file, read already.
    Csv(Arc<FeedRows>),
}

/// Which row of a feed comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedOrder {
    /// The one behind the last that any client took.
    #[default]
    Sequential,
    /// Each alike, drawn by the client's own generator.
    Random,
    /// The rows are dealt to the clients like cards: each row goes to one client only.
    PerClient,
}

/// The rows of a feed, as far as scripts read them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FeedRows {
    /// The variable of each column.
    pub slots: Box<[SlotId]>,
    /// The values, row by row.
    pub values: Box<[Value]>,
    /// How many rows.
    pub count: usize,
}

/// A variable that only a feed whose columns the server knows can fill.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedVariable {
    /// Its name.
    pub name: String,
    /// The feeds that may have a column of that name.
    pub feeds: Vec<FeedId>,
    /// Where it is used first.
    pub span: Span,
}

impl FeedRows {
    /// Rows of text with the names of their columns; `None` is null. What no script reads is dropped.
    pub fn new(columns: &[String], rows: &[Vec<Option<String>>], wanted: &[(String, SlotId)]) -> Self {
        let used: Vec<(usize, SlotId)> = columns
            .iter()
            .enumerate()
            .filter_map(|(at, column)| wanted.iter().find(|(name, _)| name == column).map(|(_, slot)| (at, *slot)))
            .collect();
        // a column is of one type, so that a variable keeps the room for its text
        let integers: Vec<bool> = used
            .iter()
            .map(|(at, _)| rows.iter().filter_map(|row| row.get(*at)?.as_deref()).all(|text| integer(text).is_some()))
            .collect();
        let value = |text: Option<&str>, whole: bool| match text {
            None => Value::Null,
            Some(text) => match integer(text).filter(|_| whole) {
                Some(number) => Value::Integer(number),
                None => Value::Text(text.into()),
            },
        };
        let values = rows.iter().flat_map(|row| {
            used.iter().zip(&integers).map(|((at, _), whole)| value(row.get(*at).and_then(Option::as_deref), *whole))
        });
        Self { values: values.collect(), slots: used.iter().map(|(_, slot)| *slot).collect(), count: rows.len() }
    }

    /// The values of a row, in the order of `slots`.
    #[inline]
    pub fn row(&self, number: usize) -> &[Value] {
        &self.values[number * self.slots.len()..][..self.slots.len()]
    }
}

/// A text that is an integer and is written as one would be.
fn integer(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (itoa::Buffer::new().format(number) == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_is_dropped_and_columns_have_one_type() {
        let columns = ["id", "zip", "unread", "note"].map(str::to_owned);
        let row = |texts: [Option<&str>; 4]| texts.map(|text| text.map(str::to_owned)).to_vec();
        let rows = [row([Some("7"), Some("01067"), None, Some("x")]), row([Some("-8"), Some("4"), None, None])];
        let wanted = [("note".to_owned(), SlotId(3)), ("id".to_owned(), SlotId(1)), ("zip".to_owned(), SlotId(2))];
        let rows = FeedRows::new(&columns, &rows, &wanted);
        assert_eq!((&*rows.slots, rows.count), (&[SlotId(1), SlotId(2), SlotId(3)][..], 2));
        assert_eq!(rows.row(0), [Value::Integer(7), Value::Text("01067".into()), Value::Text("x".into())]);
        assert_eq!(rows.row(1), [Value::Integer(-8), Value::Text("4".into()), Value::Null]);
    }
}

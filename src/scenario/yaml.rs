//! YAML text → a tree of spanned nodes. The only file that knows `serde_saphyr`.
//!
//! Deserializing straight into the model's structs would end at the first fault; a tree first, and the model read off
//! it section by section, reports all faults of a document at once.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{DuplicateKeyPolicy, Error as YamlError, MergeKeyPolicy, Spanned, budget, options};

use super::Error;
use super::error::TooMuch;
use super::node::{Node, NodeKind, Scalar};
use crate::source::{SourceId, Span};

/// Levels of nesting; reading recurses, and no scenario is half as deep.
const MOST_LEVELS: usize = 40;

/// A text that is shorter has too many nodes by its aliases only.
const ALIASES_APART: usize = 100_000;

/// Parses one document.
pub(super) fn parse(source: SourceId, text: &str) -> Result<Node, Error> {
    let options = options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::Error,
        reject_unsupported_tags: true,
        strict_booleans: true,
        with_snippet: false,
        budget: budget! { max_depth: MOST_LEVELS },
    };
    let raw: Spanned<Raw> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| syntax_error(source, text, &error))?;
    Ok(Places { source, text }.node(raw))
}

/// A node as serde sees it.
enum Raw {
    /// Nothing was written.
    Null,
    /// A plain scalar that YAML takes for a number or a truth value; its text is looked up in the source.
    Typed(String),
    /// Text.
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Typed(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Typed(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Typed(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Typed(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

/// Turns locations into spans of one source.
struct Places<'a> {
    source: SourceId,
    text: &'a str,
}

impl Places<'_> {
    fn node(&self, raw: Spanned<Raw>) -> Node {
        let span = self.span(raw.referenced);
        let kind = match raw.value {
            Raw::Null => NodeKind::Null,
            Raw::Typed(canonical) => {
                let written = self.text.get(self.span(raw.defined).range()).map(str::trim).filter(|t| !t.is_empty());
                NodeKind::Scalar(self.scalar(written.unwrap_or(&canonical).to_owned(), span))
            }
            Raw::Text(text) if raw.referenced == raw.defined => NodeKind::Scalar(self.scalar(text, span)),
            Raw::Text(text) => NodeKind::Scalar(Scalar { text, span, lines: Vec::new() }),
            Raw::List(items) => NodeKind::List(items.into_iter().map(|item| self.node(item)).collect()),
            Raw::Map(entries) => NodeKind::Map {
                flow: self.text[span.start as usize..].starts_with('{'),
                entries: entries.into_iter().map(|(key, value)| (self.key(key), self.node(value))).collect(),
            },
        };
        let span = match &kind {
            NodeKind::Map { flow: false, entries } => entries.first().map_or(span, |(key, _)| key.span),
            NodeKind::List(items) if !self.text[span.start as usize..].starts_with('[') => {
                items.first().map_or(span, |item| item.span)
            }
            _ => span,
        };
        Node { span, kind }
    }

    fn key(&self, raw: Spanned<Raw>) -> Scalar {
        let node = self.node(raw);
        match node.kind {
            NodeKind::Scalar(scalar) => scalar,
            _ => self.scalar(self.text.get(node.span.range()).unwrap_or("").trim().to_owned(), node.span),
        }
    }

    /// A scalar with the place of each of its lines in the source, as far as the lines stand there as they are.
    fn scalar(&self, text: String, span: Span) -> Scalar {
        let mut lines = Vec::new();
        let (mut from, mut at) = (span.start as usize, 0);
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches('\n');
            let found = self.text.get(from..).and_then(|rest| rest.find(content));
            let Some(found) = found.filter(|n| self.text[from..from + n].bytes().all(is_layout)) else {
                lines.clear();
                break;
            };
            lines.push((at, from + found));
            from += found + content.len();
            at += line.len();
        }
        Scalar { text, span, lines }
    }

    /// A syntax error says its line and column only.
    fn line_column(&self, location: serde_saphyr::Location) -> Span {
        let line = usize::try_from(location.line()).unwrap_or(1).saturating_sub(1);
        let column = usize::try_from(location.column()).unwrap_or(1).saturating_sub(1);
        let start: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
        let before: usize = self.text[start..].chars().take(column).map(char::len_utf8).sum();
        let end = (start + before + 1).min(self.text.len());
        Span::new(self.source, (start + before).min(end)..end)
    }

    /// The place of a tag, where what it stands before is known.
    fn tag(&self, tag: &str, value: Span) -> Span {
        let before = self.text.get(..value.range().start).unwrap_or_default().trim_end();
        let at = before.strip_suffix(tag).map(str::len);
        at.map_or(value, |at| Span::new(self.source, at..before.len()))
    }

    fn span(&self, location: serde_saphyr::Location) -> Span {
        let place = location.span();
        let start = place.byte_offset().map_or(0, |at| usize::try_from(at).unwrap_or(0)).min(self.text.len());
        let length = place.byte_len().map_or(0, |n| usize::try_from(n).unwrap_or(0));
        let end = (start + length).min(self.text.len());
        let trimmed = self.text.get(start..end).map_or(end, |covered| start + covered.trim_end().len());
        Span::new(self.source, start..trimmed.max(start))
    }
}

/// Whether a byte may stand between the lines of a text without being a part of it.
fn is_layout(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'"' || byte == b'\''
}

fn syntax_error(source: SourceId, text: &str, error: &YamlError) -> Error {
    let places = Places { source, text };
    let mut error = error.without_snippet();
    while let YamlError::AliasError { error: inner, .. } = error {
        error = inner;
    }
    let span = error.location().map_or_else(|| Span::new(source, 0..0), |location| places.line_column(location));
    let too_much = |what| Error::TooMuch { what, span };
    let message = match error {
        YamlError::MultipleDocuments { .. } => {
            let span = text.find("\n---").map_or(0..0, |at| at + 1..at + 4);
            return Error::SeveralDocuments { span: Span::new(source, span) };
        }
        YamlError::UnsupportedTag { tag, .. } => return Error::Tag { tag: tag.clone(), span: places.tag(tag, span) },
        YamlError::MergeKeyNotAllowed { .. } => return Error::MergeKey { span },
        YamlError::Budget { breach, .. } => {
            return too_much(match breach {
                BudgetBreach::Depth { .. } => TooMuch::Levels(MOST_LEVELS),
                BudgetBreach::Aliases { .. }
                | BudgetBreach::Anchors { .. }
                | BudgetBreach::AliasAnchorRatio { .. }
                | BudgetBreach::RecordedAnchorEvents { .. }
                | BudgetBreach::RecordedAnchorBytes { .. } => TooMuch::Aliases,
                // aliases repeat what they stand for
                _ if text.len() < ALIASES_APART => TooMuch::Aliases,
                _ => TooMuch::Text,
            });
        }
        YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasExpansionLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. } => return too_much(TooMuch::Aliases),
        YamlError::RecursiveReferencesRequireWeakTypes { .. } => "an alias is a part of what it stands for".to_owned(),
        other => other.to_string(),
    };
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    Error::Syntax { message, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar_of(text: &str, key: &str) -> Scalar {
        parse(SourceId(0), text).unwrap().get(key).and_then(Node::as_scalar).cloned().unwrap()
    }

    #[test]
    fn a_number_keeps_the_digits_that_were_written() {
        let text = "ä: ö\nb: 1.10 # one\n";
        let b = scalar_of(text, "b");
        assert_eq!((b.text.as_str(), &text[b.span.range()]), ("1.10", "1.10"));
    }

    #[test]
    fn a_place_in_a_block_is_found_in_the_source() {
        let text = "sql: |\n    select 1;\n      select ä, x;\n";
        let sql = scalar_of(text, "sql");
        let x = sql.text.rfind('x').unwrap();
        let place = sql.place(x..x + 1);
        assert_eq!(&text[place.range()], "x");
        assert_eq!(place.range().start, text.rfind('x').unwrap());
    }

    #[test]
    fn a_folded_text_has_no_places_inside() {
        let sql = scalar_of("sql: >\n  select 1,\n  2\nx: select 1, 2\n", "sql");
        assert_eq!(sql.text, "select 1, 2\n");
        assert_eq!(sql.place(3..4), sql.span);
    }

    #[test]
    fn a_syntax_error_has_a_place() {
        let Err(Error::Syntax { message, span }) = parse(SourceId(0), "a: 1\n b: 2\n") else { panic!("no error") };
        assert_eq!(message, "mapping values are not allowed in this context");
        assert_eq!(span.start, 7);
    }
}

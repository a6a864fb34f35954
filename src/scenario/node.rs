//! A YAML document as a tree with spans.

use std::ops::Range;

use crate::source::Span;

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it was written.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind,
}

/// The kinds of value.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A key without a value.
    Null,
    /// A number, a truth value or text, as written.
    Scalar(Scalar),
    /// `- a`, `[a, b]`
    List(Vec<Node>),
    /// `a: b`, `{a: b}`
    Map {
        /// Keys with values, in order; a key may stand there twice.
        entries: Vec<(Scalar, Node)>,
        /// Whether it was written in braces.
        flow: bool,
    },
}

/// A text with its place: what a user wrote where a number, a name, a duration, an expression or SQL stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text, without quotes and indentation.
    pub text: String,
    /// Where it was written, quotes included.
    pub span: Span,
    /// Where each line of `text` begins, there and in the source; empty where YAML folded or unescaped it.
    pub lines: Vec<(usize, usize)>,
}

impl Scalar {
    /// The place of a part of the text in the source; the whole scalar's where the two can't be lined up.
    pub fn place(&self, part: Range<usize>) -> Span {
        match (self.offset(part.start), self.offset(part.end)) {
            (Some(start), Some(end)) => Span::new(self.span.source, start..end.max(start)),
            _ => self.span,
        }
    }

    fn offset(&self, at: usize) -> Option<usize> {
        let (line, start) = self.lines.iter().rev().find(|(line, _)| *line <= at)?;
        Some(start + (at - line))
    }
}

impl Node {
    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        if let NodeKind::Scalar(scalar) = &self.kind { Some(scalar) } else { None }
    }

    /// The entries, if it is a map.
    pub fn entries(&self) -> &[(Scalar, Node)] {
        if let NodeKind::Map { entries, .. } = &self.kind { entries } else { &[] }
    }

    /// The items, if it is a list.
    pub fn items(&self) -> &[Node] {
        if let NodeKind::List(items) = &self.kind { items } else { &[] }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(k, _)| k.text == key).map(|(_, value)| value)
    }

    /// What a user would call it.
    pub fn what(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "nothing",
            NodeKind::Scalar(_) => "a single value",
            NodeKind::List(_) => "a list",
            NodeKind::Map { .. } => "a map of keys",
        }
    }
}

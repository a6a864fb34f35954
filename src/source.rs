//! Source texts and places in them.
//!
//! A [`Span`] is small and `Copy`, so every AST node and every op of the IR carries one; the text that it points
//! into lives in one [`SourceMap`], which only the command line looks into.

use std::ops::Range;

/// Which source of a [`SourceMap`] a span points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceId(pub u32);

/// A range of bytes in one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The source that the range lies in.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `range` in `source`. Offsets beyond 4 GiB are clamped.
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { source, start: clamp(range.start), end: clamp(range.end) }
    }

    /// The bytes that the span covers.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that covers both; `other` must lie in the same source.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One text with the name that people know it by.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path as the user gave it, or a description such as `<builtin: TPC-B (sort of)>`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// All texts of one invocation, in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// What people know the texts by, in the order in which they were read.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.name.as_str())
    }

    /// Takes in one more text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.sources.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// The source behind an id, if it is one of this map.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// The text that a span covers; empty where the span is of another map.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.source).and_then(|s| s.text.get(span.range())).unwrap_or("")
    }

    /// Line and column of a span's first byte, both counted from 1, the column in characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(before) = self.get(span.source).and_then(|s| s.text.get(..span.start as usize)) else {
            return (1, 1);
        };
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

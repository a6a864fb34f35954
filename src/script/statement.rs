//! The text of one SQL command while it is put together, and its cutting at the variables.

use std::ops::Range;

use super::ast::{Name, Sql, SqlPart, SqlPlace, VariableForm, VariableRef};
use super::piece::Bytes;
use crate::source::{SourceId, Span};

/// A source text, or the part of one that starts at byte `offset`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) source: SourceId,
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

impl Input<'_> {
    pub(super) fn span(&self, bytes: Bytes) -> Span {
        Span::new(self.source, self.offset + bytes.start..self.offset + bytes.end)
    }
}

/// A SQL command in the making.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    input: Input<'a>,
    text: String,
    /// Where each stretch of `text` comes from: (place in `text`, place in the input), both ascending.
    origins: Vec<(usize, usize)>,
    /// The stretches of `text` that are not plain SQL, ascending.
    places: Vec<(Range<usize>, SqlPlace)>,
    /// `:'x'` and `:"x"`, ascending: the place in `text`, the name, the form.
    quoted: Vec<(Range<usize>, Bytes, VariableForm)>,
    /// The places in `text` of colons that were written `\:`, ascending.
    escaped_colons: Vec<usize>,
    end: usize,
}

impl<'a> Statement<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self {
            input,
            text: String::new(),
            origins: Vec::new(),
            places: Vec::new(),
            quoted: Vec::new(),
            escaped_colons: Vec::new(),
            end: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds a piece as it stands.
    pub(super) fn push(&mut self, bytes: Bytes, place: SqlPlace) {
        let start = self.text.len();
        self.push_as(&self.input.text[bytes.clone()], bytes);
        if place != SqlPlace::Plain {
            self.places.push((start..self.text.len(), place));
        }
    }

    /// Adds `text` in the place of a piece.
    pub(super) fn push_as(&mut self, text: &str, bytes: Bytes) {
        self.origins.push((self.text.len(), bytes.start));
        self.text.push_str(text);
        if !text.trim_end().is_empty() {
            self.end = bytes.start + self.input.text[bytes].trim_end().len();
        }
    }

    /// Adds `\:`, a colon that begins nothing.
    pub(super) fn push_escaped_colon(&mut self, bytes: Bytes) {
        self.escaped_colons.push(self.text.len());
        self.push_as(":", bytes);
    }

    /// Adds a reference whose value is to be quoted.
    pub(super) fn push_quoted(&mut self, bytes: Bytes, name: Bytes, form: VariableForm) {
        let start = self.text.len();
        self.push(bytes, SqlPlace::Plain);
        self.quoted.push((start..self.text.len(), name, form));
    }

    /// The finished command with its span and its first line, and an empty one to go on with; `None` if there is no
    /// text yet.
    pub(super) fn take(&mut self) -> Option<(Sql, Span, String)> {
        let done = std::mem::replace(self, Self::new(self.input));
        let &(_, start) = done.origins.first()?;
        let span = done.input.span(start..done.end);
        let (parts, display) = (done.parts(), first_line(&done.text));
        Some((Sql { parts, escaped_colons: done.escaped_colons, store: None }, span, display))
    }

    fn parts(&self) -> Vec<SqlPart> {
        let mut parts = Vec::new();
        let mut from = 0;
        for (range, name, form) in &self.quoted {
            self.split_raw(from..range.start, &mut parts);
            let name = Name { text: self.input.text[name.clone()].to_owned(), span: self.span(range.clone()) };
            parts.push(SqlPart::Variable(VariableRef { name, place: SqlPlace::Plain, form: *form }));
            from = range.end;
        }
        self.split_raw(from..self.text.len(), &mut parts);
        parts
    }

    /// Cuts at every `:name`, in quotes and comments too. Where no name can start, all colons that follow are passed
    /// over, so `::type` is never a reference.
    fn split_raw(&self, range: Range<usize>, parts: &mut Vec<SqlPart>) {
        let text = &self.text[..range.end];
        let mut written = range.start;
        let mut at = range.start;
        while let Some(colon) = memchr::memchr(b':', &text.as_bytes()[at..]).map(|found| at + found) {
            let name = &text[colon + 1..][..name_length(&text[colon + 1..])];
            if name.is_empty() {
                at = colon + text[colon..].bytes().take_while(|byte| *byte == b':').count();
                continue;
            }
            at = colon + 1 + name.len();
            if written < colon {
                parts.push(SqlPart::Text(text[written..colon].to_owned()));
            }
            written = at;
            let name = Name { text: name.to_owned(), span: self.span(colon..at) };
            parts.push(SqlPart::Variable(VariableRef { name, place: self.place(colon), form: VariableForm::Raw }));
        }
        if written < range.end {
            parts.push(SqlPart::Text(text[written..].to_owned()));
        }
    }

    fn place(&self, at: usize) -> SqlPlace {
        let index = self.places.partition_point(|(range, _)| range.end <= at);
        self.places.get(index).filter(|(range, _)| range.contains(&at)).map_or(SqlPlace::Plain, |(_, place)| *place)
    }

    fn span(&self, range: Range<usize>) -> Span {
        let start = self.origin(range.start);
        self.input.span(start..self.origin(range.end - 1).max(start) + 1)
    }

    fn origin(&self, at: usize) -> usize {
        let index = self.origins.partition_point(|(text, _)| *text <= at).saturating_sub(1);
        self.origins.get(index).map_or(0, |(text, source)| source + (at - text))
    }
}

/// How many bytes of `text` a variable's name takes: a letter, `_` or a byte from 0x80 on first, digits later.
pub(super) fn name_length(text: &str) -> usize {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80;
    match text.bytes().next() {
        Some(first) if letter(first) => text.bytes().take_while(|byte| letter(*byte) || byte.is_ascii_digit()).count(),
        _ => 0,
    }
}

/// How pgbench shows a SQL command: up to its first line end, at most 127 bytes.
fn first_line(text: &str) -> String {
    let line = text.split(['\n', '\r']).next().unwrap_or("");
    let mut end = line.len().min(127);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}

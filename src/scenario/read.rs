//! Reading the model off the tree: every fault is kept, and reading goes on with the next value.

use super::Error;
use super::form::form;
use super::node::{Node, NodeKind, Scalar};
use super::quantity::Quantity;
use super::shape::{Asked, Sections, Shape};
use super::synonyms::{self, Meant};
use crate::name::is_name;
use crate::source::Span;
use crate::suggest::nearest;

/// A part of the model that can be read off a node.
pub(super) trait Read: Sized {
    /// Reads it; `None` where a fault was noted that leaves nothing to go on with.
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self>;

    /// What it may be, for editors.
    fn shape(sections: &mut Sections) -> Shape;
}

/// What is found while reading: faults, or the keys that a section asks for where no document is read.
#[derive(Debug, Default)]
pub(super) struct Faults {
    errors: Vec<Error>,
    asked: Option<Vec<Asked>>,
}

impl Faults {
    /// Keeps the keys that are asked for.
    pub(super) fn asking() -> Self {
        Self { errors: Vec::new(), asked: Some(Vec::new()) }
    }

    /// The keys that were asked for.
    pub(super) fn asked(self) -> Vec<Asked> {
        self.asked.unwrap_or_default()
    }

    /// The faults.
    pub(super) fn errors(self) -> Vec<Error> {
        self.errors
    }

    /// Whether a fault was noted.
    pub(super) fn has(&self, error: &Error) -> bool {
        self.errors.contains(error)
    }

    /// Notes a fault.
    pub(super) fn push(&mut self, error: Error) {
        self.errors.push(error);
    }
}

impl Read for Node {
    fn read(node: &Node, _: &str, _: &mut Faults) -> Option<Self> {
        Some(node.clone())
    }

    fn shape(_: &mut Sections) -> Shape {
        Shape::Any
    }
}

impl Read for Scalar {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        if let NodeKind::Scalar(scalar) = &node.kind {
            return Some(scalar.clone());
        }
        errors.push(wrong_type(node, what, "a single value"));
        None
    }

    fn shape(_: &mut Sections) -> Shape {
        Shape::Value
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        let NodeKind::List(items) = &node.kind else {
            errors.push(wrong_type(node, what, "a list"));
            return None;
        };
        Some(items.iter().filter_map(|item| T::read(item, what, errors)).collect())
    }

    fn shape(sections: &mut Sections) -> Shape {
        Shape::List(Box::new(T::shape(sections)))
    }
}

/// Values under names of the author's choosing, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(pub Vec<(Scalar, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// The value under a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key.text == name).map(|(_, value)| value)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.text.as_str())
    }
}

impl<T: Read> Read for Named<T> {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        let NodeKind::Map { entries, flow } = &node.kind else {
            errors.push(wrong_type(node, what, "a map of names"));
            return None;
        };
        note_duplicates(entries, errors);
        note_cut_sql(entries, *flow, errors);
        let read =
            |(key, value): &(Scalar, Node)| Some((key.clone(), T::read(value, &format!("`{}`", key.text), errors)?));
        Some(Self(entries.iter().filter_map(read).collect()))
    }

    fn shape(sections: &mut Sections) -> Shape {
        Shape::Map(Box::new(T::shape(sections)))
    }
}

/// The keys of a map: each is asked for by name, and what nobody asked for is unknown.
pub(super) struct Fields<'n, 'e> {
    section: &'static str,
    span: Span,
    flow: bool,
    entries: &'n [(Scalar, Node)],
    known: Vec<Asked>,
    errors: &'e mut Faults,
    noted: usize,
}

impl<'n, 'e> Fields<'n, 'e> {
    /// Opens a map that people know as `section`.
    pub(super) fn open(node: &'n Node, section: &'static str, errors: &'e mut Faults) -> Option<Self> {
        let NodeKind::Map { entries, flow } = &node.kind else {
            errors.push(wrong_type(node, section, "a map of keys"));
            return None;
        };
        let noted = errors.errors.len();
        note_duplicates(entries, errors);
        Some(Self { section, span: node.span, flow: *flow, entries, known: Vec::new(), errors, noted })
    }

    /// The value of a key.
    pub(super) fn get<T: Read>(&mut self, key: &'static str) -> Option<T> {
        self.ask(Asked { name: key, needed: false, shape: T::shape, only: None })
    }

    /// The value of a key that takes less than its type says.
    pub(super) fn get_only<T: Read>(&mut self, key: &'static str, only: Shape) -> Option<T> {
        self.ask(Asked { name: key, needed: false, shape: T::shape, only: Some(only) })
    }

    /// A number, a duration or the like; what an expression comes to is found out later.
    pub(super) fn quantity(&mut self, key: &'static str, quantity: Quantity) -> Option<Scalar> {
        self.get_only(key, Shape::Quantity(quantity))
    }

    /// The value of a key, or its default.
    pub(super) fn or_default<T: Read + Default>(&mut self, key: &'static str) -> T {
        self.get(key).unwrap_or_default()
    }

    /// The value of a key that has to be there.
    pub(super) fn need<T: Read>(&mut self, key: &'static str, help: &'static str) -> Option<T> {
        self.note_missing(key, help);
        self.ask(Asked { name: key, needed: true, shape: T::shape, only: None })
    }

    /// A quantity that has to be there.
    pub(super) fn need_quantity(
        &mut self,
        key: &'static str,
        quantity: Quantity,
        help: &'static str,
    ) -> Option<Scalar> {
        self.note_missing(key, help);
        self.ask(Asked { name: key, needed: true, shape: Scalar::shape, only: Some(Shape::Quantity(quantity)) })
    }

    /// Notes it where a key is not there.
    pub(super) fn note_missing(&mut self, key: &'static str, help: &'static str) {
        if !self.entries.iter().any(|(k, _)| k.text == key) {
            self.errors.push(Error::MissingKey { key, section: self.section, span: self.span, help });
        }
    }

    /// One of a few words. An expression such as `:name` passes: it is resolved later.
    pub(super) fn choice(&mut self, key: &'static str, words: &'static [&'static str]) -> Option<Scalar> {
        let scalar: Scalar = self.get_only(key, Shape::Choice(words))?;
        if words.contains(&scalar.text.as_str()) || scalar.text.contains(':') {
            return Some(scalar);
        }
        let near = nearest(&scalar.text, words.iter().copied()).map(str::to_owned);
        let (text, span) = (scalar.text, scalar.span);
        self.errors.push(Error::InvalidChoice { text, key, span, known: words.to_vec(), nearest: near });
        None
    }

    /// A name: a-z, 0-9, _.
    pub(super) fn name(&mut self, key: &'static str) -> Option<Scalar> {
        let scalar: Scalar = self.get_only(key, Shape::Name)?;
        note_invalid_name(&scalar, self.errors);
        Some(scalar)
    }

    fn ask<T: Read>(&mut self, asked: Asked) -> Option<T> {
        let name = asked.name;
        self.known.push(asked);
        let (_, node) = self.entries.iter().find(|(k, _)| k.text == name)?;
        T::read(node, &format!("`{name}`"), self.errors)
    }

    /// Where a key stands.
    pub(super) fn key_span(&self, key: &str) -> Option<Span> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(k, _)| k.span)
    }

    /// Notes every key that nobody asked for. True where any fault was found since the map was opened: a key that is
    /// missing then may be one that was misspelt.
    pub(super) fn close(self) -> bool {
        if let Some(asked) = &mut self.errors.asked {
            *asked = self.known;
            return false;
        }
        let is_known = |key: &Scalar| self.known.iter().any(|known| known.name == key.text);
        let sql = self.entries.iter().find(|(k, v)| is_known(k) && holds_sql(&k.text) && v.as_scalar().is_some());
        for (key, value) in self.entries.iter().filter(|(key, _)| !is_known(key)) {
            let cut = sql.filter(|_| self.flow && value.kind == NodeKind::Null);
            self.errors.push(match cut {
                Some((_, sql)) => Error::CutSql { sql: sql.span, rest: key.span },
                None => self.unknown(key),
            });
            if cut.is_some() {
                break;
            }
        }
        self.errors.errors.len() > self.noted
    }

    fn unknown(&self, key: &Scalar) -> Error {
        let near = || nearest(&key.text, self.known.iter().map(|known| known.name));
        let (nearest, hint) = match synonyms::meant(self.section, &key.text) {
            Some(Meant::Key(name)) => (Some(name), None),
            Some(Meant::Way(way)) => (None, Some(way)),
            None => match near() {
                None => (None, synonyms::elsewhere(self.section)),
                near => (near, None),
            },
        };
        Error::UnknownKey {
            key: key.text.clone(),
            section: self.section,
            span: key.span,
            nearest: nearest.map(str::to_owned),
            hint,
            known: self.known.iter().map(|known| known.name).collect(),
        }
    }
}

/// Whether a key takes SQL.
fn holds_sql(key: &str) -> bool {
    matches!(key, "sql" | "query" | "until")
}

/// A map of names in braces may also have eaten the second half of SQL: `{day: {sql: a, b}}` ends in `b`.
fn note_cut_sql(entries: &[(Scalar, Node)], flow: bool, errors: &mut Faults) {
    let sql = entries.iter().find(|(key, value)| flow && holds_sql(&key.text) && value.as_scalar().is_some());
    if let Some((_, sql)) = sql
        && let Some((rest, _)) = entries.iter().find(|(_, value)| value.kind == NodeKind::Null)
    {
        errors.push(Error::CutSql { sql: sql.span, rest: rest.span });
    }
}

fn note_duplicates(entries: &[(Scalar, Node)], errors: &mut Faults) {
    for (at, (key, _)) in entries.iter().enumerate() {
        if let Some((first, _)) = entries[..at].iter().find(|(earlier, _)| earlier.text == key.text) {
            errors.push(Error::DuplicateKey { key: key.text.clone(), span: key.span, first: first.span });
        }
    }
}

/// Notes a name that is none.
pub(super) fn note_invalid_name(name: &Scalar, errors: &mut Faults) {
    let begins = name.text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if !begins || !name.text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        let help = "names are made of a-z, 0-9 and _, and begin with a letter or _";
        errors.push(Error::InvalidName { text: name.text.clone(), span: name.span, help });
    }
}

/// Notes every name of a map that is none.
pub(super) fn note_invalid_names<T>(names: &Named<T>, errors: &mut Faults) {
    names.0.iter().for_each(|(name, _)| note_invalid_name(name, errors));
}

/// Notes every name that no variable of a script can have.
pub(super) fn note_invalid_variables<T>(names: &Named<T>, errors: &mut Faults) {
    for (name, _) in names.0.iter().filter(|(name, _)| !is_name(name.text.bytes())) {
        let help = "variables are named by letters, digits and _, and don't begin with a digit";
        errors.push(Error::InvalidName { text: name.text.clone(), span: name.span, help });
    }
}

pub(super) fn wrong_type(node: &Node, section: &str, expected: &'static str) -> Error {
    let form = form(section, node);
    Error::WrongType { section: section.to_owned(), expected, found: node.what(), span: node.span, form }
}

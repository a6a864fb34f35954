//! What may stand where: the readers, asked for the keys that they know instead of for a document.

use super::node::{Node, NodeKind};
use super::quantity::Quantity;
use super::read::{Faults, Read};
use crate::source::Span;

/// What a value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Anything.
    Any,
    /// A single value: text, a number, a truth value or an expression.
    Value,
    /// A number, a duration or the like, or an expression that gives one.
    Quantity(Quantity),
    /// A name of a-z, 0-9 and _.
    Name,
    /// This number.
    Number(u32),
    /// One of these words, or an expression that gives one.
    Choice(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these.
    List(Box<Shape>),
    /// These under names of the author's choosing.
    Map(Box<Shape>),
    /// The keys of a section.
    Section(&'static str),
    /// One of these.
    Either(Vec<Shape>),
    /// A step where it has one of these keys, else a phase.
    PhaseItem(&'static [&'static str]),
    /// Any part of this section.
    Part(&'static str),
}

impl Shape {
    /// The same, or a single value instead.
    pub(super) fn or_value(self) -> Self {
        Self::Either(vec![Self::Value, self])
    }

    /// The same, or such a quantity instead.
    pub(super) fn or_quantity(self, quantity: Quantity) -> Self {
        Self::Either(vec![Self::Quantity(quantity), self])
    }
}

/// What a reader asks for.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// The key.
    pub(super) name: &'static str,
    /// Whether it has to be there.
    pub(super) needed: bool,
    /// What its value may be.
    pub(super) shape: fn(&mut Sections) -> Shape,
    /// What alone it may be, where that is less than its type says.
    pub(super) only: Option<Shape>,
}

/// A key of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// The key.
    pub(super) name: &'static str,
    /// Whether it has to be there.
    pub(super) needed: bool,
    /// What its value may be.
    pub(super) shape: Shape,
}

/// The sections of the language with their keys, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Sections(Vec<(&'static str, Vec<Key>)>);

impl Sections {
    /// The section that `T` reads, with all that it leads to.
    pub(super) fn section<T: Read>(&mut self, name: &'static str) -> Shape {
        if self.keys(name).is_none() {
            let at = self.0.len();
            // a column's members are columns again
            self.0.push((name, Vec::new()));
            let keys = asked_for::<T>().into_iter().map(|key| self.resolve(key)).collect();
            self.0[at].1 = keys;
        }
        Shape::Section(name)
    }

    fn resolve(&mut self, key: Asked) -> Key {
        let shape = key.only.unwrap_or_else(|| (key.shape)(self));
        Key { name: key.name, needed: key.needed, shape }
    }

    /// The keys of a section.
    pub(super) fn keys(&self, name: &str) -> Option<&[Key]> {
        self.0.iter().find(|(section, _)| *section == name).map(|(_, keys)| &keys[..])
    }

    /// The sections with their keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &[Key])> {
        self.0.iter().map(|(section, keys)| (*section, &keys[..]))
    }
}

/// The keys that a reader asks an empty map for.
fn asked_for<T: Read>() -> Vec<Asked> {
    let empty = NodeKind::Map { entries: Vec::new(), flow: true };
    let mut faults = Faults::asking();
    T::read(&Node { span: Span::default(), kind: empty }, "", &mut faults);
    faults.asked()
}

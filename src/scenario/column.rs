//! Columns of a `fill`.

use super::node::{Node, NodeKind, Scalar};
use super::quantity::{NOT_NEGATIVE, NUMBER, Quantity};
use super::read::{Faults, Fields, Named, Read};
use super::shape::{Sections, Shape};
use crate::source::Span;

/// A column: a word such as `series`, or optional keys of which one says what makes its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSpec {
    /// Where it was written.
    pub span: Span,
    /// Whether faults were found in it; a key that is missing then may be one that was misspelt.
    pub faulty: bool,
    /// `series` or `uuid`.
    pub word: Option<Scalar>,
    /// The generators that it names, each with its key; one is meant to.
    pub generators: Vec<(&'static str, Span, Node)>,
    /// Options that go with some generators, each with its key.
    pub options: Vec<(&'static str, Scalar)>,
    /// The members of a `json`.
    pub members: Named<ColumnSpec>,
}

/// The keys that say what makes the values.
pub const GENERATORS: [&str; 11] = [
    "uniform",
    "choice",
    "sql",
    "references",
    "words",
    "pattern",
    "normal",
    "exponential",
    "zipfian",
    "permute",
    "json",
];

/// What makes values and takes no keys.
const WORDS: [&str; 2] = ["series", "uuid"];

/// The keys that go with some of them, and with which; with all: none is named.
pub const OPTIONS: [(&str, &[&str]); 7] = [
    ("min", &["normal", "exponential"]),
    ("max", &["normal", "exponential"]),
    ("round", &["uniform", "normal", "exponential"]),
    ("skew", &["references"]),
    ("as", &["references"]),
    ("unique", &["pattern"]),
    ("null_frac", &[]),
];

/// What the single value of a generator or an option may be.
fn taken(key: &str) -> Shape {
    match key {
        "uniform" | "permute" => Shape::Quantity(Quantity::Range),
        "words" => Shape::Quantity(Quantity::Counts(0)),
        "references" => Shape::Quantity(Quantity::Column),
        "min" | "max" => Shape::Quantity(NUMBER),
        "round" => Shape::Quantity(Quantity::Whole(0)),
        "skew" => Shape::Quantity(NOT_NEGATIVE),
        "null_frac" => Shape::Quantity(Quantity::Number(Some(0), Some(1))),
        "unique" => Shape::Choice(&["true", "false"]),
        _ => Shape::Value,
    }
}

impl ColumnSpec {
    /// The value of an option.
    pub fn option(&self, key: &str) -> Option<&Scalar> {
        self.options.iter().find(|(k, _)| *k == key).map(|(_, value)| value)
    }
}

impl Read for ColumnSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut spec = Self {
            span: node.span,
            faulty: false,
            word: None,
            generators: Vec::new(),
            options: Vec::new(),
            members: Named::default(),
        };
        if let NodeKind::Scalar(word) = &node.kind {
            spec.word = Some(word.clone());
            return Some(spec);
        }
        let mut fields = Fields::open(node, "a column", errors)?;
        for key in GENERATORS {
            let span = fields.key_span(key).unwrap_or(node.span);
            let value = match key {
                "normal" => fields.get::<Normal>(key).map(|Normal(value)| value),
                "exponential" => fields.get::<Exponential>(key).map(|Exponential(value)| value),
                "zipfian" => fields.get::<Zipfian>(key).map(|Zipfian(value)| value),
                "json" => fields.get::<Json>(key).map(|Json(value, members)| {
                    spec.members = members;
                    value
                }),
                "choice" => fields.get::<Choice>(key).map(|Choice(value)| value),
                _ => fields
                    .get_only::<Scalar>(key, taken(key))
                    .map(|scalar| Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }),
            };
            spec.generators.extend(value.map(|value| (key, span, value)));
        }
        for (key, _) in OPTIONS {
            spec.options.extend(fields.get_only(key, taken(key)).map(|value| (key, value)));
        }
        spec.faulty = fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        Shape::Either(vec![Shape::Word(&WORDS), sections.section::<Self>("a column")])
    }
}

/// Declares a generator whose keys are checked and whose node is kept.
macro_rules! checked {
    ($name:ident, $section:literal, $($key:literal: $quantity:expr),+) => {
        struct $name(Node);

        impl Read for $name {
            fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
                let mut fields = Fields::open(node, $section, errors)?;
                $(fields.need_quantity($key, $quantity, concat!("`", $key, "` has no default"));)+
                fields.close();
                Some(Self(node.clone()))
            }

            fn shape(sections: &mut Sections) -> Shape {
                sections.section::<Self>($section)
            }
        }
    };
}

checked!(Normal, "`normal`", "mean": NUMBER, "stddev": NOT_NEGATIVE);
checked!(Exponential, "`exponential`", "mean": NOT_NEGATIVE);
checked!(Zipfian, "`zipfian`", "range": Quantity::Range, "s": NOT_NEGATIVE);

/// Members of a JSON object, each made like a column.
struct Json(Node, Named<ColumnSpec>);

impl Read for Json {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        let members = Read::read(node, what, errors)?;
        Some(Self(node.clone(), members))
    }

    fn shape(sections: &mut Sections) -> Shape {
        Named::<ColumnSpec>::shape(sections)
    }
}

/// Values alike (a list), or with weights (a map).
struct Choice(Node);

impl Read for Choice {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        if matches!(node.kind, NodeKind::List(_)) {
            let _: Vec<Scalar> = Read::read(node, what, errors)?;
        } else {
            let _: Named<Scalar> = Read::read(node, what, errors)?;
        }
        Some(Self(node.clone()))
    }

    fn shape(sections: &mut Sections) -> Shape {
        let weight = Shape::Quantity(NOT_NEGATIVE);
        Shape::Either(vec![Vec::<Scalar>::shape(sections), Shape::Map(Box::new(weight))])
    }
}

//! How numbers, durations and rates are written, for editors.
//!
//! A pattern marks what `check` refuses whatever the variables hold, `5m` and `ten` for two. What an expression comes to it
//! does not know, so that all that `check` takes matches.

use serde_json::{Value, json};

/// What a single value says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A number within bounds, as far as it has some.
    Number(Option<u32>, Option<u32>),
    /// A whole number, not below this.
    Whole(u32),
    /// A whole number, not below this, or a range.
    Counts(u32),
    /// A range of numbers, days or moments.
    Range,
    /// A duration; 0 has no unit.
    Duration,
    /// A duration in which something can happen.
    Period,
    /// A range of durations.
    Durations,
    /// Starts a second, or a range of them.
    Rates,
    /// A column of a table.
    Column,
}

/// Any number.
pub(super) const NUMBER: Quantity = Quantity::Number(None, None);

/// A number that is no less than 0.
pub(super) const NOT_NEGATIVE: Quantity = Quantity::Number(Some(0), None);

/// A text without `..`.
const TEXT: &str = r"(?:(?!\.\.)[\s\S])*";

/// The beginning of a variable's name.
const NAME: &str = r":[A-Za-z_\u0080-\uffff]";

/// A number as digits.
const DIGITS: &str = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?";

/// An operator or a function with something behind it.
const OPERATION: &str = r"[-+*/%&|#<>=~(]\s*[\w(:.)'-]";

const UNIT: &str = "(?:us|ms|s|min|h|d)";

impl Quantity {
    /// Each kind, whatever its bounds.
    pub(super) const KINDS: [Self; 9] = [
        NUMBER,
        Self::Whole(0),
        Self::Counts(0),
        Self::Range,
        Self::Duration,
        Self::Period,
        Self::Durations,
        Self::Rates,
        Self::Column,
    ];

    /// The name of its definition.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Number(..) => "number",
            Self::Whole(_) => "whole_number",
            Self::Counts(_) => "whole_number_or_range",
            Self::Range => "range",
            Self::Duration => "duration",
            Self::Period => "duration_above_0",
            Self::Durations => "range_of_durations",
            Self::Rates => "rate_or_range",
            Self::Column => "column_of_table",
        }
    }

    /// Its definition, without bounds.
    pub(super) fn definition(self) -> Value {
        let number = || format!(r"\s*(?:{DIGITS}|{TEXT}(?:{NAME}|{OPERATION}|\bcase\s){TEXT})\s*");
        let named = format!(r"{TEXT}{NAME}[\w\u0080-\uffff]*");
        // what stands before the unit does not end in a letter
        let duration = || format!(r"\s*(?:0|{TEXT}(?:[0-9(]|{NAME})(?:{TEXT}[^A-Za-zµ])?{UNIT}|{named})\s*");
        let rate = || format!(r"\s*(?:{TEXT}[^\s/]\s*/\s*{UNIT}|{named})\s*");
        let range = |end: String| format!(r"{end}\.\.{end}");
        let or_range = |end: String| format!(r"{end}(?:\.\.{end})?");
        let (pattern, expected) = match self {
            Self::Number(..) => (number(), "a number or an expression, such as `0.5 * :x`"),
            Self::Whole(_) => (number(), "a whole number or an expression, such as `50 * :tenants`"),
            Self::Counts(_) => (or_range(number()), "a whole number or an expression, or a range, such as `10..200`"),
            Self::Range => (range(number()), "a range, such as `1..100`"),
            Self::Duration => (duration(), "a duration has a unit: us, ms, s, min, h or d"),
            Self::Period => {
                let pattern = format!(r"(?!\s*0*\.?0*\s*{UNIT}?\s*$){}", duration());
                (pattern, "a duration above 0 with its unit: us, ms, s, min, h or d")
            }
            Self::Durations => (range(duration()), "a range of durations, such as `1s..3s`"),
            Self::Rates => (or_range(rate()), "a rate, such as `200/s` or `100/min`, or a range of them"),
            Self::Column => {
                (format!(r"[\s\S]*(?:\S\.\S|{NAME})[\s\S]*"), "a column of a table, such as `customers.id`")
            }
        };
        let kinds = match self {
            Self::Number(..) => json!(["number", "string"]),
            Self::Whole(_) | Self::Counts(_) | Self::Duration => json!(["integer", "string"]),
            _ => json!("string"),
        };
        let mut definition = json!({
            "type": kinds,
            "pattern": format!("^(?:{pattern})$"),
            // what editors say in place of the pattern
            "patternErrorMessage": expected,
        });
        if self == Self::Duration {
            definition["maximum"] = 0.into();
            definition["minimum"] = 0.into();
        }
        definition
    }

    /// The keywords that bound it, where it is written as a number.
    pub(super) fn bounds(self) -> impl Iterator<Item = (&'static str, Value)> {
        let (low, high) = match self {
            Self::Number(low, high) => (low, high),
            Self::Whole(low) | Self::Counts(low) => (Some(low), None),
            _ => (None, None),
        };
        [("minimum", low), ("maximum", high)].into_iter().filter_map(|(key, bound)| Some((key, bound?.into())))
    }
}

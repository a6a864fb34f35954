//! Columns of a `fill`.

use super::ScenarioError;
use super::quantity::split_range;
use super::scenario_error::Kind;
use super::values::{Values, show};
use crate::eval::Value;
use crate::plan::step::ColumnPlan;
use crate::scenario::{ColumnSpec, GENERATORS, Named, Node, NodeKind, Scalar};

/// Digits after the point that a double has at the most.
const MOST_DIGITS: u32 = 15;

/// Compiles all columns; `None` where one has faults or can't be made yet, which is noted.
pub(super) fn compile_columns(
    columns: &Named<ColumnSpec>,
    values: &mut Values<'_>,
) -> Option<Vec<(String, ColumnPlan)>> {
    let compiled: Vec<Option<(String, ColumnPlan)>> =
        columns.0.iter().map(|(name, spec)| Some((name.text.clone(), compile_column(name, spec, values)?))).collect();
    compiled.into_iter().collect()
}

fn compile_column(name: &Scalar, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
    if let Some(word) = &spec.word {
        return compile_word(word, values);
    }
    let (key, node) = match &spec.generators[..] {
        [(key, _, node)] => (*key, node),
        [] if spec.faulty => return None,
        [] => {
            let help = format!("one of {}, or the word `series`", GENERATORS.map(|key| format!("`{key}`")).join(", "));
            let what = format!("nothing says what makes the values of `{}`", name.text);
            values.fault(ScenarioError::Missing { what, span: spec.span, help });
            return None;
        }
        [(first, at, _), (second, other, _), ..] => {
            let help = "a column's values are made in one way".to_owned();
            values.contradiction((first, *at), (second, *other), help);
            return None;
        }
    };
    check_options(key, spec, values)?;
    match (key, &node.kind) {
        ("uniform", NodeKind::Scalar(range)) => compile_uniform(range, spec, values),
        ("choice", _) => compile_choice(node, values),
        ("sql", NodeKind::Scalar(sql)) => compile_expression(sql, values),
        _ => {
            values.later(&format!("`{key}`"), node.span);
            None
        }
    }
}

fn compile_word(word: &Scalar, values: &mut Values<'_>) -> Option<ColumnPlan> {
    match word.text.as_str() {
        "series" => return Some(ColumnPlan::Series),
        "uuid" => values.later("`uuid`", word.span),
        _ => {
            let known = ["series", "uuid", "{uniform: 1..9}", "{choice: [a, b]}", "{sql: i % 10}"];
            values.unknown(Kind::Generator, word, &known);
        }
    }
    None
}

/// Options belong to some generators, and some options can't be had yet.
fn check_options(key: &str, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<()> {
    let mut fine = true;
    for (option, scalar) in &spec.options {
        let owners: &[&str] = match *option {
            "skew" | "as" => &["references"],
            "unique" => &["pattern"],
            "min" | "max" => &["normal", "exponential"],
            "round" => &["uniform", "normal", "exponential"],
            _ => {
                values.later(&format!("`{option}`"), scalar.span);
                fine = false;
                continue;
            }
        };
        if !owners.contains(&key) {
            let owners = owners.iter().map(|owner| format!("`{owner}`")).collect::<Vec<_>>().join(" or ");
            values.needs(option, &owners, scalar.span, format!("remove `{option}`, or let {owners} make the values"));
            fine = false;
        }
    }
    fine.then_some(())
}

/// A range of whole numbers, of numbers, or of days or moments.
fn compile_uniform(range: &Scalar, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let Some((low, high)) = split_range(range) else {
        values.invalid(range, "`uniform`", "a range such as `1..100`", None);
        return None;
    };
    if is_time(&low.text) || is_time(&high.text) {
        let (from, to) = (values.text(&low)?, values.text(&high)?);
        for (end, text) in [(&low, &from), (&high, &to)] {
            if !is_time(text) {
                values.invalid(end, "`uniform`", "a day such as `2024-01-01`, as its other end", None);
                return None;
            }
        }
        values.ordered(&from, &to, range, "`uniform`")?;
        return Some(ColumnPlan::UniformTime { low: from, high: to });
    }
    let round = match spec.option("round") {
        Some(round) => Some(values.count(round, "`round`", 0..=MOST_DIGITS)?),
        None => None,
    };
    let ends = (typed(&low, values), typed(&high, values));
    match (ends.0?, ends.1?) {
        (Value::Integer(low), Value::Integer(high)) if round.is_none() => {
            values.ordered(&low, &high, range, "`uniform`")?;
            Some(ColumnPlan::UniformInteger { low, high })
        }
        (low, high) => {
            let (Ok(low), Ok(high)) = (low.to_double(), high.to_double()) else {
                values.invalid(range, "`uniform`", "a range of numbers or days", None);
                return None;
            };
            values.ordered(&low, &high, range, "`uniform`")?;
            Some(ColumnPlan::UniformNumber { low, high, round })
        }
    }
}

/// The value of a range's end; a variable's text becomes the number that it spells.
fn typed(end: &Scalar, values: &mut Values<'_>) -> Option<Value> {
    let value = values.value(end, "`uniform`")?;
    let typed = Value::parse_text(show(&value).as_bytes()).ok();
    if typed.is_none() {
        values.invalid(end, "`uniform`", "a number or a day", None);
    }
    typed
}

/// Whether a text is a day or a moment: `2024-01-01`, `2024-01-01 12:00:00`.
fn is_time(text: &str) -> bool {
    let bytes = text.trim().as_bytes();
    let digit_or_dash = |(at, b): (usize, &u8)| if at == 4 || at == 7 { *b == b'-' } else { b.is_ascii_digit() };
    bytes.len() >= 10 && bytes[..10].iter().enumerate().all(digit_or_dash)
}

fn compile_choice(node: &Node, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let mut choices = Vec::new();
    for item in node.items() {
        choices.push((values.text(item.as_scalar()?)?, 1.0));
    }
    for (value, weight) in node.entries() {
        let scalar = weight.as_scalar()?;
        let weight = values.number(scalar, &format!("the weight of `{}`", value.text))?;
        if weight < 0.0 {
            values.invalid(scalar, "a weight", "a number of at least 0", None);
            return None;
        }
        choices.push((value.text.clone(), weight));
    }
    if choices.iter().all(|(_, weight)| *weight <= 0.0) {
        values.fault(ScenarioError::ZeroWeights { span: node.span });
        return None;
    }
    Some(ColumnPlan::Choice(choices))
}

/// A SQL expression of the row's number `i`, with the scenario's variables put in.
fn compile_expression(sql: &Scalar, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let statements = super::sql::split_sql(sql.span.source, &sql.text, Some(sql), values)?;
    let [statement] = &statements[..] else {
        values.invalid(sql, "`sql`", "one SQL expression", None);
        return None;
    };
    Some(ColumnPlan::Sql(statement.sql.clone()))
}

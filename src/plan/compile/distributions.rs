//! Columns of numbers, days and moments that are drawn.

use super::quantity::{meant_range, split_range};
use super::references::MOST_SKEW;
use super::values::{Values, show};
use crate::eval::Value;
use crate::plan::fill::{Bounds, ColumnPlan};
use crate::scenario::{ColumnSpec, Node, Scalar};

/// Digits after the point that a double has at the most.
const MOST_DIGITS: u32 = 15;

/// Rounded numbers are counted in units of their last digit, by a bigint.
const MOST_UNITS: f64 = 9e18;

/// A range of whole numbers, of numbers, or of days or moments.
pub(super) fn compile_uniform(range: &Scalar, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let Some((low, high)) = split_range(range) else {
        values.invalid(range, "`uniform`", "a range such as `1..100`", meant_range(&range.text));
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
    let round = compile_round(spec, values).ok()?;
    let ends = (typed(&low, "`uniform`", values), typed(&high, "`uniform`", values));
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
            fits(low.abs().max(high.abs()), round, range, values)?;
            Some(ColumnPlan::UniformNumber { low, high, round })
        }
    }
}

/// `{mean, stddev}`
pub(super) fn compile_normal(node: &Node, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
    /// Further than this from the mean no number comes out of 53 random bits.
    const MOST_DEVIATIONS: f64 = 9.0;
    let (mean, stddev) = (node.get("mean")?.as_scalar()?, node.get("stddev")?.as_scalar()?);
    let bounds = compile_bounds(spec, values);
    let mean_value = values.number(mean, "`mean`");
    let deviation = not_negative(stddev, "`stddev`", values);
    let (bounds, mean_value, deviation) = (bounds?, mean_value?, deviation?);
    fits(mean_value.abs() + MOST_DEVIATIONS * deviation, bounds.round, mean, values)?;
    Some(ColumnPlan::Normal { mean: mean_value, stddev: deviation, bounds })
}

/// `{mean}`
pub(super) fn compile_exponential(node: &Node, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
    /// More means than this no number comes out of 53 random bits.
    const MOST_MEANS: f64 = 37.0;
    let mean = node.get("mean")?.as_scalar()?;
    let bounds = compile_bounds(spec, values);
    let value = not_negative(mean, "`mean`", values)?;
    let bounds = bounds?;
    fits(MOST_MEANS * value, bounds.round, mean, values)?;
    Some(ColumnPlan::Exponential { mean: value, bounds })
}

/// `{range, s}`
pub(super) fn compile_zipfian(node: &Node, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let (range, exponent) = (node.get("range")?.as_scalar()?, node.get("s")?.as_scalar()?);
    let ends = whole_range(range, "`range`", values);
    let s = values.number(exponent, "`s`")?;
    if !(0.0..=MOST_SKEW).contains(&s) {
        values.out_of_range(exponent, "`s`", &s, format!("lies between 0 and {MOST_SKEW}"));
        return None;
    }
    let (low, high) = ends?;
    Some(ColumnPlan::Zipfian { low, high, s })
}

/// A range of whole numbers of which each comes once.
pub(super) fn compile_permute(range: &Scalar, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let (low, high) = whole_range(range, "`permute`", values)?;
    Some(ColumnPlan::Permute { low, high })
}

/// Both ends of a range of whole numbers that are not too many.
fn whole_range(range: &Scalar, what: &str, values: &mut Values<'_>) -> Option<(i64, i64)> {
    const MOST_NUMBERS: i64 = 1 << 62;
    const EXPECTED: &str = "a range of whole numbers such as `1..100`";
    let Some((low, high)) = split_range(range) else {
        values.invalid(range, what, EXPECTED, meant_range(&range.text));
        return None;
    };
    let (low, high) = (typed(&low, what, values), typed(&high, what, values));
    let (Value::Integer(low), Value::Integer(high)) = (low?, high?) else {
        values.invalid(range, what, EXPECTED, None);
        return None;
    };
    values.ordered(&low, &high, range, what)?;
    if high.checked_sub(low).is_none_or(|numbers| numbers >= MOST_NUMBERS) {
        values.out_of_range(range, what, &range.text.trim(), format!("{MOST_NUMBERS} numbers are the most"));
        return None;
    }
    Some((low, high))
}

/// The digits to be kept, if that is said; an error where they make no sense.
fn compile_round(spec: &ColumnSpec, values: &mut Values<'_>) -> Result<Option<u32>, Noted> {
    let Some(round) = spec.option("round") else { return Ok(None) };
    values.count(round, "`round`", 0..=MOST_DIGITS).map(Some).ok_or(Noted)
}

/// A fault that was noted.
struct Noted;

fn compile_bounds(spec: &ColumnSpec, values: &mut Values<'_>) -> Option<Bounds> {
    let mut end = |key: &'static str| match spec.option(key) {
        Some(scalar) => Some(Some((values.number(scalar, &format!("`{key}`"))?, scalar))),
        None => Some(None),
    };
    let (min, max) = (end("min")?, end("max")?);
    if let (Some((low, _)), Some((high, scalar))) = (min, max)
        && low > high
    {
        values.out_of_range(scalar, "`max`", &high, format!("has to be at least `min`, {low}"));
        return None;
    }
    let round = compile_round(spec, values).ok()?;
    Some(Bounds { min: min.map(|(value, _)| value), max: max.map(|(value, _)| value), round })
}

fn not_negative(scalar: &Scalar, what: &str, values: &mut Values<'_>) -> Option<f64> {
    let value = values.number(scalar, what)?;
    if !(value.is_finite() && value >= 0.0) {
        values.out_of_range(scalar, what, &value, "has to be at least 0".to_owned());
        return None;
    }
    Some(value)
}

/// Whether numbers up to this size can be rounded to so many digits.
fn fits(largest: f64, round: Option<u32>, scalar: &Scalar, values: &mut Values<'_>) -> Option<()> {
    let Some(digits) = round else { return Some(()) };
    if largest * 10_f64.powf(f64::from(digits)) > MOST_UNITS {
        let bound =
            format!("numbers with {digits} digits after the point can be no larger than {MOST_UNITS:e} such units");
        values.out_of_range(scalar, "the largest number", &largest, bound);
        return None;
    }
    Some(())
}

/// The value of a range's end; a variable's text becomes the number that it spells.
fn typed(end: &Scalar, what: &str, values: &mut Values<'_>) -> Option<Value> {
    let value = values.value(end, what)?;
    let typed = Value::parse_text(show(&value).as_bytes()).ok();
    if typed.is_none() {
        values.invalid(end, what, "a number or a day", None);
    }
    typed
}

/// Whether a text is a day or a moment: `2024-01-01`, `2024-01-01 12:00:00`.
fn is_time(text: &str) -> bool {
    let bytes = text.trim().as_bytes();
    let digit_or_dash = |(at, b): (usize, &u8)| if at == 4 || at == 7 { *b == b'-' } else { b.is_ascii_digit() };
    bytes.len() >= 10 && bytes[..10].iter().enumerate().all(digit_or_dash)
}

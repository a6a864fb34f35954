//! One column's values as a SQL expression over the row's number.
//!
//! A random value is a function of the seed, the table, the column and the row's number, and of nothing else. With `h`,
//! `h'`: [hashes](super::draws) of the row's number, `u = (h & (2^53-1)) / 2^53`
//!
//! ```text
//! uniform, whole      low + (h & (2^63-1)) % (high - low + 1)
//! uniform             low + (high - low) * (h & (2^53-1)) / (2^53-1)
//! choice              the first k with (h & (2^53-1)) < 2^53 * (w1 + … + wk) / (w1 + w2 + …)
//! normal              mean + stddev * sqrt(-2 ln(1-u)) cos(2π u')         (Box and Muller, 1958)
//! exponential         -mean * ln(1-u)
//! zipfian             see `zipfian`       permute, unique   see `permutation`
//! null                u < fraction
//! ```

use super::draws::{Draws, WHOLE};
use super::permutation::permuted;
use super::statement::Builder;
use super::term::Term;
use super::text;
use super::zipfian::zipfian;
use crate::plan::fill::{Bounds, ColumnPlan};
use crate::setup::column::literal;

/// The expression for one column of a row of the table `instance`; `kind` is the column's type, where it is known.
pub(super) fn value(
    plan: &ColumnPlan,
    draws: &Draws<'_>,
    kind: Option<&str>,
    instance: usize,
    builder: &mut Builder<'_>,
) -> Term {
    let row = &draws.row;
    match plan {
        ColumnPlan::Series => row.clone(),
        ColumnPlan::Sql(sql) => row.map(|_| format!("({sql}\n)")),
        ColumnPlan::UniformInteger { low, high } => integer(draws, i128::from(*low), i128::from(*high)),
        ColumnPlan::UniformNumber { low, high, round: None } => draws
            .fraction("")
            .map(|bits| format!("({low:?}::float8 + {:?}::float8 * ({bits} / {}::float8))", high - low, WHOLE - 1)),
        ColumnPlan::UniformNumber { low, high, round: Some(digits) } => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "saturates, far beyond what a column of that type is for"
            )]
            let units = |value: f64, outside: fn(f64) -> f64| unit(value, *digits, outside) as i128;
            let low = units(*low, f64::ceil);
            decimal(&integer(draws, low, units(*high, f64::floor).max(low)), *digits, kind)
        }
        ColumnPlan::UniformTime { low, high } => time(draws, low, high, kind),
        ColumnPlan::Normal { mean, stddev, bounds } => {
            let (one, other) = (draws.fraction(""), draws.fraction("angle"));
            let sql = format!(
                "({mean:?}::float8 + {stddev:?}::float8 * sqrt({:?}::float8 * {}) * cos({:?}::float8 * {}))",
                -2.0,
                logarithm(&one.sql),
                std::f64::consts::TAU / WHOLE as f64,
                other.sql
            );
            bounded(&Term::of(sql, &[&one, &other]), *bounds, kind)
        }
        ColumnPlan::Exponential { mean, bounds } => {
            let drawn = draws.fraction("").map(|bits| format!("({:?}::float8 * {})", -mean, logarithm(bits)));
            bounded(&drawn, *bounds, kind)
        }
        ColumnPlan::Zipfian { low, high, s } => {
            let number = zipfian(draws, "", high.abs_diff(*low) + 1, *s, builder.layers());
            number.map(|number| format!("({} + {number})", i128::from(*low) - 1))
        }
        ColumnPlan::Permute { low, high } => {
            let number = permuted(draws, high.abs_diff(*low) + 1, builder.layers());
            number.map(|number| format!("({low} + {number})"))
        }
        ColumnPlan::Choice(choices) => choice(draws, choices, kind),
        ColumnPlan::Words { low, high } => text::words(draws, *low, *high, builder.layers()),
        ColumnPlan::Pattern { pattern, unique } => text::pattern(draws, pattern, *unique, builder.layers()),
        ColumnPlan::Uuid => uuid(draws),
        ColumnPlan::Json(members) => json(members, draws, kind, instance, builder),
        ColumnPlan::Reference { row, column } => builder.reference(instance, *row, column),
        ColumnPlan::Nulls { fraction, of } => {
            let bits = draws.fraction("null");
            let term = value(of, draws, kind, instance, builder);
            let bound = format!("{:.0}", WHOLE as f64 * fraction);
            Term::of(format!("(case when {} < {bound} then null else {} end)", bits.sql, term.sql), &[&bits, &term])
        }
    }
}

/// The logarithm of `1 - u`: never of zero.
fn logarithm(bits: &str) -> String {
    format!("ln(({WHOLE} - {bits}) / {:?}::float8)", WHOLE as f64)
}

/// A whole number in a range.
fn integer(draws: &Draws<'_>, low: i128, high: i128) -> Term {
    let count = high - low + 1;
    if count > i128::from(i64::MAX) {
        // 2^64 hashes on more than 2^63 numbers: scaled, since they don't fit a bigint.
        return draws.bits("").map(|bits| {
            format!("({low}::numeric + trunc(({bits}::numeric + 9223372036854775808) * {count} / 18446744073709551616))::bigint")
        });
    }
    let offset = draws.below("", &count.to_string());
    if low == 0 { offset } else { offset.map(|offset| format!("({low} + {offset})")) }
}

/// A number in units of its last digit, not within `outside` of the range.
fn unit(value: f64, digits: u32, outside: fn(f64) -> f64) -> f64 {
    let exact = value * 10_f64.powi(digits.try_into().unwrap_or(i32::MAX));
    // Decimal fractions are not exact in binary: 0.29 * 100 is 28.999….
    let near = exact.round();
    if (exact - near).abs() < 1e-6 { near } else { outside(exact) }
}

/// The number of so many units of its last digit.
fn decimal(units: &Term, digits: u32, kind: Option<&str>) -> Term {
    if digits == 0 {
        return units.clone();
    }
    let zeros = "0".repeat(digits as usize);
    units.map(|units| match kind {
        // a quotient of exact numbers is the nearest double
        Some("double precision" | "real") => format!("({units} / 1{zeros}::float8)"),
        _ => format!("({units}::numeric * 0.{}1)", &zeros[1..]),
    })
}

/// A drawn number with what is to be done to it.
fn bounded(drawn: &Term, bounds: Bounds, kind: Option<&str>) -> Term {
    let Bounds { min, max, round } = bounds;
    let between = |number: &Term, min: Option<String>, max: Option<String>| {
        let number = match max {
            Some(max) => number.map(|number| format!("least({number}, {max})")),
            None => number.clone(),
        };
        match min {
            Some(min) => number.map(|number| format!("greatest({number}, {min})")),
            None => number,
        }
    };
    let Some(digits) = round else {
        let number = |end: f64| format!("{end:?}::float8");
        return between(drawn, min.map(number), max.map(number));
    };
    let scale = format!("1{}", "0".repeat(digits as usize));
    let units = drawn.map(|drawn| format!("({drawn} * {scale}::float8)::bigint"));
    let low = min.map(|min| format!("{:.0}", unit(min, digits, f64::ceil)));
    let high = max.map(|max| format!("{:.0}", unit(max, digits, f64::floor)));
    decimal(&between(&units, low, high), digits, kind)
}

/// A day or a moment in a range.
fn time(draws: &Draws<'_>, low: &str, high: &str, kind: Option<&str>) -> Term {
    let is_day = |text: &str| !text.trim().contains([' ', 'T', ':']);
    let (low_text, high_text) = (literal(low), literal(high));
    let kind = match kind {
        Some(name @ ("date" | "timestamp without time zone" | "timestamp with time zone")) => name,
        _ if is_day(low) && is_day(high) => "date",
        _ => "timestamp without time zone",
    };
    let (low, high) = (format!("{low_text}::{kind}"), format!("{high_text}::{kind}"));
    if kind == "date" {
        return draws.below("", &format!("({high} - {low} + 1)")).map(|days| format!("({low} + {days}::integer)"));
    }
    let count = format!("((extract(epoch from {high} - {low}) * 1000000)::bigint + 1)");
    draws.below("", &count).map(|offset| format!("({low} + {offset} * interval '1 microsecond')"))
}

/// One of several values.
fn choice(draws: &Draws<'_>, choices: &[(String, f64)], kind: Option<&str>) -> Term {
    let choices: Vec<_> = choices.iter().filter(|(_, weight)| *weight > 0.0).collect();
    let total: f64 = choices.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let bounds: Vec<String> = choices
        .iter()
        .take(choices.len().saturating_sub(1))
        .map(|(_, weight)| {
            sum += weight;
            format!("{:.0}", WHOLE as f64 * (sum / total))
        })
        .collect();
    let values: Vec<String> = choices.iter().map(|(value, _)| literal(value)).collect();
    let cast = match kind {
        // a text goes into these by itself
        None | Some("text" | "character varying") => String::new(),
        Some(kind) => format!("::{kind}"),
    };
    match values.as_slice() {
        [] => Term::constant("null"),
        [only] if cast.is_empty() => Term::constant(only),
        [only] => Term::constant(format!("({only}::text{cast})")),
        _ => draws.fraction("").map(|bits| {
            let index = format!("1 + width_bucket({bits}, array[{}]::bigint[])", bounds.join(", "));
            let values = values.join(", ");
            // an array of arrays would be another thing
            if cast.is_empty() || cast.ends_with(']') {
                format!("(array[{values}])[{index}]{}", if cast.is_empty() { "" } else { &cast })
            } else {
                format!("(array[{values}]{cast}[])[{index}]")
            }
        }),
    }
}

/// A UUID of version 4: 122 random bits (RFC 9562).
fn uuid(draws: &Draws<'_>) -> Term {
    let (one, other) = (draws.bits(""), draws.bits("second half"));
    let sql = format!(
        "((lpad(to_hex(({} & {}) | {}), 16, '0') || to_hex(({} & {}) | ({})))::uuid)",
        one.sql,
        !0xf000_i64,
        0x4000,
        other.sql,
        i64::MAX >> 1,
        i64::MIN
    );
    Term::of(sql, &[&one, &other])
}

/// An object.
fn json(
    members: &[(String, ColumnPlan)],
    draws: &Draws<'_>,
    kind: Option<&str>,
    instance: usize,
    builder: &mut Builder<'_>,
) -> Term {
    let mut terms = vec![draws.row.clone()];
    let mut arguments = Vec::new();
    for (name, member) in members {
        let term = value(member, &draws.member(name), json_kind(member), instance, builder);
        arguments.push(format!("{}, {}", literal(name), term.sql));
        terms.push(term);
    }
    let function = if kind.is_none_or(|kind| kind == "jsonb") { "jsonb_build_object" } else { "json_build_object" };
    Term::of(format!("{function}({})", arguments.join(", ")), &terms.iter().collect::<Vec<_>>())
}

/// The type of a member that its text alone would not show.
fn json_kind(member: &ColumnPlan) -> Option<&'static str> {
    match member {
        ColumnPlan::Nulls { of, .. } => json_kind(of),
        ColumnPlan::Choice(choices)
            if choices.iter().all(|(value, _)| value.parse::<f64>().is_ok_and(f64::is_finite)) =>
        {
            Some("numeric")
        }
        ColumnPlan::Choice(choices) if choices.iter().all(|(value, _)| matches!(value.as_str(), "true" | "false")) => {
            Some("boolean")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws() -> Draws<'static> {
        Draws::new(1, "t", "c", Term::constant("i"))
    }

    #[test]
    fn rounding_keeps_both_ends() {
        assert_eq!((unit(0.29, 2, f64::ceil), unit(0.31, 2, f64::floor)), (29.0, 31.0));
        assert_eq!((unit(0.5, 0, f64::ceil), unit(2.5, 0, f64::floor)), (1.0, 2.0));
        assert_eq!(decimal(&Term::constant("n"), 2, None).sql, "(n::numeric * 0.01)");
        assert_eq!(decimal(&Term::constant("n"), 1, Some("real")).sql, "(n / 10::float8)");
    }

    #[test]
    fn the_whole_range_of_bigint_is_no_overflow() {
        assert!(
            integer(&draws(), i128::from(i64::MIN), i128::from(i64::MAX)).sql.contains("* 18446744073709551616 / ")
        );
        assert!(integer(&draws(), 0, i128::from(i64::MAX) - 1).sql.ends_with("% 9223372036854775807)"));
    }

    #[test]
    fn weights_become_bounds_and_values_without_weight_are_left_out() {
        let choices = [("a".to_owned(), 1.0), ("b".to_owned(), 0.0), ("c'd".to_owned(), 3.0)];
        let sql = choice(&draws(), &choices, Some("text")).sql;
        assert!(sql.starts_with("(array['a', 'c''d'])[1 + width_bucket("), "{sql}");
        assert!(sql.ends_with("array[2251799813685248]::bigint[])]"), "{sql}");
        assert_eq!(choice(&draws(), &choices[..1], Some("integer")).sql, "('a'::text::integer)");
    }

    #[test]
    fn bounds_are_rounded_inward() {
        let bounds = Bounds { min: Some(0.005), max: Some(9.999), round: Some(2) };
        let sql = bounded(&Term::constant("x"), bounds, Some("numeric")).sql;
        assert_eq!(sql, "(greatest(least((x * 100::float8)::bigint, 999), 1)::numeric * 0.01)");
    }
}

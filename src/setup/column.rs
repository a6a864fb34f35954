//! One column's values as a SQL expression over the row's number `i`.
//!
//! A random value is a function of the seed, the table, the column and the row's number, and of nothing else:
//!
//! ```text
//! key    = SplitMix64(seed xor FNV-1a-64(table || 0x00 || column))      once per column, a constant in the SQL
//! h(i)   = hashint8extended(i, key)                                     64 bits; PostgreSQL 11 and newer
//! whole numbers  low..high           low + (h & (2^63-1)) % (high - low + 1)
//! numbers        low..high           low + (high - low) * (h & (2^53-1)) / (2^53-1)
//! choice         weights w1, w2 …    the first k with (h & (2^53-1)) < 2^53 * (w1 + … + wk) / (w1 + w2 + …)
//! ```
//!
//! `hashint8extended` is what hash partitioning stores rows by, so PostgreSQL keeps it as it is.

use crate::plan::step::ColumnPlan;

/// What the catalog says about a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its type, without length.
    pub type_name: String,
    /// Whether it is `generated always as identity`.
    pub identity_always: bool,
}

/// `2^53`, up to which `double precision` has every whole number.
const WHOLE: u64 = 1 << 53;

/// The key of a column's random values.
fn key(seed: u64, table: &str, column: &str) -> i64 {
    // FNV-1a and SplitMix64, as published.
    let name = table.bytes().chain([0]).chain(column.bytes());
    let fnv =
        name.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut z = (seed ^ fnv).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)).cast_signed()
}

/// The expression for one column; `known` is what the catalog says about it.
pub(super) fn expression(
    plan: &ColumnPlan,
    seed: u64,
    table: &str,
    column: &str,
    known: Option<&TableColumn>,
) -> String {
    let key = key(seed, table, column);
    let type_name = known.map(|known| known.type_name.as_str());
    match plan {
        ColumnPlan::Series => "i".to_owned(),
        ColumnPlan::Sql(sql) => format!("({sql})"),
        ColumnPlan::UniformInteger { low, high } => integer(key, i128::from(*low), i128::from(*high)),
        ColumnPlan::UniformNumber { low, high, round: None } => {
            format!("{low:?}::float8 + {:?}::float8 * ({} / {}::float8)", high - low, bits(key), WHOLE - 1)
        }
        ColumnPlan::UniformNumber { low, high, round: Some(digits) } => rounded(key, *low, *high, *digits),
        ColumnPlan::UniformTime { low, high } => time(key, low, high, type_name),
        ColumnPlan::Choice(choices) => choice(key, choices, type_name),
    }
}

/// 53 random bits.
fn bits(key: i64) -> String {
    format!("(hashint8extended(i, {key}) & {})", WHOLE - 1)
}

/// A whole number in a range.
fn integer(key: i64, low: i128, high: i128) -> String {
    let count = high - low + 1;
    if count > i128::from(i64::MAX) {
        // 2^64 hashes on more than 2^63 numbers: scaled, since they don't fit a bigint.
        return format!(
            "({low}::numeric + trunc((hashint8extended(i, {key})::numeric + 9223372036854775808) * {count} / 18446744073709551616))::bigint"
        );
    }
    let offset = below(key, &count.to_string());
    if low == 0 { offset } else { format!("{low} + {offset}") }
}

/// A whole number from 0 up to and without `count`, which is SQL.
fn below(key: i64, count: &str) -> String {
    format!("(hashint8extended(i, {key}) & {}) % {count}", i64::MAX)
}

/// A number with so many digits after the point: a whole one of its last digit's units, so that all are alike.
fn rounded(key: i64, low: f64, high: f64, digits: u32) -> String {
    let scale = 10_f64.powi(digits.try_into().unwrap_or(i32::MAX));
    // Decimal fractions are not exact in binary: 0.29 * 100 is 28.999….
    let unit = |value: f64, outside: fn(f64) -> f64| {
        let exact = value * scale;
        let near = exact.round();
        if (exact - near).abs() < 1e-6 { near } else { outside(exact) }
    };
    let (low, high) = (unit(low, f64::ceil), unit(high, f64::floor));
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond what a column of that type is for")]
    let number = integer(key, low as i128, high.max(low) as i128);
    if digits == 0 {
        number
    } else {
        format!("round(({number})::numeric / 1{}, {digits})", "0".repeat(digits as usize))
    }
}

/// A day or a moment in a range.
fn time(key: i64, low: &str, high: &str, type_name: Option<&str>) -> String {
    let is_day = |text: &str| !text.trim().contains([' ', 'T', ':']);
    let (low_text, high_text) = (literal(low), literal(high));
    let kind = match type_name {
        Some(name @ ("date" | "timestamp without time zone" | "timestamp with time zone")) => name,
        _ if is_day(low) && is_day(high) => "date",
        _ => "timestamp without time zone",
    };
    let (low, high) = (format!("{low_text}::{kind}"), format!("{high_text}::{kind}"));
    if kind == "date" {
        return format!("{low} + ({})::integer", below(key, &format!("({high} - {low} + 1)")));
    }
    let count = format!("((extract(epoch from {high} - {low}) * 1000000)::bigint + 1)");
    format!("{low} + ({}) * interval '1 microsecond'", below(key, &count))
}

/// One of several values.
fn choice(key: i64, choices: &[(String, f64)], type_name: Option<&str>) -> String {
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
    let chosen = match values.as_slice() {
        [] => "null".to_owned(),
        [only] => only.clone(),
        _ => format!(
            "(array[{}])[1 + width_bucket({}, array[{}]::bigint[])]",
            values.join(", "),
            bits(key),
            bounds.join(", ")
        ),
    };
    match type_name {
        // A text goes into these by itself; into anything else it has to be read as one.
        None | Some("text" | "character varying") => chosen,
        Some(type_name) => format!("({chosen})::text::{type_name}"),
    }
}

/// A text as a literal that reads the same whatever `standard_conforming_strings` says.
pub(super) fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if text.contains('\\') { format!(" E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

/// A name as a quoted identifier.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_depends_on_seed_table_and_column() {
        let keys = [key(1, "a", "b"), key(2, "a", "b"), key(1, "b", "a"), key(1, "ab", ""), key(1, "", "ab")];
        for (n, one) in keys.iter().enumerate() {
            assert!(!keys[n + 1..].contains(one));
        }
    }

    #[test]
    fn rounding_keeps_both_ends() {
        assert!(rounded(7, 0.29, 0.31, 2).starts_with("round((29 + (hash"));
        assert!(rounded(7, 0.29, 0.31, 2).contains("% 3)"));
        assert!(rounded(7, 0.5, 2.5, 0).starts_with("1 + "));
    }

    #[test]
    fn the_whole_range_of_bigint_is_no_overflow() {
        assert!(integer(1, i128::from(i64::MIN), i128::from(i64::MAX)).contains("* 18446744073709551616 / "));
        assert!(integer(1, 0, i128::from(i64::MAX) - 1).ends_with("% 9223372036854775807"));
    }

    #[test]
    fn weights_become_bounds_and_values_without_weight_are_left_out() {
        let choices = [("a".to_owned(), 1.0), ("b".to_owned(), 0.0), ("c'd".to_owned(), 3.0)];
        let sql = choice(5, &choices, Some("text"));
        assert!(sql.starts_with("(array['a', 'c''d'])[1 + width_bucket("), "{sql}");
        assert!(sql.ends_with("array[2251799813685248]::bigint[])]"), "{sql}");
        assert_eq!(choice(5, &choices[..1], Some("integer")), "('a')::text::integer");
    }
}

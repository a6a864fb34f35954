//! Digits and units for people.

pub use crate::plan::print::grouped as count;

/// What stands where there is no figure.
pub const NONE: &str = "-";

/// Nanoseconds as microseconds with three digits after the point.
pub fn microseconds(ns: f64) -> f64 {
    ns.round() / 1000.0
}

/// A duration in nanoseconds to three significant digits: `85.3 us`, `1.02 s`, `16.7 min`.
pub fn duration(ns: f64) -> String {
    const UNITS: [(f64, &str); 5] = [(1e3, "us"), (1e6, "ms"), (1e9, "s"), (60e9, "min"), (3600e9, "h")];
    if ns <= 0.0 {
        return "0 us".to_owned();
    }
    let ns = round_to_digits(ns, 3);
    let fits = |(number, (_, _)): &(usize, &(f64, &str))| {
        UNITS.get(number + 1).is_none_or(|next| match next.1 {
            "min" => ns < 1000e9,
            "h" => ns < 600.0 * 60e9,
            _ => ns < next.0,
        })
    };
    let (unit, name) = UNITS.iter().enumerate().find(fits).map_or(UNITS[4], |(_, unit)| *unit);
    format!("{} {name}", significant(ns / unit))
}

/// The same for a duration that may be missing.
pub fn duration_or_none(ns: Option<f64>) -> String {
    ns.map_or_else(|| NONE.to_owned(), duration)
}

/// A duration that somebody wrote, as they would: `5 s`, `250 ms`.
pub fn bound(us: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1_000, "ms")];
    match UNITS.iter().find(|(unit, _)| us >= *unit && us.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", us / unit),
        None => format!("{us} us"),
    }
}

/// A number a second: `1,946.3`, `52.40`, `0.125`.
pub fn rate(per_second: f64) -> String {
    let digits = match per_second {
        x if x >= 99.995 => 1,
        x if x >= 9.9995 => 2,
        _ => 3,
    };
    let text = format!("{per_second:.digits$}");
    match text.split_once('.') {
        Some((whole, rest)) => whole.parse().map_or(text.clone(), |whole| format!("{}.{rest}", count(whole))),
        None => text,
    }
}

/// A part of a whole in per cent with one digit, `-` of nothing.
pub fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}%", 100.0 * part / whole) } else { NONE.to_owned() }
}

/// A part of 1 in per cent with up to three digits after the point: `0.125%`, `12.5%`, `100%`.
pub fn percent(part: f64) -> String {
    let text = format!("{:.3}", 100.0 * part);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A number of which nothing is known: whole ones with commas, others to six significant digits.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "its range was just checked")]
        let whole = count(value.abs() as u64);
        return if value < 0.0 { format!("-{whole}") } else { whole };
    }
    let rounded = round_to_digits(value.abs(), 6) * value.signum();
    if !(1e-4..1e15).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    let text = format!("{:.6}", rounded.abs());
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
    let sign = if rounded < 0.0 { "-" } else { "" };
    format!("{sign}{whole}.{part}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A ratio with two digits after the point, or three significant ones: `0.98x`, `12.5x`, `340x`.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        0.0 => "0x".to_owned(),
        ratio if ratio < 0.005 => "<0.01x".to_owned(),
        ratio if ratio < 1.0 => format!("{ratio:.2}x"),
        ratio => format!("{}x", significant(ratio)),
    }
}

/// Bytes in PostgreSQL's units: `16 GB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let number = significant(bytes as f64 / *unit as f64);
            let number =
                if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
            format!("{number} {name}")
        }
        None => format!("{bytes} B"),
    }
}

/// Three significant digits; whole numbers above that.
fn significant(x: f64) -> String {
    let digits = match round_to_digits(x, 3) {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        x if x >= 1.0 || x == 0.0 => 2,
        _ => 3,
    };
    format!("{x:.digits$}")
}

fn round_to_digits(x: f64, digits: i32) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return x;
    }
    let scale = 10f64.powf(f64::from(digits - 1) - x.log10().floor());
    (x * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_three_digits_and_change_units_where_people_do() {
        let cases = [
            (0.0, "0 us"),
            (1.0, "0.001 us"),
            (85_300.0, "85.3 us"),
            (999_400.0, "999 us"),
            (999_600.0, "1.00 ms"),
            (937_462_400.0, "937 ms"),
            (1_023_433_400.0, "1.02 s"),
            (108_261_561_400.0, "108 s"),
            (1_000e9, "16.7 min"),
            (36_000e9, "10.0 h"),
        ];
        for (ns, text) in cases {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn numbers_have_commas_and_rates_the_digits_that_they_need() {
        assert_eq!([count(0), count(999), count(1_000), count(14_992_000)], ["0", "999", "1,000", "14,992,000"]);
        assert_eq!([rate(1946.27), rate(52.4), rate(0.125), rate(0.0)], ["1,946.3", "52.40", "0.125", "0.000"]);
        assert_eq!([ratio(0.984), ratio(12.53), ratio(340.2)], ["0.98x", "12.5x", "340x"]);
        assert_eq!([ratio(0.0), ratio(0.004), ratio(0.02), ratio(0.999)], ["0x", "<0.01x", "0.02x", "1.00x"]);
        assert_eq!([share(1.0, 8.0), share(0.0, 0.0)], ["12.5%", "-"]);
        assert_eq!([bound(5_000_000), bound(1_500_000), bound(250)], ["5 s", "1500 ms", "250 us"]);
        assert_eq!([percent(0.0), percent(0.00125), percent(0.125), percent(1.0)], ["0%", "0.125%", "12.5%", "100%"]);
        let numbers = [number(-1234.0), number(0.5), number(42_130.27), number(1e-9), number(f64::INFINITY)];
        assert_eq!(numbers, ["-1,234", "0.5", "42,130.3", "1e-9", "inf"]);
        assert_eq!([bytes(16 << 30), bytes(512)], ["16 GB", "512 B"]);
    }
}

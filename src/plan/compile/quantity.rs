//! Numbers, durations, rates and ranges of a scenario.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::ScenarioError;
use super::values::{Values, references};
use crate::eval::Value;
use crate::plan::phase::{Delay, Ramp};
use crate::scenario::{DelaySpec, Scalar};

/// PostgreSQL's units of time, in nanoseconds.
const UNITS: [(&str, f64); 6] = [("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9), ("d", 86400e9)];

/// How a value has to be that would mean nothing at zero.
const ABOVE_ZERO: &str = "has to be above 0";

impl Values<'_> {
    /// A whole number of at least `low`.
    pub(super) fn whole(&mut self, scalar: &Scalar, what: &str, low: u64) -> Option<u64> {
        let value = self.value(scalar, what)?;
        let whole = match &value {
            Value::Double(x) if x.fract() != 0.0 => None,
            value => value.to_integer().ok(),
        };
        let Some(whole) = whole else {
            self.invalid(scalar, what, "a whole number", None);
            return None;
        };
        let found = u64::try_from(whole).ok().filter(|n| *n >= low);
        if found.is_none() {
            self.out_of_range(scalar, what, &whole, format!("has to be at least {low}"));
        }
        found
    }

    /// A whole number within a range.
    pub(super) fn count(&mut self, scalar: &Scalar, what: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let whole = self.whole(scalar, what, u64::from(*range.start()))?;
        let count = u32::try_from(whole).ok().filter(|count| range.contains(count));
        if count.is_none() {
            self.out_of_range(scalar, what, &whole, format!("may be at most {}", range.end()));
        }
        count
    }

    /// The weight of one among several: whatever they come to together is all of them.
    pub(super) fn weight(&mut self, scalar: &Scalar, name: &str) -> Option<f64> {
        let what = format!("the weight of `{name}`");
        if let Some(number) = scalar.text.trim().strip_suffix('%') {
            let help = format!("write `{name}: {}`; weights need not come to 100", number.trim());
            self.invalid(scalar, &what, "a number", Some(help));
            return None;
        }
        let weight = self.number(scalar, &what)?;
        if !(weight.is_finite() && weight >= 0.0) {
            self.invalid(scalar, &what, "a number of at least 0", None);
            return None;
        }
        Some(weight)
    }

    /// The same as a whole number.
    pub(super) fn whole_weight(&mut self, scalar: &Scalar, name: &str) -> Option<u32> {
        if scalar.text.contains('%') {
            return self.weight(scalar, name).and(None);
        }
        self.count(scalar, &format!("the weight of `{name}`"), 0..=u32::MAX)
    }

    /// A number.
    pub(super) fn number(&mut self, scalar: &Scalar, what: &str) -> Option<f64> {
        if let Ok(number) = scalar.text.trim().parse::<f64>()
            && number.is_finite()
        {
            return Some(number);
        }
        if let Some(percent) = scalar.text.trim().strip_suffix('%') {
            let part = percent
                .trim()
                .parse::<f64>()
                .map_or_else(|_| "0.5".to_owned(), |percent| (percent / 100.0).to_string());
            self.invalid(scalar, what, "a number", Some(format!("write it as a part of 1: `{part}`")));
            return None;
        }
        let number = self.value(scalar, what)?.to_double().ok().filter(|x| x.is_finite());
        if number.is_none() {
            self.invalid(scalar, what, "a number", None);
        }
        number
    }

    /// A duration: a number or expression with a unit, or a variable that holds one.
    pub(super) fn duration(&mut self, scalar: &Scalar, what: &str) -> Option<Duration> {
        let text = self.text(scalar)?;
        let is_unit = |c: char| c.is_ascii_alphabetic() || c == 'µ';
        let unit_at =
            text.rfind(|c| !is_unit(c)).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let (amount, unit) = (text[..unit_at].trim(), &text[unit_at..]);
        if amount.is_empty() || (unit.is_empty() && amount != "0") {
            self.invalid(scalar, what, "a duration", Some(unit_help(amount)));
            return None;
        }
        let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, ns)| *ns);
        let Some(factor) = factor.or_else(|| unit.is_empty().then_some(1.0)) else {
            self.invalid(scalar, what, "a duration", Some(unknown_unit_help(amount, unit)));
            return None;
        };
        let amount = match amount.parse::<f64>() {
            Ok(amount) => amount,
            // the text has its variables replaced, so it has no places in the source any more
            Err(_) => self.number(&Scalar { text: amount.to_owned(), span: scalar.span, lines: Vec::new() }, what)?,
        };
        let nanoseconds = (amount * factor).round();
        if !(0.0..9e18).contains(&nanoseconds) {
            self.out_of_range(scalar, what, &text, "has to lie between 0 and 100 years".to_owned());
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "its range was just checked")]
        Some(Duration::from_nanos(nanoseconds as u64))
    }

    /// A duration in which something can happen.
    pub(super) fn positive_duration(&mut self, scalar: &Scalar, what: &str) -> Option<Duration> {
        let duration = self.duration(scalar, what)?;
        if duration.is_zero() {
            self.out_of_range(scalar, what, &scalar.text.trim(), ABOVE_ZERO.to_owned());
            return None;
        }
        Some(duration)
    }

    /// A pause, fixed or drawn.
    pub(super) fn delay(&mut self, spec: &DelaySpec, what: &str) -> Option<Delay> {
        Some(match spec {
            DelaySpec::Constant(scalar) if split_range(scalar).is_some() => {
                let help = format!("write `{{uniform: {}}}`", with_units(scalar.text.trim()));
                self.invalid(scalar, what, "a duration, or a distribution of them", Some(help));
                return None;
            }
            DelaySpec::Constant(scalar) => match self.duration(scalar, what)? {
                Duration::ZERO => Delay::None,
                duration => Delay::Constant(duration),
            },
            DelaySpec::Uniform(scalar) => {
                let Some((low, high)) = split_range(scalar) else {
                    self.invalid(scalar, what, "a range such as `1s..3s`", None);
                    return None;
                };
                let (low, high) = (self.duration(&low, what), self.duration(&high, what));
                let (low, high) = (low?, high?);
                self.ordered(&low, &high, scalar, what)?;
                Delay::Uniform { low, high }
            }
            DelaySpec::Exponential { mean } => Delay::Exponential { mean: self.duration(mean, what)? },
            DelaySpec::Normal { mean, stddev } => {
                let (mean, stddev) = (self.duration(mean, what), self.duration(stddev, what));
                Delay::Normal { mean: mean?, stddev: stddev? }
            }
        })
    }

    /// A count up to `most`, or a range that a ramp goes through; a ramp may begin or end with none.
    pub(super) fn ramp_of_counts(&mut self, scalar: &Scalar, what: &str, most: u32) -> Option<Ramp<u32>> {
        match split_range(scalar) {
            None => self.count(scalar, what, 1..=most).map(Ramp::flat),
            Some((from, to)) => {
                let (from, to) = (self.count(&from, what, 0..=most), self.count(&to, what, 0..=most));
                let ramp = Ramp { from: from?, to: to? };
                if ramp.max() == 0 {
                    self.invalid(scalar, what, "a number above 0 at one of its ends", None);
                    return None;
                }
                Some(ramp)
            }
        }
    }

    /// `200/s`, `100/min`, or a range of them that a ramp goes through; a ramp may begin or end with none.
    pub(super) fn ramp_of_rates(&mut self, scalar: &Scalar, what: &str) -> Option<Ramp<f64>> {
        let ramp = match split_range(scalar) {
            None => self.rate(scalar, what).map(Ramp::flat)?,
            Some((from, to)) => {
                let (from, to) = (self.rate(&from, what), self.rate(&to, what));
                Ramp { from: from?, to: to? }
            }
        };
        if ramp.max() <= 0.0 {
            self.out_of_range(scalar, what, &scalar.text.trim(), ABOVE_ZERO.to_owned());
            return None;
        }
        Some(ramp)
    }

    fn rate(&mut self, scalar: &Scalar, what: &str) -> Option<f64> {
        /// Starts a second; no client could begin more.
        const MOST_STARTS: f64 = 1e7;
        const EXPECTED: &str = "a rate such as `200/s`";
        let advice = Some("a rate is a number a second, minute or hour: `200/s`, `100/min`, `50/h`".to_owned());
        let text = scalar.text.trim_end();
        let whole = references(text).first().is_some_and(|r| r.start == 0 && r.end == text.len());
        if whole && let Some(held) = self.var(&text[1..]) {
            // a variable may hold a whole rate
            let held = Scalar { text: super::values::show(held), span: scalar.span, lines: Vec::new() };
            if held.text.contains('/') {
                return self.rate(&held, what);
            }
        }
        let Some((amount, unit)) = text.rsplit_once('/') else {
            self.invalid(scalar, what, EXPECTED, advice);
            return None;
        };
        let Some((_, period)) = UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
            self.invalid(scalar, what, EXPECTED, advice);
            return None;
        };
        let amount = part(scalar, 0..amount.len());
        let rate = self.number(&amount, what)? * 1e9 / period;
        if !(0.0..=MOST_STARTS).contains(&rate) {
            self.out_of_range(scalar, what, &scalar.text, "lies between 0 and 10,000,000 a second".to_owned());
            return None;
        }
        Some(rate)
    }

    /// Notes a range whose ends stand in the wrong order.
    pub(super) fn ordered<T: PartialOrd>(&mut self, low: &T, high: &T, scalar: &Scalar, what: &str) -> Option<()> {
        if low <= high {
            return Some(());
        }
        self.invalid(scalar, what, "a range from the smaller to the larger value", None);
        None
    }

    /// Notes a value that is too small or too large: `bound` says how it has to be.
    pub(super) fn out_of_range(&mut self, scalar: &Scalar, what: &str, value: &impl ToString, bound: String) {
        let (what, value) = (what.to_owned(), value.to_string());
        self.fault(ScenarioError::OutOfRange { what, value, bound, span: scalar.span });
    }

    /// Notes a value of the wrong kind.
    pub(super) fn invalid(&mut self, scalar: &Scalar, what: &str, expected: &'static str, help: Option<String>) {
        let text = scalar.text.trim().to_owned();
        self.fault(ScenarioError::InvalidValue { what: what.to_owned(), expected, text, span: scalar.span, help });
    }
}

/// Whether this is one of PostgreSQL's units of time.
pub(super) fn unit_of_time(text: &str) -> bool {
    UNITS.iter().any(|(name, _)| *name == text.trim())
}

/// Both ends of `lo..hi`.
pub(super) fn split_range(scalar: &Scalar) -> Option<(Scalar, Scalar)> {
    let at = scalar.text.find("..")?;
    Some((part(scalar, 0..at), part(scalar, at + 2..scalar.text.len())))
}

/// `5..10ms` with the unit at both ends.
fn with_units(range: &str) -> String {
    let Some((low, high)) = range.split_once("..") else { return range.to_owned() };
    let unit = high.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    let bare = low.trim().parse::<f64>().is_ok();
    if bare && unit_of_time(unit) { format!("{}{}..{high}", low.trim(), unit.trim()) } else { range.to_owned() }
}

/// The range that `1-9` or `1 to 9` was meant to be.
pub(super) fn meant_range(text: &str) -> Option<String> {
    let (low, high) = [" to ", "...", "-", ","].iter().find_map(|between| text.trim().split_once(between))?;
    let (low, high) = (low.trim(), high.trim());
    let fits = low.parse::<f64>().is_ok() && high.parse::<f64>().is_ok();
    fits.then(|| format!("write `{low}..{high}`"))
}

/// A part of a scalar with its own place.
pub(super) fn part(scalar: &Scalar, range: std::ops::Range<usize>) -> Scalar {
    let text = &scalar.text[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    let text = text.trim();
    let end = start + text.len();
    let line = scalar.lines.iter().rev().find(|(line, _)| *line <= start);
    let lines = line.map(|(line, source)| vec![(0, source + start - line)]).unwrap_or_default();
    Scalar { text: text.to_owned(), span: scalar.place(start..end), lines }
}

fn unit_help(amount: &str) -> String {
    if amount.is_empty() || amount.parse::<f64>().is_err() {
        return "a duration has a unit: us, ms, s, min, h or d".to_owned();
    }
    format!("a duration has a unit: `{amount}s`, `{amount}ms`, `{amount}min`, …")
}

fn unknown_unit_help(amount: &str, unit: &str) -> String {
    match unit {
        "m" => format!("`m` could mean two things: write `{amount}min` or `{amount}ms`"),
        "sec" | "secs" | "second" | "seconds" => format!("write `{amount}s`"),
        "mins" | "minute" | "minutes" => format!("write `{amount}min`"),
        "µs" | "usec" => format!("write `{amount}us`"),
        "msec" => format!("write `{amount}ms`"),
        "hour" | "hours" => format!("write `{amount}h`"),
        "day" | "days" => format!("write `{amount}d`"),
        _ => "the units are us, ms, s, min, h and d".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{Values, split_range};
    use crate::plan::print::duration as show;
    use crate::scenario::Scalar;
    use crate::source::Span;

    fn scalar(text: &str) -> Scalar {
        Scalar { text: text.to_owned(), span: Span::default(), lines: vec![(0, 0)] }
    }

    proptest! {
        #[test]
        fn a_duration_that_was_shown_reads_as_the_same(microseconds in 0_u64..1_000_000_000_000) {
            let duration = Duration::from_micros(microseconds);
            let mut values = Values::new(&|_| None);
            prop_assert_eq!(values.duration(&scalar(&show(duration)), "it"), Some(duration));
        }
    }

    #[test]
    fn both_ends_of_a_range_keep_their_places() {
        let (low, high) = split_range(&scalar("1 .. :orders")).unwrap();
        assert_eq!((low.text.as_str(), low.span.range()), ("1", 0..1));
        assert_eq!((high.text.as_str(), high.span.range()), (":orders", 5..12));
    }

    #[test]
    fn rates_are_starts_a_second() {
        let mut values = Values::new(&|_| None);
        let rates = ["200/s", "120/min", "0/s"].map(|text| values.rate(&scalar(text), "it"));
        assert_eq!(rates, [Some(200.0), Some(2.0), Some(0.0)]);
        assert_eq!(values.rate(&scalar("5"), "it"), None);
    }
}

//! Searching the highest rate that keeps a rule.

/// How close the two ends come before the search ends: by a twentieth.
const CLOSE: f64 = 1.05;

/// A search by bisection of the logarithms: each trial takes the geometric mean of the highest rate that was kept and
/// the lowest that was not, so that each decade of the range takes as many trials as any other. The lowest rate is tried
/// first, since without it there is nothing to find; the highest only where all others were kept, since a load far
/// beyond what a server can do says little and takes long to clear.
#[derive(Debug, Clone)]
pub struct RateSearch {
    low: f64,
    high: f64,
    low_tried: bool,
    high_tried: bool,
    given_up: bool,
}

impl RateSearch {
    /// A search from `low` to `high`, which are above 0 and in that order.
    pub fn new(low: f64, high: f64) -> Self {
        Self { low, high, low_tried: false, high_tried: false, given_up: false }
    }

    /// The rate to try next; none: the search has ended.
    pub fn next_rate(&self) -> Option<f64> {
        if self.given_up {
            return None;
        }
        if !self.low_tried {
            return Some(self.low);
        }
        if self.high / self.low > CLOSE {
            let middle = three_digits((self.low * self.high).sqrt());
            return Some(if middle > self.low && middle < self.high { middle } else { (self.low + self.high) / 2.0 });
        }
        (!self.high_tried && self.high > self.low).then_some(self.high)
    }

    /// Whether the rate that was to be tried next was kept.
    pub fn tell(&mut self, kept: bool) {
        let Some(rate) = self.next_rate() else { return };
        match (self.low_tried, kept) {
            (false, kept) => (self.low_tried, self.given_up) = (true, !kept),
            (true, true) => self.low = rate,
            (true, false) => (self.high, self.high_tried) = (rate, true),
        }
    }
}

/// To three significant digits, for people to read.
fn three_digits(rate: f64) -> f64 {
    let unit = 10_f64.powf(rate.log10().floor() - 2.0);
    (rate / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CLOSE, RateSearch};

    /// The trials of a search on a server that keeps every rate up to `capacity`.
    fn trials(low: f64, high: f64, capacity: f64) -> Vec<(f64, bool)> {
        let mut search = RateSearch::new(low, high);
        let mut trials = Vec::new();
        while let Some(rate) = search.next_rate() {
            let kept = rate <= capacity;
            trials.push((rate, kept));
            search.tell(kept);
            assert!(trials.len() < 100, "{trials:?}");
        }
        trials
    }

    #[test]
    fn it_narrows_the_range_from_both_ends() {
        let found = trials(100.0, 20_000.0, 1500.0);
        let rates: Vec<f64> = found.iter().map(|(rate, _)| rate.round()).collect();
        assert_eq!(rates, [100.0, 1410.0, 5310.0, 2740.0, 1970.0, 1670.0, 1530.0, 1470.0]);
    }

    #[test]
    fn it_ends_at_once_where_the_lowest_fails_and_at_the_highest_where_nothing_does() {
        assert_eq!(trials(100.0, 200.0, 50.0), [(100.0, false)]);
        assert_eq!(trials(100.0, 200.0, 500.0).last(), Some(&(200.0, true)));
        assert_eq!(trials(100.0, 102.0, 101.0), [(100.0, true), (102.0, false)]);
    }

    proptest! {
        #[test]
        fn what_it_finds_is_within_a_twentieth(low in 0.01_f64..1e4, factor in 1.0_f64..1e4, share in 0.0_f64..1.0) {
            let high = low * factor;
            let capacity = low * factor.powf(share);
            let found = trials(low, high, capacity);
            prop_assert!(found.len() <= 12 + 2, "{found:?}");
            let best = found.iter().filter(|(_, kept)| *kept).map(|(rate, _)| *rate).fold(0.0, f64::max);
            prop_assert!(best <= capacity && best * CLOSE * 1.0001 >= capacity, "{best} of {capacity}");
        }
    }
}

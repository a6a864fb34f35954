//! Count, mean, variance and extremes of values seen one by one.

/// An accumulator that two workers can fill apart and merge.
///
/// Mean and squared deviations are updated after Welford, *Note on a Method for Calculating Corrected Sums of Squares
/// and Products* (Technometrics 4, 1962), and merged after Chan, Golub and `LeVeque`, *Updating Formulae and a Pairwise
/// Algorithm for Computing Sample Variances* (1979): no sum of squares that a large mean could drown the spread in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    squared_deviations: f64,
    min: f64,
    max: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, mean: 0.0, squared_deviations: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Moments {
    /// Takes in one more value.
    #[inline]
    pub fn record(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squared_deviations += before * (value - self.mean);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Takes in all values of another accumulator.
    pub fn merge(&mut self, other: &Self) {
        let &Self { count, mean, squared_deviations, min, max } = other;
        if count == 0 {
            return;
        }
        let (own, others) = (self.count as f64, count as f64);
        let total = own + others;
        let distance = mean - self.mean;
        self.count += count;
        self.mean += distance * (others / total);
        self.squared_deviations += squared_deviations + distance * distance * (own * others / total);
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    /// How many values there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The arithmetic mean; none of no values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The standard deviation of the values as a whole population; none of no values.
    pub fn stddev(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squared_deviations / self.count as f64).sqrt())
    }

    /// The smallest value.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }
}

impl Extend<f64> for Moments {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.record(value));
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        moments.extend(values);
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[f64]) -> Moments {
        values.iter().copied().collect()
    }

    fn merged(left: &Moments, right: &Moments) -> Moments {
        let mut both = *left;
        both.merge(right);
        both
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1.0)
    }

    fn assert_alike(left: &Moments, right: &Moments) {
        assert_eq!((left.count, left.min(), left.max()), (right.count, right.min(), right.max()));
        assert!(close(left.mean, right.mean), "{left:?} {right:?}");
        let scale = left.count.max(1) as f64;
        assert!(close(left.squared_deviations / scale, right.squared_deviations / scale), "{left:?} {right:?}");
    }

    #[test]
    fn none_of_no_values() {
        let none = Moments::default();
        assert_eq!((none.count(), none.mean(), none.stddev(), none.min(), none.max()), (0, None, None, None, None));
        assert_eq!(merged(&none, &none), none);
        assert_eq!(merged(&of(&[1.0]), &none), of(&[1.0]));
    }

    #[test]
    fn spread_survives_a_large_mean() {
        // NIST StRD, NumAcc4: 10000000.2, then 500 pairs of 10000000.1 and 10000000.3
        let values = std::iter::once(10_000_000.2).chain((0..1000).map(|i| 10_000_000.1 + f64::from(i % 2) * 0.2));
        let moments: Moments = values.collect();
        let (mean, stddev) = (moments.mean().unwrap(), moments.stddev().unwrap());
        assert!(close(mean, 10_000_000.2), "{mean}");
        let of_sample = stddev * (1001.0_f64 / 1000.0).sqrt();
        assert!((of_sample - 0.1).abs() < 1e-8, "{of_sample}");
    }

    #[test]
    fn more_values_than_an_i32_counts() {
        let mut moments = of(&[1.0, 3.0]);
        for _ in 0..34 {
            let copy = moments;
            moments.merge(&copy);
        }
        assert_eq!((moments.count(), moments.mean(), moments.stddev()), (1 << 35, Some(2.0), Some(1.0)));
    }

    fn values() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1e6..1e6, 0..30)
    }

    proptest! {
        #[test]
        fn merging_is_recording(left in values(), right in values()) {
            assert_alike(&merged(&of(&left), &of(&right)), &of(&[left, right].concat()));
        }

        #[test]
        fn merging_is_associative_and_commutative(a in values(), b in values(), c in values()) {
            let (a, b, c) = (of(&a), of(&b), of(&c));
            assert_alike(&merged(&merged(&a, &b), &c), &merged(&a, &merged(&b, &c)));
            assert_alike(&merged(&a, &b), &merged(&b, &a));
        }

        #[test]
        fn mean_lies_between_the_extremes(values in values()) {
            let moments = of(&values);
            if let (Some(mean), Some(min), Some(max)) = (moments.mean(), moments.min(), moments.max()) {
                prop_assert!(min - 1e-9 <= mean && mean <= max + 1e-9);
                prop_assert!(moments.stddev().unwrap() <= (max - min) / 2.0 + 1e-6);
            }
        }
    }
}

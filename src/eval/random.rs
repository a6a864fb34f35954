//! Random numbers: PostgreSQL's generator and the distributions of its benchmark tool, number for number.
//!
//! The distributions go through the platform's C library (`exp`, `log`, `pow`, `sin`), as they do there; another
//! library may differ in the last bit and, very rarely, in a drawn integer.

use std::f64::consts::PI;
use std::hint::black_box;

use rand_xoshiro::Xoroshiro128StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::rand48::Rand48;

/// How numbers are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// PostgreSQL's from 15 on: xoroshiro128** (Blackman and Vigna), seeded by two steps of splitmix64.
    #[default]
    Xoroshiro,
    /// PostgreSQL's from 12 to 14: the 48 bits of `drand48`.
    Rand48,
}

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator(State);

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Xoroshiro(Xoroshiro128StarStar),
    Rand48(Rand48),
}

impl Generator {
    /// The generator that a seed stands for.
    pub fn from_seed(seed: u64) -> Self {
        Self(State::Xoroshiro(Xoroshiro128StarStar::seed_from_u64(seed)))
    }

    /// The generator of an algorithm that a seed stands for.
    pub fn new(algorithm: Algorithm, seed: u64) -> Self {
        match algorithm {
            Algorithm::Xoroshiro => Self::from_seed(seed),
            Algorithm::Rand48 => Self(State::Rand48(Rand48::from_seed(seed))),
        }
    }

    /// A seed for another generator of the same algorithm.
    pub fn next_seed(&mut self) -> u64 {
        match &mut self.0 {
            State::Xoroshiro(state) => state.next_u64(),
            State::Rand48(state) => state.next_seed(),
        }
    }

    /// A generator of its own for each list of words, so that streams of different purposes are independent of each
    /// other and of the order in which they are made.
    ///
    /// The seed is `h(n)` of the `n` words, where `h(0) = mix(seed)`, `h(i) = mix(h(i-1) xor mix(word i))` and `mix` is
    /// the output of splitmix64 for that state.
    pub fn derive(seed: u64, words: &[u64]) -> Self {
        Self::from_seed(words.iter().fold(mix(seed), |state, &word| mix(state ^ mix(word))))
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        match &mut self.0 {
            State::Xoroshiro(state) => state.next_u64(),
            State::Rand48(state) => state.next_u64(),
        }
    }

    /// The next double of [0, 1), with 52 random bits (48 of the older algorithm).
    #[inline]
    pub fn next_double(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 52) as f64;
        match &mut self.0 {
            State::Xoroshiro(state) => (state.next_u64() >> 12) as f64 * UNIT,
            State::Rand48(state) => state.next_double(),
        }
    }

    /// The next double of (0, 1], whose logarithm is finite.
    #[inline]
    fn next_positive(&mut self) -> f64 {
        1.0 - self.next_double()
    }

    /// An integer between the bounds, both included, each alike. Draws nothing where there is no choice (the older
    /// algorithm does); `low` must not be above `high`.
    #[inline]
    pub fn uniform(&mut self, low: i64, high: i64) -> i64 {
        if let State::Rand48(state) = &mut self.0 {
            return at(low, high, state.next_double());
        }
        low.wrapping_add_unsigned(self.up_to(high.abs_diff(low)))
    }

    /// An integer from 0 to `limit`, by rejection on the upper bits.
    #[inline]
    pub(super) fn up_to(&mut self, limit: u64) -> u64 {
        if limit == 0 {
            return 0;
        }
        let shift = limit.leading_zeros();
        loop {
            let value = self.next_u64() >> shift;
            if value <= limit {
                return value;
            }
        }
    }

    /// An integer between the bounds, exponentially rarer towards the upper one; the parameter is positive.
    pub fn exponential(&mut self, low: i64, high: i64, parameter: f64) -> i64 {
        let cut = (-parameter).exp();
        let uniform = self.next_positive();
        let part = -(cut + (1.0 - cut) * uniform).ln() / parameter;
        at(low, high, part)
    }

    /// An integer between the bounds on a bell curve, cut off at `parameter` standard deviations; at least 2.
    ///
    /// An infinite parameter gives `low`; pgbench gives a number out of range then.
    pub fn gaussian(&mut self, low: i64, high: i64, parameter: f64) -> i64 {
        let deviation = loop {
            let deviation = self.normal();
            if deviation >= -parameter && deviation < parameter {
                break deviation;
            }
        };
        at(low, high, (deviation + parameter) / (parameter * 2.0))
    }

    /// An integer between the bounds, the k-th in proportion to `1 / k^parameter`; from 1.001 to 1000.
    ///
    /// The rejection method of Devroye, *Non-Uniform Random Variate Generation* (1986), page 551.
    pub fn zipfian(&mut self, low: i64, high: i64, parameter: f64) -> i64 {
        let count = high.wrapping_sub(low).wrapping_add(1);
        if count <= 1 {
            return low;
        }
        let power = parameter - 1.0;
        // a constant base would let the compiler put exp2 in the place of pow
        let base = black_box(2.0_f64).powf(power);
        loop {
            let u = self.next_double();
            let v = self.next_double();
            let rank = u.powf(-1.0 / power).floor();
            let ratio = (1.0 + 1.0 / rank).powf(power);
            if v * rank * (ratio - 1.0) / (base - 1.0) <= ratio / base && rank <= count as f64 {
                return low.wrapping_sub(1).wrapping_add(truncate(rank));
            }
        }
    }

    /// The distance to the next event of a Poisson process, in whole units, where the distances have this mean.
    pub fn poisson_delay(&mut self, mean: f64) -> i64 {
        let uniform = self.next_positive();
        truncate(-uniform.ln() * mean + 0.5)
    }

    /// Exponentially distributed with mean 1.
    pub fn exp1(&mut self) -> f64 {
        -self.next_positive().ln()
    }

    /// Normally distributed with mean 0 and standard deviation 1 (Box and Muller, the sine half).
    pub fn normal(&mut self) -> f64 {
        let radius = self.next_positive();
        let angle = self.next_positive();
        (-2.0 * radius.ln()).sqrt() * (2.0 * PI * angle).sin()
    }
}

/// The integer that lies `part` of the way from `low` to behind `high`.
fn at(low: i64, high: i64, part: f64) -> i64 {
    let count = high.wrapping_sub(low).wrapping_add(1);
    low.wrapping_add(truncate(count as f64 * part))
}

#[expect(clippy::cast_possible_truncation, reason = "dropping the fraction is what the formulas ask for")]
fn truncate(value: f64) -> i64 {
    value as i64
}

/// The output of splitmix64 (Steele, Lea and Flood, 2014) for a state.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;

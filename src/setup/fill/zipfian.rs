//! Whole numbers from 1 to `n` with a zipfian distribution: `k` comes in proportion to `k^-s`.
//!
//! The first 32 are drawn from a table. For the others the sum is taken by the midpoint rule,
//!
//! ```text
//! m^-s + … + n^-s  ≈  ∫ x^-s dx  from m-½ to n+½
//! ```
//!
//! whose inverse is a power (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", 1996, of which the rejection is left out here). The probability of `k` is too large by a part of
//! `s (s+1) / 24 k²`, less than one in 10,000 for `s = 1.1`.

use super::draws::{Draws, WHOLE};
use super::term::{Layers, Term};

/// So many numbers are in the table.
const TABLE: u64 = 32;

/// So near to 1 the power is taken for an exponential.
const NEAR: f64 = 1e-9;

/// A zipfian number from 1 to `n`.
pub(super) fn zipfian(draws: &Draws<'_>, purpose: &str, n: u64, s: f64, layers: &mut Layers) -> Term {
    let head = n.min(TABLE);
    let weight = |k: u64| (k as f64).powf(-s);
    let (from, to) = (head as f64 + 0.5, n as f64 + 0.5);
    let tail = if n > head { integral(from, to, s) } else { 0.0 };
    let total = (1..=head).map(weight).sum::<f64>() + tail;
    let mut sum = 0.0;
    let bounds: Vec<u64> = (1..=head)
        .map(|k| {
            sum += weight(k);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^53")]
            let bound = (WHOLE as f64 * (sum / total)).round() as u64;
            bound.min(WHOLE)
        })
        .collect();
    let (last, inner) = bounds.split_last().unwrap_or((&WHOLE, &[]));
    let bits = draws.fraction(purpose);
    let listed = |bits: &str| match inner {
        [] => "1".to_owned(),
        _ => {
            let bounds: Vec<String> = inner.iter().map(u64::to_string).collect();
            format!("1 + width_bucket({bits}, array[{}]::bigint[])", bounds.join(", "))
        }
    };
    // where the rest has less than one chance in 2^53 it never comes
    if n == head || *last == WHOLE {
        return bits.map(|bits| format!("({})", listed(bits)));
    }
    let bits = layers.bind(bits);
    let rest = (WHOLE - last) as f64;
    // measured from the far end, so that no difference of nearly equal numbers is taken
    let drawn = if (s - 1.0).abs() < NEAR {
        let (far, step) = (to.ln(), (to / from).ln() / rest);
        format!("exp({far:?}::float8 - {step:?}::float8 * ({WHOLE} - {}))", bits.sql)
    } else {
        let far = to.powf(1.0 - s);
        let step = (from.powf(1.0 - s) - far) / rest;
        let exponent = 1.0 / (1.0 - s);
        format!("power({far:?}::float8 + {step:?}::float8 * ({WHOLE} - {}), {exponent:?}::float8)", bits.sql)
    };
    bits.map(|bits| {
        format!(
            "(case when {bits} < {last} then {} else least({n}, greatest({}, {drawn}::bigint)) end)",
            listed(bits),
            head + 1
        )
    })
}

/// The integral of `x^-s`.
fn integral(from: f64, to: f64, s: f64) -> f64 {
    if (s - 1.0).abs() < NEAR { (to / from).ln() } else { (to.powf(1.0 - s) - from.powf(1.0 - s)) / (1.0 - s) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_is_the_sum() {
        for s in [0.2, 0.5, 0.99, 1.0, 1.1, 2.0, 5.0] {
            let sum: f64 = (33..=100_000_u64).map(|k| (k as f64).powf(-s)).sum();
            let integral = integral(32.5, 100_000.5, s);
            assert!((sum / integral - 1.0).abs() < 1e-3, "{s}: {sum} {integral}");
        }
        let sum: f64 = (33..=100_000_u64).map(|k| (k as f64).powf(-1.1)).sum();
        assert!((sum / integral(32.5, 100_000.5, 1.1) - 1.0).abs() < 2e-5);
    }

    #[test]
    fn one_number_and_a_steep_law_need_no_power() {
        let draws = Draws::new(1, "t", "c", Term::constant("i"));
        let mut layers = Layers::default();
        assert_eq!(zipfian(&draws, "", 1, 1.1, &mut layers).sql, "(1)");
        assert!(!zipfian(&draws, "", 1000, 90.0, &mut layers).sql.contains("power"));
        assert!(zipfian(&draws, "", 1000, 1.1, &mut layers).sql.contains("power"));
        assert!(zipfian(&draws, "", 1000, 1.0, &mut layers).sql.contains("exp("));
    }
}

//! Pauses that are drawn.

use std::time::Duration;

use crate::eval::Generator;
use crate::plan::phase::Delay;

/// A pause of this kind.
pub(super) fn draw(delay: Delay, random: &mut Generator) -> Duration {
    let scaled =
        |by: f64, unit: Duration| Duration::try_from_secs_f64(by.max(0.0) * unit.as_secs_f64()).unwrap_or(unit);
    match delay {
        Delay::None => Duration::ZERO,
        Delay::Constant(duration) => duration,
        Delay::Uniform { low, high } => low + scaled(random.next_double(), high.saturating_sub(low)),
        Delay::Exponential { mean } => scaled(random.exp1(), mean),
        Delay::Normal { mean, stddev } => {
            let seconds = mean.as_secs_f64() + random.normal() * stddev.as_secs_f64();
            Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(mean)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_pauses_have_their_mean_and_stay_in_their_range() {
        let mut random = Generator::from_seed(5);
        let ms = Duration::from_millis;
        let mut mean = |delay| {
            let all: Vec<Duration> = (0..20_000).map(|_| draw(delay, &mut random)).collect();
            let sum: Duration = all.iter().sum();
            (all.iter().min().copied(), all.iter().max().copied(), sum.as_secs_f64() * 1000.0 / 20_000.0)
        };
        let (low, high, uniform) = mean(Delay::Uniform { low: ms(50), high: ms(249) });
        assert!(low >= Some(ms(50)) && high <= Some(ms(249)) && (uniform - 149.5).abs() < 2.0, "{uniform}");
        let (_, _, exponential) = mean(Delay::Exponential { mean: ms(10) });
        assert!((exponential - 10.0).abs() < 0.5, "{exponential}");
        let (low, _, normal) = mean(Delay::Normal { mean: ms(10), stddev: ms(2) });
        assert!(low >= Some(Duration::ZERO) && (normal - 10.0).abs() < 0.2, "{normal}");
    }
}

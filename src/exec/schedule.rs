//! When the transactions of an open model are due.

use std::time::{Duration, Instant};

use crate::eval::Generator;
use crate::plan::phase::{ArrivalKind, ArrivalPlan};

/// The starts of one client, or of all clients of a thread.
///
/// Starts are numbered along the expected count Λ(t) = a·t + b·t²/2 of a rate that goes from a in a straight line with
/// slope b; a start's time is Λ⁻¹ of its number. For a Poisson process the numbers themselves are a unit-rate Poisson
/// process (Çınlar, "Introduction to Stochastic Processes", 1975, section 4.7: time change of a non-stationary process).
#[derive(Debug)]
pub(super) struct Schedule {
    origin: Instant,
    kind: ArrivalKind,
    /// The rate at the beginning, a second.
    rate: f64,
    /// Its growth, a second and second.
    slope: f64,
    /// The number of the next start along Λ.
    number: f64,
    /// How much of Λ lies between two starts of this schedule: the number of schedules that share the rate.
    share: f64,
    random: Generator,
}

impl Schedule {
    /// The `index`-th of `share` schedules that together make `plan`'s rate over a phase of this length.
    pub(super) fn new(
        plan: ArrivalPlan,
        length: Option<Duration>,
        origin: Instant,
        index: u32,
        share: u32,
        random: Generator,
    ) -> Self {
        let slope = match length {
            Some(length) if !plan.rate.is_flat() => (plan.rate.to - plan.rate.from) / length.as_secs_f64(),
            _ => 0.0,
        };
        let mut schedule =
            Self { origin, kind: plan.kind, rate: plan.rate.from, slope, number: 0.0, share: f64::from(share), random };
        schedule.number = match plan.kind {
            ArrivalKind::Poisson => schedule.random.exp1() * schedule.share,
            ArrivalKind::Even | ArrivalKind::Burst => f64::from(index),
        };
        schedule
    }

    /// The next start; `None` when the rate has gone to nothing.
    pub(super) fn next(&mut self) -> Option<Instant> {
        let seconds = self.time_of(self.number)?;
        let seconds = if self.kind == ArrivalKind::Burst { seconds.floor() } else { seconds };
        self.number += match self.kind {
            ArrivalKind::Poisson => self.random.exp1() * self.share,
            ArrivalKind::Even | ArrivalKind::Burst => self.share,
        };
        let after = Duration::try_from_secs_f64(seconds).ok()?;
        self.origin.checked_add(after)
    }

    /// Λ⁻¹: the time in seconds at which so many starts are expected to have been.
    fn time_of(&self, number: f64) -> Option<f64> {
        if self.slope == 0.0 {
            return (self.rate > 0.0).then(|| number / self.rate);
        }
        let discriminant = self.rate * self.rate + 2.0 * self.slope * number;
        // the form that does not subtract two nearly equal numbers when the slope is small
        let denominator = self.rate + discriminant.sqrt();
        (discriminant >= 0.0 && denominator > 0.0)
            .then(|| 2.0 * number / denominator)
            .or((number == 0.0).then_some(0.0))
    }
}

/// The starts of pgbench's `--rate`, shared by the clients of a thread: each is the one before plus an exponential
/// distance in whole microseconds, drawn as the contract's 5.6 says.
#[derive(Debug)]
pub(super) struct Throttle {
    next: Instant,
    /// In microseconds.
    mean: f64,
    random: Generator,
}

impl Throttle {
    /// `rate` starts a second over all of `threads`.
    pub(super) fn new(rate: f64, threads: u32, origin: Instant, random: Generator) -> Self {
        Self { next: origin, mean: 1_000_000.0 / rate * f64::from(threads), random }
    }

    /// The next start.
    pub(super) fn next(&mut self) -> Instant {
        let delay = u64::try_from(self.random.poisson_delay(self.mean)).unwrap_or(0);
        self.next += Duration::from_micros(delay);
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::phase::Ramp;

    fn seconds(schedules: &mut [Schedule], origin: Instant, count: usize) -> Vec<f64> {
        let mut all: Vec<f64> = schedules
            .iter_mut()
            .flat_map(|s| {
                std::iter::from_fn(|| s.next()).take(count).map(|at| (at - origin).as_secs_f64()).collect::<Vec<_>>()
            })
            .collect();
        all.sort_by(f64::total_cmp);
        all
    }

    fn made(kind: ArrivalKind, rate: Ramp<f64>, length: u64, share: u32) -> (Vec<Schedule>, Instant) {
        let origin = Instant::now();
        let plan = ArrivalPlan { rate, kind };
        let each = |index| {
            let random = Generator::derive(7, &[u64::from(index)]);
            Schedule::new(plan, Some(Duration::from_secs(length)), origin, index, share, random)
        };
        ((0..share).map(each).collect(), origin)
    }

    #[test]
    fn even_starts_of_several_clients_interleave_at_equal_distances() {
        let (mut schedules, origin) = made(ArrivalKind::Even, Ramp::flat(100.0), 1, 4);
        let all = seconds(&mut schedules, origin, 5);
        for (index, at) in all.iter().enumerate() {
            assert!((at - index as f64 * 0.01).abs() < 1e-6, "{index}: {at}");
        }
    }

    #[test]
    fn a_burst_begins_each_second() {
        let (mut schedules, origin) = made(ArrivalKind::Burst, Ramp::flat(6.0), 10, 3);
        let all = seconds(&mut schedules, origin, 4);
        assert_eq!(all, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_ramp_has_the_area_under_its_line() {
        for kind in [ArrivalKind::Even, ArrivalKind::Poisson] {
            let (mut schedules, origin) = made(kind, Ramp { from: 0.0, to: 2_000.0 }, 10, 5);
            let all = seconds(&mut schedules, origin, 4_000);
            let first_half = all.iter().filter(|at| **at < 5.0).count() as f64;
            let whole = all.iter().filter(|at| **at < 10.0).count() as f64;
            assert!((first_half - 2_500.0).abs() < 200.0, "{kind:?}: {first_half}");
            assert!((whole - 10_000.0).abs() < 400.0, "{kind:?}: {whole}");
        }
    }

    #[test]
    fn no_rate_means_no_start() {
        let (mut schedules, _) = made(ArrivalKind::Poisson, Ramp::flat(0.0), 1, 1);
        assert_eq!(schedules[0].next(), None);
    }

    #[test]
    fn the_throttle_draws_as_pgbench_does() {
        // contract 5.10: -R 500, seed 1: distances after the first start
        let mut base = Generator::from_seed(1);
        for _ in 0..3 {
            base.next_u64();
        }
        let origin = Instant::now();
        let mut throttle = Throttle::new(500.0, 1, origin, Generator::from_seed(base.next_u64()));
        let starts: Vec<Instant> = (0..6).map(|_| throttle.next()).collect();
        let distances: Vec<u128> = starts.windows(2).map(|pair| (pair[1] - pair[0]).as_micros()).collect();
        assert_eq!(distances, [492, 2336, 1082, 6541, 954]);
    }
}

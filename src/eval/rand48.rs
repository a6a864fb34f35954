//! The generator that PostgreSQL had from 12 to 14: the linear congruence of `drand48`.

/// 48 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rand48(u64);

const MULTIPLIER: u64 = 0x5_deec_e66d;
const INCREMENT: u64 = 0xb;
const BITS: u64 = (1 << 48) - 1;

impl Rand48 {
    pub(super) fn from_seed(seed: u64) -> Self {
        Self(seed & BITS)
    }

    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & BITS;
        self.0
    }

    /// The upper 32 bits after a step, as `jrand48` gives them.
    fn next_u32(&mut self) -> u64 {
        self.step() >> 16
    }

    /// Two draws, the first in the lower half.
    pub(super) fn next_u64(&mut self) -> u64 {
        let low = self.next_u32();
        low | self.next_u32() << 32
    }

    /// Three draws of 16 bits each, the first lowest.
    pub(super) fn next_seed(&mut self) -> u64 {
        (0..3).fold(0, |seed, place| seed | (self.next_u32() & 0xffff) << (16 * place))
    }

    /// In [0, 1).
    pub(super) fn next_double(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 48) as f64;
        self.step() as f64 * UNIT
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::{Algorithm, Generator};

    #[test]
    fn the_draws_of_seed_42_are_those_of_pgbench_13_and_14() {
        let mut base = Generator::new(Algorithm::Rand48, 42);
        let mut client = Generator::new(Algorithm::Rand48, base.next_seed());
        assert_eq!(client.uniform(1, 1_000_000), 952_118);
        assert_eq!(client.uniform(-5, 5), 1);
        assert_eq!(client.exponential(1, 1_000, 2.5), 11);
        assert_eq!(client.gaussian(1, 1_000, 3.0), 508);
        assert_eq!(client.zipfian(1, 1_000, 1.3), 9);
        assert_eq!(base.next_u64().cast_signed(), 7_602_097_776_966_107_404);
    }
}

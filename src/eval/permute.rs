//! Pseudorandom permutations of the integers below a size.

use super::random::Generator;

/// Rounds of the permutation.
const ROUNDS: u32 = 6;

/// Where the permutation that `seed` chooses among those of `0..size` takes `index`, which is first reduced to the
/// range, as an unsigned number. `size` is positive.
///
/// Each round scrambles the lower and then the upper part of the range that is a power of two long (multiplying by an
/// odd number, xor, rotating by a bit), and shifts the whole by a random distance; each of the three is a bijection.
pub(super) fn permute(index: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let size = size.cast_unsigned();
    let mut generator = Generator::from_seed(seed.cast_unsigned());
    let bits = size.ilog2();
    let mask = (1_u64 << bits) - 1;
    let last = size - 1;

    let scramble = |generator: &mut Generator, value: u64| {
        // drawn even where they are not used
        let factor = generator.next_u64() & mask | 1;
        let flips = generator.next_u64() & mask;
        if value > mask {
            return value;
        }
        let value = (value.wrapping_mul(factor) ^ flips) & mask;
        value << 1 & mask | value >> (bits - 1)
    };

    let mut value = index.cast_unsigned() % size;
    for _ in 0..ROUNDS {
        value = scramble(&mut generator, value);
        value = last - scramble(&mut generator, last - value);
        value = (value + generator.up_to(last)) % size;
    }
    value.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        const SIZE: i64 = 9_223_372_036_854_775_797;
        let values: Vec<i64> = (1..=7).map(|k| permute(SIZE - k, SIZE, 5432)).collect();
        assert_eq!(
            values,
            [
                520_382_784_483_822_430,
                1_143_715_004_660_802_862,
                447_293_596_416_496_998,
                916_527_772_266_572_956,
                2_763_809_008_686_028_849,
                8_648_551_549_198_294_572,
                4_542_876_852_200_565_125,
            ]
        );
        assert_eq!(permute(5, 10, 5432), 7);
        assert_eq!(permute(11, 8, 99), 4);
        assert_eq!(permute(-1, 8, 99), 6);
        assert_eq!(permute(5, 1, 3), 0);
        assert_eq!(permute(1, 100, 4_306_334_408_478_191_133), 47);
    }

    proptest! {
        #[test]
        fn is_a_bijection(size in 1_i64..=2000, seed: i64) {
            let mut images: Vec<i64> = (0..size).map(|index| permute(index, size, seed)).collect();
            images.sort_unstable();
            prop_assert!(images.into_iter().eq(0..size));
        }
    }
}

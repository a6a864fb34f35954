//! Hashes of an integer, as pgbench has them.

/// `MurmurHash2` (Appleby), 64 bits, of the eight bytes of `value`.
pub(super) fn murmur2(value: i64, seed: i64) -> i64 {
    const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
    const SHIFT: u32 = 47;
    /// The multiplier times the length of the data.
    const LENGTH: u64 = MULTIPLIER.wrapping_mul(8);

    let mut word = value.cast_unsigned().wrapping_mul(MULTIPLIER);
    word ^= word >> SHIFT;
    word = word.wrapping_mul(MULTIPLIER);

    let mut hash = (seed.cast_unsigned() ^ LENGTH ^ word).wrapping_mul(MULTIPLIER);
    hash ^= hash >> SHIFT;
    hash = hash.wrapping_mul(MULTIPLIER);
    (hash ^ hash >> SHIFT).cast_signed()
}

/// FNV-1a (Fowler, Noll and Vo), 64 bits, of the eight bytes of `value`, the lowest first.
pub(super) fn fnv1a(value: i64, seed: i64) -> i64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x100_0000_01b3;

    let start = OFFSET_BASIS ^ seed.cast_unsigned();
    let hash = value.to_le_bytes().iter().fold(start, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    hash.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        assert_eq!(murmur2(10, 5432), -5_817_877_081_768_721_676);
        assert_eq!(fnv1a(10, 5432), -7_793_829_335_365_542_153);
        assert_eq!(murmur2(42, 7), 1_340_367_696_533_541_376);
        assert_eq!(fnv1a(42, 7), 2_765_047_632_110_736_392);
        assert_eq!(fnv1a(-1, 0), -8_289_690_350_564_177_859);
    }
}

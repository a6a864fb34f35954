//! Random numbers of a row: hashes of its number.
//!
//! ```text
//! key  = SplitMix64(seed xor FNV-1a-64(table || 0x00 || column [|| 0x01 || purpose]))   once, a constant in the SQL
//! h(i) = hashint8extended(i, key)                                   64 bits; PostgreSQL 11 and newer
//! ```
//!
//! `hashint8extended` is what hash partitioning stores rows by, so PostgreSQL keeps it as it is.

use super::term::{Layers, Term};

/// `2^53`, up to which `double precision` has every whole number.
pub(super) const WHOLE: u64 = 1 << 53;

/// One word of bits is cut into numbers as long as their ranges together stay below this: what is left of 63 bits makes
/// each of a number's values alike to a part in 250,000.
const MOST_OF_A_WORD: u64 = 1 << 45;

/// The draws for one value.
#[derive(Debug, Clone)]
pub(super) struct Draws<'a> {
    seed: u64,
    table: &'a str,
    column: String,
    /// The number of the row.
    pub(super) row: Term,
}

impl<'a> Draws<'a> {
    pub(super) fn new(seed: u64, table: &'a str, column: &str, row: Term) -> Self {
        Self { seed, table, column: column.to_owned(), row }
    }

    /// Those for a member of an object.
    pub(super) fn member(&self, name: &str) -> Self {
        Self { column: format!("{}\0{name}", self.column), ..self.clone() }
    }

    /// The key for a purpose; the first one has no name.
    pub(super) fn key(&self, purpose: &str) -> i64 {
        // FNV-1a and SplitMix64, as published.
        let purpose = if purpose.is_empty() { String::new() } else { format!("\u{1}{purpose}") };
        let name = self.table.bytes().chain([0]).chain(self.column.bytes()).chain(purpose.bytes());
        let fnv =
            name.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        split_mix(self.seed ^ fnv).cast_signed()
    }

    /// 64 random bits.
    pub(super) fn bits(&self, purpose: &str) -> Term {
        let key = self.key(purpose);
        self.row.map(|row| format!("hashint8extended({row}, {key})"))
    }

    /// 53 random bits, a whole number from 0.
    pub(super) fn fraction(&self, purpose: &str) -> Term {
        self.bits(purpose).map(|bits| format!("({bits} & {})", WHOLE - 1))
    }

    /// A whole number from 0 up to and without `count`, which is SQL.
    pub(super) fn below(&self, purpose: &str, count: &str) -> Term {
        self.bits(purpose).map(|bits| format!("(({bits} & {}) % {count})", i64::MAX))
    }

    /// Several numbers of small ranges.
    pub(super) fn digits(&self) -> Digits<'_> {
        Digits { draws: self, words: 0, word: None, used: 1 }
    }
}

/// The next number of SplitMix64 from this state.
pub(super) fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Small numbers cut out of one hash after another.
#[derive(Debug)]
pub(super) struct Digits<'d> {
    draws: &'d Draws<'d>,
    words: usize,
    word: Option<Term>,
    used: u64,
}

impl Digits<'_> {
    /// A whole number from 0 up to and without `count`.
    pub(super) fn below(&mut self, count: u64, layers: &mut Layers) -> Term {
        if count <= 1 {
            return Term::constant("0");
        }
        let used = self.used.checked_mul(count).filter(|used| *used <= MOST_OF_A_WORD);
        let word = match (&self.word, used) {
            (Some(word), Some(used)) => {
                let term = word.map(|word| format!("({word} / {} % {count})", self.used));
                self.used = used;
                return term;
            }
            _ => {
                let purpose = if self.words == 0 { String::new() } else { format!("digits {}", self.words) };
                self.words += 1;
                layers.bind(self.draws.bits(&purpose).map(|bits| format!("({bits} & {})", i64::MAX)))
            }
        };
        self.used = count;
        let term = word.map(|word| format!("({word} % {count})"));
        self.word = Some(word);
        term
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, table: &str, column: &str) -> i64 {
        Draws::new(seed, table, column, Term::constant("i")).key("")
    }

    #[test]
    fn a_key_depends_on_seed_table_column_and_purpose() {
        let one = Draws::new(1, "a", "b", Term::constant("i"));
        let keys = [
            one.key(""),
            one.key("x"),
            one.member("x").key(""),
            draws(2, "a", "b"),
            draws(1, "b", "a"),
            draws(1, "ab", ""),
            draws(1, "", "ab"),
        ];
        for (n, one) in keys.iter().enumerate() {
            assert!(!keys[n + 1..].contains(one));
        }
    }

    #[test]
    fn digits_share_a_hash_until_it_is_used_up() {
        let draws = Draws::new(1, "a", "b", Term::constant("i"));
        let (mut digits, mut layers) = (draws.digits(), Layers::default());
        let mut next = |count| digits.below(count, &mut layers).sql;
        assert_eq!(
            [next(1), next(10), next(1 << 40), next(4)],
            ["0", "(v1 % 10)", "(v1 / 10 % 1099511627776)", "(v2 % 4)"]
        );
    }
}

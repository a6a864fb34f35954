//! Whole numbers shuffled: a bijection of `0 … n-1` onto itself that depends on a key.
//!
//! Up to 64 numbers are a list in the SQL, shuffled by the method of Fisher and Yates. More go through three rounds of
//! the generalized Feistel cipher of Black and Rogaway ("Ciphers with arbitrary finite domains", 2002): with
//! `a = ⌈√n⌉` and `b = ⌈n/a⌉`,
//!
//! ```text
//! l = x / b          r = x % b
//! l' = (l + f1(r)) % a        r' = (r + f2(l')) % b        l'' = (l' + f3(r')) % a        y = l'' b + r'
//! ```
//!
//! where `f` is [`hashint8extended`](super::draws) with a key for each round. Fewer than `a` of the `a b` numbers lie
//! outside of `0 … n-1`; whatever comes out there goes in again until it lies inside (cycle walking), which happens to
//! about one number of `√n` and is a subquery that the others don't pay for.

use super::draws::{Draws, split_mix};
use super::term::{Layers, Term};

/// So many numbers are written out.
const LISTED: u64 = 64;

/// 62 bits, so that a number below `2^31` can be added to them.
const MASK: i64 = (1 << 62) - 1;

/// The number that the row's number goes to among `0 … n-1`; the first row is 1, and there are at most `n` of them.
pub(super) fn permuted(draws: &Draws<'_>, n: u64, layers: &mut Layers) -> Term {
    if n <= 1 {
        return Term::constant("0");
    }
    if n <= LISTED {
        let list = shuffled(n, draws.key("list").cast_unsigned());
        let list: Vec<String> = list.iter().map(u64::to_string).collect();
        return draws.row.map(|row| format!("(array[{}]::bigint[])[{row}]", list.join(", ")));
    }
    let sides = Sides::new(n, ["one", "two", "three"].map(|purpose| draws.key(purpose)));
    let (left, right) = (
        draws.row.map(|row| format!("(({row} - 1) / {})", sides.b)),
        draws.row.map(|row| format!("(({row} - 1) % {})", sides.b)),
    );
    let left = layers.bind(Term::of(sides.round(0, &left.sql, &right.sql), &[&left, &right]));
    let right = layers.bind(Term::of(sides.round(1, &right.sql, &left.sql), &[&left, &right]));
    let last = sides.round(2, &left.sql, &right.sql);
    let number = Term::of(format!("({last} * {} + {})", sides.b, right.sql), &[&left, &right]);
    if sides.is_exact(n) {
        return number;
    }
    let number = layers.bind(number);
    number
        .map(|number| {
            format!(
                "case when {number} < {n} then {number} else (with recursive w(y) as (select {number} union all \
             select f.y from w, lateral ({}) as f where w.y >= {n}) select y from w where y < {n}) end",
                sides.again("w.y")
            )
        })
        .map(|case| format!("({case})"))
}

/// `0 … n-1` in an order that depends on the key.
fn shuffled(n: u64, key: u64) -> Vec<u64> {
    let mut list: Vec<u64> = (0..n).collect();
    let mut state = key;
    for last in (1..list.len()).rev() {
        state = split_mix(state);
        // of 64 bits, so many more than 64 numbers that the remainder is as good as alike
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is an index")]
        list.swap(last, (state % (last as u64 + 1)) as usize);
    }
    list
}

/// The sides of the rectangle that the numbers are laid out in, and the keys of the rounds.
struct Sides {
    a: u64,
    b: u64,
    keys: [i64; 3],
}

impl Sides {
    fn new(n: u64, keys: [i64; 3]) -> Self {
        let root = n.isqrt();
        let a = if root * root == n { root } else { root + 1 };
        Self { a, b: n.div_ceil(a), keys }
    }

    fn is_exact(&self, n: u64) -> bool {
        self.a * self.b == n
    }

    /// One side after a round that depends on the other side.
    fn round(&self, round: usize, side: &str, other: &str) -> String {
        let size = if round == 1 { self.b } else { self.a };
        format!("(({side} + (hashint8extended({other}, {}) & {MASK})) % {size})", self.keys[round])
    }

    /// A query of what one number goes to.
    fn again(&self, number: &str) -> String {
        format!(
            "select l * {b} + r as y from (select {three} as l, r from (select l, {two} as r from \
             (select {one} as l, r from (select {number} / {b} as l, {number} % {b} as r) as x) as x) as x) as x",
            b = self.b,
            one = self.round(0, "l", "r"),
            two = self.round(1, "r", "l"),
            three = self.round(2, "l", "r"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_each_number_once() {
        for n in 1..=LISTED {
            let mut list = shuffled(n, n * 77);
            list.sort_unstable();
            assert_eq!(list, (0..n).collect::<Vec<_>>());
        }
        assert_ne!(shuffled(64, 1), shuffled(64, 2));
    }

    #[test]
    fn the_sides_hold_all_numbers_and_few_more() {
        for n in (65..5000).chain([1 << 40, (1 << 62) - 1, 1 << 62, 10_000_000]) {
            let Sides { a, b, .. } = Sides::new(n, [0; 3]);
            assert!(a * b >= n && a * b - n < a && a <= 1 << 31, "{n}: {a} {b}");
        }
    }
}

//! The functions by name.

use std::ops::RangeInclusive;

use super::expr::Function;

/// pgbench's names, then ours; each part in alphabetical order.
const TABLE: [(&str, Function); 27] = [
    ("abs", Function::Abs),
    ("debug", Function::Debug),
    ("double", Function::ToDouble),
    ("exp", Function::Exp),
    ("greatest", Function::Greatest),
    ("hash", Function::HashMurmur2),
    ("hash_fnv1a", Function::HashFnv1a),
    ("hash_murmur2", Function::HashMurmur2),
    ("int", Function::ToInteger),
    ("least", Function::Least),
    ("ln", Function::Ln),
    ("mod", Function::Modulo),
    ("permute", Function::Permute),
    ("pi", Function::Pi),
    ("pow", Function::Pow),
    ("power", Function::Pow),
    ("random", Function::Random),
    ("random_exponential", Function::RandomExponential),
    ("random_gaussian", Function::RandomGaussian),
    ("random_zipfian", Function::RandomZipfian),
    ("sqrt", Function::Sqrt),
    ("choice", Function::Choice),
    ("client", Function::Client),
    ("iteration", Function::Iteration),
    ("now_us", Function::NowMicroseconds),
    ("random_string", Function::RandomString),
    ("uuid", Function::Uuid),
];

/// How many entries of the table are pgbench's.
const PGBENCH: usize = 21;

/// The first column of the table.
const NAMES: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut index = 0;
    while index < TABLE.len() {
        names[index] = TABLE[index].0;
        index += 1;
    }
    names
};

impl Function {
    /// The function that scripts call by this name, in any case; `extensions` adds those that pgbench lacks.
    pub fn resolve(name: &str, extensions: bool) -> Option<Self> {
        let visible = Self::names(extensions).len();
        TABLE[..visible].iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, function)| function)
    }

    /// The names that [`Function::resolve`] knows.
    pub fn names(extensions: bool) -> &'static [&'static str] {
        if extensions { &NAMES } else { &NAMES[..PGBENCH] }
    }

    /// How many arguments a script may give. The seed that a hash or `permute` can do without is one of those that
    /// evaluation expects.
    pub fn arguments(self) -> RangeInclusive<usize> {
        match self {
            Self::Pi | Self::Uuid | Self::Client | Self::Iteration | Self::NowMicroseconds => 0..=0,
            Self::Abs
            | Self::Debug
            | Self::ToDouble
            | Self::ToInteger
            | Self::Sqrt
            | Self::Ln
            | Self::Exp
            | Self::RandomString => 1..=1,
            Self::HashMurmur2 | Self::HashFnv1a => 1..=2,
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::Divide
            | Self::Modulo
            | Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::ShiftLeft
            | Self::ShiftRight
            | Self::BitOr
            | Self::BitAnd
            | Self::BitXor
            | Self::Pow
            | Self::Random
            | Self::Concat => 2..=2,
            Self::Permute => 2..=3,
            Self::RandomExponential | Self::RandomGaussian | Self::RandomZipfian => 3..=3,
            Self::Least | Self::Greatest | Self::Choice => 1..=usize::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_resolve() {
        assert_eq!(Function::resolve("MOD", false), Some(Function::Modulo));
        assert_eq!(Function::resolve("Power", false), Some(Function::Pow));
        assert_eq!(Function::resolve("uuid", false), None);
        assert_eq!(Function::resolve("uuid", true), Some(Function::Uuid));
        assert_eq!(Function::resolve("nope", true), None);
        assert_eq!(Function::names(false).last(), Some(&"sqrt"));
        assert!(Function::names(true).iter().all(|name| Function::resolve(name, true).is_some()));
    }

    #[test]
    fn names_are_sorted() {
        assert!(Function::names(false).is_sorted());
        assert!(Function::names(true)[PGBENCH..].is_sorted());
    }
}

//! Patterns of text: literals, classes, alternatives and counted repetitions, all of finite length.

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// This text.
    Literal(String),
    /// One of these characters, in their order and each once.
    Class(Vec<char>),
    /// These, one after another.
    Sequence(Vec<Pattern>),
    /// One of these.
    Alternatives(Vec<Pattern>),
    /// As many times.
    Repeat {
        /// What is repeated.
        of: Box<Pattern>,
        /// Fewest.
        low: u32,
        /// Most.
        high: u32,
    },
}

impl Pattern {
    /// In how many ways it makes a text. Where that is more than `u128` can count, the largest number.
    pub fn space(&self) -> u128 {
        match self {
            Self::Literal(_) => 1,
            Self::Class(characters) => characters.len() as u128,
            Self::Sequence(parts) => parts.iter().fold(1, |space, part| space.saturating_mul(part.space())),
            Self::Alternatives(ways) => ways.iter().fold(0, |space, way| space.saturating_add(way.space())),
            Self::Repeat { of, low, high } => {
                let one = of.space();
                (*low..=*high).fold(0, |space: u128, times| space.saturating_add(one.saturating_pow(times)))
            }
        }
    }

    /// The length of its longest text, in characters.
    pub fn longest(&self) -> u64 {
        match self {
            Self::Literal(text) => text.chars().count() as u64,
            Self::Class(_) => 1,
            Self::Sequence(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(part.longest())),
            Self::Alternatives(ways) => ways.iter().map(Self::longest).max().unwrap_or(0),
            Self::Repeat { of, high, .. } => of.longest().saturating_mul(u64::from(*high)),
        }
    }
}

/// As it would be written.
impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Literal(text) => text.chars().try_for_each(|c| write_escaped(f, c, r"[](){}?|\+*^$")),
            Self::Class(characters) => {
                f.write_str("[")?;
                let mut rest = characters.as_slice();
                while let Some((&first, others)) = rest.split_first() {
                    let run = 1 + (1_u32..).zip(others).take_while(|(n, c)| first as u32 + n == **c as u32).count();
                    write_escaped(f, first, r"[]^-\")?;
                    if run > 2 {
                        f.write_str("-")?;
                        write_escaped(f, rest[run - 1], r"[]^-\")?;
                        rest = &rest[run..];
                    } else {
                        rest = others;
                    }
                }
                f.write_str("]")
            }
            Self::Sequence(parts) => parts.iter().try_for_each(|part| match part {
                Self::Alternatives(_) => write!(f, "({part})"),
                _ => write!(f, "{part}"),
            }),
            Self::Alternatives(ways) => ways.iter().enumerate().try_for_each(|(n, way)| {
                f.write_str(if n > 0 { "|" } else { "" })?;
                write!(f, "{way}")
            }),
            Self::Repeat { of, low, high } => {
                match of.as_ref() {
                    Self::Class(_) => write!(f, "{of}")?,
                    _ => write!(f, "({of})")?,
                }
                match (low, high) {
                    (0, 1) => f.write_str("?"),
                    (low, high) if low == high => write!(f, "{{{low}}}"),
                    (low, high) => write!(f, "{{{low},{high}}}"),
                }
            }
        }
    }
}

fn write_escaped(f: &mut std::fmt::Formatter<'_>, character: char, special: &str) -> std::fmt::Result {
    if special.contains(character) {
        f.write_str("\\")?;
    }
    write!(f, "{character}")
}

/// Numbers up to here tell apart texts that are to be different: PostgreSQL's bigint holds sums of two of them.
const MOST_INDEXED: u64 = 1 << 62;

impl Pattern {
    /// Into how many different numbers a pattern's texts can be told apart: its [`space`](Self::space), but for very
    /// large ones, of which a part is left to chance.
    pub fn indexed(&self) -> u64 {
        match self {
            Self::Literal(_) => 1,
            Self::Class(characters) => characters.len() as u64,
            Self::Sequence(parts) => {
                let chosen = Self::indexed_parts(parts);
                parts.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(part, _)| part.indexed()).product()
            }
            Self::Alternatives(ways) => ways[..Self::indexed_ways(ways)].iter().map(Self::indexed).sum(),
            Self::Repeat { of, low, high } => {
                let one = of.indexed();
                let (low, high) = Self::indexed_times(one, *low, *high);
                (low..=high).map(|times| one.pow(times)).sum()
            }
        }
    }

    /// The parts of a sequence that a number chooses, the largest first; the others are left to chance.
    pub fn indexed_parts(parts: &[Self]) -> Vec<bool> {
        let mut order: Vec<(usize, u64)> = parts.iter().map(Self::indexed).enumerate().collect();
        order.sort_by_key(|(at, indexed)| (std::cmp::Reverse(*indexed), *at));
        let mut chosen = vec![false; parts.len()];
        let mut space = 1_u64;
        for (at, indexed) in order {
            if let Some(product) = space.checked_mul(indexed).filter(|product| *product <= MOST_INDEXED) {
                space = product;
                chosen[at] = true;
            }
        }
        chosen
    }

    /// How many of the alternatives a number chooses among, from the first.
    pub fn indexed_ways(ways: &[Self]) -> usize {
        let mut space = 0;
        let fits = |way: &&Self| {
            space += way.indexed();
            space <= MOST_INDEXED
        };
        ways.iter().take_while(fits).count().max(1)
    }

    /// How often something of which there are `one` different ones is repeated where a number chooses them all. One
    /// that is shorter than `low` is followed by others that are left to chance.
    pub fn indexed_times(one: u64, low: u32, high: u32) -> (u32, u32) {
        let (mut space, mut most) = (0_u64, None);
        for times in low..=high {
            let more = one.checked_pow(times).and_then(|more| space.checked_add(more));
            let Some(more) = more.filter(|more| *more <= MOST_INDEXED) else { break };
            (space, most) = (more, Some(times));
        }
        if let Some(most) = most {
            return (low, most);
        }
        let fits = |times: &u32| one.checked_pow(*times).is_some_and(|space| space <= MOST_INDEXED);
        let times = (0..low).rev().find(fits).unwrap_or(0);
        (times, times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_patterns_are_indexed_whole_and_large_ones_in_part() {
        let digits = || Pattern::Class(('0'..='9').collect());
        let repeat = |low, high| Pattern::Repeat { of: Box::new(digits()), low, high };
        assert_eq!(repeat(1, 3).indexed(), 1110);
        assert_eq!(repeat(30, 30).indexed(), 1_000_000_000_000_000_000);
        assert_eq!(repeat(1, 30).indexed(), 1_111_111_111_111_111_110);
        // a small part before a large one does not keep it out
        let large = Pattern::Sequence(vec![digits(), repeat(18, 18), digits()]);
        assert_eq!(large.indexed(), 1_000_000_000_000_000_000);
        let ways = Pattern::Alternatives(vec![repeat(18, 18), repeat(18, 18), digits(), repeat(18, 18)]);
        assert_eq!(ways.indexed(), 3_000_000_000_000_000_010);
    }
}

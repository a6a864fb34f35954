//! Whether a pattern makes a text in one way only: then different ways make different texts.

use std::collections::{HashMap, HashSet};

use crate::plan::pattern::Pattern;

/// Places of characters in a pattern, its repetitions written out. More are not looked at.
const MOST_POSITIONS: usize = 4000;

/// Pairs of places. More are not looked at.
const MOST_PAIRS: usize = 200_000;

/// Whether some text can be made in two ways; true also where that is too much to find out.
///
/// The automaton of Glushkov ("The abstract theory of automata", 1961) has a state for each place of a character. Two
/// different runs over one text are a path of pairs of places, one of them of two different ones, that begins and ends
/// as runs do.
pub(super) fn is_ambiguous(pattern: &Pattern) -> bool {
    let mut automaton = Automaton::default();
    if has_two_empty_ways(pattern) {
        return true;
    }
    let whole = automaton.add(pattern);
    if automaton.symbols.len() > MOST_POSITIONS {
        return true;
    }
    automaton.has_two_runs(&whole)
}

/// In how many ways a pattern makes the empty text, up to two.
fn empty_ways(pattern: &Pattern) -> u32 {
    let ways = match pattern {
        Pattern::Literal(text) => u32::from(text.is_empty()),
        Pattern::Class(_) => 0,
        Pattern::Sequence(parts) => parts.iter().fold(1, |ways, part| (ways * empty_ways(part)).min(2)),
        Pattern::Alternatives(ways) => ways.iter().fold(0, |sum, way| (sum + empty_ways(way)).min(2)),
        Pattern::Repeat { of, low, high } => {
            let one = empty_ways(of);
            (*low..=*high).fold(0, |sum: u32, times| (sum + one.saturating_pow(times)).min(2))
        }
    };
    ways.min(2)
}

/// Whether a part makes the empty text in two ways.
fn has_two_empty_ways(pattern: &Pattern) -> bool {
    empty_ways(pattern) > 1
        || match pattern {
            Pattern::Literal(_) | Pattern::Class(_) => false,
            Pattern::Sequence(parts) | Pattern::Alternatives(parts) => parts.iter().any(has_two_empty_ways),
            Pattern::Repeat { of, .. } => has_two_empty_ways(of),
        }
}

/// Places of characters, each with the characters that may stand there and the places that may come next.
#[derive(Default)]
struct Automaton {
    symbols: Vec<Vec<char>>,
    follow: Vec<Vec<usize>>,
}

/// A part of a pattern: where it begins and where it ends.
#[derive(Clone)]
struct Part {
    nullable: bool,
    first: Vec<usize>,
    last: Vec<usize>,
}

impl Automaton {
    fn add(&mut self, pattern: &Pattern) -> Part {
        let empty = Part { nullable: true, first: Vec::new(), last: Vec::new() };
        // whoever finds too many places looks no further
        if self.symbols.len() > MOST_POSITIONS {
            return empty;
        }
        match pattern {
            Pattern::Literal(text) => text.chars().fold(empty, |before, c| {
                let place = self.place(vec![c]);
                self.join(before, place)
            }),
            Pattern::Class(characters) => self.place(characters.clone()),
            Pattern::Sequence(parts) => parts.iter().fold(empty, |before, part| {
                let part = self.add(part);
                self.join(before, part)
            }),
            Pattern::Alternatives(ways) => {
                let mut all = Part { nullable: false, ..empty };
                for way in ways {
                    let way = self.add(way);
                    all.nullable |= way.nullable;
                    all.first.extend(way.first);
                    all.last.extend(way.last);
                }
                all
            }
            Pattern::Repeat { of, low, high } => {
                let mut all = empty;
                let mut ends = Part { nullable: *low == 0, first: Vec::new(), last: Vec::new() };
                for times in 1..=*high {
                    let part = self.add(of);
                    all = self.join(all, part);
                    if times >= *low {
                        ends.last.extend(&all.last);
                        ends.nullable |= all.nullable;
                    }
                }
                // a part that may be empty ends where an earlier one does, too
                ends.last.sort_unstable();
                ends.last.dedup();
                Part { first: all.first, ..ends }
            }
        }
    }

    fn place(&mut self, characters: Vec<char>) -> Part {
        let place = self.symbols.len();
        self.symbols.push(characters);
        self.follow.push(Vec::new());
        Part { nullable: false, first: vec![place], last: vec![place] }
    }

    fn join(&mut self, before: Part, after: Part) -> Part {
        for &last in &before.last {
            self.follow[last].extend(&after.first);
        }
        let mut joined = Part { nullable: before.nullable && after.nullable, first: before.first, last: after.last };
        if before.nullable {
            joined.first.extend(after.first);
        }
        if after.nullable {
            joined.last.extend(before.last);
        }
        joined
    }

    fn has_two_runs(&self, whole: &Part) -> bool {
        let mut edges: HashMap<(usize, usize), Vec<(usize, usize)>> = HashMap::new();
        let mut open = self.pairs(&whole.first, &whole.first);
        while let Some(pair) = open.pop() {
            if edges.contains_key(&pair) {
                continue;
            }
            if edges.len() > MOST_PAIRS {
                return true;
            }
            let next = self.pairs(&self.follow[pair.0], &self.follow[pair.1]);
            open.extend(&next);
            edges.insert(pair, next);
        }
        // which of them can end, from the back
        let mut back: HashMap<(usize, usize), Vec<(usize, usize)>> = HashMap::new();
        for (from, to) in &edges {
            to.iter().for_each(|to| back.entry(*to).or_default().push(*from));
        }
        let last: HashSet<usize> = whole.last.iter().copied().collect();
        let mut open: Vec<(usize, usize)> =
            edges.keys().copied().filter(|(p, q)| last.contains(p) && last.contains(q)).collect();
        let mut seen = HashSet::new();
        while let Some(pair) = open.pop() {
            if pair.0 != pair.1 {
                return true;
            }
            if seen.insert(pair) {
                open.extend(back.get(&pair).into_iter().flatten());
            }
        }
        false
    }

    /// Two places for one character, the smaller first.
    fn pairs(&self, ones: &[usize], others: &[usize]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for &p in ones {
            for &q in others {
                if p == q || self.symbols[p].iter().any(|c| self.symbols[q].contains(c)) {
                    pairs.push((p.min(q), p.max(q)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::is_ambiguous;
    use crate::plan::compile::pattern::parse_pattern;
    use crate::plan::pattern::Pattern;

    #[test]
    fn two_ways_to_one_text_are_found() {
        for text in ["(a|a)", "a?a?", "(ab|a)(c|bc)", "(a?|b?)", "[a-c]{1,2}[b-d]{1,2}", "(a?){0,2}", "(a|[a-c])x"] {
            assert!(is_ambiguous(&parse_pattern(text).unwrap()), "{text}");
        }
        for text in [
            "user[0-9]{9}@example.com",
            "[0-9]{1,3}5",
            "(ab|a)(c|d)",
            "[a-z]{3,30}",
            "(a|b){2,4}",
            "a{2,3}",
            "(x[0-9]{1,4}){3}",
            "[a-z]{1,8}@(example|test).(com|org)",
        ] {
            assert!(!is_ambiguous(&parse_pattern(text).unwrap()), "{text}");
        }
    }

    /// All texts of a small pattern, one for each way.
    fn texts(pattern: &Pattern) -> Vec<String> {
        let product = |left: Vec<String>, right: &[String]| {
            left.iter().flat_map(|l| right.iter().map(move |r| format!("{l}{r}"))).collect::<Vec<_>>()
        };
        match pattern {
            Pattern::Literal(text) => vec![text.clone()],
            Pattern::Class(characters) => characters.iter().map(char::to_string).collect(),
            Pattern::Sequence(parts) => {
                parts.iter().fold(vec![String::new()], |left, part| product(left, &texts(part)))
            }
            Pattern::Alternatives(ways) => ways.iter().flat_map(texts).collect(),
            Pattern::Repeat { of, low, high } => {
                let one = texts(of);
                let times = |n| (0..n).fold(vec![String::new()], |left, _| product(left, &one));
                (*low..=*high).flat_map(times).collect()
            }
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_counting(text in r"([abc]|\[ab\]|\(a\|b\)|\(ab\|c\|\)|\(a\?b\))([?]|\{1,2\}|\{0,2\}|\{2\})?([abc]|\[bc\]|\(a\|bc\))[?]?[ab]?") {
            let pattern = parse_pattern(&text).unwrap();
            let all = texts(&pattern);
            prop_assert_eq!(all.len() as u128, pattern.space());
            let different = all.iter().collect::<HashSet<_>>().len();
            prop_assert_eq!(is_ambiguous(&pattern), different < all.len(), "{}", text);
        }
    }
}

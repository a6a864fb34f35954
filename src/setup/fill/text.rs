//! Words, and text that a pattern describes.

use super::draws::{Digits, Draws};
use super::permutation::permuted;
use super::term::{Layers, Term, concatenated};
use crate::plan::pattern::Pattern;
use crate::setup::column::literal;

/// As many combinations of a class's characters as one draw chooses among: a third of a word of bits.
const MOST_OF_A_DRAW: u64 = 1 << 30;

/// Up to so many words stand in the expression one by one.
const WRITTEN_OUT: u32 = 12;

/// 128 short words.
const WORDS: &str = "able acid army atom aunt bake band bark beam bell bird blue boat bold bolt bone brave bread brick \
    brook brown calm camp cape card cave chalk chart city clay cliff cloud coal coin cold coral cord corn crane creek \
    crisp crow dawn deep deer desk dove drum dune dusk dust early east echo edge elm ember fair farm fern field fig fire \
    flag flint foam fog fold ford forest fox fresh frost gate giant glad glass gold grain grand grass green grey grove \
    hall harbor hare hawk hazel herb hill holly honey horn ice ink iron island ivory ivy jade keen king lake lamp lark \
    leaf light lily lime lion lodge maple marsh meadow mill mint mist moon moss oak oar oat olive orchid \
    otter owl palm";

/// From `low` to `high` words with spaces between.
pub(super) fn words(draws: &Draws<'_>, low: u32, high: u32, layers: &mut Layers) -> Term {
    let count = WORDS.split_whitespace().count() as u64;
    let list: Vec<&str> = WORDS.split_whitespace().collect();
    // elements of `name` have one length, so that the server finds the n-th without a look at those before
    let word = |number: &str| format!("('{{{}}}'::name[])[1 + {number}]::text", list.join(","));
    let mut digits = draws.digits();
    let wanted = digits.below(u64::from(high - low) + 1, layers);
    if high > WRITTEN_OUT {
        let seed = draws.bits("words");
        let number = format!("(hashint8extended(j, {}) & {})", seed.sql, count - 1);
        let one = word(&number);
        let sql = format!(
            "coalesce((select string_agg({one}, ' ') from generate_series(1, {low} + {}) as j), '')",
            wanted.sql
        );
        return Term::of(sql, &[&seed, &wanted]);
    }
    let wanted = layers.bind(wanted);
    let mut parts = Vec::new();
    for n in 0..high {
        let space = if n == 0 { "" } else { "' ' || " };
        let one = digits.below(count, layers).map(|number| format!("{space}{}", word(number)));
        parts.push(if n < low {
            one.map(|one| format!("({one})"))
        } else {
            Term::of(format!("(case when {} > {} then {} else '' end)", wanted.sql, n - low, one.sql), &[&wanted, &one])
        });
    }
    concatenated(&parts)
}

/// A text that the pattern describes. Where it is to be unique, the row's number, shuffled, chooses it.
pub(super) fn pattern(draws: &Draws<'_>, pattern: &Pattern, unique: bool, layers: &mut Layers) -> Term {
    let mut text = Text { digits: draws.digits(), layers };
    let parts = if unique {
        let number = permuted(draws, pattern.indexed(), text.layers);
        text.numbered(pattern, number)
    } else {
        text.drawn(pattern)
    };
    concatenated(&parts)
}

struct Text<'t> {
    digits: Digits<'t>,
    layers: &'t mut Layers,
}

impl Text<'_> {
    fn draw(&mut self, count: u64) -> Term {
        self.digits.below(count, self.layers)
    }

    /// A text drawn part by part: each way, each character and each number of times alike.
    fn drawn(&mut self, pattern: &Pattern) -> Vec<Term> {
        match pattern {
            Pattern::Literal(text) if text.is_empty() => Vec::new(),
            Pattern::Literal(text) => vec![Term::constant(literal(text))],
            Pattern::Class(characters) => self.drawn_run(characters, 1),
            Pattern::Sequence(parts) => parts.iter().flat_map(|part| self.drawn(part)).collect(),
            Pattern::Alternatives(ways) => {
                let chosen = self.draw(ways.len() as u64);
                if let Some(list) = listed(ways, &chosen) {
                    return vec![list];
                }
                let chosen = self.layers.bind(chosen);
                let ways: Vec<Term> = ways.iter().map(|way| concatenated(&self.drawn(way))).collect();
                let mut sql = format!("(case {}", chosen.sql);
                for (n, way) in ways.iter().enumerate() {
                    let when = if n + 1 == ways.len() { " else ".to_owned() } else { format!(" when {n} then ") };
                    sql += &when;
                    sql += &way.sql;
                }
                sql += " end)";
                let parts: Vec<&Term> = ways.iter().chain([&chosen]).collect();
                vec![Term::of(sql, &parts)]
            }
            Pattern::Repeat { of, low, high } => self.drawn_times(of, *low, *high),
        }
    }

    fn drawn_times(&mut self, of: &Pattern, low: u32, high: u32) -> Vec<Term> {
        let more = self.draw(u64::from(high - low) + 1);
        if let Pattern::Class(characters) = of {
            let run = self.drawn_run(characters, high);
            if low == high {
                return run;
            }
            let run = concatenated(&run);
            return vec![Term::of(format!("left({}, ({low} + {})::integer)", run.sql, more.sql), &[&run, &more])];
        }
        let more = if low == high { more } else { self.layers.bind(more) };
        let mut parts = Vec::new();
        for n in 0..high {
            let one = self.drawn(of);
            if n < low {
                parts.extend(one);
            } else {
                let one = concatenated(&one);
                let sql = format!("(case when {} > {} then {} else '' end)", more.sql, n - low, one.sql);
                parts.push(Term::of(sql, &[&more, &one]));
            }
        }
        parts
    }

    /// So many characters of a class.
    fn drawn_run(&mut self, characters: &[char], count: u32) -> Vec<Term> {
        let size = characters.len() as u64;
        let most =
            (1..=count).rev().find(|n| size.checked_pow(*n).is_some_and(|all| all <= MOST_OF_A_DRAW)).unwrap_or(1);
        let mut parts = Vec::new();
        let mut left = count;
        while left > 0 {
            let now = left.min(most);
            let number = self.draw(size.pow(now));
            parts.extend(self.run(characters, now, number));
            left -= now;
        }
        parts
    }

    /// The text of a number below `pattern.indexed()`: another one for each number.
    fn numbered(&mut self, pattern: &Pattern, number: Term) -> Vec<Term> {
        match pattern {
            Pattern::Literal(_) => self.drawn(pattern),
            Pattern::Class(characters) => self.run(characters, 1, number),
            Pattern::Sequence(parts) => {
                let number = self.layers.bind(number);
                let mut divisor = 1;
                let mut texts: Vec<Vec<Term>> = Vec::new();
                for (part, chosen) in parts.iter().zip(Pattern::indexed_parts(parts)).rev() {
                    texts.push(if chosen {
                        let size = part.indexed();
                        let digit = number.map(|number| format!("({number} / {divisor} % {size})"));
                        divisor *= size;
                        self.numbered(part, digit)
                    } else {
                        self.drawn(part)
                    });
                }
                texts.into_iter().rev().flatten().collect()
            }
            Pattern::Alternatives(ways) => {
                let ways = &ways[..Pattern::indexed_ways(ways)];
                if let Some(list) = listed(ways, &number) {
                    return vec![list];
                }
                let sizes: Vec<u64> = ways.iter().map(Pattern::indexed).collect();
                self.first_that_holds(number, &sizes, |text, at, rest| text.numbered(&ways[at], rest))
            }
            Pattern::Repeat { of, low, high } => {
                let one = of.indexed();
                let (fewest, most) = Pattern::indexed_times(one, *low, *high);
                let times: Vec<u32> = (fewest..=most).collect();
                let sizes: Vec<u64> = times.iter().map(|times| one.pow(*times)).collect();
                self.first_that_holds(number, &sizes, |text, at, rest| text.numbered_times(of, times[at], *low, rest))
            }
        }
    }

    /// So many repetitions that a number chooses, and up to `low` more of them that are drawn.
    fn numbered_times(&mut self, of: &Pattern, times: u32, low: u32, number: Term) -> Vec<Term> {
        let mut parts = match of {
            Pattern::Class(characters) => self.run(characters, times, number),
            _ => {
                let (number, one) = (self.layers.bind(number), of.indexed());
                let digit = |n: u32| number.map(|number| format!("({number} / {} % {one})", one.pow(n)));
                (0..times).rev().flat_map(|n| self.numbered(of, digit(n))).collect()
            }
        };
        for _ in times..low {
            parts.extend(self.drawn(of));
        }
        parts
    }

    /// The first way, among those of these sizes, that a number lies in.
    fn first_that_holds(
        &mut self,
        number: Term,
        sizes: &[u64],
        mut way: impl FnMut(&mut Self, usize, Term) -> Vec<Term>,
    ) -> Vec<Term> {
        if sizes.len() == 1 {
            return way(self, 0, number);
        }
        let number = self.layers.bind(number);
        let mut sql = "(case".to_owned();
        let (mut before, mut parts) = (0, vec![number.clone()]);
        for (at, size) in sizes.iter().enumerate() {
            let rest =
                number.map(|number| if before == 0 { number.to_owned() } else { format!("({number} - {before})") });
            before += size;
            let text = concatenated(&way(self, at, rest));
            let when = if at + 1 == sizes.len() {
                " else ".to_owned()
            } else {
                format!(" when {} < {before} then ", number.sql)
            };
            sql += &when;
            sql += &text.sql;
            parts.push(text);
        }
        sql += " end)";
        vec![Term::of(sql, &parts.iter().collect::<Vec<_>>())]
    }

    /// The characters of a class that a number stands for, as its digits; none for a run of none.
    fn run(&mut self, characters: &[char], count: u32, number: Term) -> Vec<Term> {
        let size = characters.len() as u64;
        let is = |text: &str| text.chars().eq(characters.iter().copied());
        if count == 0 {
            return Vec::new();
        }
        if is("0123456789") && count == 1 {
            return vec![number.map(|number| format!("({number})::text"))];
        }
        if is("0123456789") {
            return vec![number.map(|number| format!("lpad(({number})::text, {count}, '0')"))];
        }
        if is("0123456789abcdef") {
            return vec![number.map(|number| format!("lpad(to_hex({number}), {count}, '0')"))];
        }
        if count == 1 {
            return vec![number.map(|number| character(characters, number))];
        }
        let number = self.layers.bind(number);
        let digit =
            |n: u32| number.map(|number| character(characters, &format!("({number} / {} % {size})", size.pow(n))));
        (0..count).rev().map(digit).collect()
    }
}

/// The character of a class that a number stands for.
fn character(characters: &[char], number: &str) -> String {
    let first = characters[0];
    let in_a_row = (0_u32..).zip(characters).all(|(n, c)| u32::from(first) + n == u32::from(*c));
    if characters.len() == 1 {
        return literal(&first.to_string());
    }
    if in_a_row && characters.iter().all(char::is_ascii) {
        return format!("chr(({} + {number})::integer)", u32::from(first));
    }
    let all: String = characters.iter().collect();
    format!("substr({}, (1 + {number})::integer, 1)", literal(&all))
}

/// One of several texts by its number, where they are nothing else.
fn listed(ways: &[Pattern], number: &Term) -> Option<Term> {
    let texts: Option<Vec<String>> =
        ways.iter().map(|way| if let Pattern::Literal(text) = way { Some(literal(text)) } else { None }).collect();
    let texts = texts?.join(", ");
    Some(number.map(|number| format!("(array[{texts}])[1 + {number}]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_128_different_words() {
        let mut list: Vec<&str> = WORDS.split_whitespace().collect();
        assert!(list.iter().all(|word| word.len() < 64));
        list.sort_unstable();
        list.dedup();
        assert_eq!(list.len(), 128);
    }
}

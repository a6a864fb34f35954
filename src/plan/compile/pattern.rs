//! Text → pattern.

use std::ops::Range;

use crate::plan::pattern::Pattern;

/// The longest text that a pattern may describe, in characters.
const LONGEST: u64 = 1000;

/// The largest class.
const LARGEST_CLASS: usize = 1000;

/// Groups within groups.
const MOST_LEVELS: usize = 20;

/// What is wrong with a pattern, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatternFault {
    /// The place, in bytes.
    pub(super) at: Range<usize>,
    /// What is wrong there, as the end of a sentence about the pattern.
    pub(super) reason: String,
    /// What to do.
    pub(super) help: String,
}

/// Parses a pattern. It describes the whole text; `.`, `+`, `*`, `^` and `$` stand for themselves.
pub(super) fn parse_pattern(text: &str) -> Result<Pattern, PatternFault> {
    let mut parser = Parser { text, at: 0, levels: 0 };
    let last = text.trim_end_matches('$').len();
    if text.starts_with('^') || (last + 1 == text.len() && !text[..last].ends_with('\\')) {
        let at = if text.starts_with('^') { 0..1 } else { last..last + 1 };
        return Err(fault(at, "has an anchor", r"it describes the whole text: remove it, or write `\^` or `\$`"));
    }
    let pattern = parser.alternatives()?;
    if parser.peek().is_some() {
        return Err(fault(parser.here(), "closes a group that is not open", r"remove it, or write `\)`"));
    }
    if pattern.longest() > LONGEST {
        let reason = format!("describes texts of up to {} characters", pattern.longest());
        return Err(fault(0..text.len(), &reason, &format!("{LONGEST} are the most; make longer ones with `sql`")));
    }
    Ok(pattern)
}

fn fault(at: Range<usize>, reason: &str, help: &str) -> PatternFault {
    PatternFault { at, reason: reason.to_owned(), help: help.to_owned() }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    levels: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The place of the next character.
    fn here(&self) -> Range<usize> {
        self.at..self.at + self.peek().map_or(0, char::len_utf8)
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn alternatives(&mut self) -> Result<Pattern, PatternFault> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(fault(self.here(), "has too many groups within groups", "write it with fewer"));
        }
        let mut ways = vec![self.sequence()?];
        while self.take_if('|') {
            ways.push(self.sequence()?);
        }
        self.levels -= 1;
        Ok(if ways.len() == 1 { ways.remove(0) } else { Pattern::Alternatives(ways) })
    }

    fn sequence(&mut self) -> Result<Pattern, PatternFault> {
        let mut parts: Vec<Pattern> = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let atom = self.atom()?;
            let part = self.repeated(atom)?;
            match (parts.last_mut(), part) {
                (Some(Pattern::Literal(before)), Pattern::Literal(text)) => before.push_str(&text),
                (_, part) => parts.push(part),
            }
        }
        Ok(match parts.len() {
            0 => Pattern::Literal(String::new()),
            1 => parts.remove(0),
            _ => Pattern::Sequence(parts),
        })
    }

    /// One thing that may be repeated.
    fn atom(&mut self) -> Result<Pattern, PatternFault> {
        let at = self.here();
        let literal = |c: char| Ok(Pattern::Literal(c.to_string()));
        match self.take().unwrap_or_default() {
            '\\' => self.escape(at.start),
            '[' => self.class(at.start),
            '(' => {
                if self.take_if('?') {
                    return Err(fault(at.start..self.at, "has a group with an option", "write a plain `(`"));
                }
                let inner = self.alternatives()?;
                if !self.take_if(')') {
                    return Err(fault(at, "has a group that is never closed", r"add `)`, or write `\(`"));
                }
                if matches!(self.peek(), Some('+' | '*')) {
                    return Err(self.uncounted());
                }
                // the parser of sequences joins literals, and a group of one may be repeated
                Ok(match inner {
                    Pattern::Literal(text) if self.peek().is_some_and(|c| c == '{' || c == '?') => {
                        Pattern::Sequence(vec![Pattern::Literal(text)])
                    }
                    inner => inner,
                })
            }
            '.' if matches!(self.peek(), Some('{' | '?' | '*' | '+')) => {
                let help = r"a full stop stands for itself: name the characters, as in `[a-z]{5}`, or write `\.`";
                Err(fault(at, "repeats a full stop", help))
            }
            '{' | '?' => Err(fault(at, "repeats nothing", r"put what is to be repeated before it, or a `\`")),
            ']' | '}' => Err(fault(at, "closes what is not open", r"remove it, or put a `\` before it")),
            '\0' => Err(fault(at, "has a zero byte", "PostgreSQL's text can't hold one: remove it")),
            other => literal(other),
        }
    }

    fn uncounted(&self) -> PatternFault {
        let sign = self.peek().unwrap_or_default();
        let help = format!("say how many, as in `{{1,8}}`; where it stands for itself, write `\\{sign}`");
        fault(self.here(), "is without an end", &help)
    }

    fn escape(&mut self, start: usize) -> Result<Pattern, PatternFault> {
        match self.take() {
            Some('d') => Ok(Pattern::Class(('0'..='9').collect())),
            Some('w') => Ok(Pattern::Class(('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['_']).collect())),
            Some(c) if !c.is_alphanumeric() => Ok(Pattern::Literal(c.to_string())),
            Some(_) => {
                Err(fault(start..self.at, "has an unknown escape", r"there are `\d`, `\w`, and `\` before a sign"))
            }
            None => Err(fault(start..self.at, "ends in a backslash", r"write `\\` for one")),
        }
    }

    /// The rest of `[…]`.
    fn class(&mut self, start: usize) -> Result<Pattern, PatternFault> {
        let mut characters: Vec<char> = Vec::new();
        if self.peek() == Some('^') {
            let help = r"name the characters that may stand there, or write `\^`";
            return Err(fault(start..self.here().end, "excludes characters", help));
        }
        loop {
            let at = self.at;
            let first = match self.take() {
                Some(']') => break,
                Some('\\') => match self.escape(at)? {
                    Pattern::Class(members) => {
                        add(&mut characters, members);
                        continue;
                    }
                    other => other.to_string().chars().last().unwrap_or_default(),
                },
                Some('\0') => return Err(fault(at..self.at, "has a zero byte", "PostgreSQL's text can't hold one")),
                Some(c) => c,
                None => {
                    let end = start + 1;
                    return Err(fault(start..end, "has a class that is never closed", r"add `]`, or write `\[`"));
                }
            };
            let mut ahead = self.text[self.at..].chars();
            let last = match (ahead.next(), ahead.next()) {
                (Some('-'), Some(c)) if c != ']' => {
                    self.at += 1;
                    let last = self.take().unwrap_or_default();
                    if last == '\\' { self.take().unwrap_or_default() } else { last }
                }
                _ => first,
            };
            if last < first {
                let help = "write the smaller end first";
                return Err(fault(at..self.at, "has a range in the wrong order", help));
            }
            add(&mut characters, (first..=last).take(LARGEST_CLASS + 1));
            if characters.len() > LARGEST_CLASS {
                let help = format!("{LARGEST_CLASS} characters are the most");
                return Err(fault(at..self.at, "has too large a class", &help));
            }
        }
        if characters.is_empty() {
            return Err(fault(start..self.at, "has an empty class", r"name its characters, or write `\[`"));
        }
        if matches!(self.peek(), Some('+' | '*')) {
            return Err(self.uncounted());
        }
        Ok(Pattern::Class(characters))
    }

    /// What follows an atom: `?`, `{n}`, `{m,n}` or nothing.
    fn repeated(&mut self, of: Pattern) -> Result<Pattern, PatternFault> {
        let start = self.at;
        let (low, high) = if self.take_if('?') {
            (0, 1)
        } else if self.take_if('{') {
            let end = self.text[self.at..].find('}').map(|end| self.at + end);
            let counts = end.map(|end| &self.text[self.at..end]).and_then(|counts| {
                let (low, high) = counts.split_once(',').unwrap_or((counts, counts));
                Some((low.trim().parse::<u32>().ok()?, high.trim().parse::<u32>().ok()?))
            });
            let Some((low, high)) = counts.filter(|(low, high)| low <= high && *high > 0) else {
                let end = end.map_or(self.text.len(), |end| end + 1);
                return Err(fault(start..end, "has an unknown repetition", r"write `{3}`, `{1,8}`, or `\{`"));
            };
            self.at = end.unwrap_or_default() + 1;
            if u64::from(high).saturating_mul(of.longest().max(1)) > LONGEST {
                let help = format!("{LONGEST} characters are the most; make longer texts with `sql`");
                return Err(fault(start..self.at, "repeats too often", &help));
            }
            (low, high)
        } else {
            return Ok(of);
        };
        if let Some('?' | '{' | '*' | '+') = self.peek() {
            return Err(fault(self.here(), "repeats a repetition", r"put the first one into a group, or write a `\`"));
        }
        Ok(if (low, high) == (1, 1) { of } else { Pattern::Repeat { of: Box::new(of), low, high } })
    }
}

fn add(characters: &mut Vec<char>, more: impl IntoIterator<Item = char>) {
    for character in more {
        if !characters.contains(&character) {
            characters.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::parse_pattern;
    use crate::plan::pattern::Pattern;

    #[test]
    fn texts_are_told_from_signs() {
        for (text, space, longest) in [
            ("user[0-9]{9}@example.com", 1_000_000_000, 25),
            ("+49[0-9]{9}", 1_000_000_000, 12),
            ("(a|bc|)[xy]?", 9, 3),
            (r"\d{2}-\w", 6300, 4),
            ("ab{2,3}c?", 4, 5),
            ("", 1, 0),
            (r"\[\]\{\}\?\|\(\)\\", 1, 9),
            ("user+[a-c-]", 4, 6),
            ("(ab){3}", 1, 6),
        ] {
            let pattern = parse_pattern(text).unwrap();
            assert_eq!((pattern.space(), pattern.longest()), (space, longest), "{text}");
        }
    }

    #[test]
    fn what_means_something_else_elsewhere_is_refused() {
        let mut found = String::new();
        for text in [
            "[a-z]+",
            "(ab)*",
            ".{5}",
            "^a",
            "a$",
            "[^a]",
            "[]",
            "[a",
            "[z-a]",
            "(a",
            "a)",
            "(?:a)",
            "a{2}{3}",
            "{3}",
            "a{3,}",
            "a{0}",
            "a{5,2}",
            "?",
            r"\q",
            r"a\",
            "a{2000}",
            "(a{500}){3}",
            "a}",
            "\0",
            "[\u{1}-\u{ffff}]",
        ] {
            let fault = parse_pattern(text).unwrap_err();
            found += &format!("{text:?} {:?}: {}; {}\n", fault.at, fault.reason, fault.help);
        }
        insta::assert_snapshot!(found);
    }

    fn patterns() -> impl Strategy<Value = Pattern> {
        let leaf = prop_oneof![
            "[a-c{}.+|-]{1,3}".prop_map(Pattern::Literal),
            proptest::sample::subsequence(vec!['a', 'b', 'c', '-', ']', '^', 'x'], 1..=7).prop_map(Pattern::Class),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 2..4).prop_map(Pattern::Sequence),
                prop::collection::vec(inner.clone(), 2..4).prop_map(Pattern::Alternatives),
                (inner, 0..3_u32, 2..4_u32).prop_map(|(of, low, high)| Pattern::Repeat { of: Box::new(of), low, high }),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_text_is_a_pattern_or_a_fault_within_it(text in r"[a-c\[\]{}()|?,1-3\\.^-]{0,20}|.{0,20}") {
            match parse_pattern(&text) {
                Ok(pattern) => prop_assert!(pattern.space() > 0),
                Err(fault) => prop_assert!(text.get(fault.at.clone()).is_some(), "{:?}", fault),
            }
        }

        #[test]
        fn a_pattern_that_was_shown_reads_as_one_like_it(pattern in patterns()) {
            let shown = pattern.to_string();
            let again = parse_pattern(&shown).unwrap();
            prop_assert_eq!(again.space(), pattern.space(), "{}", &shown);
            prop_assert_eq!(again.longest(), pattern.longest(), "{}", &shown);
            prop_assert_eq!(again.to_string(), shown);
        }
    }
}

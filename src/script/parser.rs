//! The only place that knows `grammar/script.pest`.

use pest::Parser as _;
use pest::iterators::Pair;

use super::piece::{Piece, PieceKind};
use super::plain;
use grammar::{Grammar, Rule};

mod grammar {
    /// The parser that pest makes of the grammar.
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/script.pest"]
    pub(super) struct Grammar;
}

/// Cuts a script into pieces. The grammar takes any text.
pub(super) fn parse_script(text: &str) -> impl Iterator<Item = Piece> {
    Pieces { text, at: 0, rule: Rule::piece }
}

/// Cuts set-up SQL into pieces, the data of COPY apart.
pub(super) fn parse_setup(text: &str) -> impl Iterator<Item = Piece> {
    Pieces { text, at: 0, rule: Rule::setup_piece }
}

/// Cuts piece by piece: the plain ones at once, the others by the grammar.
struct Pieces<'a> {
    text: &'a str,
    at: usize,
    rule: Rule,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let first = self.text.as_bytes().get(self.at)?;
        let may_be_copy = self.rule == Rule::setup_piece && first.eq_ignore_ascii_case(&b'c');
        let plain = if may_be_copy { None } else { plain::cut(self.text, self.at) };
        let piece = plain.unwrap_or_else(|| self.parse());
        self.at = piece.bytes.end;
        Some(piece)
    }
}

impl Pieces<'_> {
    fn parse(&self) -> Piece {
        match Grammar::parse(self.rule, &self.text[self.at..]).ok().and_then(|mut pairs| pairs.next()) {
            Some(pair) => parse_piece(pair, self.at),
            None => grammar_bug(self.rule),
        }
    }
}

/// The piece that a pair is, where the text that was parsed starts at byte `start`.
fn parse_piece(pair: Pair<'_, Rule>, start: usize) -> Piece {
    let bytes = |pair: &Pair<'_, Rule>| {
        let span = pair.as_span();
        start + span.start()..start + span.end()
    };
    let place = bytes(&pair);
    let rule = pair.as_rule();
    let inner: Vec<_> = pair.into_inner().collect();
    let unterminated = inner.last().is_some_and(|last| last.as_rule() == Rule::unterminated);
    let first = || inner.first().map_or_else(|| grammar_bug(rule), bytes);
    let kind = match rule {
        Rule::blank => PieceKind::Blank,
        Rule::line_comment => PieceKind::LineComment,
        Rule::block_comment => PieceKind::BlockComment,
        Rule::semicolon => PieceKind::Semicolon,
        Rule::open => PieceKind::Open,
        Rule::close => PieceKind::Close,
        Rule::forced_semicolon => PieceKind::ForcedSemicolon,
        Rule::forced_colon => PieceKind::ForcedColon,
        Rule::meta_command => PieceKind::MetaCommand(inner.iter().map(bytes).collect()),
        Rule::test_variable => PieceKind::TestVariable,
        Rule::literal_variable => PieceKind::LiteralVariable(first()),
        Rule::identifier_variable => PieceKind::IdentifierVariable(first()),
        Rule::string | Rule::escape_string | Rule::dollar_string => PieceKind::Literal,
        Rule::quoted_identifier => PieceKind::QuotedIdentifier,
        Rule::routine_head => PieceKind::RoutineHead,
        Rule::block_begin => PieceKind::BlockBegin,
        Rule::block_case => PieceKind::BlockCase,
        Rule::block_end => PieceKind::BlockEnd,
        Rule::text => PieceKind::Text,
        Rule::copy => {
            PieceKind::Copy { statement: first(), data: inner.get(1).map_or_else(|| grammar_bug(rule), bytes) }
        }
        _ => grammar_bug(rule),
    };
    Piece { kind, bytes: place, unterminated }
}

/// The grammar and this file contradict each other.
fn grammar_bug(rule: Rule) -> ! {
    panic!("rule `{rule:?}` of grammar/script.pest and its parser disagree")
}

#[cfg(test)]
mod tests {
    use pest::Parser as _;
    use proptest::prelude::*;

    use super::grammar::{Grammar, Rule};
    use super::{Pieces, parse_piece};
    use crate::script::piece::Piece;

    /// Pieces as texts; how a text is cut into several does not count.
    fn told(pieces: impl Iterator<Item = Piece>) -> Vec<(String, usize, usize, bool)> {
        let mut all: Vec<(String, usize, usize, bool)> = Vec::new();
        for Piece { kind, bytes, unterminated } in pieces {
            let kind = format!("{kind:?}");
            match all.last_mut() {
                Some(last) if kind == "Text" && last.0 == "Text" => last.2 = bytes.end,
                _ => all.push((kind, bytes.start, bytes.end, unterminated)),
            }
        }
        all
    }

    fn compare(text: &str) {
        for (whole, part) in [(Rule::script, Rule::piece), (Rule::setup, Rule::setup_piece)] {
            let file = Grammar::parse(whole, text).unwrap().next().unwrap();
            let pairs = file.into_inner().filter(|pair| pair.as_rule() != Rule::EOI);
            let by_grammar = told(pairs.map(|pair| parse_piece(pair, 0)));
            assert_eq!(told(Pieces { text, at: 0, rule: part }), by_grammar, "{text:?}");
        }
    }

    #[test]
    fn what_is_cut_without_the_grammar_is_cut_as_it_says() {
        let words = prop::sample::select(vec![
            "select", "begin", "case", "end", "create", "or", "replace", "function", "copy", "from", "stdin", "e", "E",
            "b", "x", "n", "u", "u&", "a1", "é", "_", "$", "$1", "$a$", "$$", "9", "1.5", ":", "::", ":v", ":9", ":{?",
            "}", "'", "''", "\"", "\\", "\\;", "\\:", "\\set", "\\\n", "\\\r\n", ";", "(", ")", "-", "--", "/", "/*",
            "*/", "*", ",", "&", " ", "  ", "\t", "\n", "\r\n", "\r", "\u{b}", "\0", "\u{1f}", "\\.\n", "#", "@", "{",
            "[",
        ]);
        let texts = prop::collection::vec(words, 0..14);
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) };
        proptest!(config, |(words in texts)| compare(&words.concat()));
    }
}

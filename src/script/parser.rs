//! The only place that knows `grammar/script.pest`.

use pest::Parser as _;
use pest::iterators::Pair;

use super::piece::{Bytes, Piece, PieceKind};
use grammar::{Grammar, Rule};

mod grammar {
    /// The parser that pest makes of the grammar.
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/script.pest"]
    pub(super) struct Grammar;
}

/// Cuts a script into pieces. The grammar takes any text.
pub(super) fn parse_script(text: &str) -> impl Iterator<Item = Piece> {
    parse(Rule::script, text)
}

/// Cuts set-up SQL into pieces, the data of COPY apart.
pub(super) fn parse_setup(text: &str) -> impl Iterator<Item = Piece> {
    parse(Rule::setup, text)
}

fn parse(rule: Rule, text: &str) -> impl Iterator<Item = Piece> {
    let Some(file) = Grammar::parse(rule, text).ok().and_then(|mut pairs| pairs.next()) else {
        grammar_bug(rule);
    };
    file.into_inner().filter(|pair| pair.as_rule() != Rule::EOI).map(parse_piece)
}

fn parse_piece(pair: Pair<'_, Rule>) -> Piece {
    let bytes = bytes(&pair);
    let rule = pair.as_rule();
    let inner: Vec<_> = pair.into_inner().collect();
    let unterminated = inner.last().is_some_and(|last| last.as_rule() == Rule::unterminated);
    let first = || inner.first().map_or_else(|| grammar_bug(rule), self::bytes);
    let kind = match rule {
        Rule::blank => PieceKind::Blank,
        Rule::line_comment => PieceKind::LineComment,
        Rule::block_comment => PieceKind::BlockComment,
        Rule::semicolon => PieceKind::Semicolon,
        Rule::open => PieceKind::Open,
        Rule::close => PieceKind::Close,
        Rule::forced_semicolon => PieceKind::ForcedSemicolon,
        Rule::forced_colon => PieceKind::ForcedColon,
        Rule::meta_command => PieceKind::MetaCommand(inner.iter().map(self::bytes).collect()),
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
            PieceKind::Copy { statement: first(), data: inner.get(1).map_or_else(|| grammar_bug(rule), self::bytes) }
        }
        _ => grammar_bug(rule),
    };
    Piece { kind, bytes, unterminated }
}

fn bytes(pair: &Pair<'_, Rule>) -> Bytes {
    let span = pair.as_span();
    span.start()..span.end()
}

/// The grammar and this file contradict each other.
fn grammar_bug(rule: Rule) -> ! {
    panic!("rule `{rule:?}` of grammar/script.pest and its parser disagree")
}

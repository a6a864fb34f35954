//! The only place that knows `grammar/expression.pest`.

use pest::Parser as _;
use pest::error::InputLocation;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

use super::ast::{BinaryOp, Expr, ExprKind, IsTest, Name, UnaryOp};
use super::dialect::Dialect;
use super::error::{Error, ErrorKind};
use super::lexer;
use super::statement::{Input, name_length};
use super::tokens::{MINIMUM, double};
use crate::source::{SourceId, Span};
use grammar::{Grammar, Rule};

mod grammar {
    /// The parser that pest makes of the grammar.
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/expression.pest"]
    pub(super) struct Grammar;
}

/// What may follow an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing.
    Alone,
    /// A text, as in `\assert`.
    Assert,
    /// A variable, as in `\repeat`.
    Repeat,
}

/// An expression and what followed it.
pub(super) struct Parsed {
    pub(super) expr: Expr,
    pub(super) text: Option<String>,
    pub(super) counter: Option<Name>,
}

/// Parses an expression that stands at byte `offset` of a source.
pub fn parse_expression(source: SourceId, text: &str, offset: usize, dialect: Dialect) -> Result<Expr, Error> {
    parse(Input { source, text, offset }, Place::Alone, dialect).map(|parsed| parsed.expr)
}

/// Parses an expression and what may follow it there.
pub(super) fn parse(input: Input<'_>, place: Place, dialect: Dialect) -> Result<Parsed, Error> {
    let tokens = lexer::lex(input, dialect);
    tokens.check_constants()?;
    tokens.check_depth()?;
    let misplaced = tokens.misplaced();
    let rule = match place {
        Place::Alone => Rule::expression,
        Place::Assert => Rule::assertion,
        Place::Repeat => Rule::repetition,
    };
    let mut pairs = Grammar::parse(rule, input.text).map_err(|error| {
        let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
        match &misplaced {
            Some((earlier, error)) if *earlier < at => error.clone(),
            _ => tokens.unexpected(at),
        }
    })?;
    if let Some((_, error)) = misplaced {
        return Err(error);
    }
    let Some(root) = pairs.next() else { grammar_bug(rule) };
    let builder = Builder { input };
    let (mut expr, mut text, mut counter) = (None, None, None);
    for pair in root.into_inner() {
        match pair.as_rule() {
            Rule::expr => expr = Some(builder.parse_expr(pair.into_inner())?.expr),
            Rule::text => text = Some(parse_text(pair.as_str())),
            Rule::counter => counter = Some(builder.expect_name(&pair)?),
            Rule::as_word | Rule::EOI => {}
            rule => grammar_bug(rule),
        }
    }
    Ok(Parsed { expr: expr.unwrap_or_else(|| grammar_bug(rule)), text, counter })
}

/// Lowest first. `~` binds a little tighter than its neighbors, so that `~a | b` is `(~a) | b`, and less than `+`.
static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(Op::prefix(Rule::not))
        .op(Op::postfix(Rule::is_test) | Op::postfix(Rule::isnull) | Op::postfix(Rule::notnull))
        .op(left(Rule::less)
            | left(Rule::greater)
            | left(Rule::equal)
            | left(Rule::less_equal)
            | left(Rule::greater_equal)
            | left(Rule::not_equal))
        .op(left(Rule::bit_or)
            | left(Rule::bit_xor)
            | left(Rule::bit_and)
            | left(Rule::shift_left)
            | left(Rule::shift_right)
            | left(Rule::concat))
        .op(Op::prefix(Rule::bit_not))
        .op(left(Rule::plus) | left(Rule::minus))
        .op(left(Rule::times) | left(Rule::divide) | left(Rule::modulo))
        .op(Op::prefix(Rule::negate) | Op::prefix(Rule::positive))
});

/// A node with what the nodes around it must know.
struct Operand {
    expr: Expr,
    /// A comparison without parentheses.
    comparison: bool,
    /// 9223372036854775808, which has a value only with a minus before it.
    minimum: bool,
}

impl Operand {
    fn new(span: Span, kind: ExprKind) -> Self {
        Self { expr: Expr { span, kind }, comparison: false, minimum: false }
    }
}

/// Makes the tree.
struct Builder<'a> {
    input: Input<'a>,
}

impl Builder<'_> {
    fn parse_expr(&self, pairs: Pairs<'_, Rule>) -> Result<Operand, Error> {
        PRECEDENCE
            .map_primary(|pair| self.parse_primary(pair))
            .map_prefix(|sign, operand| Ok(self.parse_prefix(&sign, operand?)))
            .map_postfix(|operand, sign| Ok(self.parse_postfix(operand?, sign)))
            .map_infix(|left, sign, right| self.parse_infix(left?, &sign, right?))
            .parse(pairs)
    }

    fn parse_primary(&self, pair: Pair<'_, Rule>) -> Result<Operand, Error> {
        let span = self.span(&pair);
        let text = pair.as_str();
        let kind = match pair.as_rule() {
            Rule::parenthesized => {
                let Some(inner) = pair.into_inner().find(|pair| pair.as_rule() == Rule::expr) else {
                    grammar_bug(Rule::parenthesized)
                };
                let inner = self.parse_expr(inner.into_inner())?;
                return Ok(Operand { expr: Expr { span, ..inner.expr }, comparison: false, minimum: false });
            }
            Rule::case_when => self.parse_case(pair)?,
            Rule::call => self.parse_call(pair)?,
            Rule::integer if text == MINIMUM => {
                return Ok(Operand { minimum: true, ..Operand::new(span, ExprKind::Integer(i64::MIN)) });
            }
            Rule::integer => ExprKind::Integer(text.parse().unwrap_or_else(|_| grammar_bug(Rule::integer))),
            Rule::double => ExprKind::Double(double(text).unwrap_or_else(|| grammar_bug(Rule::double))),
            Rule::variable => ExprKind::Variable(text[1..].to_owned()),
            Rule::text => ExprKind::Text(parse_text(text)),
            Rule::null => ExprKind::Null,
            Rule::yes => ExprKind::Boolean(true),
            Rule::no => ExprKind::Boolean(false),
            rule => grammar_bug(rule),
        };
        Ok(Operand::new(span, kind))
    }

    fn parse_call(&self, pair: Pair<'_, Rule>) -> Result<ExprKind, Error> {
        let mut function = Name { text: String::new(), span: self.span(&pair) };
        let mut arguments = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => function = Name { text: part.as_str().to_owned(), span: self.span(&part) },
                Rule::expr => arguments.push(self.parse_expr(part.into_inner())?.expr),
                _ => {}
            }
        }
        Ok(ExprKind::Call { function, arguments })
    }

    fn parse_case(&self, pair: Pair<'_, Rule>) -> Result<ExprKind, Error> {
        let (mut branches, mut otherwise) = (Vec::new(), None);
        for part in pair.into_inner() {
            let rule = part.as_rule();
            let mut exprs = part.into_inner().filter(|pair| pair.as_rule() == Rule::expr);
            let mut next = || match exprs.next() {
                Some(pair) => self.parse_expr(pair.into_inner()).map(|operand| operand.expr),
                None => grammar_bug(rule),
            };
            match rule {
                Rule::branch => branches.push((next()?, next()?)),
                Rule::otherwise => otherwise = Some(Box::new(next()?)),
                _ => {}
            }
        }
        Ok(ExprKind::Case { branches, otherwise })
    }

    fn parse_prefix(&self, sign: &Pair<'_, Rule>, operand: Operand) -> Operand {
        let span = self.span(sign).to(operand.expr.span);
        let op = match sign.as_rule() {
            Rule::negate if operand.minimum => return Operand::new(span, operand.expr.kind),
            Rule::negate => UnaryOp::Negate,
            Rule::positive => UnaryOp::Plus,
            Rule::not => UnaryOp::Not,
            Rule::bit_not => UnaryOp::BitNot,
            rule => grammar_bug(rule),
        };
        Operand::new(span, ExprKind::Unary(op, Box::new(operand.expr)))
    }

    fn parse_postfix(&self, operand: Operand, sign: Pair<'_, Rule>) -> Operand {
        let span = operand.expr.span.to(self.span(&sign));
        let (mut test, mut negated) = (IsTest::Null, sign.as_rule() == Rule::notnull);
        for part in sign.into_inner() {
            match part.as_rule() {
                Rule::not => negated = true,
                Rule::yes => test = IsTest::True,
                Rule::no => test = IsTest::False,
                _ => {}
            }
        }
        Operand::new(span, ExprKind::Is { operand: Box::new(operand.expr), test, negated })
    }

    fn parse_infix(&self, left: Operand, sign: &Pair<'_, Rule>, right: Operand) -> Result<Operand, Error> {
        let op = binary_op(sign.as_rule());
        let comparison = is_comparison(op);
        if comparison && left.comparison {
            return Err(Error::new(ErrorKind::ChainedComparison, self.span(sign)));
        }
        let span = left.expr.span.to(right.expr.span);
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        Ok(Operand { comparison, ..Operand::new(span, kind) })
    }

    fn expect_name(&self, pair: &Pair<'_, Rule>) -> Result<Name, Error> {
        let (text, span) = (pair.as_str().to_owned(), self.span(pair));
        if name_length(&text) == text.len() {
            return Ok(Name { text, span });
        }
        Err(Error::new(ErrorKind::InvalidName(text), span))
    }

    /// Where a pair stands, without the blanks that a rule may have taken in behind it.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        self.input.span(bytes(pair))
    }
}

fn binary_op(rule: Rule) -> BinaryOp {
    match rule {
        Rule::plus => BinaryOp::Add,
        Rule::minus => BinaryOp::Subtract,
        Rule::times => BinaryOp::Multiply,
        Rule::divide => BinaryOp::Divide,
        Rule::modulo => BinaryOp::Modulo,
        Rule::equal => BinaryOp::Equal,
        Rule::not_equal => BinaryOp::NotEqual,
        Rule::less => BinaryOp::Less,
        Rule::less_equal => BinaryOp::LessEqual,
        Rule::greater => BinaryOp::Greater,
        Rule::greater_equal => BinaryOp::GreaterEqual,
        Rule::shift_left => BinaryOp::ShiftLeft,
        Rule::shift_right => BinaryOp::ShiftRight,
        Rule::bit_or => BinaryOp::BitOr,
        Rule::bit_and => BinaryOp::BitAnd,
        Rule::bit_xor => BinaryOp::BitXor,
        Rule::and => BinaryOp::And,
        Rule::or => BinaryOp::Or,
        Rule::concat => BinaryOp::Concat,
        rule => grammar_bug(rule),
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

fn parse_text(quoted: &str) -> String {
    quoted[1..quoted.len() - 1].replace("''", "'")
}

fn bytes(pair: &Pair<'_, Rule>) -> std::ops::Range<usize> {
    let span = pair.as_span();
    span.start()..span.start() + span.as_str().trim_end().len()
}

/// The grammar and this file contradict each other.
fn grammar_bug(rule: Rule) -> ! {
    panic!("rule `{rule:?}` of grammar/expression.pest and its parser disagree")
}

//! Expressions: names become slots, functions become known.

use super::ProgramError;
use crate::eval::{Expr, Function, Text, Value};
use crate::id::SlotId;
use crate::plan::Error;
use crate::script::ast::{BinaryOp, Expr as Ast, ExprKind, IsTest, Name, UnaryOp};
use crate::source::Span;
use crate::suggest;

/// What an expression's names stand for.
pub(crate) trait Resolve {
    /// The slot of a variable; a name that nothing defines is reported by the resolver itself.
    fn variable(&mut self, name: &str, span: Span, errors: &mut Vec<Error>) -> Option<SlotId>;
    /// The slot that holds the seed of hashes.
    fn default_seed(&mut self) -> SlotId;
    /// Whether functions beyond pgbench's may be called.
    fn extensions(&self) -> bool;
}

/// Compiles one expression; `None` where an error was reported.
pub(crate) fn compile_expression(ast: &Ast, names: &mut dyn Resolve, errors: &mut Vec<Error>) -> Option<Expr> {
    Some(match &ast.kind {
        ExprKind::Null => Expr::Constant(Value::Null),
        ExprKind::Boolean(value) => Expr::Constant(Value::Boolean(*value)),
        ExprKind::Integer(value) => Expr::Constant(Value::Integer(*value)),
        ExprKind::Double(value) => Expr::Constant(Value::Double(*value)),
        ExprKind::Text(text) => Expr::Constant(Value::Text(Text::from(text.as_str()))),
        ExprKind::Variable(name) => Expr::Slot(names.variable(name, ast.span, errors)?),
        ExprKind::Unary(op, operand) => unary(*op, compile_expression(operand, names, errors)?),
        ExprKind::Binary(op, left, right) => {
            let left = compile_expression(left, names, errors);
            let right = compile_expression(right, names, errors);
            binary(*op, left?, right?)
        }
        ExprKind::Is { operand, test, negated } => Expr::Is {
            operand: Box::new(compile_expression(operand, names, errors)?),
            constant: match test {
                IsTest::Null => Value::Null,
                IsTest::True => Value::Boolean(true),
                IsTest::False => Value::Boolean(false),
            },
            negated: *negated,
        },
        ExprKind::Case { branches, otherwise } => {
            let compiled: Vec<Option<(Expr, Expr)>> = branches
                .iter()
                .map(|(when, then)| {
                    let when = compile_expression(when, names, errors);
                    let then = compile_expression(then, names, errors);
                    Some((when?, then?))
                })
                .collect();
            let otherwise = match otherwise {
                Some(ast) => Some(Box::new(compile_expression(ast, names, errors)?)),
                None => None,
            };
            Expr::Case(compiled.into_iter().collect::<Option<Box<[_]>>>()?, otherwise)
        }
        ExprKind::Call { function, arguments } => call(function, arguments, names, errors)?,
    })
}

fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match (op, operand) {
        (UnaryOp::Plus, operand) => operand,
        (UnaryOp::Not, operand) => Expr::Not(Box::new(operand)),
        // `-x` is `0 - x`: there is no negative zero, and the smallest integer overflows
        (UnaryOp::Negate, Expr::Constant(Value::Integer(n))) if n != i64::MIN => Expr::Constant(Value::Integer(-n)),
        (UnaryOp::Negate, Expr::Constant(Value::Double(x))) => Expr::Constant(Value::Double(0.0 - x)),
        (UnaryOp::Negate, operand) => pair(Function::Subtract, Expr::Constant(Value::Integer(0)), operand),
        (UnaryOp::BitNot, operand) => pair(Function::BitXor, Expr::Constant(Value::Integer(-1)), operand),
    }
}

fn pair(function: Function, left: Expr, right: Expr) -> Expr {
    Expr::Call(function, Box::new([left, right]))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let function = match op {
        BinaryOp::And => return Expr::And(Box::new(left), Box::new(right)),
        BinaryOp::Or => return Expr::Or(Box::new(left), Box::new(right)),
        // `a > b` is `b < a`, and its operands are evaluated in that order: draws of random() follow it
        BinaryOp::Greater => return pair(Function::Less, right, left),
        BinaryOp::GreaterEqual => return pair(Function::LessEqual, right, left),
        BinaryOp::Add => Function::Add,
        BinaryOp::Subtract => Function::Subtract,
        BinaryOp::Multiply => Function::Multiply,
        BinaryOp::Divide => Function::Divide,
        BinaryOp::Modulo => Function::Modulo,
        BinaryOp::Equal => Function::Equal,
        BinaryOp::NotEqual => Function::NotEqual,
        BinaryOp::Less => Function::Less,
        BinaryOp::LessEqual => Function::LessEqual,
        BinaryOp::ShiftLeft => Function::ShiftLeft,
        BinaryOp::ShiftRight => Function::ShiftRight,
        BinaryOp::BitOr => Function::BitOr,
        BinaryOp::BitAnd => Function::BitAnd,
        BinaryOp::BitXor => Function::BitXor,
        BinaryOp::Concat => Function::Concat,
    };
    pair(function, left, right)
}

fn call(function: &Name, arguments: &[Ast], names: &mut dyn Resolve, errors: &mut Vec<Error>) -> Option<Expr> {
    let compiled: Vec<Option<Expr>> = arguments.iter().map(|ast| compile_expression(ast, names, errors)).collect();
    let Some(resolved) = Function::resolve(&function.text, names.extensions()) else {
        let nearest = suggest::nearest(&function.text, Function::names(names.extensions()).iter().copied());
        errors.push(ProgramError::UnknownFunction { name: function.text.clone(), span: function.span, nearest }.into());
        return None;
    };
    let expected = resolved.arguments();
    // too many arguments of `least` and `greatest` are found when they run, as pgbench does
    let open_ended = matches!(resolved, Function::Least | Function::Greatest | Function::Choice);
    if arguments.len() < *expected.start() || (!open_ended && arguments.len() > *expected.end()) {
        let expected = match (*expected.start(), *expected.end()) {
            (low, _) if open_ended => format!("at least {low}"),
            (0, 0) => "no arguments".to_owned(),
            (1, 1) => "1 argument".to_owned(),
            (low, high) if low == high => format!("{low} arguments"),
            (low, high) => format!("{low} or {high} arguments"),
        };
        errors.push(
            ProgramError::ArgumentCount {
                name: function.text.clone(),
                span: function.span,
                expected,
                given: arguments.len(),
            }
            .into(),
        );
        return None;
    }
    let mut compiled = compiled.into_iter().collect::<Option<Vec<Expr>>>()?;
    let seedless = match resolved {
        Function::HashMurmur2 | Function::HashFnv1a => compiled.len() == 1,
        Function::Permute => compiled.len() == 2,
        _ => false,
    };
    if seedless {
        compiled.push(Expr::Slot(names.default_seed()));
    }
    Some(Expr::Call(resolved, compiled.into()))
}

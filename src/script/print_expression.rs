//! An expression → text, with no more parentheses than its tree needs.

use std::fmt::Write as _;

use super::ast::{BinaryOp, Expr, ExprKind, IsTest, UnaryOp};

/// The levels of precedence, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Is,
    Comparison,
    Bits,
    BitNot,
    Sum,
    Product,
    Sign,
    Primary,
}

/// Writes an expression out.
pub fn print_expression(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr, Level::Or);
    out
}

/// Writes `expr` so that it can stand where `least` is the loosest level that holds together.
fn write_expr(out: &mut String, expr: &Expr, least: Level) {
    if level(expr) < least {
        out.push('(');
        write_kind(out, &expr.kind);
        out.push(')');
    } else {
        write_kind(out, &expr.kind);
    }
}

fn write_kind(out: &mut String, kind: &ExprKind) {
    match kind {
        ExprKind::Null => out.push_str("null"),
        ExprKind::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::Integer(value) => out.push_str(&value.to_string()),
        ExprKind::Double(value) => {
            // writing to a string can't fail
            let _ = write!(out, "{value:?}");
        }
        ExprKind::Text(text) => {
            out.push('\'');
            out.push_str(&text.replace('\'', "''"));
            out.push('\'');
        }
        ExprKind::Variable(name) => {
            out.push(':');
            out.push_str(name);
        }
        ExprKind::Unary(op, operand) => write_unary(out, *op, operand),
        ExprKind::Binary(op, left, right) => write_binary(out, *op, left, right),
        ExprKind::Is { operand, test, negated } => {
            write_expr(out, operand, Level::Is);
            out.push_str(if *negated { " is not " } else { " is " });
            out.push_str(match test {
                IsTest::Null => "null",
                IsTest::True => "true",
                IsTest::False => "false",
            });
        }
        ExprKind::Case { branches, otherwise } => {
            out.push_str("case");
            for (condition, value) in branches {
                out.push_str(" when ");
                write_expr(out, condition, Level::Or);
                out.push_str(" then ");
                write_expr(out, value, Level::Or);
            }
            if let Some(value) = otherwise {
                out.push_str(" else ");
                write_expr(out, value, Level::Or);
            }
            out.push_str(" end");
        }
        ExprKind::Call { function, arguments } => {
            out.push_str(&function.text);
            out.push('(');
            for (at, argument) in arguments.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_expr(out, argument, Level::Or);
            }
            out.push(')');
        }
    }
}

fn write_unary(out: &mut String, op: UnaryOp, operand: &Expr) {
    out.push_str(match op {
        UnaryOp::Negate => "-",
        UnaryOp::Plus => "+",
        UnaryOp::Not => "not ",
        UnaryOp::BitNot => "~",
    });
    if matches!(op, UnaryOp::Negate | UnaryOp::Plus) && level(operand) == Level::Sign {
        out.push(' ');
    }
    write_expr(out, operand, unary_level(op));
}

fn write_binary(out: &mut String, op: BinaryOp, left: &Expr, right: &Expr) {
    let (level, sign) = binary_level(op);
    // one level up on the right, since all are read from the left; comparisons don't chain on either side
    let above = match level {
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::Comparison => Level::Bits,
        Level::Bits => Level::BitNot,
        Level::Sum => Level::Product,
        _ => Level::Sign,
    };
    write_expr(out, left, if level == Level::Comparison { above } else { level });
    out.push(' ');
    out.push_str(sign);
    out.push(' ');
    write_expr(out, right, above);
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Binary(op, ..) => binary_level(*op).0,
        ExprKind::Unary(op, _) => unary_level(*op),
        ExprKind::Is { .. } => Level::Is,
        ExprKind::Integer(value) if *value < 0 => Level::Sign,
        _ => Level::Primary,
    }
}

fn unary_level(op: UnaryOp) -> Level {
    match op {
        UnaryOp::Negate | UnaryOp::Plus => Level::Sign,
        UnaryOp::Not => Level::Not,
        UnaryOp::BitNot => Level::BitNot,
    }
}

fn binary_level(op: BinaryOp) -> (Level, &'static str) {
    match op {
        BinaryOp::Or => (Level::Or, "or"),
        BinaryOp::And => (Level::And, "and"),
        BinaryOp::Equal => (Level::Comparison, "="),
        BinaryOp::NotEqual => (Level::Comparison, "<>"),
        BinaryOp::Less => (Level::Comparison, "<"),
        BinaryOp::LessEqual => (Level::Comparison, "<="),
        BinaryOp::Greater => (Level::Comparison, ">"),
        BinaryOp::GreaterEqual => (Level::Comparison, ">="),
        BinaryOp::BitOr => (Level::Bits, "|"),
        BinaryOp::BitAnd => (Level::Bits, "&"),
        BinaryOp::BitXor => (Level::Bits, "#"),
        BinaryOp::ShiftLeft => (Level::Bits, "<<"),
        BinaryOp::ShiftRight => (Level::Bits, ">>"),
        BinaryOp::Concat => (Level::Bits, "||"),
        BinaryOp::Add => (Level::Sum, "+"),
        BinaryOp::Subtract => (Level::Sum, "-"),
        BinaryOp::Multiply => (Level::Product, "*"),
        BinaryOp::Divide => (Level::Product, "/"),
        BinaryOp::Modulo => (Level::Product, "%"),
    }
}

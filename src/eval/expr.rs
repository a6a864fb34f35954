//! Expressions with every name resolved.

use super::Value;
use crate::id::SlotId;

/// An expression ready to be evaluated: names are slots, functions are known, argument counts are right.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A constant.
    Constant(Value),
    /// A variable of the client. Undefined at run time: an error that names it.
    Slot(SlotId),
    /// `not x`
    Not(Box<Expr>),
    /// `x is [not] null`, and likewise for true and false: equal to the constant, or not.
    Is {
        /// What is tested.
        operand: Box<Expr>,
        /// Null, true or false.
        constant: Value,
        /// `is not`
        negated: bool,
    },
    /// `a and b`, which does not look at b when a decides.
    And(Box<Expr>, Box<Expr>),
    /// `a or b`, likewise.
    Or(Box<Expr>, Box<Expr>),
    /// The first branch whose condition holds, else the last expression, else null.
    Case(Box<[(Expr, Expr)]>, Option<Box<Expr>>),
    /// A function or operator on its arguments.
    Call(Function, Box<[Expr]>),
}

/// Everything that takes evaluated arguments: operators and functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named after the function or operator; grammar/README.md describes them")]
pub enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    ShiftLeft,
    ShiftRight,
    BitOr,
    BitAnd,
    BitXor,
    Abs,
    Debug,
    ToDouble,
    ToInteger,
    Sqrt,
    Ln,
    Exp,
    Pi,
    Pow,
    Least,
    Greatest,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    HashMurmur2,
    HashFnv1a,
    Permute,
    // extensions
    Concat,
    RandomString,
    Uuid,
    Choice,
    Client,
    Iteration,
    NowMicroseconds,
}

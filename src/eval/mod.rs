//! The expression language at run time: values, functions, generators and distributions, bit for bit as PostgreSQL's.

pub mod expr;
pub mod value;

pub use expr::{Expr, Function};
pub use value::{Text, Value};

// TO BE IMPLEMENTED (eval helper): evaluate(), Generator, Scope, Error; see the task text.

//! The expression language at run time: values, functions, generators and distributions, bit for bit as PostgreSQL's.

pub mod error;
pub mod evaluate;
pub mod expr;
pub mod random;
pub mod scope;
pub mod value;

mod double;
mod function;
mod hash;
mod names;
mod operator;
mod permute;
mod rand48;
mod room;
mod strtod;
mod text;

pub use error::Error;
pub use evaluate::{evaluate, evaluate_condition, evaluate_integer};
pub use expr::{Expr, Function};
pub use random::{Algorithm, Generator};
pub use room::Room;
pub use scope::Scope;
pub use value::{Text, Value};

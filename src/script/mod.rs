//! Script files: text → AST with spans.
//!
//! The language is pgbench's, with the extensions that `grammar/README.md` describes. Nothing here knows what a name
//! stands for; `plan` resolves them.
//!
//! `grammar/script.pest` cuts a file into pieces, [`parse`] puts the pieces of a command together, and
//! `grammar/expression.pest` reads the expressions of meta-commands.

mod arguments;
pub mod ast;
mod commands;
mod copy;
mod depth;
mod dialect;
mod error;
mod lexer;
mod meta;
mod nesting;
mod parser;
mod parser_expression;
mod pgbench;
mod piece;
mod plain;
mod print;
mod print_expression;
mod setup;
mod statement;
mod structure;
mod tokens;
mod words;

pub use ast::{Command, CommandKind, Expr, ExprKind, Script, SetupItem};
pub use commands::parse;
pub use dialect::Dialect;
pub use error::{Error, ErrorKind, Line};
pub use parser_expression::parse_expression;
pub use pgbench::{PgbenchMessage, pgbench_message};
pub use print::print;
pub use print_expression::print_expression;
pub use setup::parse_sql;
pub use structure::{Structure, StructureKind};

//! Script files: text → AST with spans.
//!
//! The language is pgbench's, with the extensions that `grammar/README.md` describes. Nothing here knows what a name
//! stands for; `plan` resolves them.

pub mod ast;

pub use ast::{Command, CommandKind, Expr, ExprKind, Script};

/// Which language a script is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// pgbench's, to the letter.
    Pgbench,
    /// With the extensions of reprise.
    Extended,
}

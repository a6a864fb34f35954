//! Which language a script is written in.

/// pgbench's language, or the same with extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// What pgbench takes, and nothing else.
    Pgbench,
    /// The extensions as well: `\feed`, `\repeat`, `\label`, `\assert`, `:'x'`, strings in expressions.
    Extended,
}

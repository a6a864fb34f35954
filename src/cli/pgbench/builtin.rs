//! pgbench's builtin scripts.

pub(crate) use crate::plan::compile::{BUILTINS as ALL, Builtin};

/// The list that `-b list` prints.
pub(crate) fn list() -> String {
    let lines = ALL.iter().map(|b| format!("  {:>13}: {}\n", b.name, b.description));
    format!("Available builtin scripts:\n{}", lines.collect::<String>())
}

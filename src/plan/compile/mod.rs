//! Scenario and scripts → plan: names become numbers, defaults are applied, nothing is left to look up.

mod expression;
mod names;
mod pgbench;
mod program;
mod program_error;
mod statement;

pub use pgbench::{PgbenchInputs, PgbenchScript, compile_pgbench};
pub use program_error::ProgramError;

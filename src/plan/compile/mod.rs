//! Scenario and scripts → plan: names become numbers, defaults are applied, nothing is left to look up.

mod columns;
mod condition;
mod expression;
mod fold;
mod initialization;
mod inputs;
mod later;
mod load;
mod meta;
mod metric;
mod names;
mod pgbench;
mod phases;
mod program;
mod program_error;
mod published;
mod quantity;
mod relocate;
mod scenario;
mod scenario_error;
mod scripts;
mod server;
mod sql;
mod statement;
mod steps;
mod threshold;
mod values;
mod vars;

pub use inputs::{CompileInputs, Texts};
pub(crate) use names::text_value;
pub use pgbench::{PgbenchInputs, PgbenchScript, compile_pgbench};
pub use program_error::ProgramError;
pub use scenario::compile;
pub use scenario_error::{Kind, ScenarioError};
pub use scripts::{BUILTINS, Builtin};
pub(crate) use values::{references, show as show_value};

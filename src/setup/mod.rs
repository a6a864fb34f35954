//! Making what a scenario measures on: steps of SQL, rows made in the server, and a note of what was made.
//!
//! [`run`] makes it, unless it is there already; [`run_step`] is one step between phases; [`ask`] gets the
//! values of variables; [`teardown`] removes.

mod attend;
mod cancel;
mod catalog;
mod cleanup;
mod column;
mod error;
mod fill;
mod fingerprint;
mod kept;
pub mod pgbench;
mod preconditions;
mod query;
mod run;
mod sessions;
mod statement;
mod step;

pub use cancel::Cancel;
pub use column::TableColumn;
pub use error::Error;
pub use fill::fill_sql;
pub use fingerprint::fingerprint;
pub use query::ask;
pub use run::{Kept, SetupOptions, SetupOutcome, run, teardown};
pub use step::{Observer, StatementResult, StepResult, run_step};

//! Making what a scenario measures on: steps of SQL, rows made in the server, and a note of what was made.
//!
//! [`run`] makes it, unless it is there already; [`Rounds`] brings it back between repeats; [`run_step`] is one step
//! between phases; [`ask`] gets the values of variables; [`teardown`] removes.

mod attend;
mod cancel;
mod catalog;
mod cleanup;
mod column;
mod copied;
mod copy;
mod error;
mod feed;
mod fill;
mod fingerprint;
mod kept;
mod outside;
pub mod pgbench;
mod preconditions;
mod query;
mod rounds;
mod rows;
mod run;
mod sessions;
mod shell;
mod step;
mod wait;

pub use cancel::Cancel;
pub use column::TableColumn;
pub use error::Error;
pub use feed::FeedReader;
pub use fill::{FillError, fill_sql};
pub use fingerprint::fingerprint;
pub use outside::{Nothing, Outside, Restarting, RowFile};
pub use query::ask;
pub use rounds::Rounds;
pub use run::{Kept, SetupOptions, SetupOutcome, run, teardown};
pub use step::{Observer, StatementResult, StepResult, run_step};

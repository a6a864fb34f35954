//! Declarative PostgreSQL workloads: scenarios and scripts compile to a [`plan`], a tokio executor runs it, and one
//! report says what was measured.
//!
//! The way of the data: files → [`script`], `scenario` → [`plan`] → `exec` (with `pg`, [`eval`]) → [`metrics`] →
//! `report`.

pub mod cli;
pub mod clock;
pub mod diagnostic;
pub mod eval;
pub mod exec;
pub mod id;
pub mod metrics;
pub mod name;
pub mod pg;
pub mod plan;
pub mod report;
pub mod scenario;
pub mod script;
pub mod server;
pub mod setup;
pub mod source;
pub mod stats;
pub mod suggest;
pub mod term;

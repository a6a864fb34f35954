//! What tests against a real server share: a private PostgreSQL, and the program to be tested.
#![allow(dead_code, unused_imports, unreachable_pub, missing_docs, reason = "each test crate uses a part of it")]
#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test that can not go on ends")]

pub mod certificates;
mod original;
mod postgres;
mod program;

pub use original::{find_pgbench18, pgbench18};
pub use postgres::{PASSWORD, Server};
pub use program::{Ended, reprise, run, with_default_signals};

//! What tests against a real server share: a private PostgreSQL, and the program to be tested.
#![allow(dead_code, reason = "each test crate uses a part of it")]

mod certificates;
mod postgres;
mod program;

pub use postgres::Server;
pub use program::{Ended, reprise, run};

//! The executor against a real server: what a scenario asks for, what the report says, and what the server saw.
#![allow(clippy::unwrap_used, reason = "a test panics where it finds what it doesn't expect")]

mod support;

#[path = "executor/background.rs"]
mod background;
#[path = "executor/bench.rs"]
mod bench;
#[path = "executor/connections.rs"]
mod connections;
#[path = "executor/counts.rs"]
mod counts;
#[path = "executor/failures.rs"]
mod failures;
#[path = "executor/feeds.rs"]
mod feeds;
#[path = "executor/overrides.rs"]
mod overrides;
#[path = "executor/pacing.rs"]
mod pacing;
#[path = "executor/scripts.rs"]
mod scripts;
#[path = "executor/stop_rules.rs"]
mod stop_rules;
#[path = "executor/streams.rs"]
mod streams;

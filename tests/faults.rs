//! What happens when something goes wrong around a run: it is killed or stopped, or its server is.
#![allow(clippy::unwrap_used, reason = "a test panics where it finds what it doesn't expect")]

mod support;

#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/frozen.rs"]
mod frozen;
#[path = "faults/interrupted.rs"]
mod interrupted;
#[path = "faults/killed.rs"]
mod killed;
#[path = "faults/lost.rs"]
mod lost;
#[path = "faults/process.rs"]
mod process;

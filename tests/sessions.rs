//! Sessions with real servers: every way in, what is said where there is none, and the take-over.
#![expect(clippy::unwrap_used, reason = "a test panics where it finds what it doesn't expect")]

#[path = "sessions/admin.rs"]
mod admin;
#[path = "sessions/encryption.rs"]
mod encryption;
#[path = "sessions/fake.rs"]
mod fake;
#[path = "sessions/files.rs"]
mod files;
#[path = "sessions/opening.rs"]
mod opening;
#[path = "sessions/refusals.rs"]
mod refusals;
#[path = "sessions/resolving.rs"]
mod resolving;
#[path = "sessions/server.rs"]
mod server;
#[path = "sessions/talk.rs"]
mod talk;
#[path = "sessions/trap.rs"]
mod trap;

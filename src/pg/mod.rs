//! One session with a server, nothing about benchmarks: resolve a [`Target`], [`open`] it, then talk.
//!
//! tokio-postgres does the startup and the authentication; then its client is dropped and the socket is ours (see
//! `takeover`). What a set-up, a feed or a counter needs goes through [`Admin`], which keeps that client.

mod cancel;
mod connection;
mod error;
mod invalid;
mod message;
mod opened;
mod server_error;
mod stream;

pub use cancel::CancelToken;
pub use connection::{Body, Connection, CopyDirection, Reply, TransactionStatus};
pub use error::Error;
pub use invalid::Invalid;
pub use opened::Opened;
pub use server_error::ServerError;
pub use stream::Stream;

//! One session with a server, nothing about benchmarks: resolve a [`Target`], [`open`] it, then talk.
//!
//! tokio-postgres does the startup and the authentication; then its client is dropped and the socket is ours (see
//! `takeover`). What a set-up, a feed or a counter needs goes through [`Admin`], which keeps that client.

mod admin;
mod attributes;
mod cancel;
mod connection;
mod conninfo;
mod dial;
mod environment;
mod error;
mod host;
mod invalid;
mod keyword;
mod libpq_wording;
mod local;
mod message;
mod methods;
mod open;
mod opened;
mod options;
mod passfile;
mod password;
mod public;
mod reply;
mod server_error;
mod service;
mod session;
mod stream;
mod takeover;
mod target;
mod tls;
mod tls_settings;
mod url;
mod watch;

pub use admin::{Admin, Rows};
pub use cancel::CancelToken;
pub use connection::Connection;
pub use environment::Environment;
pub use error::Error;
pub use host::{Host, Place};
pub use invalid::Invalid;
pub use open::{OpenOptions, open};
pub use opened::Opened;
pub use password::Password;
pub use public::{PublicOptions, public_options};
pub use reply::{Body, CopyDirection, Reply, Tally, TransactionStatus, columns, values};
pub use server_error::ServerError;
pub use stream::Stream;
pub use target::Target;

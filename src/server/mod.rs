//! The embedded server, and facts about the machine and the server that a run meets.
//!
//! A cluster is made in a private folder, reached through a Unix socket there, and gone when the run is: a small
//! [`guard`] process sees to that, also when this one is killed.

pub mod environment;
pub mod guard;

mod account;
mod binaries;
mod child;
mod cluster;
#[cfg(feature = "download")]
mod download;
mod embedded;
mod error;
mod folder;
mod kept;
mod observer;
mod settings;

pub use binaries::{Installation, Search};
#[cfg(feature = "download")]
pub use download::{Download, Source};
pub use embedded::{Embedded, EmbeddedOptions, start};
pub use environment::{Environment, HostFacts};
pub use error::Error;
pub use observer::Observer;

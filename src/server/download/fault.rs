//! What can go wrong with a download.

use std::io;

/// Why a download came to nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// There is no such file there.
    #[error("it has no `{0}`")]
    Absent(String),
    /// Something did not come, or not as it should.
    #[error("{0}")]
    Bad(String),
    /// The cache can't be written.
    #[error("{0}")]
    Cache(#[from] io::Error),
    /// Nobody waits for it any more.
    #[error("it was given up")]
    Stopped,
}

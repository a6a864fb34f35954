//! What can go wrong while pgbench's tables are made.

use crate::pg;

/// Why an initialization did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A further session could not be opened.
    #[error("could not open a session for the rows: {0}")]
    Open(#[source] pg::Error),
    /// A statement failed.
    #[error("`{sql}` failed: {error}")]
    Statement {
        /// Its text.
        sql: String,
        /// What the server said.
        error: pg::Error,
    },
    /// A COPY did not begin.
    #[error("`{sql}` failed: {error}")]
    CopyRefused {
        /// Its text.
        sql: String,
        /// What the server said.
        error: pg::Error,
    },
    /// A COPY ended early.
    #[error("`{sql}` ended early: {error}")]
    Copy {
        /// Its text.
        sql: String,
        /// What the server said.
        error: pg::Error,
    },
    /// Somebody asked to stop.
    #[error("the initialization was interrupted")]
    Cancelled,
}

impl InitError {
    /// The session's error, where it is one.
    pub fn session(&self) -> Option<&pg::Error> {
        match self {
            Self::Open(error)
            | Self::Statement { error, .. }
            | Self::CopyRefused { error, .. }
            | Self::Copy { error, .. } => Some(error),
            Self::Cancelled => None,
        }
    }
}

//! What ends a try.

use std::time::Duration;

use crate::metrics::{FailureClass, SqlState};
use crate::pg;

/// The SQLSTATE of failures that no server reported.
pub(super) const NO_STATE: SqlState = *b".....";

/// Why a try ended.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) class: FailureClass,
    pub(super) sqlstate: SqlState,
    pub(super) message: String,
    /// The session can't be used any more.
    pub(super) lost: bool,
}

impl Failure {
    /// A failure on the client's side; the session is fine.
    pub(super) fn client(class: FailureClass, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { class, sqlstate: NO_STATE, message: message.into(), lost: false })
    }

    /// An error that the server reported.
    pub(super) fn server(error: &pg::ServerError) -> Box<Self> {
        Box::new(Self {
            class: FailureClass::of_sqlstate(error.sqlstate),
            sqlstate: error.sqlstate,
            message: error.to_string(),
            lost: error.is_fatal(),
        })
    }

    /// A session that broke, or could not be opened (`opening`).
    pub(super) fn session(error: &pg::Error, opening: bool) -> Box<Self> {
        let class = if opening { FailureClass::Connect } else { FailureClass::Disconnect };
        let sqlstate = error.sqlstate().unwrap_or(NO_STATE);
        Box::new(Self { class, sqlstate, message: error.to_string(), lost: true })
    }

    /// The client's own limit for a statement has passed.
    pub(super) fn timeout(limit: Duration) -> Box<Self> {
        Box::new(Self {
            class: FailureClass::Timeout,
            sqlstate: NO_STATE,
            message: format!("no answer within the client's timeout of {limit:?}; the session was given up"),
            lost: true,
        })
    }
}

/// Boxed, so that a result without a failure stays small.
pub(super) type Outcome<T> = Result<T, Box<Failure>>;

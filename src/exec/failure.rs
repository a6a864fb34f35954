//! What ends a try, and what of it ends a client.

use std::time::Duration;

use super::untyped::untyped_parameter;
use crate::id::{ClientId, CommandId, ScriptId};
use crate::metrics::{FailureClass, SqlState};
use crate::pg::{self, ServerError};
use crate::plan::{Plan, StatementPlan};

/// The SQLSTATE of failures that no server reported.
pub(super) const NO_STATE: SqlState = *b".....";

/// What a client was at when an error came up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The server reported it.
    Server,
    /// The session broke.
    Session,
    /// No session was to be had.
    Opening,
    /// The client's own limit for a statement has passed.
    Timeout,
    /// The pool had no session within its time.
    Pool,
    /// An expression has no value.
    Expression,
    /// A variable can't take the value.
    Assignment,
    /// A `\sleep` has no time, or a shell command can't be run.
    Execution,
    /// A pipeline is used in a way that it can't be.
    Pipeline,
    /// `\gset` found another number of rows than one.
    RowCount,
    /// `\gset` or `\aset` found a column that no variable can be called by.
    Column(Box<str>),
    /// A COPY began.
    Copy,
    /// A script's end left something open.
    ScriptEnd,
    /// A feed has no more rows: nobody's fault.
    RanDry,
    /// An `\assert` did not hold.
    Assertion,
    /// The plan has what no client can do.
    Plan,
}

impl Fault {
    fn class(&self) -> FailureClass {
        match self {
            Self::Server | Self::Session => FailureClass::Disconnect,
            Self::Opening => FailureClass::Connect,
            Self::Timeout => FailureClass::Timeout,
            Self::Pool => FailureClass::PoolTimeout,
            Self::Assertion => FailureClass::Assertion,
            _ => FailureClass::Script,
        }
    }
}

/// A client that an error ended before its time.
#[derive(Debug, Clone)]
pub struct ClientEnd {
    /// The client.
    pub client: ClientId,
    /// The number of its worker.
    pub thread: usize,
    /// The script that it ran.
    pub script: ScriptId,
    /// The command that failed; `None` where no command ran.
    pub command: Option<CommandId>,
    /// Which of the command's results it was, from 0.
    pub result: u32,
    /// What it was at.
    pub fault: Fault,
    /// What went wrong; a server's error as libpq words it, in several lines.
    pub message: String,
    /// Why the statement could not be prepared, where it was executed all the same.
    pub refused: Option<String>,
    /// What to do about it, where that is known better than the server knows it.
    pub advice: Option<String>,
}

/// Why a try ended.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) class: FailureClass,
    pub(super) sqlstate: SqlState,
    pub(super) message: String,
    /// The session can't be used any more.
    pub(super) lost: bool,
    pub(super) fault: Fault,
    /// Which of the command's results failed.
    pub(super) result: u32,
    /// What the server said.
    pub(super) server: Option<Box<ServerError>>,
    /// Why the statement could not be prepared, where it was executed all the same.
    pub(super) refused: Option<Box<Failure>>,
    /// What to do about it; the message ends in it.
    pub(super) advice: Option<String>,
}

impl Failure {
    /// A failure on the client's side; the session is fine.
    pub(super) fn client(fault: Fault, message: impl Into<String>) -> Box<Self> {
        let (class, message) = (fault.class(), message.into());
        Box::new(Self {
            class,
            sqlstate: NO_STATE,
            message,
            lost: false,
            fault,
            result: 0,
            server: None,
            refused: None,
            advice: None,
        })
    }

    /// An error that the server reported.
    pub(super) fn server(error: Box<ServerError>) -> Box<Self> {
        Box::new(Self {
            class: FailureClass::of_sqlstate(error.sqlstate),
            sqlstate: error.sqlstate,
            message: error.to_string(),
            lost: error.is_fatal(),
            fault: Fault::Server,
            result: 0,
            server: Some(error),
            refused: None,
            advice: None,
        })
    }

    /// A session that broke, or could not be opened.
    pub(super) fn session(error: &pg::Error, fault: Fault) -> Box<Self> {
        let mut failure = Self::client(fault, error.to_string());
        failure.sqlstate = error.sqlstate().unwrap_or(NO_STATE);
        failure.lost = true;
        failure
    }

    /// The same, with what to do about a parameter of its statement.
    pub(super) fn advised(mut self: Box<Self>, statement: &StatementPlan, plan: &Plan) -> Box<Self> {
        let advice = self.server.as_ref().and_then(|error| untyped_parameter(error, &statement.parameters, plan));
        if let (Some(advice), None) = (advice, &self.advice) {
            self.message = format!("{}: {advice}", self.message);
            self.advice = Some(advice);
        }
        self
    }

    /// The same, found at that result of its command.
    pub(super) fn of_result(mut self: Box<Self>, result: u32) -> Box<Self> {
        self.result = result;
        self
    }

    /// The client's own limit for a statement has passed.
    pub(super) fn timeout(limit: Duration) -> Box<Self> {
        let message = format!("no answer within the client's timeout of {limit:?}; the session was given up");
        let mut failure = Self::client(Fault::Timeout, message);
        failure.lost = true;
        failure
    }
}

/// Boxed, so that a result without a failure stays small.
pub(super) type Outcome<T> = Result<T, Box<Failure>>;

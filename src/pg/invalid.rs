//! What a description of a connection can have wrong.

use std::io;
use std::path::PathBuf;

/// A connection string, a setting or a file that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Invalid {
    /// The text is no connection string.
    #[error("malformed connection string: {0}")]
    Syntax(&'static str),
    /// The text is no URL.
    #[error("malformed connection URL: {0}")]
    Url(&'static str),
    /// There is no such option.
    #[error("invalid connection option `{name}`")]
    Unknown {
        /// As it was written.
        name: String,
        /// The option that may be meant.
        nearest: Option<&'static str>,
    },
    /// An option has a value that it can't have.
    #[error("invalid value `{value}` for connection option `{name}`")]
    Value {
        /// The option.
        name: &'static str,
        /// As it was written.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// An option that libpq has, and that has no meaning here.
    #[error("connection option `{name}` can't be used here: {reason}")]
    Unsupported {
        /// The option.
        name: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// Two options contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// No such service.
    #[error("definition of service `{0}` not found")]
    Service(String),
    /// A file that can't be read.
    #[error("could not read {what} `{}`: {source}", .path.display())]
    File {
        /// What the file is.
        what: &'static str,
        /// Where it should be.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line of the service file that can't be understood.
    #[error("line {line} of service file `{}` is malformed: {reason}", .path.display())]
    ServiceLine {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A certificate or key that can't be used.
    #[error("could not use {what} `{}`: {reason}", .path.display())]
    Certificate {
        /// What the file is.
        what: &'static str,
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Nobody knows the user's name.
    #[error("no user to connect as")]
    NoUser,
}

impl Invalid {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) | Self::Url(_) => "pg::connection_string",
            Self::Unknown { .. } => "pg::unknown_option",
            Self::Value { .. } | Self::Contradiction(_) | Self::NoUser => "pg::option_value",
            Self::Unsupported { .. } => "pg::unsupported_option",
            Self::Service(_) | Self::ServiceLine { .. } => "pg::service",
            Self::File { .. } => "pg::file",
            Self::Certificate { .. } => "pg::certificate",
        }
    }

    pub(super) fn help(&self) -> Option<String> {
        match self {
            Self::Syntax(_) => Some("write `host=… port=… dbname=…`, values with spaces in single quotes".to_owned()),
            Self::Url(_) => Some("write `postgresql://user@host:port/dbname?option=value`".to_owned()),
            Self::Unknown { nearest, .. } => nearest.map(|name| format!("did you mean `{name}`?")),
            Self::Value { expected, .. } => Some(format!("it takes {expected}")),
            Self::Unsupported { .. } | Self::Contradiction(_) | Self::ServiceLine { .. } => None,
            Self::Service(_) => {
                Some("services are defined in ~/.pg_service.conf, or in the file that `PGSERVICEFILE` names".to_owned())
            }
            Self::File { .. } | Self::Certificate { .. } => Some("check the path and its permissions".to_owned()),
            Self::NoUser => Some("name one by `user` or `PGUSER`".to_owned()),
        }
    }
}

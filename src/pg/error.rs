//! Everything that can go wrong with a session.

use std::io;
use std::time::Duration;

use super::{Invalid, ServerError};
use crate::diagnostic::Diagnostic;

/// Why a session could not be opened or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server reported an error in an open session.
    #[error("{0}")]
    Server(Box<ServerError>),
    /// The connection broke.
    #[error("connection to the server lost: {}", sentence(.0))]
    Io(#[source] io::Error),
    /// What was to be sent to the server can't be read.
    #[error("could not read what was to be sent: {}", sentence(.0))]
    Input(#[source] io::Error),
    /// A wait reached its limit.
    #[error("{what} took longer than {}", seconds(*.after))]
    Timeout {
        /// What was waited for, as the subject of a sentence.
        what: String,
        /// The limit.
        after: Duration,
    },
    /// The server sent something that the protocol has no place for.
    #[error("unexpected answer from the server: {0}")]
    Protocol(String),
    /// The description of the connection can't be used.
    #[error(transparent)]
    Config(#[from] Invalid),
    /// Nothing answers there.
    #[error("could not connect to server at {at}: {}", sentence(.source))]
    Connect {
        /// The address as a user would write it.
        at: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The name of a host has no address.
    #[error("could not find an address of host `{host}`: {}", sentence(.source))]
    Resolve {
        /// The name.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// TLS was wanted and not to be had.
    #[error("could not encrypt the connection to {at}: {reason}")]
    Tls {
        /// The address.
        at: String,
        /// What failed.
        reason: String,
        /// What to do.
        help: String,
    },
    /// The server is there and did not let us in.
    #[error("server at {at} refused the session of user `{user}` in database `{database}`: {error}")]
    Refused {
        /// The address.
        at: String,
        /// Who asked.
        user: String,
        /// The database asked for.
        database: String,
        /// The server's words.
        error: Box<ServerError>,
    },
    /// The authentication failed on our side.
    #[error("could not authenticate at {at} as user `{user}`: {reason}")]
    Authentication {
        /// The address.
        at: String,
        /// Who asked.
        user: String,
        /// What failed.
        reason: String,
    },
    /// The server asks for a password, and none is known.
    #[error("could not authenticate at {at} as user `{user}`: the server asks for a password and none is known")]
    NoPassword {
        /// The address.
        at: String,
        /// Who asked.
        user: String,
    },
    /// The server is there, but isn't the kind that `target_session_attrs` asks for.
    #[error("server at {at} is not what `target_session_attrs={wanted}` asks for: {found}")]
    Attributes {
        /// The address.
        at: String,
        /// The value of `target_session_attrs`.
        wanted: &'static str,
        /// What it is instead.
        found: &'static str,
    },
    /// Several hosts or addresses were tried, none would do.
    #[error("no server could be used: {}", list(.0))]
    All(Vec<Error>),
}

impl Error {
    /// The server's own words, where there are any.
    pub fn server_error(&self) -> Option<&ServerError> {
        match self {
            Self::Server(error) | Self::Refused { error, .. } => Some(error),
            Self::All(errors) => errors.iter().rev().find_map(Self::server_error),
            _ => None,
        }
    }

    /// The SQLSTATE, where the server gave one.
    pub fn sqlstate(&self) -> Option<[u8; 5]> {
        self.server_error().map(|error| error.sqlstate)
    }

    /// Whether a password might have helped.
    pub fn needs_password(&self) -> bool {
        match self {
            Self::NoPassword { .. } => true,
            Self::All(errors) => errors.last().is_some_and(Self::needs_password),
            _ => false,
        }
    }

    /// Whether nothing answered within its time.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Timeout { .. } => true,
            Self::Connect { source, .. } => source.kind() == io::ErrorKind::TimedOut,
            Self::All(errors) => !errors.is_empty() && errors.iter().all(Self::is_timeout),
            _ => false,
        }
    }

    /// The same for the one who reads it.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string());
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Server(_) => "pg::server",
            Self::Io(_) => "pg::connection_lost",
            Self::Input(_) => "pg::input",
            Self::Timeout { .. } => "pg::timeout",
            Self::Protocol(_) => "pg::protocol",
            Self::Config(invalid) => invalid.code(),
            Self::Connect { .. } | Self::Resolve { .. } => "pg::connect",
            Self::Tls { .. } => "pg::tls",
            Self::Refused { .. } => "pg::refused",
            Self::Authentication { .. } | Self::NoPassword { .. } => "pg::authentication",
            Self::Attributes { .. } => "pg::session_attributes",
            Self::All(errors) => errors.last().map_or("pg::connect", Self::code),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Server(error) => error.hint.clone(),
            Self::Io(_) => Some("the server's log says why it ended the session".to_owned()),
            Self::Timeout { .. } => Some("is the server there, and not overloaded?".to_owned()),
            Self::Input(_) => None,
            Self::Protocol(_) => Some("is it a PostgreSQL server that listens there?".to_owned()),
            Self::Config(invalid) => invalid.help(),
            Self::Connect { source, .. } => Some(connect_help(source)),
            Self::Resolve { .. } => Some("check the spelling of the host; `hostaddr` takes an address".to_owned()),
            Self::Tls { help, .. } => Some(help.clone()),
            Self::Refused { error, .. } => refused_help(error),
            Self::Authentication { .. } | Self::NoPassword { .. } => {
                Some("give the password by the password file, `PGPASSWORD` or the connection string".to_owned())
            }
            Self::Attributes { .. } => {
                Some("name the other hosts too, or ask for `target_session_attrs=any`".to_owned())
            }
            Self::All(errors) => errors.last().and_then(Self::help),
        }
    }
}

fn connect_help(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::NotFound => {
            "is the server running on this machine and does it make its socket in that folder? `host` names another"
                .into()
        }
        io::ErrorKind::PermissionDenied => "the socket's folder or file doesn't let this user in".into(),
        io::ErrorKind::TimedOut => "is the host up, and does no firewall drop the packets?".into(),
        _ => "is the server running there, and does it listen on that address and port?".into(),
    }
}

fn refused_help(error: &ServerError) -> Option<String> {
    let help = match &error.sqlstate {
        b"28P01" => "check user and password; the password file, `PGPASSWORD` and the connection string give one",
        b"28000" if error.message.contains("pg_hba.conf") => {
            "the server's pg_hba.conf has no line that lets this user in from here; `sslmode` may make the difference"
        }
        b"28000" => "does the role exist, and may it log in?",
        b"3D000" => "create it, or name another by `dbname` or `PGDATABASE`",
        b"53300" if error.message.contains("for role") => "raise the role's `connection limit`, or use fewer clients",
        b"53300" if error.message.contains("for database") => {
            "raise the database's `connection limit`, or use fewer clients"
        }
        b"53300" => "raise `max_connections` of the server, use fewer clients, or close other sessions",
        b"57P03" => "the server starts, stops or recovers; try again in a moment",
        b"42501" => "the role needs the right to connect: `grant connect on database … to …`",
        _ => return error.hint.clone(),
    };
    Some(help.to_owned())
}

/// What the operating system said, without the number that Rust puts behind it, in lower case.
fn sentence(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !text[1..].starts_with(char::is_uppercase) => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

fn seconds(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

fn list(errors: &[Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

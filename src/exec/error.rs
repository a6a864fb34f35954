//! Why a phase could not begin.

use crate::diagnostic::Diagnostic;
use crate::pg;

/// Why a phase could not begin. What happens later is part of what was measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A client's first session could not be opened.
    #[error("client {client} could not open its session: {source}")]
    Session {
        /// The client.
        client: u32,
        /// Why.
        #[source]
        source: pg::Error,
    },
    /// A worker could not be made.
    #[error("could not start a worker: {0}")]
    Worker(#[source] std::io::Error),
    /// A statement of `session: {on_connect: …}` failed.
    #[error("`{statement}` in `on_connect` failed: {source}")]
    OnConnect {
        /// The statement.
        statement: String,
        /// What the server said.
        #[source]
        source: pg::Error,
    },
    /// The run was stopped before the phase began.
    #[error("stopped before the phase `{0}` began")]
    Stopped(String),
}

impl Error {
    /// The error as it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, help) = match self {
            Self::Session { source, .. } => ("exec::session", source.diagnostic().help),
            Self::Worker(_) => ("exec::worker", Some("are there limits on threads or open files?".to_owned())),
            Self::OnConnect { source, .. } => ("exec::on_connect", source.diagnostic().help),
            Self::Stopped(_) => ("exec::stopped", None),
        };
        let diagnostic = Diagnostic::error(code, self.to_string());
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

//! Why a phase could not begin.

use crate::diagnostic::Diagnostic;
use crate::pg;
use crate::source::Span;

/// Why a phase could not begin. What happens later is part of what was measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A client's first session could not be opened.
    #[error("{client} could not open its session: {source}")]
    Session {
        /// The client.
        client: String,
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
    /// A feed has no rows.
    #[error("feed `{feed}` has no rows")]
    EmptyFeed {
        /// Its name.
        feed: String,
        /// Where it was written.
        span: Span,
    },
    /// Rows are dealt to clients, and not each gets one.
    #[error("feed `{feed}` has {rows} rows for {clients} clients")]
    TooFewRows {
        /// Its name.
        feed: String,
        /// Its rows.
        rows: usize,
        /// The clients that take rows from it.
        clients: usize,
        /// Where it was written.
        span: Span,
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
            Self::EmptyFeed { .. } => {
                ("exec::empty_feed", Some("what it reads has to be there when the phase begins".to_owned()))
            }
            Self::TooFewRows { .. } => {
                ("exec::too_few_rows", Some("with `order: per_client` each client needs a row of its own".to_owned()))
            }
            Self::Stopped(_) => ("exec::stopped", None),
        };
        let mut diagnostic = Diagnostic::error(code, self.to_string());
        if let Self::EmptyFeed { span, .. } | Self::TooFewRows { span, .. } = self {
            diagnostic = diagnostic.label(*span, "this feed");
        }
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

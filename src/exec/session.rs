//! A session of a client or a pool: the connection, and what this run has left on it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::failure::{Failure, Fault, Outcome};
use super::listener::Listener;
use crate::id::StatementId;
use crate::pg::{self, CancelToken, Connection, OpenOptions, Password, Reply, Target};
use crate::plan::phase::SessionPlan;

/// The longest that one statement of `on_connect` may take.
const ON_CONNECT: Duration = Duration::from_secs(60);

/// A session with what this run knows of it.
pub(super) struct Session {
    pub(super) connection: Connection,
    /// Asks the server to cancel what it does; shared with whoever may have to.
    pub(super) cancel: Rc<CancelToken>,
    /// A bit per statement that is prepared on it.
    prepared: Box<[u64]>,
    /// The next statement is preceded by `discard all`.
    pub(super) discard: bool,
    /// Hears what the server says that is no error.
    listener: Option<Arc<dyn Listener>>,
    /// Why a statement could not be prepared that is executed all the same, as pgbench does.
    pub(super) refused: Option<Box<Failure>>,
}

/// Why there is no session.
pub(super) enum Unopened {
    /// The server did not let it in.
    Session(pg::Error),
    /// A statement of `on_connect` failed in it.
    OnConnect {
        /// The statement.
        statement: String,
        /// What the server said.
        source: pg::Error,
    },
}

/// How sessions of a phase are opened.
pub(super) struct Opener {
    target: Target,
    options: OpenOptions,
    on_connect: Vec<String>,
    statements: usize,
    listener: Option<Arc<dyn Listener>>,
}

impl Opener {
    /// For the sessions that `plan` describes, in a run of so many statements. The listener hears the server's notices.
    pub(super) fn new(
        target: Target,
        plan: &SessionPlan,
        statements: usize,
        listener: Option<Arc<dyn Listener>>,
    ) -> Self {
        let options = OpenOptions {
            user: plan.user.clone(),
            password: plan.password.as_ref().map(|secret| Password::new(secret.0.clone())),
            settings: plan.settings.clone(),
            ..OpenOptions::default()
        };
        Self { target, options, on_connect: plan.on_connect.clone(), statements, listener }
    }

    /// Opens one.
    pub(super) async fn open(&self) -> Result<Session, Unopened> {
        let opened = pg::open(&self.target, &self.options).await.map_err(Unopened::Session)?;
        if let Some(listener) = &self.listener {
            for notice in &opened.notices {
                listener.notice(notice);
            }
        }
        let mut session = Session {
            cancel: Rc::new(opened.cancel.clone()),
            connection: Connection::new(opened).map_err(Unopened::Session)?,
            prepared: vec![0; self.statements.div_ceil(64)].into(),
            discard: false,
            listener: self.listener.clone(),
            refused: None,
        };
        if self.listener.is_some() {
            session.connection.keep_notices();
        }
        for sql in &self.on_connect {
            let done = tokio::time::timeout(ON_CONNECT, session.run(sql)).await;
            let done = done.unwrap_or_else(|_| Err(pg::Error::Timeout { what: "it".to_owned(), after: ON_CONNECT }));
            done.map_err(|source| Unopened::OnConnect { statement: sql.clone(), source })?;
        }
        Ok(session)
    }

    /// Opens one within a client's transaction: how long it took counts.
    pub(super) async fn open_timed(&self) -> (Outcome<Session>, Duration) {
        let begin = Instant::now();
        let opened = self.open().await.map_err(|unopened| match unopened {
            Unopened::Session(error) => Failure::session(&error, Fault::Opening),
            Unopened::OnConnect { source, .. } => Failure::session(&source, Fault::Opening),
        });
        (opened, begin.elapsed())
    }
}

impl Session {
    /// Tells what the server has said that is no error.
    #[inline]
    pub(super) fn tell_notices(&mut self) {
        if let Some(listener) = &self.listener {
            for notice in self.connection.take_notices() {
                listener.notice(&notice);
            }
        }
    }

    /// Whether a statement is prepared here.
    #[inline]
    pub(super) fn is_prepared(&self, statement: StatementId) -> bool {
        let index = statement.index();
        self.prepared[index / 64] & (1 << (index % 64)) != 0
    }

    /// From now on it is.
    pub(super) fn set_prepared(&mut self, statement: StatementId) {
        let index = statement.index();
        self.prepared[index / 64] |= 1 << (index % 64);
    }

    /// Whoever has it next begins with a clean one.
    pub(super) fn discard_later(&mut self) {
        self.discard = true;
        self.prepared.fill(0);
    }

    /// Queues the `discard all` that is due, ahead of what the caller queues; true when its answer has to be read.
    #[inline]
    pub(super) fn queue_discard(&mut self) -> bool {
        if self.discard {
            self.connection.query(|out| out.extend_from_slice(b"discard all"));
        }
        std::mem::take(&mut self.discard)
    }

    /// Runs one statement in the simple protocol and drops what it returns.
    pub(super) async fn run(&mut self, sql: &str) -> Result<(), pg::Error> {
        self.connection.query(|out| out.extend_from_slice(sql.as_bytes()));
        self.connection.send().await?;
        match self.finish().await? {
            Some(error) => Err(pg::Error::Server(error)),
            None => Ok(()),
        }
    }

    /// Reads on to the next ReadyForQuery; the first error on the way, if there is one.
    pub(super) async fn finish(&mut self) -> Result<Option<Box<pg::ServerError>>, pg::Error> {
        let mut first = None;
        loop {
            match self.connection.reply(false).await? {
                Reply::Ready(_) => return Ok(first),
                // the server closes after a fatal error: no ReadyForQuery comes
                Reply::Failed(error) if error.is_fatal() => return Ok(first.or(Some(error))),
                Reply::Failed(error) => first = first.or(Some(error)),
                Reply::Copy(_) => return Err(pg::Error::Protocol("COPY can't be used here".to_owned())),
                Reply::Columns(_) | Reply::Row(_) | Reply::Complete { .. } | Reply::Empty => {}
            }
        }
    }

    /// Leaves a transaction block.
    pub(super) async fn rollback(&mut self) -> Outcome<()> {
        match self.run("ROLLBACK").await {
            Ok(()) => Ok(()),
            Err(pg::Error::Server(error)) => Err(Failure::server(error)),
            Err(error) => Err(Failure::session(&error, Fault::Session)),
        }
    }
}

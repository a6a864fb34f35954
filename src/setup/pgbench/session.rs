//! One session of an initialization, with exactly the messages that libpq sends.

use std::pin::pin;
use std::time::Duration;

use super::InitError;
use super::observer::Shared;
use super::statements;
use crate::pg::{self, CancelToken, Connection, CopyDirection, Opened, Reply, ServerError, values};

/// How long a cancel request may take.
const CANCEL: Duration = Duration::from_secs(5);

/// How long a statement may take to end after a cancel request before there is another.
const AGAIN: Duration = Duration::from_millis(200);

/// A session that sends one statement after another, until somebody asks to stop.
pub(super) struct Session<'a> {
    connection: Connection,
    cancel: CancelToken,
    version: u32,
    /// What the server said while rows were sent.
    failure: Option<Box<ServerError>>,
    /// Whether the rows that are sent were asked to be cancelled.
    cancelled: bool,
    shared: &'a Shared<'a>,
}

impl<'a> Session<'a> {
    pub(super) fn new(opened: Opened, shared: &'a Shared<'a>) -> Result<Self, pg::Error> {
        let (cancel, version) = (opened.cancel.clone(), opened.server_version_num);
        let mut connection = Connection::new(opened)?;
        connection.keep_notices();
        Ok(Self { connection, cancel, version, failure: None, cancelled: false, shared })
    }

    /// The server's version as a number.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// Sends a statement in the simple protocol and waits for its end; the rows that it touched.
    pub(super) async fn execute(&mut self, sql: &str) -> Result<u64, InitError> {
        self.go_on()?;
        self.connection.query(|out| out.extend_from_slice(sql.as_bytes()));
        let done = self.finish(|_| ()).await;
        done.map_err(|error| InitError::Statement { sql: sql.to_owned(), error })
    }

    /// Asks for the kind of a table.
    pub(super) async fn relation_kind(&mut self, table: &str) -> Result<Option<u8>, InitError> {
        self.go_on()?;
        self.connection.parse("", statements::RELATION_KIND);
        self.connection.execute("", 1, |_, out| {
            out.extend_from_slice(table.as_bytes());
            true
        });
        self.connection.sync();
        let mut kind = None;
        let done = self.finish(|row| kind = values(row).next().flatten().and_then(|text| text.first().copied())).await;
        match done {
            Ok(_) => Ok(kind),
            Err(error) => Err(InitError::Statement { sql: statements::RELATION_KIND.to_owned(), error }),
        }
    }

    /// Begins a COPY.
    pub(super) async fn copy_begin(&mut self, sql: &str) -> Result<(), InitError> {
        self.go_on()?;
        self.connection.query(|out| out.extend_from_slice(sql.as_bytes()));
        let Self { connection, cancel, shared, .. } = self;
        let begun = interruptible(shared, cancel, async {
            connection.send().await?;
            loop {
                match connection.reply(false).await? {
                    Reply::Copy(CopyDirection::In) => return Ok(()),
                    Reply::Failed(error) => {
                        let _ = ready(connection, Some(error.clone()), shared, |_| ()).await;
                        return Err(pg::Error::Server(error));
                    }
                    Reply::Ready(_) => return Err(pg::Error::Protocol("COPY took no rows".to_owned())),
                    _ => {}
                }
            }
        })
        .await;
        begun.map_err(|error| InitError::CopyRefused { sql: sql.to_owned(), error })
    }

    /// Sends rows of a COPY; false where the server wants no more: how it ends tells why.
    ///
    /// Rows are sent on after somebody has asked to stop, since a COPY heeds a cancel request only at its next row.
    pub(super) async fn copy_rows(&mut self, rows: impl FnOnce(&mut Vec<u8>)) -> Result<bool, pg::Error> {
        self.connection.copy_data(rows);
        let Self { connection, cancel, shared, cancelled, .. } = self;
        let sent = interruptible(shared, cancel, connection.send()).await;
        if shared.cancel.is_asked() && !std::mem::replace(cancelled, true) {
            shared.cancel_requested(cancel.cancel(CANCEL).await);
        }
        let heard = self.hear();
        match sent.and(heard) {
            Ok(()) => Ok(self.failure.is_none()),
            // what the server said last says more than that it is gone
            Err(error) => Err(self.failure.take().map_or(error, pg::Error::Server)),
        }
    }

    /// Takes in what the server has said meanwhile, up to an error: what follows that belongs to the end of the COPY.
    fn hear(&mut self) -> Result<(), pg::Error> {
        while self.failure.is_none() {
            match self.connection.reply_now()? {
                Some(Reply::Failed(error)) => self.failure = Some(error),
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Ends a COPY; the rows that were taken.
    pub(super) async fn copy_end(&mut self) -> Result<u64, pg::Error> {
        self.connection.copy_done();
        self.finish(|_| ()).await
    }

    /// Ends the session.
    pub(super) async fn close(self) {
        self.connection.close().await;
    }

    /// Nothing is begun once somebody has asked to stop.
    fn go_on(&self) -> Result<(), InitError> {
        if self.shared.cancel.is_asked() { Err(InitError::Cancelled) } else { Ok(()) }
    }

    /// Sends what is queued and reads answers until the server is ready again.
    async fn finish(&mut self, row: impl FnMut(&[u8])) -> Result<u64, pg::Error> {
        let Self { connection, cancel, failure, shared, .. } = self;
        interruptible(shared, cancel, async {
            connection.send().await?;
            ready(connection, failure.take(), shared, row).await
        })
        .await
    }
}

/// Reads answers until the server is ready; the first error of the server's, or that the session is lost.
async fn ready(
    connection: &mut Connection,
    mut failure: Option<Box<ServerError>>,
    shared: &Shared<'_>,
    mut row: impl FnMut(&[u8]),
) -> Result<u64, pg::Error> {
    let mut rows = 0;
    loop {
        let reply = connection.reply(true).await;
        for notice in connection.take_notices() {
            shared.tell(|observer| observer.noticed(&notice));
        }
        match reply {
            Ok(Reply::Complete { rows: touched }) => rows = touched,
            Ok(Reply::Row(body)) => row(connection.bytes(body)),
            Ok(Reply::Failed(error)) => failure = failure.or(Some(error)),
            Ok(Reply::Ready(_)) => return failure.map_or(Ok(rows), |error| Err(pg::Error::Server(error))),
            Ok(_) => {}
            // what the server said last says more than that it is gone
            Err(error) => return Err(failure.map_or(error, pg::Error::Server)),
        }
    }
}

/// Waits for an answer. Where somebody asks to stop meanwhile, the server is asked to cancel, and the answer is still
/// waited for: it says what became of it.
async fn interruptible<T>(shared: &Shared<'_>, cancel: &CancelToken, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = shared.cancel.asked() => {}
    }
    loop {
        // a request that comes before its statement does nothing: it is sent again until there is an answer
        shared.cancel_requested(cancel.cancel(CANCEL).await);
        if let Ok(done) = tokio::time::timeout(AGAIN, &mut work).await {
            return done;
        }
    }
}

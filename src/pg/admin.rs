//! A session for set-up, feeds and counters: tokio-postgres's own client.

use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::watch::{self, Receiver};
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, SimpleQueryMessage};

use super::open::{OpenOptions, connect};
use super::session::{Driver, Session};
use super::target::Target;
use super::{CancelToken, Error, ServerError, opened};

/// How many bytes of a COPY go into one message.
const COPY_CHUNK: usize = 64 * 1024;

/// How many notices are kept until somebody takes them.
const NOTICES: usize = 1000;

/// How long the end of the session may take to become known once the client has noticed it.
const FAREWELL: Duration = Duration::from_secs(1);

/// A session that isn't measured: statements go one at a time, by the simple protocol, without a limit of time.
///
/// Dropped, it ends its session.
#[derive(Debug)]
pub struct Admin {
    client: Client,
    driver: JoinHandle<()>,
    /// What the server said when it ended the session.
    farewell: Receiver<Option<ServerError>>,
    pid: i32,
    parameters: Vec<(String, String)>,
    notices: Vec<ServerError>,
    /// The notices that came since.
    said: Arc<Mutex<Vec<ServerError>>>,
    cancel: CancelToken,
    /// Where it was opened, and how.
    origin: Box<(Target, OpenOptions)>,
    /// The session that took the place of this one.
    next: OnceLock<Box<Admin>>,
}

/// The rows of a result, each value as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The values; `None` is null.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Admin {
    /// Opens a session, as [`open`](super::open) does; it is driven by a task of its own in the current runtime.
    pub async fn open(target: &Target, options: &OpenOptions) -> Result<Self, Error> {
        let Session { client, connection, lent, cancel } = connect(target, options).await?;
        let (pid, parameters, notices) =
            lent.watch(|watch| (watch.pid, std::mem::take(&mut watch.parameters), std::mem::take(&mut watch.notices)));
        let (sender, farewell) = watch::channel(None);
        let said = Arc::new(Mutex::new(Vec::new()));
        let keep = said.clone();
        let driver = tokio::spawn(async move {
            let ended = match connection {
                Driver::Plain(connection) => drive(connection, &keep).await,
                Driver::Encrypted(connection) => drive(connection, &keep).await,
            };
            if let Some(error) = ended.err().as_ref().and_then(tokio_postgres::Error::as_db_error) {
                sender.send_replace(Some(ServerError::from(error)));
            }
        });
        let origin = Box::new((target.clone(), options.clone()));
        Ok(Self { client, driver, farewell, pid, parameters, notices, said, cancel, origin, next: OnceLock::new() })
    }

    /// Ends the session and goes on with one that is opened at `target` with the same options, such as the same server
    /// after a restart or another database there. Everybody who has this one has the new one.
    pub async fn move_to(&self, target: &Target) -> Result<(), Error> {
        let current = self.current();
        let opened = Box::pin(Self::open(target, &current.origin.1)).await?;
        // two who move it at once are both at a session that is open
        let _ = current.next.set(Box::new(opened));
        current.driver.abort();
        Ok(())
    }

    /// The session that is in use.
    fn current(&self) -> &Self {
        let mut session = self;
        while let Some(next) = session.next.get() {
            session = next;
        }
        session
    }

    /// Executes SQL; several statements separated by semicolons are one transaction unless they say otherwise. Returns
    /// the rows that the last one affected.
    pub async fn execute(&self, sql: &str) -> Result<u64, Error> {
        let mut affected = 0;
        for message in self.result(self.client().simple_query(sql).await).await? {
            if let SimpleQueryMessage::CommandComplete(rows) = message {
                affected = rows;
            }
        }
        Ok(affected)
    }

    /// Executes SQL and returns the rows of its last statement that has any.
    pub async fn query(&self, sql: &str) -> Result<Rows, Error> {
        let mut result = Rows::default();
        for message in self.result(self.client().simple_query(sql).await).await? {
            match message {
                SimpleQueryMessage::RowDescription(columns) => {
                    result = Rows { columns: columns.iter().map(|c| c.name().to_owned()).collect(), rows: Vec::new() };
                }
                SimpleQueryMessage::Row(row) => {
                    result.rows.push((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect());
                }
                _ => {}
            }
        }
        Ok(result)
    }

    /// The types of a statement's parameters, as SQL names them, `integer` or `character varying`; the server prepares it
    /// for that, and executes nothing.
    pub async fn parameter_types(&self, sql: &str) -> Result<Vec<String>, Error> {
        let statement = self.result(self.client.prepare(sql).await).await?;
        let mut names = Vec::new();
        for kind in statement.params() {
            let rows = self.query_text(&format!("select pg_catalog.format_type({}, null)", kind.oid())).await?;
            let name = rows.into_iter().flatten().flatten().next();
            names.push(name.unwrap_or_else(|| kind.name().to_owned()));
        }
        Ok(names)
    }

    /// The same without the columns' names.
    pub async fn query_text(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Error> {
        Ok(self.query(sql).await?.rows)
    }

    /// Executes a `COPY … FROM STDIN` with what the reader gives. Returns the rows copied; where the reader fails, the
    /// COPY is taken back.
    pub async fn copy_in(&self, copy: &str, mut data: impl AsyncRead + Unpin) -> Result<u64, Error> {
        let mut sink = pin!(self.result(self.client().copy_in::<_, Bytes>(copy).await).await?);
        let mut chunk = vec![0; COPY_CHUNK];
        loop {
            let count = data.read(&mut chunk).await.map_err(Error::Input)?;
            if count == 0 {
                break;
            }
            let sent = sink.send(Bytes::copy_from_slice(&chunk[..count])).await;
            self.result(sent).await?;
        }
        let finished = sink.finish().await;
        self.result(finished).await
    }

    /// Where the session was opened, and with which options: for further ones like it.
    pub fn origin(&self) -> (&Target, &OpenOptions) {
        let origin = &self.current().origin;
        (&origin.0, &origin.1)
    }

    /// How long a further session may take to open.
    pub fn connect_limit(&self) -> Duration {
        let (target, options) = self.origin();
        options.limit(target)
    }

    /// Asks the server to cancel what the session is doing.
    pub fn cancel_token(&self) -> CancelToken {
        self.current().cancel.clone()
    }

    /// The backend's process id.
    pub fn pid(&self) -> i32 {
        self.current().pid
    }

    /// The value of a parameter that the server reported when the session began.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        opened::find(&self.current().parameters, name)
    }

    /// The server's version as it names it.
    pub fn server_version(&self) -> &str {
        self.parameter("server_version").unwrap_or("unknown")
    }

    /// The server's version as a number, such as 150018.
    pub fn server_version_num(&self) -> u32 {
        opened::version_num(self.server_version())
    }

    /// The notices that came before the session was ready.
    pub fn notices(&self) -> &[ServerError] {
        &self.current().notices
    }

    /// The notices that came since the session was ready, or since they were last taken.
    pub fn take_notices(&self) -> Vec<ServerError> {
        std::mem::take(&mut self.current().said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.client().is_closed()
    }

    /// tokio-postgres's client, for what else there is to do.
    pub fn client(&self) -> &Client {
        &self.current().client
    }

    /// Ends the session and waits until the server has been told.
    pub async fn close(self) {
        let mut session = self;
        while let Some(next) = session.next.take() {
            session = *next;
        }
        let Self { client, driver, .. } = session;
        drop(client);
        // a driver that doesn't end has nobody left to wait for it
        let _ = tokio::time::timeout(FAREWELL, driver).await;
    }

    /// tokio-postgres's error as ours; of a lost session, the server's last words.
    async fn result<T>(&self, result: Result<T, tokio_postgres::Error>) -> Result<T, Error> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if !error.is_closed() {
            return Err(translate(&error));
        }
        let mut farewell = self.current().farewell.clone();
        // ends with the driver at the latest
        let words = tokio::time::timeout(FAREWELL, farewell.wait_for(Option::is_some)).await;
        match words.ok().and_then(Result::ok).and_then(|words| words.clone()) {
            Some(words) => Err(Error::Server(Box::new(words))),
            None => Err(translate(&error)),
        }
    }
}

/// Drives a connection to its end, and keeps what the server says that is no error.
async fn drive<S, T>(
    mut connection: tokio_postgres::Connection<S, T>,
    keep: &Mutex<Vec<ServerError>>,
) -> Result<(), tokio_postgres::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
        if let AsyncMessage::Notice(notice) = message? {
            let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < NOTICES {
                kept.push(ServerError::from(&notice));
            }
        }
    }
    Ok(())
}

fn translate(error: &tokio_postgres::Error) -> Error {
    if let Some(error) = error.as_db_error() {
        return Error::Server(Box::new(error.into()));
    }
    if error.is_closed() {
        return Error::Io(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed it"));
    }
    match error.source() {
        Some(source) => match source.downcast_ref::<io::Error>() {
            Some(source) => Error::Io(io::Error::new(source.kind(), source.to_string())),
            None => Error::Protocol(format!("{error}: {source}")),
        },
        None => Error::Protocol(error.to_string()),
    }
}

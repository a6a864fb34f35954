//! Talking over an open session: messages are queued, sent, and the answers read one by one.
//!
//! Nothing here allocates once its buffers have grown to what a workload needs. Rows that nobody asked for are skipped
//! by their length; their bytes are never looked at.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use postgres_protocol::message::backend::Header;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Error, Opened, ServerError, Stream, message};

/// Room for the answers of most statements; it doubles while reads fill it.
const INPUT: usize = 8 * 1024;
/// Reads beyond this size save no more system calls worth having.
const INPUT_LIMIT: usize = 64 * 1024;
/// A message's type and length.
const HEADER: usize = 5;

/// The state of a session between two statements, from ReadyForQuery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionStatus {
    /// Not in a transaction block.
    Idle,
    /// In a transaction block.
    Block,
    /// In a transaction block that has failed.
    Failed,
}

/// What the server answers.
#[derive(Debug)]
pub enum Reply {
    /// The names of the columns to come; see [`columns`].
    Columns(Body),
    /// A row that was asked for; see [`values`].
    Row(Body),
    /// A statement is done.
    Complete {
        /// The rows that it returned or changed.
        rows: u64,
    },
    /// The query string was empty.
    Empty,
    /// The server refused or stopped a statement.
    Failed(Box<ServerError>),
    /// The server waits for the next message.
    Ready(TransactionStatus),
    /// A COPY began.
    Copy(CopyDirection),
}

/// Which way a COPY goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyDirection {
    /// The server waits for data.
    In,
    /// The server sends data.
    Out,
}

/// Where the body of a message lies in the input, until the next reply is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    start: usize,
    end: usize,
}

/// An open session that this crate talks on by itself.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    output: Vec<u8>,
    sent: usize,
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes still to come of a body that nobody wants.
    skip: usize,
    status: TransactionStatus,
    pid: i32,
    /// The notices that nobody has taken yet; `None` where nobody wants them.
    notices: Option<Vec<ServerError>>,
}

impl Connection {
    /// Takes over a session that was just opened.
    pub fn new(opened: Opened) -> Result<Self, Error> {
        let mut input = opened.unread;
        let end = input.len();
        input.resize(INPUT.max(end), 0);
        Ok(Self {
            stream: opened.stream.settle().map_err(Error::Io)?,
            output: Vec::with_capacity(1024),
            sent: 0,
            input,
            start: 0,
            end,
            skip: 0,
            status: TransactionStatus::Idle,
            pid: opened.pid,
            notices: None,
        })
    }

    /// Keeps the server's notices from now on; see [`Connection::take_notices`].
    pub fn keep_notices(&mut self) {
        self.notices.get_or_insert_default();
    }

    /// The notices that came since they were last taken.
    pub fn take_notices(&mut self) -> Vec<ServerError> {
        self.notices.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The state that the last ReadyForQuery told.
    pub fn status(&self) -> TransactionStatus {
        self.status
    }

    /// The backend's process id.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Bytes that are queued and not sent.
    #[inline]
    pub fn queued(&self) -> usize {
        self.output.len()
    }

    /// Queues a query of the simple protocol, whose text `sql` writes.
    #[inline]
    pub fn query(&mut self, sql: impl FnOnce(&mut Vec<u8>)) {
        message::query(&mut self.output, sql);
    }

    /// Queues the parsing of a statement; an empty name is the unnamed one.
    pub fn parse(&mut self, name: &str, sql: &str) {
        message::parse(&mut self.output, name, sql);
    }

    /// Queues an execution of a parsed statement. `value` writes the parameter of that index as text, or returns false
    /// for null.
    #[inline]
    pub fn execute(&mut self, name: &str, parameters: u16, value: impl FnMut(u16, &mut Vec<u8>) -> bool) {
        message::bind(&mut self.output, name, parameters, value);
        message::describe_execute(&mut self.output);
    }

    /// Queues data of a COPY, which `rows` writes.
    #[inline]
    pub fn copy_data(&mut self, rows: impl FnOnce(&mut Vec<u8>)) {
        message::copy_data(&mut self.output, rows);
    }

    /// Queues the end of a COPY's data.
    pub fn copy_done(&mut self) {
        message::copy_done(&mut self.output);
    }

    /// Queues a Sync: the server answers ReadyForQuery when it gets there.
    #[inline]
    pub fn sync(&mut self) {
        message::sync(&mut self.output);
    }

    /// Sends what is queued. While the server takes nothing more, its answers are taken in, or both would wait forever.
    pub async fn send(&mut self) -> Result<(), Error> {
        poll_fn(|cx| self.poll_send(cx)).await.map_err(Error::Io)
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.output.len() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.output[self.sent..]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(n)) => self.sent += n,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    while self.poll_fill(cx)?.is_ready() {}
                    return Poll::Pending;
                }
            }
        }
        self.output.clear();
        self.sent = 0;
        match &mut self.stream {
            // OpenSSL may hold a part of the last record
            stream @ Stream::Tls(_) => Pin::new(stream).poll_flush(cx),
            _ => Poll::Ready(Ok(())),
        }
    }

    /// The next answer. Rows are left out unless `rows` asks for them.
    #[inline]
    pub async fn reply(&mut self, rows: bool) -> Result<Reply, Error> {
        loop {
            if let Some(reply) = self.buffered(rows)? {
                return Ok(reply);
            }
            poll_fn(|cx| self.poll_fill(cx)).await.map_err(Error::Io)?;
        }
    }

    /// An answer that is here already, without waiting; rows are left out.
    pub fn reply_now(&mut self) -> Result<Option<Reply>, Error> {
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            if let Some(reply) = self.buffered(false)? {
                return Ok(Some(reply));
            }
            match self.poll_fill(&mut cx) {
                Poll::Ready(read) => read.map_err(Error::Io)?,
                Poll::Pending => return Ok(None),
            }
        }
    }

    /// Reads once more from the server.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.make_room();
        let mut buffer = ReadBuf::new(&mut self.input[self.end..]);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
        let read = buffer.filled().len();
        if read == 0 {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        self.end += read;
        if self.end == self.input.len() && self.input.len() < INPUT_LIMIT {
            self.input.resize(self.input.len() * 2, 0);
        }
        Poll::Ready(Ok(()))
    }

    /// Moves what is left to the front, and grows where one message needs more.
    fn make_room(&mut self) {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        } else if self.start > 0 {
            self.input.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.input.len() {
            self.input.resize(self.input.len() * 2, 0);
        }
    }

    /// The next answer among the bytes that are here.
    #[inline]
    fn buffered(&mut self, rows: bool) -> Result<Option<Reply>, Error> {
        loop {
            if self.skip > 0 {
                let here = self.skip.min(self.end - self.start);
                self.start += here;
                self.skip -= here;
                if self.skip > 0 {
                    return Ok(None);
                }
            }
            let waiting = &self.input[self.start..self.end];
            let Some(header) = Header::parse(waiting).map_err(|error| Error::Protocol(error.to_string()))? else {
                return Ok(None);
            };
            let length =
                1 + usize::try_from(header.len()).map_err(|_| Error::Protocol("negative length".to_owned()))?;
            if !rows && matches!(header.tag(), b'D' | b'd') {
                self.skip = length;
                continue;
            }
            if waiting.len() < length {
                return Ok(None);
            }
            let body = Body { start: self.start + HEADER, end: self.start + length };
            self.start += length;
            if let Some(reply) = self.interpret(header.tag(), body)? {
                return Ok(Some(reply));
            }
        }
    }

    /// What a whole message means; `None` for those that need no answer.
    #[inline]
    fn interpret(&mut self, tag: u8, body: Body) -> Result<Option<Reply>, Error> {
        let bytes = &self.input[body.start..body.end];
        Ok(Some(match tag {
            b'D' => Reply::Row(body),
            b'T' => Reply::Columns(body),
            b'C' => Reply::Complete { rows: affected(bytes) },
            b'Z' => {
                self.status = match bytes.first() {
                    Some(b'I') => TransactionStatus::Idle,
                    Some(b'T') => TransactionStatus::Block,
                    _ => TransactionStatus::Failed,
                };
                Reply::Ready(self.status)
            }
            b'I' => Reply::Empty,
            b'E' => Reply::Failed(Box::new(ServerError::from_fields(bytes))),
            b'G' => Reply::Copy(CopyDirection::In),
            b'H' => Reply::Copy(CopyDirection::Out),
            b'N' => {
                if let Some(notices) = &mut self.notices {
                    notices.push(ServerError::from_fields(bytes));
                }
                return Ok(None);
            }
            // ParseComplete, BindComplete, CloseComplete, NoData, ParameterDescription, PortalSuspended, and what may
            // come at any time: ParameterStatus, NotificationResponse; CopyData and CopyDone
            b'1' | b'2' | b'3' | b'n' | b't' | b's' | b'S' | b'A' | b'd' | b'c' => return Ok(None),
            other => return Err(Error::Protocol(format!("message of type `{}`", other.escape_ascii()))),
        }))
    }

    /// The bytes of a reply's body.
    pub fn bytes(&self, body: Body) -> &[u8] {
        &self.input[body.start..body.end]
    }

    /// Tells the server that the session ends, and closes it.
    pub async fn close(mut self) {
        self.output.clear();
        self.sent = 0;
        message::terminate(&mut self.output);
        // a session that can't even be told is gone already
        let _ = self.send().await;
    }
}

/// The names of the columns in the body of a [`Reply::Columns`].
pub fn columns(description: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = description.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let end = memchr::memchr(0, rest)?;
        let name = &rest[..end];
        // table, column, type, type's length, modifier and format follow
        rest = rest.get(end + 1 + 18..).unwrap_or_default();
        Some(name)
    })
}

/// The values in the body of a [`Reply::Row`], `None` for null.
pub fn values(row: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = row.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let length = i32::from_be_bytes(*length);
        let size = usize::try_from(length).unwrap_or(0).min(tail.len());
        let (value, tail) = tail.split_at(size);
        rest = tail;
        Some((length >= 0).then_some(value))
    })
}

/// The number at the end of a command tag: `UPDATE 3`, `INSERT 0 1`; none in `BEGIN`.
fn affected(tag: &[u8]) -> u64 {
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag);
    let digits = tag.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    tag[tag.len() - digits..].iter().fold(0_u64, |n, digit| n.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::affected;

    #[test]
    fn a_tag_ends_with_the_rows_it_touched() {
        assert_eq!(affected(b"UPDATE 30\0"), 30);
        assert_eq!(affected(b"INSERT 0 1\0"), 1);
        assert_eq!(affected(b"BEGIN\0"), 0);
        assert_eq!(affected(b"SELECT 18446744073709551615\0"), u64::MAX);
    }
}

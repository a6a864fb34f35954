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

use super::reply::affected;
use super::{Body, CopyDirection, Error, Opened, Reply, ServerError, Stream, Tally, TransactionStatus, message};

/// Room for the answers of most statements; it doubles while reads fill it.
const INPUT: usize = 8 * 1024;
/// Reads beyond this size save no more system calls worth having.
const INPUT_LIMIT: usize = 64 * 1024;
/// A message's type and length.
const HEADER: usize = 5;

/// What [`Connection::skim`] found after what it counted.
enum Skimmed {
    /// Something that it has counted, too.
    Again,
    /// Nothing that is whole.
    Nothing,
    /// The server waits for the next message.
    Ready,
    /// Something else.
    Reply(Reply),
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
    ///
    /// Where the server has closed the session, what is queued is dropped without an error: what it said last, such as
    /// who ended the session, is still to be read, and after that the reader learns that it is gone.
    pub async fn send(&mut self) -> Result<(), Error> {
        poll_fn(|cx| self.poll_send(cx)).await.map_err(Error::Io)
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.output.len() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.output[self.sent..]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(n)) => self.sent += n,
                Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => return self.drop_output(),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => loop {
                    match self.poll_fill(cx) {
                        Poll::Ready(Ok(())) => {}
                        Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                            return self.drop_output();
                        }
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                        Poll::Pending => return Poll::Pending,
                    }
                },
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

    /// Nobody takes any more what is queued; the next read says why.
    #[cold]
    fn drop_output(&mut self) -> Poll<io::Result<()>> {
        self.output.clear();
        self.sent = 0;
        Poll::Ready(Ok(()))
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

    /// Sends what is queued and reads on to the next ReadyForQuery, counting what is done; stops before it at the first
    /// answer that is neither a row nor a completion, such as an error, and returns that.
    pub async fn converse(&mut self, tally: &mut Tally) -> Result<Option<Reply>, Error> {
        let mut sent = false;
        poll_fn(|cx| {
            if !sent {
                ready!(self.poll_send(cx)).map_err(Error::Io)?;
                sent = true;
            }
            loop {
                match self.skim(tally)? {
                    Skimmed::Again => {}
                    Skimmed::Nothing => ready!(self.poll_fill(cx)).map_err(Error::Io)?,
                    Skimmed::Ready => return Poll::Ready(Ok(None)),
                    Skimmed::Reply(reply) => return Poll::Ready(Ok(Some(reply))),
                }
            }
        })
        .await
    }

    /// Counts what is done among the bytes that are here, and skips the rest by its length.
    #[inline]
    fn skim(&mut self, tally: &mut Tally) -> Result<Skimmed, Error> {
        let mut at = self.start;
        loop {
            // the rest of a long body, or a few bytes of a header
            let whole = match self.input[at..self.end] {
                [tag, a, b, c, d, ..] if self.skip == 0 => {
                    let end = at + 1 + usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX - at - 1);
                    (at + HEADER <= end && end <= self.end).then_some((tag, end))
                }
                _ => None,
            };
            let Some((tag, end)) = whole else { break };
            match tag {
                b'C' => {
                    tally.rows += affected(&self.input[at + HEADER..end]);
                    tally.results += 1;
                }
                b'D' | b'T' | b'1' | b'2' | b'n' => {}
                b'Z' if end == at + HEADER + 1 => {
                    self.start = end;
                    self.status = TransactionStatus::of(self.input[at + HEADER]);
                    return Ok(Skimmed::Ready);
                }
                _ => break,
            }
            at = end;
        }
        self.start = at;
        match self.buffered(false)? {
            None => Ok(Skimmed::Nothing),
            Some(Reply::Ready(_)) => Ok(Skimmed::Ready),
            Some(Reply::Complete { rows }) => {
                tally.rows += rows;
                tally.results += 1;
                Ok(Skimmed::Again)
            }
            Some(Reply::Columns(_) | Reply::Row(_)) => Ok(Skimmed::Again),
            Some(reply) => Ok(Skimmed::Reply(reply)),
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
                self.status = TransactionStatus::of(bytes.first().copied().unwrap_or_default());
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

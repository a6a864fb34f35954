//! A stream that tokio-postgres borrows for the handshake and that comes back whole.
//!
//! tokio-postgres reads as much as it gets, and what the server sends together with the first `ReadyForQuery` (a
//! `ParameterStatus`, a FATAL) would die in its buffer. So the stream follows the messages and hands nothing past that
//! `ReadyForQuery` to it; the rest is kept for whoever goes on with the session.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready as poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{self, ChannelBinding, TlsConnect};

use super::Stream;
use super::watch::Watch;

/// A stream with two owners: tokio-postgres and the one who takes it back.
#[derive(Debug, Clone)]
pub(super) struct Lent(Arc<Mutex<Loan>>);

#[derive(Debug)]
struct Loan {
    /// `None` once it was taken back.
    stream: Option<Stream>,
    watch: Watch,
}

impl Lent {
    pub(super) fn new(stream: Stream, watch: Watch) -> Self {
        Self(Arc::new(Mutex::new(Loan { stream: Some(stream), watch })))
    }

    /// Takes the stream back: the other owner finds it closed.
    pub(super) fn take_back(&self) -> Option<Stream> {
        self.loan().stream.take()
    }

    /// Lends it again.
    pub(super) fn lend_again(&self, stream: Stream) {
        self.loan().stream = Some(stream);
    }

    /// Looks at what was seen on the way.
    pub(super) fn watch<T>(&self, look: impl FnOnce(&mut Watch) -> T) -> T {
        look(&mut self.loan().watch)
    }

    fn loan(&self) -> MutexGuard<'_, Loan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_with<T>(&self, operation: impl FnOnce(Pin<&mut Stream>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match &mut self.loan().stream {
            Some(stream) => operation(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }
}

impl AsyncRead for Lent {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let loan = &mut *self.loan();
        let Some(stream) = &mut loan.stream else { return Poll::Ready(Err(io::ErrorKind::NotConnected.into())) };
        loop {
            if loan.watch.hand_over(buf) {
                return Poll::Ready(Ok(()));
            }
            if loan.watch.is_ready() {
                return Pin::new(stream).poll_read(cx, buf);
            }
            let mut space = [0; 4096];
            let mut read = ReadBuf::new(&mut space);
            poll!(Pin::new(&mut *stream).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            loan.watch.follow(read.filled())?;
        }
    }
}

impl AsyncWrite for Lent {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_with(|stream| stream.poll_write(cx, buf))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_with(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_with(|stream| stream.poll_shutdown(cx))
    }
}

impl tls::TlsStream for Lent {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.loan().stream {
            Some(Stream::Tls(stream)) => tls::TlsStream::channel_binding(&**stream),
            _ => ChannelBinding::none(),
        }
    }
}

/// The TLS handshake of a stream that has had its own.
pub(super) struct Encrypted;

impl TlsConnect<Lent> for Encrypted {
    type Stream = Lent;
    type Error = Infallible;
    type Future = Ready<Result<Lent, Infallible>>;

    fn connect(self, stream: Lent) -> Self::Future {
        ready(Ok(stream))
    }
}

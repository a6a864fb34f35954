//! A Unix-domain socket that wakes its reader for data alone.
//!
//! tokio's own registers for both directions. The kernel reports a Unix-domain socket as writable whenever the other end
//! has taken what was sent, so each statement would wake its client twice: once when the server reads it, once when the
//! server answers. This one asks for readiness to write only after a write found no room.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// The socket, registered for reading; see the module's page.
pub struct LocalSocket {
    reader: AsyncFd<UnixStream>,
    /// A second descriptor of the same socket, made when a write first found no room.
    writer: Option<AsyncFd<UnixStream>>,
}

/// Registers a socket with the runtime.
fn register(socket: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    #[expect(deprecated, reason = "its successor is unsafe, for types whose descriptor may change; a socket's can't")]
    AsyncFd::with_interest(socket, interest)
}

impl LocalSocket {
    /// Takes over a socket of tokio's.
    pub(super) fn new(socket: tokio::net::UnixStream) -> io::Result<Self> {
        Ok(Self { reader: register(socket.into_std()?, Interest::READABLE)?, writer: None })
    }
}

impl AsyncRead for LocalSocket {
    #[inline]
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.reader.poll_read_ready(cx))?;
            let room = buf.initialize_unfilled();
            match self.reader.get_ref().read(room) {
                Ok(read) => {
                    // a short read has emptied the socket; a try to read on would only find that out
                    if read > 0 && read < room.len() {
                        ready.clear_ready();
                    }
                    buf.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for LocalSocket {
    #[inline]
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            match self.reader.get_ref().write(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                done => return Poll::Ready(done),
            }
            let writer = match self.writer.take() {
                Some(writer) => writer,
                None => register(self.reader.get_ref().try_clone()?, Interest::WRITABLE)?,
            };
            let writer = self.writer.insert(writer);
            ready!(writer.poll_write_ready(cx))?.clear_ready();
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.reader.get_ref().shutdown(std::net::Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::LocalSocket;

    #[test]
    fn what_is_written_into_a_full_socket_arrives_when_the_other_end_reads() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (ours, mut theirs) = tokio::net::UnixStream::pair().unwrap();
            let mut ours = LocalSocket::new(ours).unwrap();
            let sent: Vec<u8> = (0..3_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
            let writing = async {
                ours.write_all(&sent).await.unwrap();
                let mut answer = [0; 2];
                ours.read_exact(&mut answer).await.unwrap();
                answer
            };
            let reading = async {
                let mut got = vec![0; sent.len()];
                theirs.read_exact(&mut got).await.unwrap();
                theirs.write_all(b"ok").await.unwrap();
                got
            };
            let (answer, got) = tokio::join!(writing, reading);
            assert!(got == sent);
            assert_eq!(&answer, b"ok");
        });
    }
}

//! Rows on their way into a COPY.

use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use super::Cancel;

/// Bytes that are sent as they are read, until somebody asks to stop: then the COPY fails and nothing of it stays.
pub(super) struct Rows<'a, R> {
    reader: R,
    cancel: &'a Cancel,
    tell: &'a dyn Fn(u64),
    sent: u64,
    /// What the records of a CSV file are counted by.
    pub(super) records: Records,
}

impl<'a, R: Read> Rows<'a, R> {
    /// `tell` hears how many bytes were read.
    pub(super) fn new(reader: R, cancel: &'a Cancel, tell: &'a dyn Fn(u64)) -> Self {
        Self { reader, cancel, tell, sent: 0, records: Records::default() }
    }
}

impl<R: Read + Unpin> AsyncRead for Rows<'_, R> {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.cancel.is_asked() {
            return Poll::Ready(Err(io::ErrorKind::Interrupted.into()));
        }
        // a regular file or memory: it never waits for anybody
        let count = this.reader.read(buf.initialize_unfilled())?;
        let from = buf.filled().len();
        buf.advance(count);
        this.records.count(&buf.filled()[from..]);
        this.sent += count as u64;
        (this.tell)(this.sent);
        Poll::Ready(Ok(()))
    }
}

/// Counts the records of comma-separated values: lines, except for line ends within quotes.
#[derive(Debug, Default)]
pub(super) struct Records {
    ended: u64,
    quoted: bool,
    last: Option<u8>,
}

impl Records {
    fn count(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                // a doubled quote opens and closes
                b'"' => self.quoted = !self.quoted,
                b'\n' if !self.quoted && self.last == Some(b'\r') => {}
                b'\n' | b'\r' if !self.quoted => self.ended += 1,
                _ => {}
            }
            self.last = Some(byte);
        }
    }

    /// How many there were; the last one may lack its line end.
    pub(super) fn total(&self) -> u64 {
        self.ended + u64::from(self.last.is_some_and(|last| self.quoted || !matches!(last, b'\n' | b'\r')))
    }
}

#[cfg(test)]
mod tests {
    use super::Records;

    #[test]
    fn records_are_counted_wherever_they_are_cut() {
        for (text, expected) in [
            ("", 0),
            ("a\n", 1),
            ("a\nb", 2),
            ("a\r\nb\r\n", 2),
            ("a\rb\r", 2),
            ("\"x\ny\",1\n\"a \"\"quoted\"\" b\"\n", 2),
        ] {
            for cut in 0..=text.len() {
                let mut records = Records::default();
                records.count(&text.as_bytes()[..cut]);
                records.count(&text.as_bytes()[cut..]);
                assert_eq!(records.total(), expected, "{text:?} cut at {cut}");
            }
        }
    }
}

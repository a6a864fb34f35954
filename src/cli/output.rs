//! Standard output.
//!
//! What can't be written ends no command halfway: it is remembered, and said at the end, for all commands alike.

use std::io::{self, Write};

use crate::diagnostic::Diagnostic;

/// A stream that takes everything, and remembers the first error that it met.
#[derive(Debug)]
pub(crate) struct Output<W> {
    stream: W,
    error: Option<io::Error>,
}

impl<W: Write> Output<W> {
    /// Writes to `stream`.
    pub(crate) fn new(stream: W) -> Self {
        Self { stream, error: None }
    }

    /// Notes how something went that was written past this.
    pub(crate) fn note(&mut self, written: io::Result<()>) {
        self.error = self.error.take().or(written.err());
    }

    /// What is to be said about it. A reader that went away, such as `head`, has read what it wanted: nothing.
    pub(crate) fn fault(mut self) -> Option<Diagnostic> {
        if self.error.is_none() {
            self.error = self.stream.flush().err();
        }
        let error = self.error.filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        Some(
            Diagnostic::error("files::not_written", format!("can't write to standard output: {error}"))
                .help("check where it goes, and the free space there"),
        )
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none() {
            self.error = self.stream.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.error.is_none() {
            self.error = self.stream.flush().err();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::Output;

    /// A stream that fails from the second write on.
    struct Full(io::ErrorKind, u32);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1 > 1 { Err(self.0.into()) } else { Ok(bytes.len()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn said(kind: io::ErrorKind, writes: u32) -> Option<&'static str> {
        let mut output = Output::new(Full(kind, 0));
        for _ in 0..writes {
            output.write_all(b"x").unwrap();
        }
        output.fault().map(|diagnostic| diagnostic.code)
    }

    #[test]
    fn the_first_error_is_told_at_the_end_unless_the_reader_went_away() {
        assert_eq!(said(io::ErrorKind::StorageFull, 1), None);
        assert_eq!(said(io::ErrorKind::StorageFull, 3), Some("files::not_written"));
        assert_eq!(said(io::ErrorKind::BrokenPipe, 3), None);
    }
}

//! What passes by while a session starts.

use std::io;

use postgres_protocol::message::backend;
use tokio::io::ReadBuf;

use super::ServerError;
use super::methods::{Method, Methods};

/// No message of a handshake is longer; what claims to be isn't the protocol.
const LONGEST: usize = 1 << 20;

/// Follows the server's messages up to the first `ReadyForQuery` and keeps what a session needs of them.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Whole messages, from `handed` on still to be handed over.
    messages: Vec<u8>,
    handed: usize,
    /// The beginning of a message; behind the first `ReadyForQuery`, all that came with it.
    rest: Vec<u8>,
    ready: bool,
    allowed: Option<Methods>,
    /// What the server's first authentication message asked for.
    pub(super) asked: Option<Method>,
    /// Whether that was not allowed.
    pub(super) denied: bool,
    pub(super) pid: i32,
    pub(super) secret: i32,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) notices: Vec<ServerError>,
}

impl Watch {
    pub(super) fn new(allowed: Option<Methods>) -> Self {
        Self { allowed, ..Self::default() }
    }

    /// Whether the first `ReadyForQuery` has come.
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// What came behind the first `ReadyForQuery`.
    pub(super) fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }

    /// Puts back what was taken and not used.
    pub(super) fn put_rest(&mut self, rest: Vec<u8>) {
        self.rest = rest;
    }

    /// Hands over whole messages, or, when those are gone and the session is ready, the rest. False where there is
    /// nothing to hand over.
    pub(super) fn hand_over(&mut self, buf: &mut ReadBuf<'_>) -> bool {
        if self.handed == self.messages.len() {
            if !self.ready || self.rest.is_empty() {
                return false;
            }
            self.messages = self.take_rest();
            self.handed = 0;
        }
        let count = buf.remaining().min(self.messages.len() - self.handed);
        buf.put_slice(&self.messages[self.handed..self.handed + count]);
        self.handed += count;
        true
    }

    /// Takes in what the server sent.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.rest.extend_from_slice(bytes);
        let mut at = 0;
        while !self.ready {
            let Some(header) = backend::Header::parse(&self.rest[at..])? else { break };
            let length = usize::try_from(header.len()).unwrap_or(usize::MAX);
            if length > LONGEST {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "what answers there is no PostgreSQL server"));
            }
            let end = at + length + 1;
            if self.rest.len() < end {
                break;
            }
            let body = self.rest[at + 5..end].to_vec();
            at = end;
            self.note(header.tag(), &body)?;
        }
        self.messages.drain(..self.handed);
        self.handed = 0;
        self.messages.extend(self.rest.drain(..at));
        Ok(())
    }

    fn note(&mut self, tag: u8, body: &[u8]) -> io::Result<()> {
        let number =
            |at: usize| body.get(at..at + 4).and_then(|bytes| Some(i32::from_be_bytes(bytes.try_into().ok()?)));
        match tag {
            backend::AUTHENTICATION_TAG if self.asked.is_none() => {
                self.asked = number(0).and_then(|number| Method::of_request(u32::try_from(number).ok()?));
                self.denied = match (self.asked, &self.allowed) {
                    (Some(asked), Some(allowed)) => !allowed.allow(asked),
                    (None, _) | (_, None) => false,
                };
                if self.denied {
                    // before tokio-postgres sees the request and answers with a password
                    return Err(io::Error::from(io::ErrorKind::PermissionDenied));
                }
            }
            backend::BACKEND_KEY_DATA_TAG => {
                self.pid = number(0).unwrap_or(0);
                self.secret = number(4).unwrap_or(0);
            }
            backend::PARAMETER_STATUS_TAG => {
                let mut texts = body.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned());
                if let (Some(name), Some(value)) = (texts.next(), texts.next()) {
                    match self.parameters.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, old)) => *old = value,
                        None => self.parameters.push((name, value)),
                    }
                }
            }
            backend::NOTICE_RESPONSE_TAG => self.notices.push(ServerError::from_fields(body)),
            backend::READY_FOR_QUERY_TAG => self.ready = true,
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadBuf, Watch};

    const READY: &[u8] = b"Z\0\0\0\x05I";
    const STATUS: &[u8] = b"S\0\0\0\x09a\0bc\0";

    fn handed_over(watch: &mut Watch) -> Vec<u8> {
        let mut space = [0; 256];
        let mut buf = ReadBuf::new(&mut space);
        while !watch.is_ready() || watch.handed < watch.messages.len() {
            if !watch.hand_over(&mut buf) {
                break;
            }
        }
        buf.filled().to_vec()
    }

    proptest::proptest! {
        #[test]
        fn however_the_bytes_are_cut_nothing_past_ready_is_handed_over(cuts in proptest::collection::vec(1..9_usize, 30)) {
            let bytes = [STATUS, b"K\0\0\0\x0c\0\0\0\x07\0\0\0\x08", READY, STATUS, b"E\0"].concat();
            let mut watch = Watch::default();
            let mut handed = Vec::new();
            let mut rest = &bytes[..];
            let mut past = Vec::new();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                rest = later;
                if watch.is_ready() {
                    past.extend_from_slice(now);
                } else {
                    watch.follow(now).unwrap();
                    handed.extend(handed_over(&mut watch));
                }
            }
            proptest::prop_assert!(watch.is_ready());
            proptest::prop_assert_eq!(handed, [STATUS, b"K\0\0\0\x0c\0\0\0\x07\0\0\0\x08", READY].concat());
            past.splice(..0, watch.take_rest());
            past.extend_from_slice(rest);
            proptest::prop_assert_eq!(past, [STATUS, b"E\0"].concat());
            proptest::prop_assert_eq!((watch.pid, watch.secret), (7, 8));
            proptest::prop_assert_eq!(&watch.parameters, &[("a".to_owned(), "bc".to_owned())]);
        }
    }

    #[test]
    fn what_is_no_postgresql_server_is_noticed_at_once() {
        let mut watch = Watch::default();
        assert!(watch.follow(b"HTTP/1.1 400 Bad Request\r\n").is_err());
    }
}

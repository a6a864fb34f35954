//! `target_session_attrs`: whether a server is of the kind that is wanted.

use bytes::BytesMut;
use postgres_protocol::message::{backend, frontend};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::session::Session;
use super::target::SessionAttributes;
use super::{Error, ServerError, Stream, opened};

/// Checks a session that has just become ready; a server before 14 reports too little and is asked.
pub(super) async fn check(session: &Session, wanted: SessionAttributes, at: &str) -> Result<(), Error> {
    let (question, on, off) = match wanted {
        SessionAttributes::Any | SessionAttributes::PreferStandby => return Ok(()),
        SessionAttributes::ReadWrite => (Question::ReadOnly, Some("its sessions are read-only"), None),
        SessionAttributes::ReadOnly => (Question::ReadOnly, None, Some("its sessions are read-write")),
        SessionAttributes::Primary => (Question::Standby, Some("it is a standby"), None),
        SessionAttributes::Standby => (Question::Standby, None, Some("it is a primary")),
    };
    let answer = match session.lent.watch(|watch| question.reported(&watch.parameters)) {
        Some(answer) => answer,
        None => ask(session, question.query()).await?,
    };
    match if answer { on } else { off } {
        Some(found) => Err(Error::Attributes { at: at.to_owned(), wanted: wanted.name(), found }),
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
enum Question {
    ReadOnly,
    Standby,
}

impl Question {
    fn reported(self, parameters: &[(String, String)]) -> Option<bool> {
        let on = |name| opened::find(parameters, name).map(|value| value == "on");
        match self {
            Self::Standby => on("in_hot_standby"),
            Self::ReadOnly => Some(on("in_hot_standby")? || on("default_transaction_read_only")?),
        }
    }

    fn query(self) -> &'static str {
        match self {
            Self::ReadOnly => "show transaction_read_only",
            Self::Standby => "select pg_catalog.pg_is_in_recovery()",
        }
    }
}

/// Sends a query with one boolean for an answer, past tokio-postgres, whose connection isn't driven yet.
async fn ask(session: &Session, query: &str) -> Result<bool, Error> {
    let mut stream = session.lent.take_back().ok_or_else(|| Error::Io(std::io::ErrorKind::NotConnected.into()))?;
    let mut buffer = BytesMut::from(session.lent.watch(super::watch::Watch::take_rest).as_slice());
    let answer = exchange(&mut stream, &mut buffer, query).await;
    session.lent.watch(|watch| watch.put_rest(buffer.to_vec()));
    session.lent.lend_again(stream);
    answer
}

async fn exchange(stream: &mut Stream, buffer: &mut BytesMut, query: &str) -> Result<bool, Error> {
    let mut request = BytesMut::new();
    frontend::query(query, &mut request).map_err(Error::Io)?;
    stream.write_all(&request).await.map_err(Error::Io)?;
    stream.flush().await.map_err(Error::Io)?;
    let mut answer = Err(Error::Protocol("no row where one was asked for".to_owned()));
    loop {
        let header = backend::Header::parse(buffer).map_err(|error| Error::Protocol(error.to_string()))?;
        let length = header.map_or(usize::MAX, |header| usize::try_from(header.len()).unwrap_or(usize::MAX - 1) + 1);
        let Some(header) = header.filter(|_| buffer.len() >= length) else {
            if stream.read_buf(buffer).await.map_err(Error::Io)? == 0 {
                return Err(Error::Io(std::io::ErrorKind::UnexpectedEof.into()));
            }
            continue;
        };
        let message = buffer.split_to(length);
        match header.tag() {
            // behind the header, the number of values and the length of the only one
            backend::DATA_ROW_TAG => answer = Ok(matches!(message.get(11..), Some(b"on" | b"t"))),
            backend::ERROR_RESPONSE_TAG => {
                answer = Err(Error::Server(Box::new(ServerError::from_fields(&message[5..]))));
            }
            backend::READY_FOR_QUERY_TAG => return answer,
            _ => {}
        }
    }
}

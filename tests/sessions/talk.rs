//! Just enough of the protocol to see that a session is alive.

use reprise::pg::{Opened, ServerError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Sends a statement by the simple protocol.
pub(crate) async fn send(opened: &mut Opened, sql: &str) {
    let mut message = vec![b'Q'];
    message.extend_from_slice(&u32::try_from(sql.len() + 5).unwrap().to_be_bytes());
    message.extend_from_slice(sql.as_bytes());
    message.push(0);
    opened.stream.write_all(&message).await.unwrap();
    opened.stream.flush().await.unwrap();
}

/// The first value of the first row, up to the next `ReadyForQuery`.
pub(crate) async fn receive(opened: &mut Opened) -> Result<String, ServerError> {
    assert!(opened.unread.is_empty(), "nothing came behind the first ReadyForQuery");
    let mut answer = Ok(String::new());
    loop {
        let tag = opened.stream.read_u8().await.unwrap();
        let length = opened.stream.read_u32().await.unwrap();
        let mut body = vec![0; length as usize - 4];
        opened.stream.read_exact(&mut body).await.unwrap();
        match tag {
            b'D' => answer = Ok(String::from_utf8(body[6..].to_vec()).unwrap()),
            b'E' => answer = Err(ServerError::from_fields(&body)),
            b'Z' => return answer,
            _ => {}
        }
    }
}

/// Both.
pub(crate) async fn ask(opened: &mut Opened, sql: &str) -> String {
    send(opened, sql).await;
    receive(opened).await.unwrap()
}

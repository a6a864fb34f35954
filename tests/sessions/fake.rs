//! A server that says what a test wants it to.

use std::net::SocketAddr;

use reprise::pg::{Environment, Target};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One message: its type, its length, its body.
pub(crate) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], body].concat()
}

/// `AuthenticationOk`, a version and the key of the session.
pub(crate) fn welcome(version: &str) -> Vec<u8> {
    let version = format!("server_version\0{version}\0");
    [message(b'R', &[0; 4]), message(b'S', version.as_bytes()), message(b'K', &[0, 0, 0, 7, 0, 0, 0, 8])].concat()
}

pub(crate) fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

/// Serves one connection: for each of `greetings` takes a message without a type, as those before a session are, and
/// sends it in one piece, then the same for each of `answers` with messages that have one. What the client sends after
/// that is the task's result.
pub(crate) async fn serve(greetings: Vec<Vec<u8>>, answers: Vec<Vec<u8>>) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for greeting in greetings {
            skip(&mut stream).await;
            stream.write_all(&greeting).await.unwrap();
        }
        for answer in answers {
            stream.read_u8().await.unwrap();
            skip(&mut stream).await;
            stream.write_all(&answer).await.unwrap();
        }
        stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.unwrap();
        rest
    });
    (address, task)
}

/// A target at this address, without TLS unless `more` says otherwise.
pub(crate) fn target(address: SocketAddr, more: &str) -> Target {
    let text = format!("host={} port={} user=me sslmode=disable {more}", address.ip(), address.port());
    Target::parse(&text, &Environment::empty()).unwrap()
}

async fn skip(stream: &mut TcpStream) {
    let length = stream.read_u32().await.unwrap();
    let mut body = vec![0; length as usize - 4];
    stream.read_exact(&mut body).await.unwrap();
}

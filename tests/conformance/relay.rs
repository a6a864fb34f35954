//! Stands between a client and a server, and keeps what the client sends.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::support::Server;

/// A relay to a server's Unix-domain socket, where everyone is trusted.
pub(crate) struct Relay {
    port: u16,
    sessions: Arc<Mutex<Vec<JoinHandle<Vec<u8>>>>>,
}

impl Relay {
    pub(crate) fn to(server: &Server) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let socket = server.path(&format!(".s.PGSQL.{}", server.port()));
        let sessions: Arc<Mutex<Vec<_>>> = Arc::default();
        let begun = sessions.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = UnixStream::connect(&socket).unwrap();
                begun.lock().unwrap().push(thread::spawn(move || forward(client, &server)));
            }
        });
        Self { port, sessions }
    }

    /// Where it listens, on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// How to connect.
    pub(crate) fn conninfo(&self) -> String {
        format!("host=127.0.0.1 port={} user=postgres dbname=postgres sslmode=disable gssencmode=disable", self.port)
    }

    /// The messages of all sessions since the last call, behind the one that opens a session; sessions that sent no
    /// statement are left out. Waits until they are over.
    pub(crate) fn take(&self) -> Vec<Vec<String>> {
        let ended = std::mem::take(&mut *self.sessions.lock().unwrap());
        let mut sessions: Vec<_> = ended.into_iter().map(|session| messages(&session.join().unwrap())).collect();
        sessions.retain(|messages| messages.len() > 1);
        sessions.sort();
        sessions
    }
}

/// Both ways until the client has gone; then what it sent.
fn forward(mut client: TcpStream, server: &UnixStream) -> Vec<u8> {
    let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let answering = thread::spawn(move || {
        // either side may close first
        let _ = std::io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Write);
    });
    let mut sent = Vec::new();
    let mut buffer = [0; 8192];
    let mut server = server;
    while let Ok(n @ 1..) = client.read(&mut buffer) {
        sent.extend_from_slice(&buffer[..n]);
        // a server that has gone is the client's to find out
        let _ = server.write_all(&buffer[..n]);
    }
    let _ = server.shutdown(Shutdown::Write);
    answering.join().unwrap();
    sent
}

/// Type and body of each message behind the first, which has no type.
fn messages(mut sent: &[u8]) -> Vec<String> {
    let length = |at: &[u8]| u32::from_be_bytes(at[..4].try_into().unwrap()) as usize;
    let mut messages = Vec::new();
    if sent.len() >= 4 {
        sent = &sent[length(sent)..];
    }
    while let [kind, rest @ ..] = sent {
        let length = length(rest);
        messages.push(format!("{} {}", *kind as char, rest[4..length].escape_ascii()));
        sent = &rest[length..];
    }
    messages
}

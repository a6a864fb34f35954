//! Cancel requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::dial::{Endpoint, Socket};
use super::tls::Tls;
use super::{Error, Stream};

/// Asks the server to cancel what a session is doing, over a connection of its own to the same address, encrypted
/// where the session is.
#[derive(Clone)]
pub struct CancelToken(Arc<Request>);

struct Request {
    endpoint: Endpoint,
    tls: Option<Tls>,
    pid: i32,
    secret: i32,
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken").field("at", &self.0.endpoint.at).field("pid", &self.0.pid).finish_non_exhaustive()
    }
}

impl CancelToken {
    pub(super) fn new(endpoint: Endpoint, tls: Option<Tls>, pid: i32, secret: i32) -> Self {
        Self(Arc::new(Request { endpoint, tls, pid, secret }))
    }

    /// Sends the request and waits until the server has taken it. Whether something was there to cancel, the session
    /// itself hears, not this call.
    pub async fn cancel(&self, limit: Duration) -> Result<(), Error> {
        match tokio::time::timeout(limit, self.0.send()).await {
            Ok(sent) => sent,
            Err(_) => Err(Error::Timeout { what: format!("a cancel request to {}", self.0.endpoint.at), after: limit }),
        }
    }
}

impl Request {
    async fn send(&self) -> Result<(), Error> {
        let mut stream = match (self.endpoint.dial().await?, &self.tls) {
            (Socket::Tcp(socket), Some(tls)) => {
                tls.encrypt(socket, self.endpoint.name.as_deref(), &self.endpoint.at, false).await?
            }
            (Socket::Tcp(socket), None) => Stream::Tcp(socket),
            (Socket::Unix(socket), _) => Stream::Unix(socket),
        };
        let mut request = BytesMut::new();
        frontend::cancel_request(self.pid, self.secret, &mut request);
        stream.write_all(&request).await.map_err(Error::Io)?;
        stream.flush().await.map_err(Error::Io)?;
        // the server closes once it has sent the signal; how it closes doesn't matter
        let _ = stream.read(&mut [0]).await;
        Ok(())
    }
}

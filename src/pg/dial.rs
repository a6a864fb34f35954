//! From a host to a connected socket.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, UnixStream, lookup_host};

use super::host::{Host, Place};
use super::target::{Keepalives, Target};
use super::{Error, Invalid};

/// How long to wait before a Unix-domain socket whose queue was full is tried again.
const QUEUE_PAUSE: Duration = Duration::from_millis(2);

/// One address to connect to.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    address: Address,
    /// What a certificate has to show.
    pub(super) name: Option<String>,
    /// For people.
    pub(super) at: String,
    transport: Transport,
}

#[derive(Debug, Clone)]
enum Address {
    Unix(PathBuf),
    Tcp(SocketAddr),
}

/// What a socket gets set and has to satisfy.
#[derive(Debug, Clone)]
struct Transport {
    keepalives: Keepalives,
    tcp_user_timeout: Option<Duration>,
    require_peer: Option<String>,
}

/// A connected socket before anything was sent.
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Endpoint {
    /// The addresses of a host, in the order in which the resolver gives them.
    pub(super) async fn of_host(host: &Host, target: &Target) -> Result<Vec<Self>, Error> {
        let transport = Transport {
            keepalives: target.keepalives,
            tcp_user_timeout: target.tcp_user_timeout,
            require_peer: target.require_peer.clone(),
        };
        let make = |address, at| Self {
            address,
            name: host.certificate_name().map(str::to_owned),
            at,
            transport: transport.clone(),
        };
        let name = match &host.place {
            Place::Folder(_) => {
                let path = host.socket_path().unwrap_or_default();
                return Ok(vec![make(Address::Unix(path), host.to_string())]);
            }
            Place::Address(address, _) => {
                return Ok(vec![make(Address::Tcp((*address, host.port).into()), host.to_string())]);
            }
            Place::Name(name) => name,
        };
        let unresolved = |source| Error::Resolve { host: name.clone(), source };
        let found = lookup_host((name.as_str(), host.port)).await.map_err(unresolved)?;
        let is_address = name.parse::<IpAddr>().is_ok();
        let endpoints: Vec<_> = found
            .map(|address| {
                let at = if is_address { host.to_string() } else { format!("{host} ({})", address.ip()) };
                make(Address::Tcp(address), at)
            })
            .collect();
        if endpoints.is_empty() {
            return Err(unresolved(io::Error::new(io::ErrorKind::NotFound, "the name has no address")));
        }
        Ok(endpoints)
    }

    /// Whether TLS is possible: a Unix-domain socket never has it.
    pub(super) fn is_tcp(&self) -> bool {
        matches!(self.address, Address::Tcp(_))
    }

    /// Connects. The caller sets the limit of time.
    pub(super) async fn dial(&self) -> Result<Socket, Error> {
        let failed = |source| Error::Connect { at: self.at.clone(), source };
        match &self.address {
            Address::Tcp(address) => {
                let socket = TcpStream::connect(address).await.map_err(failed)?;
                self.transport.set(&socket).map_err(failed)?;
                Ok(Socket::Tcp(socket))
            }
            Address::Unix(path) => {
                let socket = connect_unix(path).await.map_err(failed)?;
                self.transport.check_peer(&socket, &self.at)?;
                Ok(Socket::Unix(socket))
            }
        }
    }
}

/// A full queue of the listening socket is no reason to give up: over TCP the kernel would wait, here it says so.
async fn connect_unix(path: &std::path::Path) -> io::Result<UnixStream> {
    // an address that begins with a zero byte is one of the abstract namespace
    let path = match path.to_str().and_then(|path| path.strip_prefix('@')) {
        Some(name) => PathBuf::from(format!("\0{name}")),
        None => path.to_owned(),
    };
    loop {
        match UnixStream::connect(&path).await {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => tokio::time::sleep(QUEUE_PAUSE).await,
            other => return other,
        }
    }
}

impl Transport {
    fn set(&self, socket: &TcpStream) -> io::Result<()> {
        socket.set_nodelay(true)?;
        let socket = SockRef::from(socket);
        if self.keepalives.on {
            socket.set_keepalive(true)?;
            let Keepalives { on: _, idle, interval, count } = self.keepalives;
            if idle.is_some() || interval.is_some() || count.is_some_and(|count| count > 0) {
                let mut keepalive = TcpKeepalive::new();
                keepalive = idle.map_or(keepalive.clone(), |idle| keepalive.with_time(idle));
                keepalive = interval.map_or(keepalive.clone(), |interval| keepalive.with_interval(interval));
                let count = count.filter(|count| *count > 0);
                keepalive = count.map_or(keepalive.clone(), |count| keepalive.with_retries(count));
                socket.set_tcp_keepalive(&keepalive)?;
            }
        }
        #[cfg(target_os = "linux")]
        if self.tcp_user_timeout.is_some() {
            socket.set_tcp_user_timeout(self.tcp_user_timeout)?;
        }
        Ok(())
    }

    fn check_peer(&self, socket: &UnixStream, at: &str) -> Result<(), Error> {
        let Some(wanted) = &self.require_peer else { return Ok(()) };
        let failed = |source| Error::Connect { at: at.to_owned(), source };
        let uid = socket.peer_cred().map_err(failed)?.uid();
        let user = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(uid)).ok().flatten();
        let user = user.map_or_else(|| uid.to_string(), |user| user.name);
        if user == *wanted {
            return Ok(());
        }
        let text = format!("`requirepeer` asks for a server of `{wanted}`, that at {at} is run by `{user}`");
        Err(Invalid::Contradiction(text).into())
    }
}

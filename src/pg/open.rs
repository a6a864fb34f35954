//! Opening a session: which hosts, which addresses, how often.

use std::time::Duration;

use rand::seq::SliceRandom;

use super::dial::{Endpoint, Socket};
use super::host::Host;
use super::session::{Identity, Session};
use super::target::{SessionAttributes, Target};
use super::tls_settings::SslMode;
use super::{Error, Opened, Password, Stream, attributes};

/// What a session has besides what its target says.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Its role, in place of the target's.
    pub user: Option<String>,
    /// Its password, in place of the target's.
    pub password: Option<Password>,
    /// Its database, in place of the target's.
    pub database: Option<String>,
    /// Its name in `pg_stat_activity` where the target gives none; by default `reprise`.
    pub application_name: Option<String>,
    /// Settings that hold from its beginning, like `statement_timeout`.
    pub settings: Vec<(String, String)>,
    /// How long one address may take where the target has no `connect_timeout`.
    pub connect_timeout: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            user: None,
            password: None,
            database: None,
            application_name: None,
            settings: Vec::new(),
            connect_timeout: Duration::from_secs(30),
        }
    }
}

impl OpenOptions {
    /// How long one address of `target` may take.
    pub(super) fn limit(&self, target: &Target) -> Duration {
        target.connect_timeout.unwrap_or(self.connect_timeout)
    }
}

/// Opens a session and takes it over at its first `ReadyForQuery`.
///
/// Hosts are tried in their order, each with all of its addresses, until one lets the session in. One that is there and
/// refuses ends it, as in libpq; one that is just starting doesn't.
pub async fn open(target: &Target, options: &OpenOptions) -> Result<Opened, Error> {
    connect(target, options).await?.take_over()
}

pub(super) async fn connect(target: &Target, options: &OpenOptions) -> Result<Session, Error> {
    if target.session_attributes == SessionAttributes::PreferStandby {
        match connect_any(target, options, SessionAttributes::Standby).await {
            Err(error) if !is_final(&error) => {}
            done => return done,
        }
    }
    connect_any(target, options, target.session_attributes).await
}

/// Tries the hosts for one of this kind.
async fn connect_any(target: &Target, options: &OpenOptions, wanted: SessionAttributes) -> Result<Session, Error> {
    let mut hosts: Vec<&Host> = target.hosts.iter().collect();
    if target.shuffle_hosts {
        hosts.shuffle(&mut rand::rng());
    }
    let limit = options.limit(target);
    let mut errors = Vec::new();
    for host in hosts {
        let identity = Identity::new(target, host, options);
        let what = || format!("looking up the addresses of {host}");
        let mut endpoints = match within(limit, what, Endpoint::of_host(host, target)).await {
            Ok(endpoints) => endpoints,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        if target.shuffle_hosts {
            endpoints.shuffle(&mut rand::rng());
        }
        for endpoint in endpoints {
            let what = || format!("connecting to {}", endpoint.at);
            match within(limit, what, connect_endpoint(&endpoint, target, &identity, wanted)).await {
                Ok(session) => return Ok(session),
                Err(error) => {
                    let last = is_final(&error);
                    errors.push(error);
                    if last {
                        return Err(gather(errors));
                    }
                }
            }
        }
    }
    Err(gather(errors))
}

async fn within<T>(
    limit: Duration,
    what: impl FnOnce() -> String,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => Err(Error::Timeout { what: what(), after: limit }),
    }
}

fn gather(mut errors: Vec<Error>) -> Error {
    match errors.pop() {
        Some(only) if errors.is_empty() => only,
        Some(last) => {
            errors.push(last);
            Error::All(errors)
        }
        None => Error::All(errors),
    }
}

/// Whether the other hosts would only say the same.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Refused { error, .. } => &error.sqlstate != b"57P03",
        Error::Authentication { .. } | Error::NoPassword { .. } | Error::Tls { .. } | Error::Config(_) => true,
        Error::All(errors) => errors.iter().any(is_final),
        _ => false,
    }
}

/// How one try is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    Without,
    IfPossible,
    Always,
}

impl Encryption {
    /// The first try and the one after it, as `sslmode` has them.
    fn tries(mode: SslMode, tcp: bool) -> (Self, Option<Self>) {
        match mode {
            _ if !tcp => (Self::Without, None),
            SslMode::Disable => (Self::Without, None),
            SslMode::Allow => (Self::Without, Some(Self::Always)),
            SslMode::Prefer => (Self::IfPossible, Some(Self::Without)),
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => (Self::Always, None),
        }
    }
}

/// What a failed try is worth.
struct Failure {
    error: Error,
    /// Whether the encryption may have been the reason.
    encryption: bool,
}

async fn connect_endpoint(
    endpoint: &Endpoint,
    target: &Target,
    identity: &Identity,
    wanted: SessionAttributes,
) -> Result<Session, Error> {
    let (first, second) = Encryption::tries(target.tls.mode(), endpoint.is_tcp());
    let failure = match start(endpoint, target, identity, first).await {
        Ok(session) => return attributes::check(&session, wanted, &endpoint.at).await.map(|()| session),
        Err(failure) => failure,
    };
    let Some(second) = second.filter(|_| failure.encryption) else { return Err(failure.error) };
    match start(endpoint, target, identity, second).await {
        Ok(session) => attributes::check(&session, wanted, &endpoint.at).await.map(|()| session),
        // that of the encrypted try says more
        Err(other) if second == Encryption::Always => Err(other.error),
        Err(_) => Err(failure.error),
    }
}

async fn start(
    endpoint: &Endpoint,
    target: &Target,
    identity: &Identity,
    encryption: Encryption,
) -> Result<Session, Failure> {
    let elsewhere = |error| Failure { error, encryption: false };
    let stream = match endpoint.dial().await.map_err(elsewhere)? {
        Socket::Unix(socket) => Stream::Unix(socket),
        Socket::Tcp(socket) if encryption == Encryption::Without => Stream::Tcp(socket),
        Socket::Tcp(socket) => {
            let optional = encryption == Encryption::IfPossible;
            let encrypted = target.tls.encrypt(socket, endpoint.name.as_deref(), &endpoint.at, optional).await;
            encrypted.map_err(|error| Failure { encryption: !matches!(error, Error::Config(_)), error })?
        }
    };
    let is_tls = stream.is_tls();
    Session::start(stream, endpoint, target, identity).await.map_err(|(error, begun)| {
        let tried = is_tls == (encryption != Encryption::Without);
        Failure { encryption: tried && !begun && matches!(error, Error::Refused { .. }), error }
    })
}

#[cfg(test)]
mod tests {
    use super::{Encryption, SslMode};

    #[test]
    fn prefer_and_allow_are_two_tries_and_a_unix_socket_has_one() {
        assert_eq!(Encryption::tries(SslMode::Prefer, true), (Encryption::IfPossible, Some(Encryption::Without)));
        assert_eq!(Encryption::tries(SslMode::Allow, true), (Encryption::Without, Some(Encryption::Always)));
        assert_eq!(Encryption::tries(SslMode::VerifyFull, true), (Encryption::Always, None));
        assert_eq!(Encryption::tries(SslMode::VerifyFull, false), (Encryption::Without, None));
    }
}

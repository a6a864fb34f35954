//! Startup and authentication, by tokio-postgres.

use std::error::Error as _;
use std::io;

use tokio_postgres::config::{Config, SslMode, SslNegotiation};
use tokio_postgres::{Client, Connection, NoTls};

use super::dial::Endpoint;
use super::host::Host;
use super::open::OpenOptions;
use super::takeover::{Encrypted, Lent};
use super::target::Target;
use super::watch::Watch;
use super::{CancelToken, Error, Opened, Password, ServerError, Stream, opened};

/// As whom a session is opened.
#[derive(Debug)]
pub(super) struct Identity {
    user: String,
    database: String,
    password: Option<Password>,
    options: String,
    application_name: String,
}

/// A session that is ready, still in tokio-postgres's hands.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) connection: Driver,
    pub(super) lent: Lent,
    pub(super) cancel: CancelToken,
}

/// What drives a client of tokio-postgres.
pub(super) enum Driver {
    Plain(Connection<Lent, tokio_postgres::tls::NoTlsStream>),
    Encrypted(Connection<Lent, Lent>),
}

impl Identity {
    pub(super) fn new(target: &Target, host: &Host, options: &OpenOptions) -> Self {
        let user = options.user.clone().unwrap_or_else(|| target.user.clone());
        let database = options.database.clone().unwrap_or_else(|| target.database.clone());
        let password = options.password.as_ref().or_else(|| target.password_at(host, &database, &user)).cloned();
        let application_name = [&target.application_name, &options.application_name, &target.fallback_application_name];
        let application_name =
            application_name.into_iter().flatten().next().map_or("reprise", String::as_str).to_owned();
        let mut settings = target.options.clone().unwrap_or_default();
        for (name, value) in &options.settings {
            if !settings.is_empty() {
                settings.push(' ');
            }
            settings.push_str("-c ");
            escape_option(&format!("{name}={value}"), &mut settings);
        }
        Self { user, database, password, options: settings, application_name }
    }
}

/// The server splits its options at white space that no backslash escapes.
fn escape_option(text: &str, into: &mut String) {
    for c in text.chars() {
        if c.is_ascii_whitespace() || c == '\\' {
            into.push('\\');
        }
        into.push(c);
    }
}

impl Session {
    /// Starts a session over a stream that is encrypted already where it has to be. With an error comes whether the
    /// server had begun to authenticate.
    pub(super) async fn start(
        stream: Stream,
        endpoint: &Endpoint,
        target: &Target,
        identity: &Identity,
    ) -> Result<Self, (Error, bool)> {
        let encrypted = stream.is_tls();
        let lent = Lent::new(stream, Watch::new(target.require_auth.clone()));
        let mut config = Config::new();
        config
            .user(&identity.user)
            .dbname(&identity.database)
            .application_name(&identity.application_name)
            .channel_binding(target.channel_binding)
            // it must not ask for TLS again
            .ssl_negotiation(SslNegotiation::Direct)
            .ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        if let Some(password) = &identity.password {
            config.password(password.reveal());
        }
        if !identity.options.is_empty() {
            config.options(&identity.options);
        }
        let started = if encrypted {
            let started = config.connect_raw(lent.clone(), Encrypted).await;
            started.map(|(client, connection)| (client, Driver::Encrypted(connection)))
        } else {
            let started = config.connect_raw(lent.clone(), NoTls).await;
            started.map(|(client, connection)| (client, Driver::Plain(connection)))
        };
        match started {
            Ok((client, connection)) => {
                let (pid, secret) = lent.watch(|watch| (watch.pid, watch.secret));
                let tls = encrypted.then(|| target.tls.clone());
                Ok(Self { client, connection, lent, cancel: CancelToken::new(endpoint.clone(), tls, pid, secret) })
            }
            Err(error) => {
                let begun = lent.watch(|watch| watch.asked.is_some());
                Err((explain(&error, &lent, &endpoint.at, identity), begun))
            }
        }
    }

    /// Takes the session from tokio-postgres.
    ///
    /// Client and connection are dropped without being polled again: nothing is sent, no Terminate either.
    pub(super) fn take_over(self) -> Result<Opened, Error> {
        let Self { client, connection, lent, cancel } = self;
        let stream = lent.take_back().ok_or_else(|| Error::Io(io::ErrorKind::NotConnected.into()))?;
        drop((client, connection));
        let (unread, pid, parameters, notices) = lent.watch(|watch| {
            let parameters = std::mem::take(&mut watch.parameters);
            (watch.take_rest(), watch.pid, parameters, std::mem::take(&mut watch.notices))
        });
        let server_version = opened::find(&parameters, "server_version").unwrap_or("unknown").to_owned();
        let server_version_num = opened::version_num(&server_version);
        Ok(Opened { stream, unread, pid, parameters, notices, cancel, server_version, server_version_num })
    }
}

/// What it means that tokio-postgres could not start the session.
fn explain(error: &tokio_postgres::Error, lent: &Lent, at: &str, identity: &Identity) -> Error {
    let (at, user) = (at.to_owned(), identity.user.clone());
    if let Some(error) = error.as_db_error() {
        let error = Box::new(ServerError::from(error));
        return Error::Refused { at, user, database: identity.database.clone(), error };
    }
    let (asked, denied) = lent.watch(|watch| (watch.asked, watch.denied));
    if let Some(asked) = asked {
        if denied {
            let reason = format!("the server asks for `{}`, which `require_auth` doesn't allow", asked.name());
            return Error::Authentication { at, user, reason };
        }
        if asked.needs_password() && identity.password.is_none() {
            return Error::NoPassword { at, user };
        }
    }
    if error.is_closed() {
        let text = "the server closed it while the session started";
        return Error::Io(io::Error::new(io::ErrorKind::UnexpectedEof, text));
    }
    match error.source() {
        Some(source) => match source.downcast_ref::<io::Error>() {
            Some(source) if source.kind() == io::ErrorKind::InvalidData => Error::Protocol(source.to_string()),
            Some(source) => Error::Io(io::Error::new(source.kind(), source.to_string())),
            None => Error::Authentication { at, user, reason: source.to_string() },
        },
        None => Error::Protocol(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::escape_option;

    #[test]
    fn a_settings_value_keeps_its_spaces_and_backslashes() {
        let mut escaped = String::new();
        escape_option(r"search_path=a, b\c", &mut escaped);
        assert_eq!(escaped, r"search_path=a,\ b\\c");
    }
}

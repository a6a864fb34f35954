//! TLS between a connected socket and a session.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use openssl::error::ErrorStack;
use openssl::pkey::PKey;
use openssl::ssl::{SslConnector, SslConnectorBuilder, SslFiletype, SslMethod, SslVerifyMode};
use openssl::x509::store::{X509Lookup, X509StoreBuilder};
use openssl::x509::verify::X509VerifyFlags;
use openssl::x509::{X509, X509VerifyResult};
use postgres_openssl::TlsConnector;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_postgres::tls::TlsConnect;

use super::tls_settings::{CertificateMode, Roots, SslMode, TlsSettings};
use super::{Error, Invalid, Stream};

/// The request for TLS: its length and its number, as the protocol has them.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// What a target wants of TLS, with the certificates read once for all of its sessions.
#[derive(Debug, Clone)]
pub(super) struct Tls {
    settings: Arc<TlsSettings>,
    connector: Arc<OnceLock<Connector>>,
}

#[derive(Debug)]
struct Connector {
    connector: SslConnector,
    verifies: bool,
}

impl Tls {
    pub(super) fn new(settings: TlsSettings) -> Self {
        Self { settings: Arc::new(settings), connector: Arc::default() }
    }

    pub(super) fn mode(&self) -> SslMode {
        self.settings.mode
    }

    /// Encrypts a connection whose server may have to be asked first. `optional`: where it can't, go on without.
    pub(super) async fn encrypt(
        &self,
        mut socket: TcpStream,
        name: Option<&str>,
        at: &str,
        optional: bool,
    ) -> Result<Stream, Error> {
        let failed = |reason: String, help: &str| Error::Tls { at: at.to_owned(), reason, help: help.to_owned() };
        if !self.settings.direct {
            socket.write_all(&SSL_REQUEST).await.map_err(Error::Io)?;
            // one byte and not more: what follows belongs to TLS, and nothing else may be taken for it
            match socket.read_u8().await.map_err(Error::Io)? {
                b'S' => {}
                b'N' if optional => return Ok(Stream::Tcp(socket)),
                b'N' => {
                    let help = "switch `ssl` on in the server, or ask for less by `sslmode`";
                    return Err(failed("the server has no TLS".to_owned(), help));
                }
                b'E' => return Err(Error::Protocol("an error where TLS was asked for".to_owned())),
                byte => return Err(Error::Protocol(format!("byte {byte:#04x} where TLS was asked for"))),
            }
        }
        let verify_name = self.settings.mode == SslMode::VerifyFull;
        let Some(name) = name.or((!verify_name).then_some("")) else {
            let help = "give `host` beside `hostaddr`";
            return Err(failed("no name of the host to look for in its certificate".to_owned(), help));
        };
        let seen = Arc::new(Mutex::new(None));
        let connector = self.connector()?;
        let handshake = self.prepare(connector, name, verify_name, &seen);
        let handshake =
            handshake.map_err(|error| failed(error.to_string(), "is the name of the host spelled right?"))?;
        match TlsConnect::connect(handshake, socket).await {
            Ok(stream) => Ok(Stream::Tls(Box::new(stream))),
            Err(error) => {
                let seen: Option<X509VerifyResult> = *seen.lock().unwrap_or_else(PoisonError::into_inner);
                Err(match seen {
                    Some(fault) => failed(format!("certificate verify failed: {}", fault.error_string()), help(fault)),
                    None => failed(error.to_string(), "the server's log says what it did not like"),
                })
            }
        }
    }

    fn prepare(
        &self,
        connector: &Connector,
        name: &str,
        verify_name: bool,
        seen: &Arc<Mutex<Option<X509VerifyResult>>>,
    ) -> Result<TlsConnector, ErrorStack> {
        let is_address = name.parse::<std::net::IpAddr>().is_ok();
        let mut configuration = connector.connector.configure()?;
        configuration.set_use_server_name_indication(self.settings.server_name && !name.is_empty() && !is_address);
        configuration.set_verify_hostname(verify_name);
        if connector.verifies {
            let seen = Arc::clone(seen);
            configuration.set_verify_callback(SslVerifyMode::PEER, move |fine, context| {
                if !fine {
                    *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.error());
                }
                fine
            });
        }
        Ok(TlsConnector::new(configuration, name))
    }

    fn connector(&self) -> Result<&Connector, Error> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector);
        }
        let made = build(&self.settings)?;
        Ok(self.connector.get_or_init(|| made))
    }
}

/// What to do about a certificate that was not accepted, by the number that OpenSSL gives its fault (`x509_vfy.h`).
fn help(fault: X509VerifyResult) -> &'static str {
    const NOT_YET_VALID: i32 = 9;
    const HAS_EXPIRED: i32 = 10;
    const REVOKED: i32 = 23;
    const HOST_NAME_MISMATCH: i32 = 62;
    const ADDRESS_MISMATCH: i32 = 64;
    match fault.as_raw() {
        HOST_NAME_MISMATCH | ADDRESS_MISMATCH => {
            "connect by the name that the certificate shows, or ask for `sslmode=verify-ca`"
        }
        HAS_EXPIRED | NOT_YET_VALID => "the server needs a new certificate; check this machine's clock, too",
        REVOKED => "the server's certificate was revoked; it needs another",
        _ => "give the certificate of the authority that signed the server's by `sslrootcert`",
    }
}

fn build(settings: &TlsSettings) -> Result<Connector, Error> {
    let internal = |error: ErrorStack| Error::Protocol(format!("TLS can't be set up: {error}"));
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(internal)?;
    builder.set_min_proto_version(settings.min_version).map_err(internal)?;
    builder.set_max_proto_version(settings.max_version).map_err(internal)?;
    postgres_openssl::set_postgresql_alpn(&mut builder).map_err(internal)?;
    let verifies = trust(&mut builder, settings)?;
    builder.set_verify(if verifies { SslVerifyMode::PEER } else { SslVerifyMode::NONE });
    if settings.certificate_mode == CertificateMode::Allow {
        show_certificate(&mut builder, settings)?;
    }
    Ok(Connector { connector: builder.build(), verifies })
}

/// Says whom to trust; whether the server's certificate is verified at all.
///
/// A root file that exists is used whatever the mode says, as in libpq: it turns `require` into `verify-ca`.
fn trust(builder: &mut SslConnectorBuilder, settings: &TlsSettings) -> Result<bool, Error> {
    let path = match &settings.roots {
        // the connector begins with the machine's authorities
        Roots::System => return Ok(true),
        Roots::Default(path) if path.exists() => path,
        Roots::File(path) if path.exists() || settings.mode >= SslMode::VerifyCa => path,
        Roots::Default(path) if settings.mode >= SslMode::VerifyCa => {
            let reason = "it does not exist; `sslrootcert` names another, `system` takes the machine's own".to_owned();
            return Err(unusable("root certificate file", path, reason));
        }
        Roots::None if settings.mode >= SslMode::VerifyCa => {
            return Err(Invalid::Contradiction(
                "to verify the server's certificate, `sslrootcert` must name that of its authority".to_owned(),
            )
            .into());
        }
        _ => return Ok(false),
    };
    let what = "root certificate file";
    let text = fs::read(path).map_err(|error| unusable(what, path, error.to_string()))?;
    let refused = |error: ErrorStack| unusable(what, path, error.to_string());
    let certificates = X509::stack_from_pem(&text).map_err(refused)?;
    if certificates.is_empty() {
        return Err(unusable(what, path, "it holds no certificate".to_owned()));
    }
    let mut store = X509StoreBuilder::new().map_err(refused)?;
    for certificate in certificates {
        store.add_cert(certificate).map_err(refused)?;
    }
    if let Some(path) = &settings.revoked {
        let refused = |error: ErrorStack| unusable("revocation list", path, error.to_string());
        store
            .add_lookup(X509Lookup::file())
            .and_then(|lookup| lookup.load_crl_file(path, SslFiletype::PEM))
            .map_err(refused)?;
    }
    if let Some(path) = &settings.revoked_folder {
        let refused = |error: ErrorStack| unusable("folder of revocation lists", path, error.to_string());
        let folder = path.to_string_lossy();
        store
            .add_lookup(X509Lookup::hash_dir())
            .and_then(|lookup| lookup.add_dir(&folder, SslFiletype::PEM))
            .map_err(refused)?;
    }
    if settings.revoked.is_some() || settings.revoked_folder.is_some() {
        store.set_flags(X509VerifyFlags::CRL_CHECK | X509VerifyFlags::CRL_CHECK_ALL).map_err(refused)?;
    }
    builder.set_cert_store(store.build());
    Ok(true)
}

fn show_certificate(builder: &mut SslConnectorBuilder, settings: &TlsSettings) -> Result<(), Error> {
    let Some(certificate) = &settings.certificate else { return Ok(()) };
    builder
        .set_certificate_chain_file(certificate)
        .map_err(|error| unusable("client certificate", certificate, error.to_string()))?;
    let Some(key) = &settings.key else {
        return Err(unusable(
            "client certificate",
            certificate,
            "there is no key for it; `sslkey` names one".to_owned(),
        ));
    };
    let refused = |error: ErrorStack| unusable("private key", key, error.to_string());
    keep_private(key)?;
    let text = fs::read(key).map_err(|error| unusable("private key", key, error.to_string()))?;
    let password = settings.key_password.as_ref().map_or("", |password| password.reveal());
    let private = PKey::private_key_from_pem_passphrase(&text, password.as_bytes())
        .or_else(|_| PKey::private_key_from_der(&text))
        .map_err(refused)?;
    builder.set_private_key(&private).map_err(refused)?;
    builder.check_private_key().map_err(refused)
}

/// A key that others can read is refused, as libpq does: 0600, or 0640 where root owns it.
fn keep_private(key: &Path) -> Result<(), Error> {
    let facts = fs::metadata(key).map_err(|error| unusable("private key", key, error.to_string()))?;
    let forbidden = if facts.uid() == 0 { 0o037 } else { 0o077 };
    if facts.mode() & forbidden == 0 {
        return Ok(());
    }
    Err(unusable(
        "private key",
        key,
        "others have access to it; its permissions should be u=rw (0600) or less".to_owned(),
    ))
}

fn unusable(what: &'static str, path: &Path, reason: String) -> Error {
    Invalid::Certificate { what, path: path.to_owned(), reason }.into()
}

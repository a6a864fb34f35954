//! Which encryption is wanted, and with which certificates.

use std::path::PathBuf;

use super::Invalid;
use super::environment::Environment;
use super::options::Options;

/// libpq's `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SslMode {
    /// Never.
    Disable,
    /// Where the server lets nobody in without.
    Allow,
    /// Where the server can; the default.
    Prefer,
    /// Always.
    Require,
    /// Always, with a certificate of a known authority.
    VerifyCa,
    /// The same, and the certificate is the host's.
    VerifyFull,
}

/// What `sslrootcert` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Roots {
    /// The authorities that the machine knows.
    System,
    /// Those of a file that was named.
    File(PathBuf),
    /// Those of the user's own file, if it exists.
    Default(PathBuf),
    /// There is no home to look for a file in.
    None,
}

/// Whether our certificate is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertificateMode {
    Disable,
    Allow,
}

/// TLS as a target wants it.
#[derive(Debug, Clone)]
pub(super) struct TlsSettings {
    pub(super) mode: SslMode,
    /// TLS from the first byte, without asking the server before.
    pub(super) direct: bool,
    pub(super) roots: Roots,
    pub(super) certificate_mode: CertificateMode,
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) key_password: Option<super::Password>,
    pub(super) revoked: Option<PathBuf>,
    pub(super) revoked_folder: Option<PathBuf>,
    /// Whether the host's name is sent before the encryption begins.
    pub(super) server_name: bool,
    pub(super) min_version: Option<openssl::ssl::SslVersion>,
    pub(super) max_version: Option<openssl::ssl::SslVersion>,
}

impl TlsSettings {
    pub(super) fn gather(options: &Options, environment: &Environment) -> Result<Self, Invalid> {
        let roots = match options.get("sslrootcert") {
            Some("system") => Roots::System,
            Some(path) => Roots::File(path.into()),
            None => environment.home_file(".postgresql/root.crt").map_or(Roots::None, Roots::Default),
        };
        let default_mode = match options.get("requiressl") {
            _ if roots == Roots::System => SslMode::VerifyFull,
            Some(text) if text.starts_with('1') => SslMode::Require,
            _ => SslMode::Prefer,
        };
        let mode = options.choice(
            "sslmode",
            default_mode,
            "`disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`",
            &[
                ("disable", SslMode::Disable),
                ("allow", SslMode::Allow),
                ("prefer", SslMode::Prefer),
                ("require", SslMode::Require),
                ("verify-ca", SslMode::VerifyCa),
                ("verify-full", SslMode::VerifyFull),
            ],
        )?;
        if roots == Roots::System && mode != SslMode::VerifyFull {
            return Err(Invalid::Contradiction(
                "with `sslrootcert=system` only `sslmode=verify-full` is safe: anybody can get a certificate there"
                    .to_owned(),
            ));
        }
        let direct = options.choice(
            "sslnegotiation",
            false,
            "`postgres` or `direct`",
            &[("postgres", false), ("direct", true)],
        )?;
        if direct && mode < SslMode::Require {
            return Err(Invalid::Contradiction(
                "with `sslnegotiation=direct` there is no asking: `sslmode` must be `require` or stronger".to_owned(),
            ));
        }
        if options.get("sslcertmode") == Some("require") {
            let reason = "whether the server asked for our certificate can't be seen";
            return Err(Invalid::Unsupported { name: "sslcertmode=require", reason });
        }
        let certificate_mode = options.choice(
            "sslcertmode",
            CertificateMode::Allow,
            "`disable` or `allow`",
            &[("disable", CertificateMode::Disable), ("allow", CertificateMode::Allow)],
        )?;
        let home = |name: &str| environment.home_file(name).filter(|path| path.exists());
        let own_roots = matches!(roots, Roots::Default(_));
        Ok(Self {
            mode,
            direct,
            roots,
            certificate_mode,
            certificate: options.path("sslcert").or_else(|| home(".postgresql/postgresql.crt")),
            key: options.path("sslkey").or_else(|| home(".postgresql/postgresql.key")),
            key_password: options.get("sslpassword").map(super::Password::new),
            revoked: options.path("sslcrl").or_else(|| home(".postgresql/root.crl").filter(|_| own_roots)),
            revoked_folder: options.path("sslcrldir"),
            server_name: options.switch("sslsni", true)?,
            min_version: version(options, "ssl_min_protocol_version")?.or(Some(openssl::ssl::SslVersion::TLS1_2)),
            max_version: version(options, "ssl_max_protocol_version")?,
        })
    }
}

fn version(options: &Options, name: &'static str) -> Result<Option<openssl::ssl::SslVersion>, Invalid> {
    use openssl::ssl::SslVersion;
    options.choice(
        name,
        None,
        "`TLSv1`, `TLSv1.1`, `TLSv1.2` or `TLSv1.3`",
        &[
            ("TLSv1", Some(SslVersion::TLS1)),
            ("TLSv1.1", Some(SslVersion::TLS1_1)),
            ("TLSv1.2", Some(SslVersion::TLS1_2)),
            ("TLSv1.3", Some(SslVersion::TLS1_3)),
        ],
    )
}

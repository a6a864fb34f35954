//! Getting files over HTTP.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use openssl::sha::Sha256;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

use super::fault::Fault;

/// How long a server may say nothing.
const SILENCE: Duration = Duration::from_secs(30);
/// How much is read at once.
const CHUNK: usize = 1 << 16;

/// Gets files below one address.
pub(super) struct Client<'a> {
    agent: Agent,
    address: &'a str,
}

impl<'a> Client<'a> {
    pub(super) fn new(address: &'a str) -> Self {
        // OpenSSL, with the authorities that this machine trusts.
        let tls = TlsConfig::builder().provider(TlsProvider::NativeTls).root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .https_only(address.starts_with("https://"))
            .user_agent(concat!("reprise/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(SILENCE))
            .timeout_connect(Some(SILENCE))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .build();
        Self { agent: config.new_agent(), address }
    }

    /// A small file.
    pub(super) fn text(&self, path: &str) -> Result<String, Fault> {
        let mut bytes = self.get(path)?.with_config().read_to_vec().map_err(|error| fault(path, error))?;
        bytes.retain(u8::is_ascii);
        Ok(String::from_utf8(bytes).unwrap_or_default())
    }

    /// Writes a file to disk and gives its SHA-256. `told` hears how many bytes of how many are there.
    pub(super) fn file(
        &self,
        path: &str,
        to: &Path,
        mut told: impl FnMut(u64, Option<u64>) -> Result<(), Fault>,
    ) -> Result<String, Fault> {
        let body = self.get(path)?;
        let of = body.content_length();
        let mut file = File::create(to)?;
        let mut digest = Sha256::new();
        let mut body = body.into_reader();
        let mut chunk = vec![0; CHUNK];
        let mut received = 0;
        loop {
            told(received, of)?;
            let n = body.read(&mut chunk).map_err(|error| fault(path, error.into()))?;
            if n == 0 {
                break;
            }
            digest.update(&chunk[..n]);
            file.write_all(&chunk[..n])?;
            received += n as u64;
        }
        Ok(digest.finish().iter().fold(String::new(), |mut hex, byte| {
            // Writing to a string can't fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        }))
    }

    fn get(&self, path: &str) -> Result<ureq::Body, Fault> {
        let response = self.agent.get(format!("{}{path}", self.address)).call().map_err(|error| fault(path, error))?;
        Ok(response.into_body())
    }
}

/// In words of our own: the library's may repeat the address with its password.
fn fault(path: &str, error: ureq::Error) -> Fault {
    use std::io::ErrorKind::UnexpectedEof;

    let path = path.trim_start_matches('/');
    Fault::Bad(match error {
        ureq::Error::StatusCode(404 | 410) => return Fault::Absent(path.to_owned()),
        ureq::Error::StatusCode(code) => format!("it answered {code} for `{path}`"),
        ureq::Error::HostNotFound => "its host is not known".to_owned(),
        ureq::Error::Timeout(_) => format!("it said nothing for {} seconds", SILENCE.as_secs()),
        ureq::Error::Io(error) if error.kind() == UnexpectedEof => format!("`{path}` broke off"),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => "its address is no URL".to_owned(),
        ureq::Error::RequireHttpsOnly(_) => "it leads from `https` to `http`".to_owned(),
        ureq::Error::ConnectProxyFailed(_) => "the proxy did not let it through".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        ureq::Error::NativeTls(error) => error.to_string(),
        error => error.to_string(),
    })
}

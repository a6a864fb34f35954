//! Where a server may be.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use super::Invalid;
use super::environment::Environment;
use super::options::Options;

/// The port where nothing else is said.
const DEFAULT_PORT: u16 = 5432;

/// One server to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The way to it.
    pub place: Place,
    /// The port; of a Unix-domain socket, a part of its name.
    pub port: u16,
    /// What the password file calls it.
    pub(super) password_name: String,
}

/// The way to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A folder with a Unix-domain socket in it; one that begins with `@` is in the abstract namespace.
    Folder(PathBuf),
    /// A name to look up, or an address.
    Name(String),
    /// An address, and the name that a certificate has to show, if one is known.
    Address(IpAddr, Option<String>),
}

impl Host {
    /// The hosts that the options name, in their order; the default one where they name none.
    pub(super) fn gather(options: &Options, environment: &Environment) -> Result<Vec<Self>, Invalid> {
        let list = |name| options.get(name).map(|text| text.split(',').map(str::trim).collect::<Vec<_>>());
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
        let count = addresses.as_ref().or(names.as_ref()).map_or(1, Vec::len);
        let mismatch = |what: &str, found: usize| {
            Err(Invalid::Contradiction(format!("could not match {found} {what} to {count} hosts")))
        };
        if let Some(names) = names.as_ref().filter(|names| names.len() != count) {
            return mismatch("host names", names.len());
        }
        if let Some(ports) = ports.as_ref().filter(|ports| ports.len() != count && ports.len() != 1) {
            return mismatch("port numbers", ports.len());
        }
        let item = |list: &Option<Vec<&str>>, at: usize| {
            let list = list.as_ref()?;
            let text = *list.get(at).or_else(|| list.first())?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        (0..count)
            .map(|at| {
                let port = match item(&ports, at) {
                    None => DEFAULT_PORT,
                    Some(text) => match text.parse() {
                        Ok(port) if port > 0 => port,
                        _ => return Err(options.wrong("port", "a number from 1 to 65535")),
                    },
                };
                let name = item(&names, at).filter(|_| names.is_some());
                let address = item(&addresses, at)
                    .map(|text| text.parse().map_err(|_| options.wrong("hostaddr", "an IPv4 or IPv6 address")))
                    .transpose()?;
                Ok(Self::new(name, address, port, environment))
            })
            .collect()
    }

    fn new(name: Option<String>, address: Option<IpAddr>, port: u16, environment: &Environment) -> Self {
        let place = match (name, address) {
            (name, Some(address)) => Place::Address(address, name),
            (Some(name), None) if name.starts_with(['/', '@']) => Place::Folder(name.into()),
            (Some(name), None) => Place::Name(name),
            (None, None) => Place::Folder(environment.default_socket_folder(port)),
        };
        let password_name = match &place {
            Place::Folder(folder) => {
                let folder = folder.to_string_lossy();
                if environment.is_default_socket_folder(&folder) { "localhost".to_owned() } else { folder.into_owned() }
            }
            Place::Name(name) | Place::Address(_, Some(name)) => name.clone(),
            Place::Address(address, None) => address.to_string(),
        };
        Self { place, port, password_name }
    }

    /// The path of the socket, if it is reached by one.
    pub(super) fn socket_path(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Folder(folder) => Some(folder.join(format!(".s.PGSQL.{}", self.port))),
            Place::Name(_) | Place::Address(..) => None,
        }
    }

    /// The name that the user knows it by: what a certificate has to show.
    pub(super) fn certificate_name(&self) -> Option<&str> {
        match &self.place {
            Place::Name(name) | Place::Address(_, Some(name)) => Some(name),
            Place::Folder(_) | Place::Address(_, None) => None,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.port;
        match &self.place {
            Place::Folder(folder) => write!(f, "{}/.s.PGSQL.{port}", folder.display()),
            Place::Name(name) if name.contains(':') => write!(f, "[{name}]:{port}"),
            Place::Name(name) => write!(f, "{name}:{port}"),
            Place::Address(IpAddr::V6(address), _) => write!(f, "[{address}]:{port}"),
            Place::Address(address, _) => write!(f, "{address}:{port}"),
        }
    }
}

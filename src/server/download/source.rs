//! Where programs are published, and under which names.

use super::fault::Fault;

/// Names another place to download from.
const VARIABLE: &str = "REPRISE_POSTGRES_MIRROR";

/// Builds of PostgreSQL for many systems that need nothing else installed.
const PROJECT: &str = "https://github.com/theseus-rs/postgresql-binaries";

/// Where archives of PostgreSQL's programs are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A project on a forge, by its address: its tags are versions, its releases have the archives.
    Project(String),
    /// A folder on a web server, by its address: `versions.txt` has a version a line, and each version a folder with
    /// its archives.
    Mirror(String),
}

/// A version of an archive: PostgreSQL's major and minor version, and the build's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) major: u32,
    minor: u32,
    build: u32,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|part| part.parse().ok());
        let version = Self { major: numbers.next()??, minor: numbers.next()??, build: numbers.next()?? };
        (numbers.next().is_none() && version.to_string() == text).then_some(version)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.build)
    }
}

impl Source {
    pub(super) fn of_process() -> Self {
        match std::env::var(VARIABLE) {
            Ok(mirror) if !mirror.is_empty() => Self::Mirror(mirror),
            _ => Self::Project(PROJECT.to_owned()),
        }
    }

    /// Its address, with no slash at its end.
    pub(super) fn address(&self) -> Result<&str, Fault> {
        let (Self::Project(address) | Self::Mirror(address)) = self;
        if !["http://", "https://"].iter().any(|scheme| address.starts_with(scheme)) {
            return Err(Fault::Bad("its address begins neither with `http://` nor with `https://`".to_owned()));
        }
        Ok(address.trim_end_matches('/'))
    }

    /// Its address without a user and a password.
    pub(super) fn shown(&self) -> String {
        let (Self::Project(address) | Self::Mirror(address)) = self;
        let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
        let host = rest.find('/').unwrap_or(rest.len());
        let user = rest[..host].rfind('@').map_or(0, |at| at + 1);
        if scheme.is_empty() { rest[user..].to_owned() } else { format!("{scheme}://{}", &rest[user..]) }
    }

    /// The path of the list of versions.
    pub(super) fn list(&self) -> &'static str {
        match self {
            // What a `git clone` asks first. The forge's own list of releases is behind a limit of a few requests an hour.
            Self::Project(_) => ".git/info/refs?service=git-upload-pack",
            Self::Mirror(_) => "/versions.txt",
        }
    }

    /// The versions in that list that are wanted, the newest first.
    pub(super) fn versions(&self, list: &str, major: Option<u32>) -> Vec<Version> {
        let text = |text: &str| Version::parse(text.trim());
        let mut versions: Vec<Version> = match self {
            Self::Project(_) => {
                list.split("refs/tags/").skip(1).filter_map(|rest| text(rest.lines().next()?)).collect()
            }
            Self::Mirror(_) => list.lines().filter_map(text).collect(),
        };
        versions.retain(|version| major.is_none_or(|major| version.major == major));
        versions.sort_unstable_by(|a, b| b.cmp(a));
        versions.dedup();
        versions
    }

    /// The path of a version's archive for this machine; its SHA-256 has `.sha256` at the end.
    pub(super) fn archive(&self, version: Version) -> String {
        let folder = match self {
            Self::Project(_) => "/releases/download",
            Self::Mirror(_) => "",
        };
        format!("{folder}/{version}/postgresql-{version}-{}.tar.gz", target())
    }
}

/// This machine's name in the names of archives.
fn target() -> String {
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else if cfg!(target_env = "musl") {
        "unknown-linux-musl"
    } else {
        "unknown-linux-gnu"
    };
    format!("{}-{system}", std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(versions: &[Version]) -> Vec<String> {
        versions.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_newest_comes_first_and_what_is_no_version_is_passed_over() {
        let mirror = Source::Mirror("http://localhost/pg".to_owned());
        let list = "# ours\n16.9.0\r\n16.10.0\nv16.11.0\n16.10\n17.0.0-rc1\n18.1.2\n16.10.0\n016.1.0\n";
        assert_eq!(shown(&mirror.versions(list, None)), ["18.1.2", "16.10.0", "16.9.0"]);
        assert_eq!(shown(&mirror.versions(list, Some(16))), ["16.10.0", "16.9.0"]);
        assert!(mirror.versions(list, Some(8)).is_empty());
    }

    /// As `git upload-pack --http-backend-info-refs` writes it, shortened.
    const REFS: &str = "001e# service=git-upload-pack\n0000\
        0098aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HEAD\0multi_ack side-band-64k symref=HEAD:refs/heads/main agent=git/2.39\n\
        003daaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa refs/heads/18.9.9\n\
        003ebbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb refs/tags/17.6.0\n\
        0041cccccccccccccccccccccccccccccccccccccccc refs/tags/17.6.0^{}\n\
        003edddddddddddddddddddddddddddddddddddddddd refs/tags/17.10.0\n\
        0041eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee refs/tags/v18.0.0\n0000";

    #[test]
    fn the_tags_of_a_project_are_its_versions() {
        assert_eq!(shown(&Source::Project(PROJECT.to_owned()).versions(REFS, None)), ["17.10.0", "17.6.0"]);
    }

    #[test]
    fn no_password_is_shown() {
        let shown = |address: &str| Source::Mirror(address.to_owned()).shown();
        assert_eq!(shown("https://me:secret@mirror.example/a@b/"), "https://mirror.example/a@b/");
        assert_eq!(shown("me:secret@mirror.example/pg"), "mirror.example/pg");
    }
}

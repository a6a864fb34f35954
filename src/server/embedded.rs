//! A server of one's own for the time of a run.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;

use super::account::Account;
use super::binaries::{Installation, Search};
use super::cluster::Cluster;
use super::folder::{self, Folders, PORT};
use super::guard::{Ending, Guard};
use super::kept::Kept;
use super::{Error, Observer, settings};
use crate::pg::Password;

/// What server is wanted.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedOptions {
    /// Its major version; none: the newest there is.
    pub major: Option<u32>,
    /// Its settings.
    pub settings: Vec<(String, String)>,
    /// Whether it asks for a password, made for it, by scram-sha-256.
    pub scram: bool,
    /// A folder where its data stays, to be found again; none: it is thrown away.
    pub keep_in: Option<PathBuf>,
    /// Where PostgreSQL is looked for.
    pub search: Search,
    /// Where it is downloaded from, and to, where it is not installed.
    #[cfg(feature = "download")]
    pub download: super::Download,
}

/// A running server that is gone, at the latest, when this process is.
pub struct Embedded {
    cluster: Cluster,
    folder: PathBuf,
    sockets: PathBuf,
    password: Option<Password>,
    server: Child,
    guard: Guard,
    /// Held until the end: no other run may start the same server.
    _kept: Option<Kept>,
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded")
            .field("folder", &self.folder)
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

/// Makes a server and starts it. Dropping the future undoes what was done.
pub async fn start(options: &EmbeddedOptions, observer: &mut impl Observer) -> Result<Embedded, Error> {
    settings::file(&options.settings)?;
    let kept = options.keep_in.as_deref().map(Kept::open).transpose()?;
    let (account, major) = match &kept {
        Some(kept) => (kept.account()?, kept.major(options.major)?),
        None => (Account::choose()?, options.major),
    };
    let mut guard = Guard::start()?;
    let installation = find(options, major, account, &mut guard, observer).await?;
    observer.starting(&installation.version);
    let folders = Folders::new(account);
    let private = folders.private(&mut guard)?;
    let sockets = folders.for_socket(&private, &mut guard)?;
    let folder = kept.as_ref().map_or_else(|| private.clone(), |kept| kept.folder().to_owned());
    if ![&folder, &sockets].iter().all(|path| folder::is_plain(path)) {
        return Err(Error::NoFolder { tried: vec![format!("`{}` (special characters in it)", folder.display())] });
    }
    let cluster = Cluster { installation, account, data: folder.join("data"), log: private.join("server.log") };
    let password = prepare(&cluster, kept.as_ref(), options.scram, &mut guard).await?;
    let ending = if kept.is_some() { Ending::Fast } else { Ending::Immediate };
    let server = cluster.spawn(&options.settings, &sockets, ending, &mut guard)?;
    let mut embedded = Embedded { cluster, folder, sockets, password, server, guard, _kept: kept };
    // From here on dropping it stops the server.
    embedded.cluster.ready(&mut embedded.server).await?;
    Ok(embedded)
}

/// An installed server, else a downloaded one.
#[cfg(feature = "download")]
async fn find(
    options: &EmbeddedOptions,
    major: Option<u32>,
    account: Account,
    guard: &mut Guard,
    observer: &mut impl Observer,
) -> Result<Installation, Error> {
    match options.search.choose(major) {
        Err(missing @ (Error::NotInstalled { .. } | Error::MajorNotInstalled { .. })) => {
            options.download.installation(missing, major, account, guard, observer).await
        }
        found => found,
    }
}

/// An installed server.
#[cfg(not(feature = "download"))]
#[expect(clippy::unused_async, reason = "a download would have to be waited for")]
async fn find(
    options: &EmbeddedOptions,
    major: Option<u32>,
    _account: Account,
    _guard: &mut Guard,
    _observer: &mut impl Observer,
) -> Result<Installation, Error> {
    options.search.choose(major)
}

/// Makes the cluster unless it was kept, and gives its password.
async fn prepare(
    cluster: &Cluster,
    kept: Option<&Kept>,
    scram: bool,
    guard: &mut Guard,
) -> Result<Option<Password>, Error> {
    if let Some(kept) = kept {
        cluster.account.own(kept.folder())?;
        if !cluster.account.can_enter(kept.folder()) {
            return Err(Error::FolderClosed { folder: kept.folder().to_owned() });
        }
        if kept.has_cluster() {
            kept.wait_until_stopped().await?;
            return Ok(kept.password()?.map(Password::new));
        }
    }
    let password = scram.then(|| format!("{:032x}", rand::random::<u128>()));
    if let (Some(kept), Some(password)) = (kept, &password) {
        cluster.write_private(&kept.password_file(), password)?;
    }
    cluster.init(password.as_deref(), guard).await?;
    Ok(password.map(Password::new))
}

impl Embedded {
    /// How to connect, as libpq takes it; without the password.
    pub fn conninfo(&self) -> String {
        format!("host='{}' port={PORT} user=postgres dbname=postgres", self.sockets.display())
    }

    /// The same as a URL.
    pub fn url(&self) -> String {
        format!("postgresql://postgres@/postgres?host={}&port={PORT}", self.sockets.display())
    }

    /// A folder that only its user can read, and that is gone with it.
    pub fn private_folder(&self) -> &Path {
        self.cluster.log.parent().unwrap_or(&self.sockets)
    }

    /// The password of `postgres`, where the server asks for one.
    pub fn password(&self) -> Option<&Password> {
        self.password.as_ref()
    }

    /// The server's version, such as `16.4`.
    pub fn version(&self) -> &str {
        &self.cluster.installation.version
    }

    /// The folder of its programs.
    pub fn bin(&self) -> &Path {
        &self.cluster.installation.bin
    }

    /// Its folder: gone afterwards, unless it is kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }

    /// The end of the server's log, to show when it is gone unasked.
    pub fn log_tail(&self) -> String {
        self.cluster.log_tail()
    }

    /// The whole log so far.
    pub fn log(&self) -> Result<String, Error> {
        let log = &self.cluster.log;
        let text = fs::read(log).map_err(Error::io(format!("could not read `{}`", log.display())))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Stops the server, removes what is not kept and waits until both are done.
    pub fn stop(mut self) -> Result<(), Error> {
        self.guard.finish(Some(&mut self.server))
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        let _ = self.guard.finish(Some(&mut self.server));
    }
}

//! A server of one's own for the time of a run.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::account::Account;
use super::binaries::{Installation, Search};
use super::cluster::Cluster;
use super::folder::{self, Folders, PORT};
use super::guard::{self, Ending, Guard};
use super::kept::Kept;
use super::{Error, Observer, child, settings};
use crate::pg::Password;

/// How long a server may take until it accepts connections.
const READY: Duration = Duration::from_secs(300);

const WAITING: &str = "could not wait for the server";

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
    settings: Vec<(String, String)>,
    ending: Ending,
    /// Locked for moments only.
    running: Mutex<Running>,
    /// Held until the end: no other run may start the same server.
    _kept: Option<Kept>,
}

/// The server's process, and the one that ends it.
struct Running {
    server: Child,
    guard: Guard,
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
    let (settings, running) = (options.settings.clone(), Mutex::new(Running { server, guard }));
    let embedded = Embedded { cluster, folder, sockets, password, settings, ending, running, _kept: kept };
    // From here on dropping it stops the server.
    embedded.ready().await?;
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
        self.running().server.id()
    }

    /// Stops it as an administrator would, with a checkpoint, and starts it again: at the same place, with the same
    /// settings. All its sessions end.
    pub async fn restart(&self) -> Result<(), Error> {
        let pid = self.pid();
        let begin = Instant::now();
        guard::ask_to_stop(pid);
        while self.running().server.try_wait().map_err(Error::io(WAITING))?.is_none() {
            if begin.elapsed() > guard::FAST {
                return Err(Error::NotStopped { seconds: guard::FAST.as_secs(), log: self.log_tail() });
            }
            tokio::time::sleep(child::POLL).await;
        }
        {
            let Running { server, guard } = &mut *self.running();
            guard.ended(pid)?;
            *server = self.cluster.spawn(&self.settings, &self.sockets, self.ending, guard)?;
        }
        self.ready().await
    }

    /// Waits until it accepts connections; after a crash it first reads its log again.
    async fn ready(&self) -> Result<(), Error> {
        let begin = Instant::now();
        while !self.cluster.is_ready(&mut self.running().server)? {
            if begin.elapsed() > READY {
                return Err(Error::NotReady { seconds: READY.as_secs(), log: self.log_tail() });
            }
            tokio::time::sleep(child::POLL).await;
        }
        Ok(())
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the guard end it.
    fn finish(&mut self) -> Result<(), Error> {
        let Running { server, guard } = self.running.get_mut().unwrap_or_else(PoisonError::into_inner);
        guard.finish(Some(server))
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
        self.finish()
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

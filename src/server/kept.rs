//! A folder where a server's data stays from run to run.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use super::account::Account;
use super::{Error, child};

/// How long the guard of a run that was killed may take to stop the server.
const STOPPING: Duration = Duration::from_secs(30);

/// Such a folder, locked for this run.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    _lock: Flock<File>,
}

impl Kept {
    /// Locks it, made where there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let what = || format!("could not use `{}`", folder.display());
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::io(what()))?;
        let folder = folder.canonicalize().map_err(Error::io(what()))?;
        let names: Vec<_> =
            fs::read_dir(&folder).map_err(Error::io(what()))?.flatten().map(|entry| entry.file_name()).collect();
        if !names.is_empty() && !names.iter().any(|name| name == "lock") {
            return Err(Error::FolderTaken { folder });
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join("lock"));
        match Flock::lock(file.map_err(Error::io(what()))?, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Ok(Self { folder, _lock: lock }),
            Err((_, Errno::EWOULDBLOCK)) => {
                Err(Error::AlreadyRunning { pid: server_pid(&folder.join("data")), folder })
            }
            Err((_, error)) => Err(Error::Io { what: what(), error: io::Error::from(error) }),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Whether a cluster was made in it.
    pub(super) fn has_cluster(&self) -> bool {
        self.data().join("PG_VERSION").is_file()
    }

    /// Whom its server runs as.
    pub(super) fn account(&self) -> Result<Account, Error> {
        if self.has_cluster() { Account::owner_of(&self.data()) } else { Account::choose() }
    }

    /// The major version that it needs, which must be the wanted one.
    pub(super) fn major(&self, wanted: Option<u32>) -> Result<Option<u32>, Error> {
        if !self.has_cluster() {
            return Ok(wanted);
        }
        let file = self.data().join("PG_VERSION");
        let text = fs::read_to_string(&file).map_err(Error::io(format!("could not read `{}`", file.display())))?;
        let kept = text.split(['.', '\n']).next().and_then(|major| major.parse().ok());
        match (kept, wanted) {
            (Some(kept), Some(wanted)) if kept != wanted => {
                Err(Error::KeptMajor { folder: self.folder.clone(), kept, wanted })
            }
            (kept, _) => Ok(kept),
        }
    }

    /// Where the password is kept, readable by the server's user alone.
    pub(super) fn password_file(&self) -> PathBuf {
        self.folder.join("password")
    }

    /// The password that the cluster was made with, if with one.
    pub(super) fn password(&self) -> Result<Option<String>, Error> {
        match fs::read_to_string(self.password_file()) {
            Ok(password) => Ok(Some(password)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::Io { what: "could not read the kept server's password".to_owned(), error }),
        }
    }

    /// Waits for a server that an earlier run left to its guard.
    pub(super) async fn wait_until_stopped(&self) -> Result<(), Error> {
        let begin = Instant::now();
        while let Some(pid) = server_pid(&self.data()) {
            if begin.elapsed() > STOPPING {
                return Err(Error::AlreadyRunning { folder: self.folder.clone(), pid: Some(pid) });
            }
            tokio::time::sleep(child::POLL).await;
        }
        Ok(())
    }
}

/// The process of the server that runs on a data directory. The file may be left over from a crash, and its number
/// be another process's by now: a server works in its data directory.
fn server_pid(data: &Path) -> Option<i32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let pid: i32 = text.lines().next()?.trim().parse().ok()?;
    (fs::read_link(format!("/proc/{pid}/cwd")).ok()? == data).then_some(pid)
}

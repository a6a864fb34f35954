//! The folder that keeps what was downloaded: a folder for each version.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use nix::fcntl::{Flock, FlockArg};

use super::fault::Fault;
use crate::server::Error;
use crate::server::account::Account;
use crate::server::binaries::{self, Installation, Search};

/// What the names of folders for downloads that are not done yet begin with.
const UNFINISHED: &str = "unfinished-";

/// A cache that the server's user can enter.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The first of these folders that is fit, made where it is missing.
    pub(super) fn open(folders: &[PathBuf], account: Account) -> Result<Self, Error> {
        let mut first = None;
        for folder in folders {
            match make(folder, account) {
                Ok(()) => return Ok(Self { folder: folder.clone() }),
                Err(error) => first = first.or(Some(Error::Cache { folder: folder.clone(), error })),
            }
        }
        let error = io::Error::from(io::ErrorKind::NotFound);
        Err(first.unwrap_or(Error::Cache { folder: PathBuf::new(), error }))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Finds what is in it.
    pub(super) fn search(&self) -> Search {
        Search { path: None, patterns: vec![self.folder.join("*/bin")], pg_config: false }
    }

    /// A folder of one's own for a download, not made yet.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.folder.join(format!("{UNFINISHED}{}-{:08x}", std::process::id(), rand::random::<u32>()))
    }

    /// Waits until no other run downloads into it. Whatever is unfinished then was left by one that is gone.
    pub(super) fn lock(&self) -> Result<Flock<File>, Fault> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(self.folder.join("lock"))?;
        let lock = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| io::Error::from(error))?;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(lock)
    }

    /// Unpacks an archive in `unfinished` and keeps it under this name if its server runs here and is the wanted one.
    pub(super) fn keep(
        &self,
        archive: &Path,
        unfinished: &Path,
        name: &str,
        major: u32,
        mut go_on: impl FnMut() -> Result<(), Fault>,
    ) -> Result<Installation, Fault> {
        let tree = unfinished.join("tree");
        fs::create_dir(&tree)?;
        unpack(archive, &tree, &mut go_on)?;
        open_to_all(&tree)?;
        let root = root(&tree)?.ok_or_else(|| Fault::Bad("its archive has no `bin/postgres`".to_owned()))?;
        let found = binaries::examine(&root.join("bin"))
            .map_err(|reason| Fault::Bad(format!("its server does not run on this machine: {reason}")))?;
        if found.major != major {
            return Err(Fault::Bad(format!("its archive has PostgreSQL {} in place of {major}", found.version)));
        }
        let place = self.folder.join(name);
        if place.exists() {
            // Not found by the search before, so it is damaged.
            fs::remove_dir_all(&place)?;
        }
        fs::rename(root, &place)?;
        Ok(Installation { bin: place.join("bin"), ..found })
    }
}

fn make(folder: &Path, account: Account) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    if !account.can_enter(there) {
        return Err(io::Error::other(format!("the server's user can't enter `{}`", there.display())));
    }
    fs::create_dir_all(folder)?;
    if account.is_other() {
        for folder in missing {
            fs::set_permissions(folder, Permissions::from_mode(0o755))?;
        }
    }
    // A cache that can't be written to is of no use either.
    tempfile::tempfile_in(folder).map(drop)
}

fn unpack(archive: &Path, tree: &Path, go_on: &mut impl FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
    let bad = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Fault::Cache(error),
        _ => Fault::Bad(format!("its archive can't be unpacked: {error}")),
    };
    let mut archive = tar::Archive::new(MultiGzDecoder::new(BufReader::new(File::open(archive)?)));
    for entry in archive.entries().map_err(bad)? {
        go_on()?;
        let mut entry = entry.map_err(bad)?;
        if !entry.unpack_in(tree).map_err(bad)? {
            let path = entry.path().map_err(bad)?.display().to_string();
            return Err(Fault::Bad(format!("its archive has `{path}`, which leads out of it")));
        }
    }
    Ok(())
}

/// As `chmod -R a+rX` does: the server runs as another user than the one who unpacks, if that is root.
fn open_to_all(path: &Path) -> io::Result<()> {
    let meta = path.symlink_metadata()?;
    let mode = meta.permissions().mode();
    if meta.is_dir() {
        fs::set_permissions(path, Permissions::from_mode(mode | 0o755))?;
        for entry in fs::read_dir(path)? {
            open_to_all(&entry?.path())?;
        }
    } else if meta.is_file() {
        let run = if mode & 0o100 == 0 { 0 } else { 0o111 };
        fs::set_permissions(path, Permissions::from_mode(mode | 0o444 | run))?;
    }
    Ok(())
}

/// The folder with `bin`: the tree itself, or the one folder that an archive usually has.
fn root(tree: &Path) -> io::Result<Option<PathBuf>> {
    let mut folders = vec![tree.to_owned()];
    for entry in fs::read_dir(tree)? {
        folders.push(entry?.path());
    }
    Ok(folders.into_iter().find(|folder| folder.join("bin/postgres").is_file()))
}

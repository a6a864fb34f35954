//! Private folders for a cluster and its socket.

use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Error;
use super::account::Account;
use super::guard::Guard;

/// `sun_path` has 108 bytes with its terminating zero on Linux, 104 on macOS and the BSDs.
const SOCKET_PATH_LIMIT: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The port is part of the socket's name only.
pub(super) const PORT: u16 = 5432;

/// What a folder's path may not be longer than to hold the socket.
fn fits(folder: &Path) -> bool {
    folder.as_os_str().len() + format!("/.s.PGSQL.{PORT}").len() <= SOCKET_PATH_LIMIT
}

/// Makes private folders for one account, where it can enter and the guard cleans up.
#[derive(Debug)]
pub(super) struct Folders {
    account: Account,
    bases: Vec<PathBuf>,
}

impl Folders {
    /// Folders below the one for temporary files, or else below `/tmp` or `/var/tmp`.
    pub(super) fn new(account: Account) -> Self {
        Self { account, bases: vec![std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()] }
    }

    /// A folder for data of any size.
    pub(super) fn private(&self, guard: &mut Guard) -> Result<PathBuf, Error> {
        self.make(guard, |_| true)
    }

    /// `folder` itself where its path is short enough for a socket, else a new folder elsewhere.
    pub(super) fn for_socket(&self, folder: &Path, guard: &mut Guard) -> Result<PathBuf, Error> {
        if fits(folder) { Ok(folder.to_owned()) } else { self.make(guard, fits) }
    }

    fn make(&self, guard: &mut Guard, suits: impl Fn(&Path) -> bool) -> Result<PathBuf, Error> {
        let mut tried = Vec::new();
        for base in &self.bases {
            let fault = match self.make_in(base, guard, &suits) {
                Ok(Some(folder)) => return Ok(folder),
                Ok(None) => "too long".to_owned(),
                Err(fault) => fault,
            };
            let fault = format!("`{}` ({fault})", base.display());
            if !tried.contains(&fault) {
                tried.push(fault);
            }
        }
        Err(Error::NoFolder { tried })
    }

    fn make_in(
        &self,
        base: &Path,
        guard: &mut Guard,
        suits: impl Fn(&Path) -> bool,
    ) -> Result<Option<PathBuf>, String> {
        let base = base.canonicalize().map_err(|error| error.to_string())?;
        if !self.account.can_enter(&base) {
            return Err("closed to the server's user".to_owned());
        }
        let folder = tempfile::Builder::new()
            .prefix("reprise-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&base)
            .map_err(|error| error.to_string())?;
        if !suits(folder.path()) {
            return Ok(None);
        }
        guard.removes(folder.path()).map_err(|error| error.to_string())?;
        self.account.own(folder.path()).map_err(|error| error.to_string())?;
        Ok(Some(folder.keep()))
    }
}

/// Whether the path can be written into a conninfo and a setting without harm.
pub(super) fn is_plain(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|byte| matches!(byte, 0..=31 | b'\'' | b'\\' | b',' | b'"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_just_fits_a_socket_is_taken() {
        let name = format!("/.s.PGSQL.{PORT}").len();
        let folder = |length: usize| PathBuf::from(format!("/{}", "x".repeat(length - 1)));
        assert!(fits(&folder(SOCKET_PATH_LIMIT - name)));
        assert!(!fits(&folder(SOCKET_PATH_LIMIT - name + 1)));
    }
}

//! Whom the server runs as.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::{Gid, Uid, User, getegid, geteuid};

use super::Error;

/// The user that owns a cluster and runs its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Account {
    uid: Uid,
    gid: Gid,
    /// Whether it is another user than ours, which takes root.
    other: bool,
}

impl Account {
    /// We ourselves; as root, whom PostgreSQL refuses, the user `postgres` or else `nobody`.
    pub(super) fn choose() -> Result<Self, Error> {
        if !geteuid().is_root() {
            return Ok(Self { uid: geteuid(), gid: getegid(), other: false });
        }
        Self::for_root(|name| User::from_name(name).ok().flatten().map(|user| (user.uid, user.gid)))
    }

    fn for_root(user: impl Fn(&str) -> Option<(Uid, Gid)>) -> Result<Self, Error> {
        let other = |name| user(name).filter(|(uid, _)| !uid.is_root());
        let (uid, gid) = other("postgres").or_else(|| other("nobody")).ok_or(Error::NoAccount)?;
        Ok(Self { uid, gid, other: true })
    }

    /// The owner of an existing cluster, which root must run as.
    pub(super) fn owner_of(folder: &Path) -> Result<Self, Error> {
        let chosen = Self::choose()?;
        let meta = folder.metadata().map_err(Error::io(format!("could not look at `{}`", folder.display())))?;
        if !chosen.other || meta.uid() == 0 {
            return Ok(chosen);
        }
        Ok(Self { uid: Uid::from_raw(meta.uid()), gid: Gid::from_raw(meta.gid()), other: true })
    }

    /// Whether it is another user than ours.
    #[cfg(feature = "download")]
    pub(super) fn is_other(self) -> bool {
        self.other
    }

    /// Gives it a file or folder that we made.
    pub(super) fn own(self, path: &Path) -> Result<(), Error> {
        if !self.other {
            return Ok(());
        }
        let what = format!("could not give `{}` to the server's user", path.display());
        chown(path, Some(self.uid.as_raw()), Some(self.gid.as_raw())).map_err(Error::io(what))
    }

    /// Makes the command run as it.
    pub(super) fn run(self, command: &mut Command) {
        if self.other {
            command.uid(self.uid.as_raw()).gid(self.gid.as_raw());
        }
    }

    /// Whether it may enter the folder and every one above it.
    pub(super) fn can_enter(self, folder: &Path) -> bool {
        !self.other
            || folder.ancestors().all(|folder| {
                folder.metadata().is_ok_and(|meta| {
                    let shift = match meta {
                        _ if meta.uid() == self.uid.as_raw() => 6,
                        _ if meta.gid() == self.gid.as_raw() => 3,
                        _ => 0,
                    };
                    meta.mode() >> shift & 0o1 == 1
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn root_takes_postgres_or_else_nobody() {
        let choose = |users: &[(&str, u32)]| {
            let find = |name: &str| users.iter().find(|(user, _)| *user == name).map(|(_, uid)| *uid);
            let lookup = |name: &str| find(name).map(|uid| (Uid::from_raw(uid), Gid::from_raw(uid + 1)));
            Account::for_root(lookup).map(|account| (account.uid.as_raw(), account.gid.as_raw(), account.other))
        };
        assert_eq!(choose(&[("nobody", 65_534), ("postgres", 100)]).unwrap(), (100, 101, true));
        assert_eq!(choose(&[("nobody", 65_534)]).unwrap(), (65_534, 65_535, true));
        assert_eq!(choose(&[("postgres", 0), ("nobody", 65_534)]).unwrap(), (65_534, 65_535, true));
        assert!(matches!(choose(&[("root", 0)]), Err(Error::NoAccount)));
    }

    #[test]
    fn a_folder_closed_to_others_can_not_be_entered_by_another_user() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        // whatever the umask and the temporary folder's maker say
        std::fs::set_permissions(root.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let stranger = Account { uid: Uid::from_raw(54_321), gid: Gid::from_raw(54_321), other: true };
        assert!(!stranger.can_enter(&inner));
        std::fs::set_permissions(root.path(), PermissionsExt::from_mode(0o711)).unwrap();
        std::fs::set_permissions(&inner, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(stranger.can_enter(&inner));
    }
}

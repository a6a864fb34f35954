//! Finding the PostgreSQL servers that are installed on this machine.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Error;
use super::child::forget_servers;

/// A PostgreSQL server on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The folder of `postgres` and `initdb`.
    pub bin: PathBuf,
    /// Its version, such as `16.4` or `19devel`.
    pub version: String,
    /// Its major version.
    pub major: u32,
}

impl fmt::Display for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in `{}`", self.version, self.bin.display())
    }
}

/// Where servers are looked for.
#[derive(Debug, Clone)]
pub struct Search {
    /// A list of folders as in `PATH`.
    pub path: Option<OsString>,
    /// Folders whose last or middle part may be a pattern with one `*`.
    pub patterns: Vec<PathBuf>,
    /// Whether `pg_config --bindir` is asked.
    pub pg_config: bool,
}

impl Default for Search {
    fn default() -> Self {
        let patterns = [
            "/usr/lib/postgresql/*/bin",
            "/usr/pgsql-*/bin",
            "/usr/lib/postgresql*/bin",
            "/usr/lib64/pgsql*/bin",
            "/opt/homebrew/opt/postgresql*/bin",
            "/usr/local/opt/postgresql*/bin",
            "/usr/local/pgsql*/bin",
            "/Applications/Postgres.app/Contents/Versions/*/bin",
        ];
        Self {
            path: std::env::var_os("PATH"),
            patterns: patterns.into_iter().map(PathBuf::from).collect(),
            pg_config: true,
        }
    }
}

impl Search {
    /// All servers, in the order in which they were found, each once.
    pub fn installations(&self) -> Vec<Installation> {
        let mut folders: Vec<PathBuf> = self.path.iter().flat_map(std::env::split_paths).collect();
        folders.extend(self.patterns.iter().flat_map(|pattern| expand(pattern)));
        if self.pg_config {
            folders.extend(bindir());
        }
        let mut seen = HashSet::new();
        folders.iter().filter_map(|folder| installation(folder, &mut seen)).collect()
    }

    /// The server of this major version, or the newest of all.
    pub fn choose(&self, major: Option<u32>) -> Result<Installation, Error> {
        let mut found = self.installations();
        let fits = |i: &&Installation| major.is_none_or(|major| i.major == major);
        // The first of equals wins, so that PATH decides between two of one version.
        let best = found.iter().rev().filter(fits).max_by_key(|i| release(&i.version)).cloned();
        match (best, major) {
            (Some(best), _) => Ok(best),
            (None, Some(wanted)) if !found.is_empty() => {
                found.sort_by_key(|i| release(&i.version));
                Err(Error::MajorNotInstalled { wanted, found })
            }
            (None, wanted) => Err(Error::NotInstalled { wanted }),
        }
    }
}

/// The server in `folder`, unless there is none or it was seen under another name.
fn installation(folder: &Path, seen: &mut HashSet<PathBuf>) -> Option<Installation> {
    let postgres = folder.join("postgres").canonicalize().ok()?;
    if !seen.insert(postgres.clone()) {
        return None;
    }
    // `postgres` may be a link into the real folder, with `initdb` beside the target alone.
    let bin = [postgres.parent()?, folder].into_iter().find(|bin| bin.join("initdb").is_file())?.to_owned();
    examine(&bin).ok()
}

/// The server in this very folder, or why it does not run.
pub(super) fn examine(bin: &Path) -> Result<Installation, String> {
    let version = version(&bin.join("postgres"))?;
    let major = release(&version).ok_or_else(|| format!("`{version}` is no version"))?.0;
    Ok(Installation { bin: bin.to_owned(), version, major })
}

/// What `postgres --version` says: `postgres (PostgreSQL) 15.9 (Debian …)` is version 15.9.
fn version(postgres: &Path) -> Result<String, String> {
    let mut command = Command::new(postgres);
    forget_servers(&mut command);
    let output = command.arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_once("(PostgreSQL) ").and_then(|(_, rest)| rest.split_whitespace().next());
    version.map(str::to_owned).ok_or_else(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// Major and minor version. `19devel` and `19beta1` come before `19.0`, as versions of their own would.
fn release(version: &str) -> Option<(u32, u32)> {
    let (major, rest) = version.split_at(version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len()));
    let minor = rest.strip_prefix('.').and_then(|minor| minor.parse().ok()).unwrap_or(0);
    Some((major.parse().ok()?, minor))
}

/// The folders that a pattern with one `*` stands for, in order of their names.
fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::new()];
    for part in pattern.components() {
        let Some((before, after)) = part.as_os_str().to_str().and_then(|part| part.split_once('*')) else {
            for folder in &mut folders {
                folder.push(part);
            }
            continue;
        };
        let mut matches = Vec::new();
        for entry in folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| {
                name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
            }) {
                matches.push(entry.path());
            }
        }
        matches.sort();
        folders = matches;
    }
    folders
}

fn bindir() -> Option<PathBuf> {
    let mut command = Command::new("pg_config");
    forget_servers(&mut command);
    let output = command.arg("--bindir").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(text.trim_end()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder with scripts that answer `--version`.
    fn fake(root: &Path, folder: &str, version: &str) {
        let bin = root.join(folder);
        std::fs::create_dir_all(&bin).unwrap();
        for name in ["postgres", "initdb"] {
            let file = bin.join(name);
            std::fs::write(&file, format!("#!/bin/sh\necho '{name} (PostgreSQL) {version} (Made 1)'\n")).unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        }
    }

    fn search(root: &Path) -> Search {
        Search {
            path: Some(root.join("first").into_os_string()),
            patterns: vec![root.join("lib/*/bin"), root.join("pgsql-*/bin")],
            pg_config: false,
        }
    }

    #[test]
    fn the_wanted_major_is_taken_and_the_newest_where_none_is_wanted() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "lib/9.6/bin", "9.6.24");
        fake(root.path(), "lib/15/bin", "15.9");
        fake(root.path(), "pgsql-17/bin", "17.10");
        fake(root.path(), "first", "17.2");
        let search = search(root.path());
        assert_eq!(search.choose(Some(15)).unwrap().bin, root.path().canonicalize().unwrap().join("lib/15/bin"));
        assert_eq!(search.choose(None).unwrap().version, "17.10");
        let Err(Error::MajorNotInstalled { wanted: 16, found }) = search.choose(Some(16)) else { panic!() };
        assert_eq!(found.iter().map(|i| i.major).collect::<Vec<_>>(), [9, 15, 17, 17]);
    }

    #[test]
    fn of_two_with_one_version_the_one_in_path_is_taken() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "lib/17/bin", "17.2");
        fake(root.path(), "first", "17.2");
        assert!(search(root.path()).choose(None).unwrap().bin.ends_with("first"));
    }

    #[test]
    fn a_link_to_a_server_is_the_same_server() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "lib/17/bin", "17.2");
        std::fs::create_dir(root.path().join("first")).unwrap();
        std::os::unix::fs::symlink(root.path().join("lib/17/bin/postgres"), root.path().join("first/postgres"))
            .unwrap();
        let found = search(root.path()).installations();
        assert_eq!(found.len(), 1);
        assert!(found[0].bin.ends_with("lib/17/bin"));
    }

    #[test]
    fn nothing_installed_is_said() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(search(root.path()).choose(Some(12)), Err(Error::NotInstalled { wanted: Some(12) })));
    }

    #[test]
    fn versions_are_read_before_they_are_released_too() {
        assert_eq!(release("19devel"), Some((19, 0)));
        assert_eq!(release("18beta2"), Some((18, 0)));
        assert_eq!(release("16.4"), Some((16, 4)));
        assert_eq!(release("x"), None);
    }
}

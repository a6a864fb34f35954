//! What a connection takes from the process it is opened in.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Environment variables, home folder and user: handed in, so that what a target resolves to depends on nothing else.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: HashMap<String, Variable>,
    home: Option<PathBuf>,
    user: Option<String>,
    socket_folders: Vec<PathBuf>,
}

/// A variable's text, hidden from `Debug`: `PGPASSWORD` is one of them.
#[derive(Clone)]
struct Variable(String);

impl std::fmt::Debug for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl Environment {
    /// Nothing set: no variables, no home, no user.
    pub fn empty() -> Self {
        Self::default()
    }

    /// That of this process. Variables that aren't UTF-8 count as not set.
    pub fn of_process() -> Self {
        let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        Self {
            variables: std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, Variable(value.into_string().ok()?))))
                .filter(|(name, _)| name.starts_with("PG"))
                .collect(),
            home: home.or_else(|| user.as_ref().map(|user| user.dir.clone())),
            user: user.map(|user| user.name),
            socket_folders: ["/var/run/postgresql", "/tmp"].map(PathBuf::from).into(),
        }
    }

    /// The same with this variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), Variable(value.into()));
        self
    }

    /// The same with this home folder.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// The same with this name of the operating system's user.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.user = Some(name.into());
        self
    }

    /// The same with one more folder where servers make their sockets by default.
    #[must_use]
    pub fn socket_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.socket_folders.push(folder.into());
        self
    }

    /// The first of the variables that say which server is meant, if one of them is set: without any there is nothing
    /// to connect to but by default.
    pub fn names_server(&self) -> Option<&'static str> {
        ["PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGDATABASE"].into_iter().find(|name| self.get(name).is_some())
    }

    /// A variable's value, if it is set and not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|value| value.0.as_str()).filter(|value| !value.is_empty())
    }

    /// The operating system's name of the user.
    pub(super) fn user_name(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// A file in the home folder.
    pub(super) fn home_file(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(path))
    }

    /// Where a server on this machine makes the socket of this port: the first usual folder that has it; where none
    /// has, the first that exists.
    pub(super) fn default_socket_folder(&self, port: u16) -> PathBuf {
        let socket = format!(".s.PGSQL.{port}");
        let folders = || self.socket_folders.iter().map(PathBuf::as_path);
        folders()
            .find(|folder| folder.join(&socket).exists())
            .or_else(|| folders().find(|folder| folder.is_dir()))
            .unwrap_or(Path::new("/tmp"))
            .to_owned()
    }

    /// Whether sockets are made there by default: such a host is `localhost` in a password file.
    pub(super) fn is_default_socket_folder(&self, folder: &str) -> bool {
        self.socket_folders.iter().any(|default| default == Path::new(folder))
    }
}

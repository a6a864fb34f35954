//! What can go wrong around the embedded server.

use std::io;
use std::path::PathBuf;

use super::binaries::Installation;
use crate::diagnostic::Diagnostic;

/// An embedded server that can't be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No PostgreSQL on this machine.
    #[error("no PostgreSQL server is installed on this machine")]
    NotInstalled {
        /// The major version that was asked for.
        wanted: Option<u32>,
    },
    /// There are servers, but none of the major version that was asked for.
    #[error("PostgreSQL {wanted} is not installed on this machine")]
    MajorNotInstalled {
        /// The major version that was asked for.
        wanted: u32,
        /// What there is.
        found: Vec<Installation>,
    },
    /// What is not installed could not be downloaded either.
    #[error("{missing}, and the download from `{from}` failed: {reason}")]
    Download {
        /// What is not installed.
        missing: Box<Self>,
        /// Where it was to come from.
        from: String,
        /// What went wrong.
        reason: String,
    },
    /// What is downloaded can't be kept.
    #[error("a downloaded PostgreSQL can't be kept in `{}`: {error}", folder.display())]
    Cache {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A kept folder holds another major version than the one that was asked for.
    #[error("`{}` keeps a server of PostgreSQL {kept}, not {wanted}", folder.display())]
    KeptMajor {
        /// The folder.
        folder: PathBuf,
        /// Its major version.
        kept: u32,
        /// The one that was asked for.
        wanted: u32,
    },
    /// A folder to keep a server in has other things in it.
    #[error("`{}` is not empty and keeps no server", folder.display())]
    FolderTaken {
        /// The folder.
        folder: PathBuf,
    },
    /// Another run has the kept server.
    #[error("the server in `{}` is already running", folder.display())]
    AlreadyRunning {
        /// The folder.
        folder: PathBuf,
        /// The server's process, where it is known.
        pid: Option<i32>,
    },
    /// No folder is fit for a socket.
    #[error("no folder for temporary files is fit for a server's socket: {}", list(tried))]
    NoFolder {
        /// The folders that were looked at, each with its fault.
        tried: Vec<String>,
    },
    /// The server's user can't enter a folder to keep a server in.
    #[error("the server's user can't enter `{}`", folder.display())]
    FolderClosed {
        /// The folder.
        folder: PathBuf,
    },
    /// Run as root, and there is no user to run the server as.
    #[error("PostgreSQL refuses to run as root, and there is neither a user `postgres` nor a user `nobody`")]
    NoAccount,
    /// A setting that isn't the scenario's to choose.
    #[error("the setting `{0}` belongs to the embedded server itself")]
    OwnSetting(String),
    /// A setting whose name or value can't stand in a configuration file.
    #[error("`{0}` can't be given to the embedded server")]
    BadSetting(String),
    /// `initdb` ended with an error.
    #[error("`initdb` failed: {}", last_line(output))]
    Initdb {
        /// The end of what it printed.
        output: String,
    },
    /// The server ended while it started.
    #[error("the embedded server did not start: {}", last_line(log))]
    Start {
        /// The end of its log.
        log: String,
    },
    /// The server was not ready in time.
    #[error("the embedded server was not ready after {seconds} seconds")]
    NotReady {
        /// How long it was given.
        seconds: u64,
        /// The end of its log.
        log: String,
    },
    /// The server did not stop in time, to be started again.
    #[error("the embedded server did not stop within {seconds} seconds")]
    NotStopped {
        /// How long it was given.
        seconds: u64,
        /// The end of its log.
        log: String,
    },
    /// The guard did not answer.
    #[error("the process that cleans up after the embedded server did not start")]
    Guard,
    /// The guard could not stop the server or remove its folder.
    #[error("the embedded server left `{}` behind", folder.display())]
    LeftBehind {
        /// What is still there.
        folder: PathBuf,
    },
    /// A call to the system failed.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        error: io::Error,
    },
}

impl Error {
    /// For `map_err`: an I/O error with what was tried.
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |error| Self::Io { what, error }
    }

    /// What the user is told.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string()).help(self.help())
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotInstalled { .. } => "server::not_installed",
            Self::MajorNotInstalled { .. } => "server::major_not_installed",
            Self::Download { .. } => "server::download",
            Self::Cache { .. } => "server::cache",
            Self::KeptMajor { .. } => "server::kept_major",
            Self::FolderTaken { .. } => "server::folder_taken",
            Self::AlreadyRunning { .. } => "server::already_running",
            Self::NoFolder { .. } => "server::no_folder",
            Self::FolderClosed { .. } => "server::folder_closed",
            Self::NoAccount => "server::no_account",
            Self::OwnSetting(_) => "server::own_setting",
            Self::BadSetting(_) => "server::bad_setting",
            Self::Initdb { .. } => "server::initdb",
            Self::Start { .. } => "server::start",
            Self::NotReady { .. } => "server::not_ready",
            Self::NotStopped { .. } => "server::not_stopped",
            Self::Guard => "server::guard",
            Self::LeftBehind { .. } => "server::left_behind",
            Self::Io { .. } => "server::io",
        }
    }

    fn help(&self) -> String {
        match self {
            Self::NotInstalled { wanted } => {
                format!("install one with {}, or name a running server with `--server`", install(*wanted))
            }
            Self::MajorNotInstalled { wanted, found } => format!(
                "found {}; install it with {}, take another with `--server embedded:MAJOR`, or name a running server with `--server`",
                list(found),
                install(Some(*wanted))
            ),
            Self::Download { missing, .. } => {
                format!("{}; REPRISE_POSTGRES_MIRROR names another place to download from", missing.help())
            }
            Self::Cache { error, .. } if error.kind() == io::ErrorKind::StorageFull => {
                "free some space, or set XDG_CACHE_HOME to a folder on a larger disk".to_owned()
            }
            Self::Cache { .. } => {
                "set XDG_CACHE_HOME to a folder that can be written to and that every user may enter".to_owned()
            }
            Self::KeptMajor { folder, kept, .. } => format!(
                "take PostgreSQL {kept}, another folder, or remove `{}` if its data is not needed",
                folder.display()
            ),
            Self::FolderTaken { .. } => "name a folder that does not exist yet or is empty".to_owned(),
            Self::AlreadyRunning { pid: Some(pid), .. } => {
                format!("wait for the run that uses it; where there is none, end its process with `kill -INT {pid}`")
            }
            Self::AlreadyRunning { pid: None, .. } => {
                "wait for the run that uses it, or take another folder".to_owned()
            }
            Self::NoFolder { .. } => {
                "set TMPDIR to a folder with a short path that the server's user can enter, such as /tmp".to_owned()
            }
            Self::FolderClosed { .. } => "name a folder below one that every user may enter".to_owned(),
            Self::NoAccount => "run as another user, or make one with `useradd --system postgres`".to_owned(),
            Self::OwnSetting(_) => "leave it out: the server listens on a private Unix socket only".to_owned(),
            Self::BadSetting(_) => "a setting's name has letters, digits, `_` and `.` only".to_owned(),
            Self::Initdb { output: text }
            | Self::Start { log: text }
            | Self::NotReady { log: text, .. }
            | Self::NotStopped { log: text, .. } => {
                format!("its last lines were:\n{}", text.trim_end())
            }
            Self::Guard => "see whether this machine is out of memory or processes".to_owned(),
            Self::LeftBehind { .. } => "remove it by hand once no process uses it".to_owned(),
            Self::Io { error, .. } if error.kind() == io::ErrorKind::StorageFull => {
                "free some space, or set TMPDIR to a folder on a larger disk".to_owned()
            }
            Self::Io { .. } => "see whether the folder for temporary files (TMPDIR) can be written to".to_owned(),
        }
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The line that says what happened: the last one that is marked as an error, else the last one.
fn last_line(text: &str) -> &str {
    let marked = |line: &&str| ["FATAL: ", "PANIC: ", "error: "].iter().any(|mark| line.contains(mark));
    let line = text.lines().rev().find(marked).or_else(|| text.lines().rev().find(|l| !l.trim().is_empty()));
    line.unwrap_or("it printed nothing").trim()
}

/// The commands that install PostgreSQL.
fn install(major: Option<u32>) -> String {
    let (debian, red_hat, brew) = match major {
        Some(major) => (format!("-{major}"), major.to_string(), format!("@{major}")),
        None => (String::new(), String::new(), String::new()),
    };
    format!(
        "`apt-get install postgresql{debian}` (Debian, Ubuntu), `dnf install postgresql{red_hat}-server` (RHEL, Fedora) or `brew install postgresql{brew}` (macOS)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_marked_fatal_says_what_happened() {
        let log = "LOG: starting\nFATAL:  could not map shared memory\nHINT: none\n";
        assert_eq!(last_line(log), "FATAL:  could not map shared memory");
        assert_eq!(last_line("one\ntwo\n\n"), "two");
        assert_eq!(last_line(""), "it printed nothing");
    }

    #[test]
    fn a_missing_major_names_what_was_found_and_how_to_install_it() {
        let found = vec![Installation { bin: "/usr/lib/postgresql/15/bin".into(), version: "15.9".into(), major: 15 }];
        let diagnostic = Error::MajorNotInstalled { wanted: 17, found }.diagnostic();
        assert_eq!(diagnostic.code, "server::major_not_installed");
        let help = diagnostic.help.unwrap();
        for part in ["15.9 in `/usr/lib/postgresql/15/bin`", "postgresql-17", "postgresql17-server", "postgresql@17"] {
            assert!(help.contains(part), "{part} in {help}");
        }
    }
}

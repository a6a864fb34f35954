//! The files that belong to a scenario.
//!
//! Scenarios come from strangers, so what one names is read only from its own folder and below, links followed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The folder that a scenario may read from.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is none.
    #[error("there is no file `{0}`")]
    NotFound(String),
    /// It lies elsewhere.
    #[error("`{0}` is outside the scenario's folder")]
    Outside(String),
    /// It is not UTF-8.
    #[error("`{0}` is not text in UTF-8")]
    NotText(String),
    /// The system refused.
    #[error("can't read `{0}`: {1}")]
    Refused(String, String),
}

impl Error {
    /// As it is shown; `span` is where the file was named.
    pub(crate) fn diagnostic(&self, span: Option<Span>) -> Diagnostic {
        let (code, text, help) = match self {
            Self::NotFound(_) => {
                ("files::not_found", "named here", "names are relative to the folder of the file that has them")
            }
            Self::Outside(_) => {
                ("files::outside", "leads outside", "move it beside the scenario; a scenario reads nothing else")
            }
            Self::NotText(_) => ("files::not_text", "named here", "convert it with `iconv -t UTF-8`"),
            Self::Refused(..) => ("files::refused", "named here", "check its kind and its permissions"),
        };
        let diagnostic = Diagnostic::error(code, self.to_string()).help(help);
        match (span, self) {
            (Some(span), _) => diagnostic.label(span, text),
            // the user named it, not a file
            (None, Self::NotFound(_)) => diagnostic.help("check the path, and the folder that you are in"),
            (None, _) => diagnostic,
        }
    }

    fn of(error: &io::Error, name: &str) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound(name.to_owned()),
            io::ErrorKind::InvalidData => Self::NotText(name.to_owned()),
            _ => Self::Refused(name.to_owned(), error.to_string()),
        }
    }
}

impl Files {
    /// The files that belong to this scenario or script.
    pub(crate) fn beside(scenario: &Path) -> Self {
        let folder = match scenario.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Self { folder }
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The text of the file that a scenario calls `name`.
    pub(crate) fn read(&self, name: &str) -> Result<String, Error> {
        let (mut file, _) = self.open(name)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| Error::of(&error, name))?;
        Ok(text)
    }

    /// The file that a scenario calls `name`, and its size in bytes.
    pub(crate) fn open(&self, name: &str) -> Result<(File, u64), Error> {
        let failed = |error: io::Error| Error::of(&error, name);
        let folder = self.folder.canonicalize().map_err(failed)?;
        // `join` of an absolute name gives that name, which is then refused like any other outside
        let path = self.folder.join(name).canonicalize().map_err(failed)?;
        if !path.starts_with(&folder) {
            return Err(Error::Outside(name.to_owned()));
        }
        // a pipe would be waited for without end
        let meta = path.metadata().map_err(failed)?;
        if !meta.is_file() {
            return Err(Error::Refused(name.to_owned(), "it is no ordinary file".to_owned()));
        }
        Ok((File::open(path).map_err(failed)?, meta.len()))
    }
}

/// The text of a file that the user named, wherever it is; `-` is standard input.
pub(crate) fn read_named(path: &Path) -> Result<String, Error> {
    let text = if path == Path::new("-") { io::read_to_string(io::stdin()) } else { fs::read_to_string(path) };
    text.map_err(|error| Error::of(&error, &path.display().to_string()))
}

/// Writes a file for the user, unless there is one.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let written = OpenOptions::new().write(true).create_new(true).open(path);
    written.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Diagnostic::error("files::exists", format!("there is a file `{}` already", path.display()))
                .help("choose another name, or remove it")
        }
        _ => Diagnostic::error("files::not_written", format!("can't write `{}`: {error}", path.display()))
            .help("check the folder's permissions and its free space"),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Error, Files, read_named};

    #[test]
    fn only_what_lies_below_the_scenario_is_read() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        fs::create_dir_all(inner.join("sql")).unwrap();
        fs::write(outer.path().join("secret"), "no").unwrap();
        fs::write(inner.join("sql/a.sql"), "select 1;").unwrap();
        fs::write(inner.join("latin1.sql"), b"\xe9").unwrap();
        std::os::unix::fs::symlink(outer.path().join("secret"), inner.join("link")).unwrap();
        std::os::unix::fs::symlink("sql/a.sql", inner.join("good")).unwrap();
        let files = Files::beside(&inner.join("s.yaml"));
        assert_eq!(files.read("sql/a.sql").unwrap(), "select 1;");
        assert_eq!(files.read("sql/../good").unwrap(), "select 1;");
        let absolute = outer.path().join("secret");
        for outside in ["../secret", "link", absolute.to_str().unwrap()] {
            assert!(matches!(files.read(outside), Err(Error::Outside(_))), "{outside}");
        }
        assert!(matches!(files.read("none.sql"), Err(Error::NotFound(_))));
        assert!(matches!(files.read("latin1.sql"), Err(Error::NotText(_))));
        assert!(matches!(files.read("sql"), Err(Error::Refused(..))));
        assert!(matches!(read_named(&inner.join("none")), Err(Error::NotFound(_))));
    }

    #[test]
    fn a_bare_name_lies_in_the_working_folder() {
        assert!(Files::beside(Path::new("s.yaml")).read("Cargo.toml").is_ok());
    }
}

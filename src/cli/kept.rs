//! Reads runs that were kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::report::{self, Report, json};

/// Where runs are kept, unless `--out` says otherwise.
pub(super) const RUNS: &str = "reprise-runs";
/// The file that a run is kept in.
pub(super) const FILE: &str = "run.json";
/// What names the run that was kept last.
pub(super) const LAST: &str = "last";

/// The run in a folder or a file; `last` is the one that was kept last below this folder.
pub(super) fn read(path: &Path) -> Result<Report, Diagnostic> {
    let mut file = path.to_owned();
    if path == Path::new(LAST) && !path.exists() {
        file = PathBuf::from(RUNS).join(LAST);
    }
    if file.is_dir() {
        let matrix = !file.join(FILE).exists() && file.join("matrix.json").exists();
        if matrix {
            let text = format!("`{}` holds a matrix", path.display());
            return Err(Diagnostic::error("report::matrix", text).help("name the folder of one of its points"));
        }
        file = file.join(FILE);
    }
    let text = fs::read_to_string(&file).map_err(|error| not_read(path, &file, &error))?;
    json::parse(&text).map_err(|error| refused(&file, &error))
}

fn not_read(path: &Path, file: &Path, error: &io::Error) -> Diagnostic {
    let help = match error.kind() {
        io::ErrorKind::NotFound if path == Path::new(LAST) => "no run was kept here yet; name a run's folder",
        io::ErrorKind::NotFound => "give a run's folder, the run.json in it, or `last`",
        io::ErrorKind::InvalidData => "give a run's folder, or the run.json in it",
        _ => "check its permissions",
    };
    Diagnostic::error("report::not_read", format!("can't read `{}`: {error}", file.display())).help(help)
}

fn refused(file: &Path, error: &report::Error) -> Diagnostic {
    Diagnostic::error(error.code(), format!("`{}`: {error}", file.display())).help(error.help())
}

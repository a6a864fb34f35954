//! Keeps a run: `reprise-runs/NAME/TIME/run.json`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::kept::{FILE, LAST, RUNS};
use crate::diagnostic::Diagnostic;
use crate::report::{Report, json, junit, markdown};

/// Refuses, before anything is measured, what a run can't be kept in.
pub(super) fn check(out: Option<&Path>) -> Result<(), Diagnostic> {
    match out {
        Some(path) if path.exists() && !path.is_dir() => {
            let message = format!("`--out` names `{}`, which is a file", path.display());
            Err(Diagnostic::error("files::not_written", message).help("name a folder; one that isn't there is made"))
        }
        _ => Ok(()),
    }
}

/// Writes the run into `out`, or into a folder of its own, and says where.
pub(super) fn keep(report: &Report, out: Option<&Path>) -> Result<PathBuf, Diagnostic> {
    let written = match out {
        Some(folder) => write(report, folder).map(|()| folder.to_owned()),
        None => among_runs(&report.scenario.name, &report.started, |folder| write(report, folder)),
    };
    written.map_err(|error| not_kept(out, &error))
}

/// Why a run was not kept.
pub(super) fn not_kept(out: Option<&Path>, error: &io::Error) -> Diagnostic {
    let folder = out.unwrap_or(Path::new(RUNS)).display();
    Diagnostic::error("files::not_written", format!("the run could not be kept in `{folder}`: {error}"))
        .help("name a folder that can be written to with `--out`")
}

/// Makes a folder of a scenario's own among the runs, fills it, and lets `last` name it.
pub(super) fn among_runs(
    scenario: &str,
    started: &str,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let runs = Path::new(RUNS);
    let folder = runs.join(scenario);
    fs::create_dir_all(&folder)?;
    let ignore = runs.join(".gitignore");
    if !ignore.exists() {
        fs::write(ignore, "*\n")?;
    }
    let time = started.split(['.', '+', 'Z']).next().unwrap_or_default().replace(':', "-");
    let (name, folder) = create(&folder, &time)?;
    fill(&folder)?;
    link(&runs.join(LAST), &Path::new(scenario).join(name))?;
    Ok(folder)
}

/// A new folder; two runs of one second get different names.
fn create(scenario: &Path, time: &str) -> io::Result<(String, PathBuf)> {
    let mut number = 1;
    loop {
        let name = if number == 1 { time.to_owned() } else { format!("{time}-{number}") };
        let folder = scenario.join(&name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((name, folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Writes a run into a folder, which is made where it isn't there: what it was, then what others look at.
pub(super) fn write(report: &Report, folder: &Path) -> io::Result<()> {
    write_whole(folder, FILE, &json::render(report))?;
    write_whole(folder, "report.md", &markdown::render(report))?;
    write_whole(folder, "junit.xml", &junit::render(report))
}

/// Writes a file whole or not at all.
pub(super) fn write_whole(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let unfinished = folder.join(format!("{name}.tmp"));
    let kept = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, folder.join(name)));
    if kept.is_err() {
        let _ = fs::remove_file(unfinished);
    }
    kept
}

/// Replaces a link in one step, so that there is always one.
fn link(path: &Path, target: &Path) -> io::Result<()> {
    let fresh = path.with_extension(format!("new{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    std::os::unix::fs::symlink(target, &fresh)?;
    fs::rename(fresh, path)
}

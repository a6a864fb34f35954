//! The real pgbench of PostgreSQL 18.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that `REPRISE_PGBENCH` names, that of the folder `REPRISE_PG18`, or what `.ci/run` gets, if it is there.
pub fn find_pgbench18() -> Option<PathBuf> {
    let named = std::env::var_os("REPRISE_PGBENCH").map(PathBuf::from);
    let folder = std::env::var_os("REPRISE_PG18").map(|folder| PathBuf::from(folder).join("bin/pgbench"));
    let places = [named, folder, Some("/var/tmp/reprise-ci/pg18/bin/pgbench".into())];
    places.into_iter().flatten().find(|program| is_18(program))
}

/// The same, which has to be there.
pub fn pgbench18() -> PathBuf {
    find_pgbench18()
        .expect("no pgbench 18 found: name PostgreSQL 18's folder in REPRISE_PG18, or run .ci/run, which gets one")
}

fn is_18(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(" 18."))
}

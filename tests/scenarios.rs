//! The library of scenarios, run: every example as it is, and the quick profile of every other one. Each has a database
//! of its own on one server; those that say how their server is to be get an embedded one, which takes longer to make.
#![allow(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Server, reprise, run};

/// The folder of features, whose scenarios are small enough to run as they are.
const EXAMPLES: &str = "examples/";

/// The folder of pgbench's own scripts, which a scenario names by `builtin`.
const BUILTINS: &str = "pgbench/";

/// More than the cores of a small machine: much of a run is waiting.
const AT_ONCE: usize = 4;

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// Every file of the library, by its path within it.
fn files() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![library()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                // what a run by hand keeps is no part of the library
                folders.extend((entry.file_name() != "reprise-runs").then_some(path));
            } else {
                found.push(path.strip_prefix(library()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|e| e == extension)
}

fn scenarios() -> Vec<String> {
    files().into_iter().filter(|file| has_extension(file, "yaml")).collect()
}

fn text(file: &str) -> String {
    fs::read_to_string(library().join(file)).unwrap()
}

/// Whether only an embedded server will do.
fn needs_its_own_server(text: &str) -> bool {
    ["restart: embedded", "auth: ", "\n  version: "].iter().any(|key| text.contains(key))
}

/// The oldest major version that a scenario runs on, where it says.
fn min_version(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("\n  min_version: ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn major(server: &Server) -> u32 {
    server.psql("show server_version_num").trim().parse::<u32>().unwrap() / 10_000
}

/// A scenario that is run: what was wrong with it, if anything.
fn fault(file: &str, server: &Server) -> Option<String> {
    // the server's user enters it, and it holds all that a run leaves behind
    let folder = tempfile::Builder::new().prefix("lib-").tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (out, temporary) = (folder.path().join("run"), folder.path().join("t"));
    fs::create_dir(&temporary).unwrap();
    fs::set_permissions(&temporary, fs::Permissions::from_mode(0o1777)).unwrap();
    let mut command = reprise(["run"]);
    command.arg(library().join(file)).arg("--out").arg(&out).env("TMPDIR", &temporary);
    if !file.starts_with(EXAMPLES) {
        command.args(["--profile", "quick"]);
    }
    let text = text(file);
    if text.contains("shell:") {
        command.arg("--allow-shell");
    }
    let database = file.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    // not every server is built with it, and those of the machine's packages are
    let needs_lz4 = text.contains("compression lz4");
    let is_shared = !needs_its_own_server(&text) && !needs_lz4;
    if is_shared {
        server.psql(&format!("create database {database}"));
        command.arg("--server").arg(server.url().replace("dbname=postgres", &format!("dbname={database}")));
    }
    if let (Some(folder), false) = (std::env::var_os("REPRISE_PG18"), needs_lz4) {
        // where a scenario asks for a newer server than the machine's own
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from(folder).join("bin")]);
        command.env("PATH", std::env::join_paths(folders).unwrap());
    }
    let ended = run(&mut command);
    let said = format!("{}{}", ended.out, ended.err);
    if is_shared {
        // refused where a session is left in it
        server.psql(&format!("drop database {database}"));
    }
    if is_shared && min_version(&text).is_some_and(|least| major(server) < least) {
        let refused = ended.code == Some(1) && said.contains("setup::min_version");
        return (!refused).then(|| format!("a server that is too old was not refused:\n{said}"));
    }
    if ended.code != Some(0) {
        return Some(format!("ended with {:?}:\n{said}", ended.code));
    }
    let kept = kept_runs(&out);
    if kept.is_empty() {
        return Some(format!("no run.json was kept:\n{said}"));
    }
    let mut faults: Vec<String> = kept.iter().flat_map(faults_of_run).collect();
    let left = processes_of(folder.path());
    if !left.is_empty() {
        faults.push(format!("processes are left: {left:?}"));
    }
    let left: Vec<_> = fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.path()).collect();
    if !left.is_empty() {
        faults.push(format!("temporary files are left: {left:?}"));
    }
    (!faults.is_empty()).then(|| format!("{}\n{said}", faults.join("\n")))
}

/// The runs below a folder: one, or those of a matrix.
fn kept_runs(folder: &Path) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(kept_runs(&path));
        } else if entry.file_name() == "run.json" {
            found.push(serde_json::from_slice(&fs::read(path).unwrap()).unwrap());
        }
    }
    found
}

/// Phases that measured nothing, or not what they were asked for.
fn faults_of_run(run: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if run["verdict"]["outcome"] != "complete" {
        faults.push(format!("the verdict is {}", run["verdict"]));
    }
    for phase in run["phases"].as_array().unwrap() {
        let number = |key: &str| phase["total"][key].as_u64().unwrap();
        let (done, load) = (number("transactions"), &phase["load"]);
        let ended = done + number("failed") + number("skipped") + number("unfinished");
        let of = |key: &str| load["stop"][key].as_u64();
        let each = of("transactions_per_client").map(|each| each * load["clients"].as_u64().unwrap());
        let asked = of("transactions").or(each);
        let name = &phase["name"];
        if done == 0 {
            faults.push(format!("phase {name} did nothing"));
        }
        if let Some(asked) = asked.filter(|asked| *asked != ended && phase["ending"] == "complete") {
            faults.push(format!("phase {name} ended {ended} transactions of {asked}"));
        }
    }
    faults
}

/// Processes that know a folder: it is in their command line or in the environment that they were started with.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let knows = |process: &Path, file: &str| {
        fs::read(process.join(file)).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(folder))
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let left = processes.filter(|process| knows(process, "cmdline") || knows(process, "environ"));
    left.map(|process| fs::read_to_string(process.join("stat")).unwrap_or_default()).collect()
}

#[test]
fn every_scenario_of_the_library_runs() {
    let server = Server::with_settings(&[("max_connections", "300")]);
    let scenarios = scenarios();
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(file) = scenarios.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(fault) = fault(file, &server) {
                        faults.lock().unwrap().push(format!("== scenarios/{file}\n{fault}"));
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "\n{}\n{} of {} scenarios failed", faults.join("\n"), faults.len(), scenarios.len());
}

#[test]
fn every_file_of_the_library_is_run() {
    let scenarios = scenarios();
    let texts: Vec<(&String, String)> = scenarios.iter().map(|file| (file, text(file))).collect();
    let mut faults = Vec::new();
    for file in files() {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", &file));
        let taken = if has_extension(&file, "yaml") {
            folder == "examples" || ["apps", "blog"].contains(&folder) && text(&file).contains("\n  quick:")
        } else if has_extension(&file, "md") {
            name == "README.md" || scenarios.contains(&file.replace(".md", ".yaml"))
        } else if file.starts_with(BUILTINS) {
            let builtin = format!("builtin: {}", name.trim_end_matches(".sql"));
            texts.iter().any(|(_, text)| text.contains(&builtin))
        } else {
            texts.iter().any(|(scenario, text)| {
                let beside = scenario.rsplit_once('/').map_or("", |(folder, _)| folder);
                file.strip_prefix(beside).is_some_and(|path| text.contains(path.trim_start_matches('/')))
            })
        };
        if !taken {
            faults.push(file);
        }
    }
    assert!(
        faults.is_empty(),
        "no test runs these. A scenario is a .yaml in examples/, or one with a profile `quick` in apps/ or blog/; any \
         other file is named by one, or is its page: {faults:#?}"
    );
}

#[test]
fn the_readme_lists_every_scenario_in_a_sentence() {
    let readme = text("README.md");
    let listed = |line: &str| {
        let (link, sentence) = line.strip_prefix("| [")?.split_once(" | ")?;
        let path = link.split_once("](")?.1.trim_end_matches([')', ' ']).to_owned();
        (sentence.trim_end_matches([' ', '|']).len() > 20).then_some(path)
    };
    let listed: BTreeSet<String> = readme.lines().filter_map(listed).collect();
    let there: BTreeSet<String> = scenarios().into_iter().collect();
    let missing: Vec<_> = there.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&there).collect();
    assert!(missing.is_empty() && stale.is_empty(), "not in scenarios/README.md: {missing:#?}; stale: {stale:#?}");
}

//! What a script does before anything is measured: `run --once`, `run --hold`, `check --server`.
#![expect(clippy::unwrap_used, reason = "a test's fixtures are there")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{Ended, Server, reprise, run};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scenario, with some words of it replaced.
fn scenario(folder: &Path, changes: &[(&str, &str)]) -> PathBuf {
    let text = fs::read_to_string(root().join("tests/cli/once.yaml")).unwrap();
    let edited = changes.iter().fold(text.clone(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let path = folder.join("once.yaml");
    fs::write(&path, edited).unwrap();
    path
}

fn call(folder: &Path, args: &[&str]) -> Ended {
    run(reprise(args.iter().copied()).env("COLUMNS", "100").current_dir(folder))
}

#[test]
fn each_script_runs_once_and_shows_statements_rows_and_variables() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[]);
    let ended = call(folder.path(), &["run", "once.yaml", "--once", "--server", &server.url()]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    insta::assert_snapshot!("once", ended.out);
    assert!(!folder.path().join("reprise-runs").exists(), "nothing was measured, so nothing is kept");
    assert_eq!(server.psql("select owner from account where id = 5"), "a100");
    // the simple protocol takes another way, and set-up is left out
    let changes = [("load: {", "load: {protocol: simple, ")];
    scenario(folder.path(), &changes);
    let args = ["run", "once.yaml", "--once", "--only", "phases", "--server", &server.url()];
    let simple = call(folder.path(), &args);
    assert_eq!((simple.code, simple.out.replace("a100", "owner 5")), (Some(0), ended.out));
}

#[test]
fn a_feed_is_read_for_the_script_that_takes_its_rows() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let text = "reprise: 1\nfeeds: {people: {query: select 7 as person}}\nscripts:\n  first: {sql: select 1}\n  \
                fed:\n    sql: |\n      \\feed people\n      select :person::int + 1 as next;\nload: {transactions: 1}\n";
    fs::write(folder.path().join("fed.yaml"), text).unwrap();
    let ended = call(folder.path(), &["run", "fed.yaml", "--once", "--server", &server.url()]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains('8'), "{}", ended.out);
}

#[test]
fn it_is_refused_beside_a_part_that_runs_no_script() {
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[]);
    for part in ["setup", "teardown"] {
        let ended = call(folder.path(), &["run", "once.yaml", "--once", "--only", part]);
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert!(ended.err.contains("usage::once") && ended.err.contains(part), "{}", ended.err);
    }
}

#[test]
fn a_script_that_fails_is_shown_at_its_command_and_the_others_run() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[("select owner, balance", "select owner, balanse")]);
    let ended = call(folder.path(), &["run", "once.yaml", "--once", "--server", &server.url()]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
    for part in ["run::once", "`look` failed: column \"balanse\" does not exist", "once.yaml:13:7", "1 error"] {
        assert!(ended.err.contains(part), "{part} is not in\n{}", ended.err);
    }
    assert!(ended.out.contains("  commit;\n"), "{}", ended.out);
}

#[test]
fn check_shows_the_types_of_parameters_and_the_place_of_what_the_server_refuses() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[]);
    let url = server.url();
    let check = || call(folder.path(), &["check", "once.yaml", "--server", &url]);
    let missing = check();
    assert_eq!(missing.code, Some(1), "{}", missing.out);
    assert!(missing.out.contains("once.yaml: the server refuses 3 statements\n"), "{}", missing.out);
    for part in ["check::refused", "relation \"account\" does not exist", "once.yaml:14:14", "--only setup"] {
        assert!(missing.err.contains(part), "{part} is not in\n{}", missing.err);
    }
    let setup = call(folder.path(), &["run", "once.yaml", "--only", "setup", "--server", &url]);
    assert_eq!(setup.code, Some(0), "{}", setup.err);
    let fine = check();
    assert_eq!((fine.code, fine.err.as_str()), (Some(0), ""), "{}", fine.out);
    insta::assert_snapshot!("check_types", fine.out);
    scenario(folder.path(), &[("where id = 5;", "where idd = 5;")]);
    let typo = check();
    assert!(typo.err.contains("column \"idd\" does not exist"), "{}", typo.err);
    assert!(typo.err.contains("once.yaml:24:69"), "{}", typo.err);
    assert_eq!(server.psql("select owner from account where id = 5"), "owner 5", "nothing is executed");
    let embedded = call(folder.path(), &["check", "once.yaml", "--server", "embedded"]);
    for part in ["usage::embedded", "`reprise run SCENARIO --once`"] {
        assert!(embedded.err.contains(part), "{part} is not in\n{}", embedded.err);
    }
}

#[test]
fn a_parameter_whose_type_the_server_cannot_tell_is_named_with_the_remedy_wherever_it_is_met() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let text = "reprise: 1\nvars: {accounts: 1, note: x}\nscripts:\n  look:\n    sql: |\n      \
                select 1 where :accounts::int > 0 and :'note' is null;\nload: {transactions: 1}\n";
    let call = |text: &str, args: &[&str]| {
        fs::write(folder.path().join("untyped.yaml"), text).unwrap();
        call(folder.path(), &[args, &["--server", &server.url()]].concat())
    };
    let remedy = "say its type, as in `:note::text`";
    let in_extended = text.replace("load: {", "load: {protocol: extended, ");
    let aborting = text.replace("load: {", "load: {on_error: abort_client, ");
    let pipelined = text.replace("sql: |\n", "sql: |\n      \\startpipeline\n");
    let pipelined = pipelined.replace("null;\n", "null;\n      \\endpipeline\n");
    for text in [text, &in_extended, &aborting, &pipelined] {
        for (args, code) in [(&["check", "untyped.yaml"][..], 1), (&["run", "untyped.yaml", "--once"], 1)] {
            let ended = call(text, args);
            assert_eq!(ended.code, Some(code), "{}{}", ended.out, ended.err);
            assert!(ended.err.contains(&format!("help: {remedy}")), "{args:?} of\n{text}{}", ended.err);
        }
        let ended = call(text, &["run", "untyped.yaml", "--only", "phases"]);
        let words = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("parameter $2: {remedy}")), "run of\n{text}{}{}", ended.out, ended.err);
    }
    // a literal has a type
    let simple = text.replace("load: {", "load: {protocol: simple, ");
    let ended = call(&simple, &["check", "untyped.yaml"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{}", ended.out);
    assert!(ended.out.contains("can't be prepared before its variables have values"), "{}", ended.out);
    assert_eq!(call(&simple, &["run", "untyped.yaml", "--once"]).code, Some(0));
}

/// Reads lines until one has `part`, and gives that one.
fn read_to(lines: &mut impl Iterator<Item = std::io::Result<String>>, part: &str) -> String {
    lines.map(Result::unwrap).find(|line| line.contains(part)).unwrap_or_else(|| panic!("no line with {part}"))
}

#[test]
fn the_embedded_server_is_held_until_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[("vars:", "server: {auth: scram-sha-256}\nvars:")]);
    let args = ["run", "once.yaml", "--hold", "--only", "setup"];
    let mut command = reprise(args);
    for name in ["PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGDATABASE"] {
        command.env_remove(name);
    }
    let mut child = command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    read_to(&mut lines, "until Ctrl-C");
    let line = lines.next().unwrap().unwrap();
    assert!(line.starts_with("PGPASSFILE='") && line.contains("postgresql://postgres@/postgres?host="), "{line}");
    let psql = format!("{line} -XAtc 'select count(*) from account'").replacen("psql", "command psql -w", 1);
    let output = Command::new("sh").args(["-c", &psql]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "100\n", "{}", String::from_utf8_lossy(&output.stderr));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(out.contains("fill account: "), "{out}");
    let pgpass = line.split('\'').nth(1).unwrap();
    assert!(!Path::new(pgpass).exists(), "the password is gone with the server");
}

#[test]
fn the_server_of_a_failed_run_is_held_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = "reprise: 1\nsetup: [{name: bad, sql: select 1 / 0}]\nscripts: {one: {sql: select 1}}\nload: {transactions: 1}\n";
    fs::write(folder.path().join("bad.yaml"), text).unwrap();
    let mut command = reprise(["run", "bad.yaml", "--hold"]);
    for name in ["PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGDATABASE"] {
        command.env_remove(name);
    }
    let mut child = command.current_dir(folder.path()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(read_to(&mut lines, "failed:").contains("division by zero"));
    read_to(&mut lines, "until Ctrl-C");
    let psql = format!("{} -XAtc 'select 2'", lines.next().unwrap().unwrap());
    let output = Command::new("sh").args(["-c", &psql]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n", "{}", String::from_utf8_lossy(&output.stderr));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    read_to(&mut lines, "setup::statement");
}

#[test]
fn what_measures_nothing_takes_no_option_of_a_report() {
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[]);
    for args in [["--once", "--out=x"], ["--once", "--format=json"], ["--only=setup", "--out=x"]] {
        let ended = call(folder.path(), &[&["run", "once.yaml"], &args[..]].concat());
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert!(ended.err.contains("usage::nothing_to_report"), "{}", ended.err);
    }
}

#[test]
fn only_the_embedded_server_is_held() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), &[]);
    let ended = call(folder.path(), &["run", "once.yaml", "--hold", "--server", &server.url()]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("usage::hold"), "{}", ended.err);
    assert_eq!(server.psql("select to_regclass('account') is null"), "t");
}

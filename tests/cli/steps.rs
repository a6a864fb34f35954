//! Steps as their user meets them: what is refused before anything is done, and what is shown.

use std::fs;
use std::path::Path;

use crate::support::{Ended, Server, reprise, run};

const LOAD: &str = "scripts: {one: {sql: select 1}}\nload: {transactions: 1}\n";

/// Runs a scenario that lies in a folder of its own with these files.
fn scenario(text: &str, files: &[(&str, &str)], arguments: &[&str]) -> (Ended, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let path = folder.path().join("s.yaml");
    fs::write(&path, format!("reprise: 1\n{text}")).unwrap();
    let mut command = reprise(["run", path.to_str().unwrap()]);
    let ended = run(command.args(arguments).current_dir(folder.path()));
    (ended, folder)
}

fn ran(folder: &Path) -> bool {
    folder.join("touched").exists()
}

#[test]
fn commands_of_the_shell_are_refused_in_each_place_unless_they_are_allowed() {
    let server = Server::start();
    let text = "setup:\n  - shell: touch touched\nscripts:\n  one:\n    sql: |\n      \\setshell n echo 42\n      \\shell test :n = 42\n      \
                \\assert :n = 42\n      select 1\nload: {transactions: 1}\nphases:\n  - {name: a}\n  - shell: echo \"$PGUSER\" > user\n  - {name: b}\nteardown:\n  - shell: touch gone\n";
    let (ended, folder) = scenario(text, &[], &["--server", &server.url()]);
    assert_eq!(ended.code, Some(1));
    for line in ["s.yaml:3:12", "s.yaml:7:7", "s.yaml:8:7", "s.yaml:14:12", "s.yaml:17:12"] {
        assert!(ended.err.contains(line), "{line}: {}", ended.err);
    }
    assert!(ended.err.contains("`--allow-shell`") && !ran(folder.path()), "{}", ended.err);
    let (ended, folder) = scenario(text, &[], &["--server", &server.url(), "--allow-shell"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ran(folder.path()) && !folder.path().join("gone").exists());
    assert_eq!(fs::read_to_string(folder.path().join("user")).unwrap(), "postgres\n");
    assert!(ended.out.contains("echo \"$PGUSER\" > user (before b)"), "{}", ended.out);
}

#[test]
fn the_password_of_a_server_is_given_to_commands_and_shown_nowhere() {
    let server = Server::start();
    let text = format!("setup:\n  - shell: psql -c 'select 1' && echo \"it is $PGPASSWORD\" && false\n{LOAD}");
    let place = server.tcp("postgres", &format!("password='{}'", crate::support::PASSWORD));
    let (ended, _folder) = scenario(&text, &[], &["--server", &place, "--allow-shell"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("it is …"), "{}", ended.err);
    assert!(!ended.err.contains(crate::support::PASSWORD), "{}", ended.err);
}

#[test]
fn a_restart_of_another_server_is_refused_before_anything_is_done() {
    let server = Server::start();
    let text =
        format!("setup:\n  - sql: create table made ()\n{LOAD}phases:\n  - {{name: a}}\n  - restart: embedded\n");
    let (ended, _folder) = scenario(&text, &[], &["--server", &server.url()]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("only the embedded server can be restarted"), "{}", ended.err);
    assert_eq!(server.psql("select to_regclass('made') is null"), "t");
}

#[test]
fn a_file_of_rows_is_looked_for_before_anything_is_done_and_read_when_it_is_sent() {
    let text = format!("setup:\n  - sql: create table t (a int)\n  - {{copy: t, csv: t.csv}}\n{LOAD}");
    let (missing, _folder) = scenario(&text, &[], &[]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("there is no file `t.csv`") && missing.err.contains("s.yaml:4:20"), "{}", missing.err);
    let server = Server::start();
    let (bad, _folder) = scenario(&text, &[("t.csv", "a\n1\nx\n")], &["--server", &server.url()]);
    assert_eq!(bad.code, Some(1));
    assert!(bad.err.contains("`t.csv`, line 3: ") && bad.err.contains("s.yaml:4:20"), "{}", bad.err);
    assert_eq!(server.psql("select to_regclass('t') is null"), "t");
    let (fine, _folder) = scenario(&text, &[("t.csv", "a\n1\n2\n")], &["--server", &server.url()]);
    assert_eq!((fine.code, server.psql("select sum(a) from t").as_str()), (Some(0), "3"), "{}", fine.err);
    let (kept, _folder) = scenario(&text, &[("t.csv", "a\n1\n2\n")], &["--server", &server.url()]);
    assert!(kept.err.contains("is there and is kept"), "{}", kept.err);
    let (other, _folder) = scenario(&text, &[("t.csv", "a\n1\n3\n")], &["--server", &server.url()]);
    assert!(other.code == Some(1) && other.err.contains("`--replace`"), "{}", other.err);
}

#[test]
fn each_point_of_a_matrix_begins_with_the_data_that_set_up_made() {
    let server = Server::start();
    // the database itself is left alone by copies
    for (reset, left) in [("setup", "70"), ("template", "100"), ("truncate", "70"), ("none", "10")] {
        let text = format!(
            "name: {reset}\nvars: {{clients: 1}}\nsetup:\n  - sql: create schema {reset}\n  - sql: create table {reset}.jobs (id int)\n  \
             - {{fill: {reset}.jobs, rows: 100, columns: {{id: series}}}}\nscripts:\n  take: {{sql: \"delete from {reset}.jobs where id = \
             (select id from {reset}.jobs order by id for update skip locked limit 1)\"}}\nload: {{clients: \":clients\", transactions: 30}}\n\
             metrics:\n  left: {{query: \"select count(*) from {reset}.jobs\", at: end}}\nmatrix: {{clients: [1, 2, 3]}}\nreset: {reset}\n"
        );
        let (ended, _folder) = scenario(&text, &[], &["--server", &server.url()]);
        assert_eq!(ended.code, Some(0), "{reset}: {}", ended.err);
        assert_eq!(server.psql(&format!("select count(*) from {reset}.jobs")), left, "{reset}: {}", ended.err);
        assert_eq!(server.psql("select count(*) from pg_database where datname like '%reprise%'"), "0");
    }
}

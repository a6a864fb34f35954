//! `reprise pgbench -i` beside the real pgbench 18: the statements that arrive, what is told, and the tables that come
//! of it.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{Ended, Server, pgbench18, reprise, run};

/// A server that logs every statement, for one test at a time.
fn server() -> Server {
    Server::with_settings(&[
        ("log_statement", "all"),
        ("log_line_prefix", "%p|"),
        ("log_autovacuum_min_duration", "-1"),
    ])
}

/// The real pgbench, in an environment that names no server.
fn original() -> Command {
    static PROGRAM: OnceLock<std::path::PathBuf> = OnceLock::new();
    let mut command = Command::new(PROGRAM.get_or_init(pgbench18));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
        command.env_remove(name);
    }
    command
}

/// What an initialization did.
#[derive(Debug, PartialEq)]
struct Seen {
    code: Option<i32>,
    out: String,
    told: String,
    statements: String,
}

fn see(server: &Server, mut command: Command, line: &str) -> Seen {
    let tables = "pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers";
    server.psql(&format!("set client_min_messages to error; drop table if exists {tables} cascade"));
    let before = server.log().len();
    let args = line.split(' ').filter(|arg| !arg.is_empty());
    let Ended { code, out, err } = run(command.args(args).arg("-d").arg(server.url()));
    Seen { code, out, told: without_times(&err), statements: statements(&server.log()[before..]) }
}

/// `X` for every number of seconds.
fn without_times(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        let is_time = words[at - 1].contains('.') && words[at - 1].parse::<f64>().is_ok();
        if is_time && words[at].starts_with('s') {
            words[at - 1] = "X";
        }
    }
    words.join(" ")
}

/// The statements that a server logged, with their parameters and their errors.
fn statements(log: &str) -> String {
    let mut text = String::new();
    let mut wanted = false;
    for line in log.lines() {
        let begun = line.split_once('|').filter(|(pid, _)| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()));
        if let Some((_, begun)) = begun {
            const KINDS: [&str; 5] = ["LOG:  statement: ", "LOG:  execute ", "ERROR: ", "STATEMENT: ", "DETAIL:  "];
            wanted = KINDS.iter().any(|kind| begun.starts_with(kind));
        }
        if wanted {
            text.push_str(begun.map_or(line, |(_, begun)| begun));
            text.push('\n');
        }
    }
    text
}

#[test]
fn the_server_and_the_user_see_what_they_see_of_pgbench() {
    let server = server();
    for line in [
        "-i",
        "-i -s 2",
        "-i -s 10 -q",
        "-iq -I dtGvpf",
        "-i -n --foreign-keys",
        "-i -I dt --partitions=3",
        "-i -I dt --partitions=2 --partition-method=HASH --unlogged-tables",
        "-i -I dtgvp --partitions=3 -F 50",
        "-i -I dtggG --partitions=2 -q",
        "-i --unlogged-tables --tablespace=pg_default --index-tablespace=pg_default",
        "-i -F 70 -s 2 -q",
        "-i -I dt -s 20000",
        "-i -I dt -s 20000 --partitions=7",
        // failures
        "-i -I g",
        "-i -I p",
        "-i -I dtgf",
        "-i -I dttg",
        "-i --tablespace=no\"pe",
    ] {
        let theirs = see(&server, original(), line);
        let ours = see(&server, reprise(["pgbench"]), line);
        assert!(!theirs.statements.is_empty(), "{line}: the server has logged nothing");
        assert_eq!(ours.statements, theirs.statements, "{line}: ours left, pgbench's right");
        assert_eq!(ours, theirs, "{line}: ours left, pgbench's right");
    }
}

#[test]
fn what_is_told_is_kept_word_by_word() {
    let server = server();
    for (name, line) in [
        ("partitions", "-i -s 2 -I dtgvpf --partitions=2"),
        ("no_tablespace", "-i --tablespace=nosuch"),
        ("sessions", "-i -I dtg -s 2 --init-jobs=2"),
    ] {
        insta::assert_snapshot!(format!("initialization_{name}"), see(&server, reprise(["pgbench"]), line).told);
    }
}

/// The database's schema and rows as SQL.
fn dump(server: &Server, database: &str) -> String {
    let url = server.url().replace("dbname=postgres", &format!("dbname={database}"));
    let output = server.command("pg_dump").arg("-d").arg(url).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // a random word, so that no dump can end it
    let lines = text.lines().filter(|line| !line.starts_with("\\restrict ") && !line.starts_with("\\unrestrict "));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn a_dump_of_the_database_is_that_of_pgbench() {
    let server = Server::start();
    for line in [
        "-i -q",
        "-i -q -s 2 -F 60 --foreign-keys",
        "-i -q -I dtGvpf --partitions=3",
        "-i -q --partitions=2 --partition-method=hash --unlogged-tables",
    ] {
        let dumps = [(original(), "theirs"), (reprise(["pgbench"]), "ours")].map(|(mut command, database)| {
            server.psql(&format!("create database {database}"));
            let url = server.url().replace("dbname=postgres", &format!("dbname={database}"));
            let ended = run(command.args(line.split(' ')).arg("-d").arg(url));
            assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
            let dump = dump(&server, database);
            server.psql(&format!("drop database {database}"));
            dump
        });
        assert!(dumps[0].lines().count() > 100_000 && dumps[0] == dumps[1], "{line}");
    }
}

const ROWS: &str = "select count(*), sum(hashtextextended(a::text, 0)) from pgbench_accounts a union all \
    select count(*), sum(hashtextextended(a::text, 0)) from pgbench_branches a union all \
    select count(*), sum(hashtextextended(a::text, 0)) from pgbench_tellers a";

#[test]
fn several_sessions_make_the_same_rows_nearly_in_their_order() {
    let server = Server::start();
    let url = server.url();
    let init = |further: &[&str]| {
        let ended = run(reprise(["pgbench", "-i", "-q", "-s", "3", "-d", &url]).args(further));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        server.psql(ROWS)
    };
    let alone = init(&[]);
    assert_eq!(init(&["--init-jobs=3"]), alone);
    // a server that extends a table by 512 pages at once needs one that is much larger
    let ended = run(&mut reprise(["pgbench", "-i", "-q", "-s", "20", "--init-jobs=2", "-d", &url]));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let correlation =
        server.psql("select correlation from pg_stats where tablename = 'pgbench_accounts' and attname = 'aid'");
    assert!(correlation.parse::<f64>().unwrap() > 0.99, "{correlation}");
    // pages that a table was extended by and nobody used count as not visible
    let visible = "select relallvisible::float8 / relpages > 0.95 from pg_class where relname = 'pgbench_accounts'";
    assert_eq!(server.psql(visible), "t", "pages are not marked as visible to all");
    assert_eq!(init(&["--init-jobs=2", "--partitions=3"]), alone);
    assert_eq!(init(&["--init-jobs=2", "--unlogged-tables"]), alone);
}

/// Runs a command, sends it a signal once it has told that rows are on their way, and takes the lines after the signal.
fn interrupt(command: &mut Command) -> (Option<i32>, String) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("tuples") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it has ended before");
    }
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    let told = rest.lines().skip_while(|line| line.contains("tuples"));
    let told = told.map(|line| line.split_once(", line ").map_or(line, |(before, _)| before));
    let told: Vec<&str> = told.collect();
    (child.wait().unwrap().code(), told.join("\n"))
}

#[test]
fn an_interrupt_cancels_the_rows_and_leaves_none() {
    let server = Server::start();
    let url = server.url();
    let args = ["-i", "-s", "100", "-d", &url];
    let theirs = interrupt(original().args(args));
    assert_eq!(server.psql("select count(*) from pgbench_accounts"), "0");
    for jobs in ["1", "2"] {
        let ours = interrupt(reprise(["pgbench"]).args(args).args(["--init-jobs", jobs]));
        assert_eq!(ours, theirs, "{jobs}: ours left, pgbench's right");
        assert_eq!(server.psql("select count(*) from pgbench_accounts"), "0", "{jobs}");
    }
    assert!(theirs.1.contains("Cancel request sent"), "{}", theirs.1);
}

#[test]
fn a_session_that_is_lost_is_told_and_leaves_no_rows() {
    let server = Server::start();
    server.psql("create table pgbench_history (); create table pgbench_branches (bid int, bbalance int, filler text)");
    server.psql("create table pgbench_tellers (tid int, bid int, tbalance int, filler text)");
    server.psql("create table pgbench_accounts (aid int, bid int, abalance int, filler text)");
    server.psql(
        "create function gone() returns trigger language plpgsql as \
         'begin if new.aid = 50000 then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end'",
    );
    server.psql("create trigger gone before insert on pgbench_accounts for each row execute function gone()");
    for jobs in ["1", "2"] {
        let ended = run(reprise(["pgbench", "-i", "-I", "g", "--init-jobs", jobs, "-d", &server.url()]).arg("-q"));
        assert_eq!(ended.code, Some(1));
        assert!(ended.err.contains("terminating connection"), "{}", ended.err);
        assert_eq!(server.psql("select count(*) from pgbench_accounts"), "0", "{jobs}");
    }
}

//! The command line of `reprise pgbench`: what it answers without a server, beside the real pgbench where version 18
//! of it is installed; and how it finds its server.

#![allow(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{Ended, Server, find_pgbench18, reprise, run};

/// The words of a line; `~` is a blank inside one, and `''` is nothing.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace("''", "").replace('~', " ")).collect()
}

fn ours(folder: &Path, args: &[String]) -> Ended {
    run(reprise(args).arg0("bin/pgbench").current_dir(folder).stdin(Stdio::null()))
}

fn theirs(program: &Path, folder: &Path, args: &[String]) -> Ended {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
        command.env_remove(name);
    }
    run(command.arg0("bin/pgbench").args(args).current_dir(folder).stdin(Stdio::null()))
}

fn folder_with_scripts() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let many = |count: usize| format!("select {}:x;\n", ":x,".repeat(count - 1));
    for (name, text) in [
        ("good.sql", "select 1;\n".to_owned()),
        ("empty.sql", "-- nothing\n".to_owned()),
        ("bad.sql", "select 1;\n  \\set x 1 +\n".to_owned()),
        ("call.sql", "\\set x pow(1)\n".to_owned()),
        ("unclosed.sql", "\\if 1\nselect 1;\n".to_owned()),
        ("nul.sql", "-- nothing\n\0select 1;\n".to_owned()),
        ("255.sql", many(255)),
        ("256.sql", many(256)),
        ("a@2", "select 1;\n".to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// None of them gets as far as a connection.
const LINES: &str = "
-c 0
-c 3x
-c ''
-c +
-c 1.5
-c 100000000
-j 0
-t 0
-T -1
-T 99999999999
-P 0
-s two
-F 9
-F 101
-i --partitions=-2
-i --partition-method=list --partitions=2
-i --partition-method=hash
-i -I dq
-i -I ''
-I dtg
-F 80
-q
--tablespace x
-i -S
-i -t 1
-i --random-seed=1
-i -f bad.sql
-i -b se@0
-t 3 -T 3
-L -1
-L ''
-R 0.0
-M binary
-M Simple
-D 7x=1
-D x
-D x=
-D =x
-D a~b=1
-f missing.sql
-f missing.sql@3
-f missing@x.sql
-f .
-f a@2
-f empty.sql
-f bad.sql
-f call.sql
-f unclosed.sql
-f nul.sql
-f -
-f good.sql -f bad.sql -c x
-c x -f bad.sql
-f 256.sql -M prepared
-f 256.sql -M extended a b
-f 255.sql -M extended a b
-b tpcb-like@x
-b tpcb-like@
-b se@3~
-b se@-1
-b se@2147483648
-b se@99999999999999999999
-b se@0 -b si@0
-b x
-b s
-b ''
-b list
-b TPCB
--show-script=se
--show-script t
--show-script x
-S@2
--sampling-rate=2
--sampling-rate=0
--sampling-rate=0.5
-l --sampling-rate=0.1 --aggregate-interval=3
--aggregate-interval=2
-l -T 3 --aggregate-interval=2
-l -T 3 --aggregate-interval=4
--log-prefix=p
--progress-timestamp
--max-tries=-2
--max-tries=4294967295
--max-tries=0
--max-tries x
--random-seed=one
--random-seed=''
--random-seed=5~
--random-seed=-1 -c x
--random-seed=~+7 --random-seed=99999999999999999999 -c x
--nosuch
--nosuch=3
---debug
--prog
--prog=3
--s
--=x
--debug=1
--client
--report-latencies
-c
-nz
-n -V
-n --help
-n --version
-n -?
a b
a -n b -c 1 c
-d a b
-- -n b
-n --cl=0
--init=x
--fo --file
";

#[test]
fn every_line_is_answered_as_pgbench_answers_it() {
    let folder = folder_with_scripts();
    let original = find_pgbench18();
    let mut told = String::new();
    for line in LINES.lines().filter(|line| !line.is_empty()) {
        let args = words(line);
        let ours = ours(folder.path(), &args);
        if let Some(original) = &original {
            let theirs = theirs(original, folder.path(), &args);
            assert_eq!((ours.code, &ours.out, &ours.err), (theirs.code, &theirs.out, &theirs.err), "{line}");
        }
        writeln!(told, "$ pgbench {line}\n{}{}[{}]", ours.out, ours.err, ours.code.unwrap()).unwrap();
    }
    // the machine's own
    let told = told.lines().map(|line| match line.split_once("system limit is ") {
        Some((before, _)) => format!("{before}system limit is N\n"),
        None => format!("{line}\n"),
    });
    insta::assert_snapshot!("answers", told.collect::<String>());
}

#[test]
fn as_many_scripts_as_pgbench_takes() {
    let folder = tempfile::tempdir().unwrap();
    let args = |count| vec!["-S".to_owned(); count];
    let many = ours(folder.path(), &args(129));
    assert_eq!(many.err, "pgbench: error: at most 128 SQL scripts are allowed\n");
    let mut most = args(128);
    most.extend(words("a b"));
    assert!(ours(folder.path(), &most).err.starts_with("pgbench: error: too many command-line arguments"));
}

#[test]
fn the_seed_of_the_environment_is_set_first() {
    let seeded = |seed: &str| run(reprise(["pgbench", "--random-seed=5", "-c", "x"]).env("PGBENCH_RANDOM_SEED", seed));
    assert_eq!(
        seeded("7").err,
        "pgbench: setting random seed to 7\n\
         pgbench: setting random seed to 5\n\
         pgbench: error: invalid value \"x\" for option -c/--client\n"
    );
    let refused = seeded("x");
    assert!(refused.err.ends_with("error while setting random seed from PGBENCH_RANDOM_SEED environment variable\n"));
    assert_eq!(refused.code, Some(1));
}

/// A server where `carol` needs a password, and `dora` does not.
fn guarded() -> (Server, tempfile::TempDir) {
    let server = Server::start();
    server.psql("create role carol login password 'plum'");
    server.psql("create role dora login");
    server.psql("create database dora");
    let rules = server.psql("show hba_file");
    let rules = rules.trim();
    let old = fs::read_to_string(rules).unwrap();
    fs::write(rules, format!("local all carol scram-sha-256\n{old}")).unwrap();
    server.psql("select pg_reload_conf()");
    let folder = tempfile::tempdir().unwrap();
    let script = "do $$ begin raise warning '% % %', current_user, current_database(), \
                  current_setting('application_name'); end $$;\n";
    fs::write(folder.path().join("who.sql"), script).unwrap();
    (server, folder)
}

fn at<'a>(server: &Server, command: &'a mut Command) -> &'a mut Command {
    let folder = server.path("");
    let port = server.port().to_string();
    command.env("PGHOST", folder).env("PGPORT", port).env("PGUSER", "postgres").env("PGDATABASE", "postgres")
}

#[test]
fn it_finds_its_server_as_pgbench_does() {
    let (server, folder) = guarded();
    let who = |variables: &[(&str, &str)], args: &str| {
        let mut command = reprise(["pgbench", "-n", "-t", "1", "-f", "who.sql"]);
        at(&server, &mut command).envs(variables.iter().copied()).args(words(args)).current_dir(folder.path());
        let ended = run(&mut command);
        assert_eq!(ended.err.contains("WARNING"), ended.code == Some(0), "{args}: {}", ended.err);
        ended.err.lines().next().unwrap_or_default().replace("WARNING:  ", "")
    };
    for (variables, args, expected) in [
        (vec![], "", "postgres postgres pgbench"),
        (vec![], "dora", "postgres dora pgbench"),
        (vec![("PGDATABASE", "nosuch")], "dora", "postgres dora pgbench"),
        (vec![("PGDATABASE", "dora")], "", "postgres dora pgbench"),
        (vec![("PGDATABASE", "")], "-U dora", "dora postgres pgbench"),
        (vec![("PGDATABASE", "")], "-U dora -d ''", "dora dora pgbench"),
        (vec![], "-U carol -d user=dora~dbname=dora", "dora dora pgbench"),
        (vec![], "-d postgresql:///dora?user=dora", "dora dora pgbench"),
        (vec![("PGAPPNAME", "mine")], "-h '' -p ''", "postgres postgres mine"),
        (vec![("PGPASSWORD", "plum")], "-U carol", "carol postgres pgbench"),
        (vec![], "user=carol~password=plum", "carol postgres pgbench"),
        (vec![("PGPASSWORD", "pear")], "-U carol", ""),
    ] {
        let seen = who(&variables, args);
        if expected.is_empty() {
            assert!(seen.ends_with("FATAL:  password authentication failed for user \"carol\""), "{seen}");
        } else {
            assert_eq!(seen, expected, "{variables:?} {args}");
        }
    }
    for (args, expected) in [
        ("-p x", "invalid integer value \"x\" for connection option \"port\""),
        ("-p 99999", "invalid port number: \"99999\""),
        ("-d foo=bar", "invalid connection option \"foo\""),
        ("-h /nosuch -p 1", "connection to server on socket \"/nosuch/.s.PGSQL.1\" failed: No such file or directory"),
        ("-h 127.0.0.1 -p 1", "connection to server at \"127.0.0.1\", port 1 failed: Connection refused"),
    ] {
        assert_eq!(who(&[], args), format!("pgbench: error: {expected}"), "{args}");
    }
}

#[test]
fn a_password_is_asked_for_once() {
    let (server, folder) = guarded();
    // in a session of its own there is no terminal, so it asks on standard error and reads standard input
    let ask_for = |args: &[&str], answer: &str| {
        let mut command = Command::new("setsid");
        command.arg("-w").arg(env!("CARGO_BIN_EXE_reprise")).args(["pgbench", "-U", "carol"]);
        at(&server, &mut command).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).current_dir(folder.path());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        Ended::from(child.wait_with_output().unwrap())
    };
    let ask = |answer: &str| ask_for(&["-n", "-t", "1", "-c", "3", "-f", "who.sql"], answer);
    let right = ask("plum\n");
    assert_eq!(right.code, Some(0), "{}", right.err);
    assert_eq!(right.err, format!("Password: \n{}", "WARNING:  carol postgres pgbench\n".repeat(3)));
    let wrong = ask("pear\n");
    assert!(wrong.err.contains("FATAL:  password authentication failed"), "{}", wrong.err);
    let none = ask("");
    assert!(none.err.contains(" failed: fe_sendauth: no password supplied\n"), "{}", none.err);
    assert!(none.err.ends_with("pgbench: error: could not create connection for setup\n"));
    assert_eq!((wrong.code, none.code), (Some(1), Some(1)));
    let init = ask_for(&["-i", "-I", "d"], "plum\n");
    assert_eq!(init.code, Some(0), "{}", init.err);
    assert!(init.err.starts_with("Password: \ndropping old tables...\n"), "{}", init.err);
}

#[test]
fn a_run_is_told_as_json_too() {
    let (server, folder) = guarded();
    let out = folder.path().join("run.json");
    let run = |args: &str, kept: &str| {
        let mut command = reprise(["pgbench", "-n", "-t", "5", "-f", "who.sql"]);
        run(at(&server, &mut command).args(words(args)).current_dir(folder.path()).env("REPRISE_OUT", kept))
    };
    let text = run("--percentiles=50,99.9", "run.json");
    assert_eq!(text.code, Some(0), "{}", text.err);
    let lines: Vec<&str> = text.out.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("latency percentiles = p50 ")).unwrap();
    assert!(lines[at].contains(" ms, p99.9 ") && lines[at - 1].starts_with("latency average = "), "{}", text.out);
    let kept: serde_json::Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(kept["phases"][0]["total"]["transactions"], 5);
    assert!(kept["environment"]["server"]["version_num"].as_u64().unwrap() > 90_000, "{}", kept["environment"]);
    let json = run("--format json", "");
    let shown: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(shown["phases"][0]["total"]["transactions"], 5);
    let nowhere = run("", "nosuch/run.json");
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.out.contains("tps = "), "{}", nowhere.out);
    assert!(nowhere.err.contains("could not write report file \"nosuch/run.json\": No such file or directory"));
}

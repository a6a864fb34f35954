//! `reprise pgbench` beside the real pgbench: the same scripts with the same seed, and what arrived at the server.
//!
//! The real one is the program that `REPRISE_PGBENCH` names, else the newest that is installed. Its report and its
//! complaints are compared where it is PostgreSQL 18's, whose wording this program has.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

#[path = "conformance/bad_input.rs"]
mod bad_input;
#[path = "conformance/cases.rs"]
mod cases;
#[path = "conformance/imported.rs"]
mod imported;
#[path = "conformance/relay.rs"]
mod relay;
#[path = "conformance/running.rs"]
mod running;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use relay::Relay;
use support::{Ended, Server, reprise, run};

const PROTOCOLS: [&str; 3] = ["simple", "extended", "prepared"];

/// The real pgbench.
struct Original {
    program: PathBuf,
    major: u32,
}

impl Original {
    fn find() -> Self {
        let named = std::env::var_os("REPRISE_PGBENCH").map(PathBuf::from);
        let mut places: Vec<PathBuf> = named.into_iter().collect();
        places.extend(std::env::var_os("REPRISE_PG18").map(|folder| PathBuf::from(folder).join("bin/pgbench")));
        places.push("/var/tmp/reprise-ci/pg18/bin/pgbench".into());
        let mut packaged: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path().join("bin/pgbench"))
            .collect();
        packaged.sort_by_key(|program| std::cmp::Reverse(major(program)));
        places.extend(packaged);
        let found = places.into_iter().find_map(|program| major(&program).map(|major| Self { program, major }));
        found.expect("no pgbench found: install PostgreSQL's, or name one in REPRISE_PGBENCH")
    }
}

fn major(pgbench: &Path) -> Option<u32> {
    let output = Command::new(pgbench).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().nth(2)?.split('.').next()?.parse().ok()
}

/// A server that logs every statement, and both programs.
struct Bench {
    server: Server,
    original: Original,
}

/// What a run did.
#[derive(Debug, PartialEq)]
struct Seen {
    code: Option<i32>,
    /// What the server logged, a text for each session.
    sessions: Vec<String>,
    /// The report, its measured figures replaced.
    report: String,
    /// Standard error, sorted: lines of several clients come in any order.
    complaints: Vec<String>,
}

impl Bench {
    fn start() -> Self {
        let settings = [("log_statement", "all"), ("log_line_prefix", "%p|"), ("log_parameter_max_length", "-1")];
        Self { server: Server::with_settings(&settings), original: Original::find() }
    }

    /// Fresh data, the same each time.
    fn reset(&self) {
        let setup = fs::read_to_string(folder().join("setup.sql")).unwrap();
        self.server.psql(&format!(
            "set client_min_messages to error; drop schema public cascade; create schema public; {setup}"
        ));
    }

    fn see(&self, command: &mut Command, args: &[&str]) -> Seen {
        self.reset();
        let before = self.server.log().len();
        let Ended { code, out, err } = run(command.current_dir(folder()).args(args).arg("-d").arg(self.server.url()));
        // the threads of pgbench write into each other's lines
        let told = if args.contains(&"-j") { "" } else { &err };
        let mut complaints: Vec<String> = told.lines().map(str::to_owned).collect();
        complaints.sort();
        Seen { code, sessions: sessions(&self.server.log()[before..]), report: without_figures(&out), complaints }
    }

    /// Both programs do the same with these arguments.
    fn compare(&self, line: &str) {
        let args: Vec<&str> = line.split(' ').collect();
        let args = args.as_slice();
        let mut theirs = self.see(&mut bare(&self.original.program), args);
        let mut ours = self.see(&mut reprise(["pgbench"]), args);
        assert!(!theirs.sessions.is_empty() || theirs.code != Some(0), "{args:?}: the server has logged nothing");
        if self.original.major != 18 {
            for seen in [&mut theirs, &mut ours] {
                seen.report.clear();
                seen.complaints.clear();
            }
        }
        // session by session, so that a difference is one that a person can read
        for (number, (ours, theirs)) in ours.sessions.iter().zip(&theirs.sessions).enumerate() {
            assert_eq!(ours, theirs, "{args:?}, session {number}: ours left, pgbench's right");
        }
        assert_eq!(ours.report, theirs.report, "{args:?}: ours left, pgbench's right");
        assert_eq!(ours, theirs, "{args:?}: ours left, pgbench's right");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// A program in an environment that names no server.
fn bare(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PG") {
            command.env_remove(name);
        }
    }
    command
}

/// The log's lines by session, without process ids; sessions without a statement, such as the first one's, are left out.
fn sessions(log: &str) -> Vec<String> {
    let mut sessions: BTreeMap<&str, String> = BTreeMap::new();
    let mut current = "";
    for line in log.lines() {
        let begun = line.split_once('|').filter(|(pid, _)| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()));
        let text = match begun {
            Some((pid, text)) => {
                current = pid;
                text
            }
            None => line,
        };
        if text.starts_with("LOG:  checkpoint") || text.starts_with("LOG:  automatic") {
            continue;
        }
        let session = sessions.entry(current).or_default();
        session.push_str(text);
        session.push('\n');
    }
    let has_statement = |text: &String| text.contains("statement: ") || text.contains("execute ");
    let mut texts: Vec<String> = sessions.into_values().filter(has_statement).collect();
    texts.sort();
    texts
}

/// A report with `N` for every number that has decimals and isn't a share.
fn without_figures(report: &str) -> String {
    let mut shape = String::new();
    for line in report.lines() {
        let words = line.split(' ').map(|word| {
            let number = word.trim_end_matches([')', ',']);
            let measured = number.parse::<f64>().is_ok_and(f64::is_finite) && number.contains('.');
            if measured { word.replace(number, "N") } else { word.to_owned() }
        });
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        shape.push_str(&words.join(" "));
        shape.push('\n');
    }
    shape
}

#[test]
fn the_server_sees_what_it_sees_of_pgbench_in_every_protocol() {
    let bench = Bench::start();
    let mut scripts: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "sql") && name != "setup.sql")
        // pgbench has `\syncpipeline` from 17 on
        .filter(|name| {
            bench.original.major >= 17 || !["synchronized.sql", "retried_in_pipeline.sql"].contains(&name.as_str())
        })
        .collect();
    scripts.sort();
    assert!(scripts.len() > 5, "{scripts:?}");
    for script in &scripts {
        for protocol in PROTOCOLS {
            bench.compare(&format!("-n -c 3 -t 8 -r --random-seed=7 -M {protocol} -f {script}"));
        }
    }
}

#[test]
fn every_option_does_what_it_does_in_pgbench() {
    let bench = Bench::start();
    for args in [
        // connections
        "-n -c 2 -t 3 -C -r -f branches.sql",
        "-n -c 2 -t 3 -C -M prepared -f stores.sql",
        // several scripts, chosen by weight; clients of one thread would share its choices as their timing has it
        "-n -c 3 -j 3 -t 20 -f branches.sql@3 -f transfer.sql -f functions.sql@2 -r",
        "-n -c 3 -j 3 -t 20 -M prepared -f branches.sql -f transfer.sql@0",
        // schedules and limits
        "-n -c 2 -t 10 -R 1000 -f transfer.sql",
        "-n -c 2 -t 10 -R 1000 -L 10000 -f transfer.sql",
        "-n -c 2 -t 10 -L 10000 -f branches.sql",
        "-n -c 1 -t 3 -L 0.0001 -f branches.sql",
        // variables
        "-n -c 2 -t 8 -f functions.sql",
        "-n -t 3 -D kind=5 -D inner=none -s 7 -f functions.sql",
        "-n -t 3 -D client_id=4 -D default_seed=9 -D random_seed=1 -f transfer.sql",
        "-n -t 3 -D scale=abc -f functions.sql",
        // retries
        "-n -c 2 -t 10 --max-tries=3 -r -f retried.sql",
        "-n -c 2 -j 2 -t 10 --max-tries=3 -M prepared -f retried.sql -f branches.sql",
        "-n -c 2 -t 4 --max-tries=3 -R 1000 -L 5000 -f retried.sql",
        // builtin scripts, and the vacuum
        "-n -t 3 -S",
        "-n -c 2 -t 3 -N -M extended -s 5",
        "-n -c 2 -j 2 -t 3 -b tpcb-like@2 -b se@1 -M prepared -r",
        "-t 2 -S",
    ] {
        bench.compare(&format!("{args} --random-seed=7"));
    }
}

#[test]
fn what_it_refuses_it_refuses_in_the_words_of_pgbench() {
    let bench = Bench::start();
    for args in [
        "-n -t 1 -f nosuch.sql",
        "-n -t 1 -c 0",
        "-n -t 1 -T 1 -S",
        "-n --max-tries=0 -S",
        "-n -b nosuch",
        "-n -M nosuch -S",
    ] {
        bench.compare(args);
    }
}

#[test]
fn the_messages_on_the_wire_are_those_of_libpq() {
    let bench = Bench::start();
    for script in ["transfer.sql", "stores.sql", "branches.sql", "aborted.sql", "retried.sql"] {
        for protocol in PROTOCOLS {
            bench.compare_messages(script, protocol, &[]);
            bench.compare_messages(script, protocol, &["-C"]);
        }
    }
    for protocol in ["extended", "prepared"] {
        bench.compare_messages("pipeline.sql", protocol, &[]);
        bench.compare_messages("pipeline.sql", protocol, &["-C"]);
        // older ones know no `\syncpipeline`
        if bench.original.major >= 17 {
            for script in ["synchronized.sql", "retried_in_pipeline.sql"] {
                bench.compare_messages(script, protocol, &[]);
                bench.compare_messages(script, protocol, &["-C"]);
            }
        }
    }
}

impl Bench {
    /// Both programs send the same messages, their bodies included.
    fn compare_messages(&self, script: &str, protocol: &str, further: &[&str]) {
        let relay = Relay::to(&self.server);
        let args = ["-n", "-c", "2", "-t", "6", "--random-seed=7", "--max-tries=2", "-M", protocol, "-f", script];
        let case = format!("{script} ({protocol} {})", further.join(" "));
        let mut seen = [bare(&self.original.program), reprise(["pgbench"])].map(|mut command| {
            self.reset();
            run(command.current_dir(folder()).args(args).args(further).arg("-d").arg(relay.conninfo()));
            relay.take()
        });
        let ours = seen[1].split_off(0);
        let theirs = seen[0].split_off(0);
        assert!(theirs.iter().flatten().count() > 12, "{case}: {theirs:?}");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            for (number, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                assert_eq!(ours, theirs, "{case}, message {number}: ours left, libpq's right");
            }
        }
        assert_eq!(ours, theirs, "{case}");
    }
}

//! What a run prints and writes, beside the real pgbench: report, progress, logs of transactions, chatter, complaints.

use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Ended, Server, reprise, run};
use crate::{Original, bare};

const SCRIPTS: [(&str, &str); 11] = [
    ("one.sql", "SELECT 1;\n"),
    ("set.sql", "\\set a random(1, 100)\n"),
    ("pause.sql", "\\sleep 100 ms\n"),
    ("second.sql", "\\set n :n + 1\nSELECT boom('40001', :n = 2);\n"),
    ("never.sql", "\\set n :n + 1\nBEGIN;\nSELECT boom('40P01', true);\nEND;\n"),
    ("divided.sql", "\\if :client_id = 1\nSELECT 1/0;\n\\endif\nSELECT 1;\n"),
    ("open.sql", "BEGIN;\nSELECT 1;\n"),
    ("killed.sql", "SELECT pg_terminate_backend(pg_backend_pid());\n"),
    (
        "notices.sql",
        "do $$ begin raise notice 'hi %', 1 using detail = 'd', hint = 'h'; raise warning 'w'; end $$;\n\
         begin;\nbegin;\nend;\n",
    ),
    (
        "shell.sql",
        "\\setshell y echo 4294967297\n\\set z debug(:y)\n\\setshell y echo 12 \\\n   ;\n\\set z debug(:y)\n\
         \\shell true\n\\shell echo hi :y ::y x:y\n",
    ),
    ("steps.sql", "\\set x 1\nselect :x;\n\\sleep 1 us\n\\shell true :x\n\\if :x > 0\nselect 2;\n\\endif\n"),
];

struct Stage {
    server: Server,
    original: Original,
    folder: tempfile::TempDir,
}

/// What a program left.
#[derive(Debug, PartialEq)]
struct Left {
    code: Option<i32>,
    out: String,
    /// Sorted: lines of several clients come in any order.
    err: Vec<String>,
    /// Its logs, by their names without the process.
    logs: Vec<(String, Vec<String>)>,
}

impl Stage {
    fn start() -> Self {
        let stage = Self { server: Server::start(), original: Original::find(), folder: tempfile::tempdir().unwrap() };
        for (name, text) in SCRIPTS {
            fs::write(stage.folder.path().join(name), text).unwrap();
        }
        stage.server.psql(
            "create function boom(code text, cond bool) returns int language plpgsql as $$ begin
             if cond then raise exception using errcode = code, message = 'boom ' || code; end if; return 1; end $$",
        );
        let ended = run(bare(&stage.original.program).args(["-i", "-q", "-d"]).arg(stage.server.url()));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        stage
    }

    fn see(&self, mut command: Command, line: &str) -> Left {
        let folder = self.folder.path();
        command.current_dir(folder).args(line.split(' ')).arg("-d").arg(self.server.url());
        let Ended { code, out, err } = run(&mut command);
        // how many there are in a time is nobody's promise: the shape alone is compared
        let timed = line.contains("-T ");
        let shape = |text: &str| text.lines().map(|line| masked(line, timed)).collect::<Vec<_>>();
        let mut err = shape(&err);
        err.sort();
        if timed {
            err.dedup();
        }
        Left { code, out: shape(&out).join("\n"), err, logs: take_logs(folder, timed) }
    }

    fn compare(&self, line: &str) {
        let major = self.original.major;
        let mut theirs = self.see(bare(&self.original.program), line);
        let mut ours = self.see(reprise(["pgbench"]), &format!("{line} --pgbench-version={major}"));
        for seen in [&mut theirs, &mut ours] {
            // the programs differ in their own version
            let mut out: Vec<&str> = seen.out.lines().filter(|line| !line.starts_with("pgbench (")).collect();
            // pgbench's threads count a script's transactions without a lock, and lose one now and then
            if line.contains("-j 2") {
                out.retain(|line| !line.starts_with("- "));
            }
            seen.out = out.join("\n");
        }
        assert!(theirs.code.is_some(), "{line}: {theirs:?}");
        assert_eq!(ours, theirs, "{line}: ours left, pgbench's right");
    }
}

/// A line without what was measured: numbers with three decimals or more, and, where asked for, all others.
fn masked(line: &str, all: bool) -> String {
    let mut shape = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |n| at + n);
        let number = rest[at..end].trim_end_matches('.');
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        shape.push_str(&rest[..at]);
        shape.push_str(if all || decimals >= 3 { "N" } else { number });
        rest = &rest[at + number.len()..];
    }
    // how wide a number is, the blanks before it tell
    (shape + rest).trim_start().to_owned()
}

/// The logs of the last run, which are removed: of each line, client, number, script and what no clock decides.
fn take_logs(folder: &Path, timed: bool) -> Vec<(String, Vec<String>)> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix("pgbench_log.").or_else(|| name.strip_prefix("mine.")) else { continue };
        let thread = rest.split_once('.').map_or("", |(_, thread)| thread);
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(|line| logged(line, timed)).collect();
        if timed {
            lines.dedup();
        }
        logs.push((format!("{} {thread}", name.split('.').next().unwrap()), lines));
        fs::remove_file(path).unwrap();
    }
    logs.sort();
    logs
}

fn logged(line: &str, timed: bool) -> String {
    let measured = [2, 4, 5, 6];
    let fields = line.split(' ').enumerate().map(|(at, field)| match field.parse::<u64>() {
        Ok(_) if timed || measured.contains(&at) => "N",
        _ => field,
    });
    fields.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_prints_and_writes_what_pgbench_does() {
    let stage = Stage::start();
    for line in [
        // reports
        "-n -t 4 -c 2 --failures-detailed -f second.sql -D n=0",
        "-n -t 4 -c 2 -j 2 -r --failures-detailed --max-tries=3 -f second.sql -f one.sql@0 -D n=0",
        "-n -t 4 -C -c 2 -f one.sql",
        "-n -t 4 -r -f never.sql -D n=0",
        "-n -t 20 -R 2000 -L 400 -f one.sql",
        "-v -t 1 -S -s 5",
        // progress
        "-n -T 2 -P 1 -f pause.sql",
        "-n -T 2 -P 1 -R 50 -L 900 --max-tries=2 -f pause.sql",
        "-n -T 2 -P 1 --progress-timestamp -f pause.sql",
        "-n -t 2 -P 5 -f one.sql",
        // logs of transactions
        "-n -t 3 -l -f second.sql -D n=0",
        "-n -t 3 -l --log-prefix=mine -R 200 --max-tries=2 -f second.sql -D n=0",
        "-n -t 3 -l --failures-detailed -f never.sql -D n=0",
        "-n -t 40 -l --sampling-rate=0.3 --random-seed=42 -f set.sql -f one.sql",
        "-n -t 12 -c 2 -j 2 -l --random-seed=42 -f set.sql -f one.sql@3",
        "-n -T 3 -l --aggregate-interval=1 -R 20 -L 900 --failures-detailed -f one.sql",
        // what goes wrong, and what is told of it
        "-n -t 4 -c 2 -f divided.sql",
        "-n -t 2 -f open.sql",
        "-n -t 2 -f killed.sql",
        "-n -t 2 -C -f killed.sql",
        "-n -t 2 -l --log-prefix=no/such/place -f one.sql",
        "-n -t 2 --verbose-errors --max-tries=2 -D n=1 -f second.sql",
        "-n -t 2 --verbose-errors --max-tries=2 -L 5000 -f never.sql -D n=0",
        "-n -t 1 -f notices.sql",
        "-n -t 2 -f shell.sql",
    ] {
        if line.contains("no/such/place") {
            // the file's name has the process in it
            let ended = stage.see(reprise(["pgbench"]), line);
            assert_eq!(ended.code, Some(1), "{ended:?}");
            let said = &ended.err[0];
            assert!(said.starts_with("pgbench: error: could not open logfile \"no/such/place."), "{said}");
            assert!(said.ends_with("\": No such file or directory"), "{said}");
            continue;
        }
        stage.compare(line);
    }
    if stage.original.major >= 17 {
        stage.compare("-n -t 4 -c 2 --exit-on-abort -f divided.sql");
    }
}

#[test]
fn each_step_is_told_with_debug() {
    let stage = Stage::start();
    for protocol in ["simple", "extended", "prepared"] {
        let line = format!("-n -t 2 --debug -M {protocol} -f steps.sql");
        let [ours, theirs] = [reprise(["pgbench"]), bare(&stage.original.program)].map(|command| {
            let left = stage.see(command, &line);
            // how often a client is woken, how a shell's word is shown, and commands that do nothing are not compared
            let apart = ["receiving", "shell parameter", "executing \\endif"];
            let same = left.err.into_iter().filter(|line| !apart.iter().any(|text| line.contains(text)));
            same.filter(|line| line != "\"").collect::<Vec<_>>()
        });
        assert!(ours.len() > 10, "{ours:?}");
        assert_eq!(ours, theirs, "{protocol}: ours left, pgbench's right");
    }
}

#[test]
fn ctrl_c_ends_with_the_report_of_what_was_measured() {
    let stage = Stage::start();
    let mut command = reprise(["pgbench"]);
    command.args(["-n", "-T", "60", "-l", "-f", "pause.sql", "-d"]).arg(stage.server.url());
    command.current_dir(stage.folder.path()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.out.contains("tps = "), "{ended:?}");
    assert!(ended.err.ends_with("error: Run was interrupted; the above results are incomplete.\n"), "{ended:?}");
    let logs = take_logs(stage.folder.path(), true);
    assert!(logs.len() == 1 && !logs[0].1.is_empty(), "{logs:?}");
}

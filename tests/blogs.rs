//! What people run around pgbench: shell scripts that read its report, programs that read its logs. They find this
//! program under the name `pgbench`, first in PATH; where the real one of PostgreSQL 18 is there, it goes through the same.

#![allow(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{Ended, Server, find_pgbench18, run};

/// A server, a folder for a program's files, and folders with a `pgbench` in them: ours, and the real one if it is there.
struct Desk {
    server: Server,
    folder: tempfile::TempDir,
    programs: Vec<PathBuf>,
}

impl Desk {
    fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join("bin");
        fs::create_dir(&ours).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_reprise"), ours.join("pgbench")).unwrap();
        let mut programs = vec![ours];
        programs.extend(find_pgbench18().map(|program| program.parent().unwrap().to_owned()));
        Self { server: Server::start(), folder, programs }
    }

    /// A folder of its own for a run.
    fn place(&self, name: &str, number: usize) -> PathBuf {
        let place = self.folder.path().join(format!("{name}.{number}"));
        fs::create_dir(&place).unwrap();
        place
    }

    /// Runs a command whose `pgbench` is the one in `bin`.
    fn run(&self, command: &mut Command, bin: &Path, place: &Path) -> Ended {
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
        command
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("PGHOST", self.server.path("log").parent().unwrap())
            .env("PGPORT", self.server.port().to_string())
            .env("PGUSER", "postgres")
            .env("PGDATABASE", "postgres")
            .env("LC_ALL", "C");
        run(command.current_dir(place))
    }

    /// Runs `pgbench` with these arguments, then the reader of its logs with those: what that found, and the report.
    fn logged(&self, name: &str, args: &str, reader: &str) -> Vec<(Value, String)> {
        let mut found = Vec::new();
        for (number, bin) in self.programs.iter().enumerate() {
            let place = self.place(name, number);
            for (file, text) in SCRIPTS {
                fs::write(place.join(file), text).unwrap();
            }
            let args = format!("{args} -P 60 -l --log-prefix=mine");
            let ended = self.run(Command::new(bin.join("pgbench")).args(args.split(' ')), bin, &place);
            assert_eq!(ended.code, Some(0), "{name}: {ended:?}");
            let mut python = Command::new("python3");
            python.arg(script("logs.py")).arg("mine").args(reader.split(' '));
            let read = self.run(&mut python, bin, &place);
            assert_eq!(read.code, Some(0), "{name}: {}", read.err);
            found.push((serde_json::from_str(&read.out).unwrap(), ended.out));
        }
        found
    }
}

const SCRIPTS: [(&str, &str); 3] = [
    ("one.sql", "select 1;\n"),
    // every eighth statement fails
    ("fails.sql", "\\set n :n + 1\nselect case when mod(:n, 8) = 0 then boom() else 1 end;\n"),
    // the last transaction of twenty-one comes two intervals after the others
    (
        "last.sql",
        "\\set n :n + 1\n\\if :n = 21\n\\sleep 2 s\n\\endif\nselect case when :n = 8 then boom() else 1 end;\n",
    ),
];

/// A function that fails as a conflict does.
const BOOM: &str = "create function boom() returns int language plpgsql as $$ begin
    raise exception using errcode = '40001', message = 'boom'; end $$";

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blogs").join(name)
}

/// The number behind a label of a report.
fn figure(report: &str, label: &str) -> String {
    let line = report.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{label}: {report}"));
    line.trim_start().split(|c: char| c != '.' && !c.is_ascii_digit()).next().unwrap().to_owned()
}

/// A text with `N` for every number that has decimals, or is none.
fn shape(text: &str) -> String {
    let is_figure = |part: &str| part.parse::<f64>().is_ok_and(|number| number.is_nan() || part.contains('.'));
    let part = |part: &str| if is_figure(part) { "N".to_owned() } else { part.to_owned() };
    text.lines().map(|line| line.split(',').map(part).collect::<Vec<_>>().join(",") + "\n").collect()
}

#[test]
fn a_shell_script_reads_the_report_in_the_ways_that_people_have() {
    let desk = Desk::set();
    let mut shapes = Vec::new();
    for (number, bin) in desk.programs.iter().enumerate() {
        let place = desk.place("sweep", number);
        let ended = desk.run(Command::new("bash").arg(script("sweep.sh")), bin, &place);
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        let rows: Vec<Vec<&str>> = ended.out.lines().take(7).map(|line| line.split(',').collect()).collect();
        for (row, clients) in rows[1..].iter().zip([1, 1, 2, 2, 4, 4]) {
            let [of, awk, perl, cut, sed, latency, latency_awk, stddev, processed, failed, ..] = row[..] else {
                panic!("{row:?}");
            };
            assert_eq!(of, clients.to_string());
            assert!([perl, cut, sed].iter().all(|tps| *tps == awk) && awk.parse::<f64>().unwrap() > 0.0, "{row:?}");
            assert!(latency == latency_awk && latency.parse::<f64>().is_ok(), "{row:?}");
            // the real one takes no time where the answer is there at once
            assert!(number > 0 || !latency.starts_with("0.000"), "{row:?}");
            assert!(stddev.parse::<f64>().is_ok(), "{row:?}");
            assert_eq!((processed, failed), ((clients * 40).to_string().as_str(), "0"), "{row:?}");
        }
        assert!(ended.out.contains("\ntimeline fine\n"), "{}", ended.out);
        shapes.push(shape(&ended.out));
    }
    assert!(shapes.iter().all(|shape| *shape == shapes[0]), "ours first:\n{}", shapes.join("\n"));
}

#[test]
fn a_program_reads_the_log_of_transactions_as_the_report_has_them() {
    let desk = Desk::set();
    desk.server.psql(BOOM);
    for (name, args, columns) in [
        ("plain", "-n -c 2 -t 40 -f one.sql", ""),
        ("threads", "-n -c 3 -j 3 -t 20 -f one.sql@2 -f one.sql --random-seed=7", ""),
        ("rate", "-n -c 2 -j 2 -t 20 -R 2000 -f one.sql", "lag"),
        ("failed", "-n -t 16 -D n=0 -f fails.sql", ""),
        ("kinds", "-n -t 16 -D n=0 --failures-detailed -f fails.sql", ""),
        ("retried", "-n -t 16 -D n=0 --max-tries=2 -R 500 -f fails.sql", "lag retries"),
    ] {
        let found = desk.logged(name, args, format!("transactions {columns}").trim_end());
        for (read, report) in &found {
            let of = |key: &str| read[key].as_f64().unwrap_or_else(|| panic!("{name}: {key} in {read}"));
            assert_eq!(of("done").to_string(), figure(report, "number of transactions actually processed:"), "{read}");
            assert_eq!(read["tps"], read["done"], "{name}: {read}");
            // with -P the report's average is one of latencies
            let average: f64 = figure(report, "latency average =").parse().unwrap();
            assert!((of("mean_ms") - average).abs() < 0.002, "{name}: {read}\n{report}");
            assert_eq!(read["numbered"], true, "{name}: {read}");
            let percentiles: Vec<u64> =
                read["percentiles"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
            assert!(percentiles.len() == 5 && percentiles.is_sorted(), "{name}: {read}");
            if columns.contains("retries") {
                assert_eq!(of("retries").to_string(), figure(report, "total number of retries:"), "{read}");
            }
        }
        let same = |read: &Value| {
            let mut read = read.clone();
            for timed in ["mean_ms", "lag", "percentiles"] {
                read.as_object_mut().unwrap().remove(timed);
            }
            read
        };
        assert!(found.iter().all(|(read, _)| same(read) == same(&found[0].0)), "{name}, ours first: {found:?}");
    }
}

#[test]
fn a_program_reads_the_log_of_intervals_as_the_report_has_them() {
    let desk = Desk::set();
    desk.server.psql(BOOM);
    for (name, args, threads) in [
        ("plain", "-n -t 21 -D n=0 -f last.sql", 1),
        ("threads", "-n -c 2 -j 2 -t 21 -D n=0 --failures-detailed -f last.sql", 2),
        ("retried", "-n -t 20 -D n=0 --max-tries=2 -R 500 -L 9000 -f last.sql", 1),
    ] {
        let found = desk.logged(name, &format!("{args} --aggregate-interval=1"), "intervals 1");
        for (read, report) in &found {
            let of = |key: &str| read[key].as_f64().unwrap_or_else(|| panic!("{name}: {key} in {read}"));
            let processed: f64 = figure(report, "number of transactions actually processed:").parse().unwrap();
            // the interval of the last transaction does not end any more, and has no line
            let apart = f64::from(threads);
            assert_eq!(of("done").to_string(), (processed - apart).to_string(), "{name}: {read}\n{report}");
            assert_eq!(of("tps").to_string(), of("done").to_string(), "{name}: {read}");
            let average: f64 = figure(report, "latency average =").parse().unwrap();
            assert!(average * processed - of("sum_ms") >= 1999.0 * apart, "{name}: {read}\n{report}");
            for holds in ["between", "squares", "gapless"] {
                assert_eq!(read[holds], true, "{name}: {holds} in {read}");
            }
        }
        let same = |read: &Value| ["names", "columns", "done", "failed", "retried"].map(|key| read[key].clone());
        assert!(found.iter().all(|(read, _)| same(read) == same(&found[0].0)), "{name}, ours first: {found:?}");
    }
}

//! What decides, and what varies: thresholds, metrics of one's own, a matrix, and the search for the highest rate.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Ended, Server, reprise, run, with_default_signals};
use tempfile::TempDir;

/// A scenario in a folder of its own.
struct Scenario<'s> {
    server: &'s Server,
    folder: TempDir,
}

impl<'s> Scenario<'s> {
    fn new(server: &'s Server, text: &str) -> Self {
        let scenario = Self { server, folder: tempfile::tempdir().unwrap() };
        scenario.write(text);
        scenario
    }

    fn write(&self, text: &str) {
        fs::write(self.folder.path().join("s.yaml"), format!("reprise: 1\n{text}")).unwrap();
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let url = self.server.url();
        let mut command = reprise(["run", "s.yaml", "--out", "kept", "--server", url.as_str()]);
        command.args(args).current_dir(&self.folder);
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        run(&mut self.command(args))
    }

    /// A file that was kept.
    fn kept(&self, path: &str) -> Value {
        let text = fs::read_to_string(self.folder.path().join("kept").join(path));
        text.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
    }
}

#[test]
fn a_rule_that_is_not_met_or_cannot_be_told_is_exit_code_3_and_says_what_it_was() {
    let server = Server::start();
    let scenario = Scenario::new(
        &server,
        "scripts:\n  good: {sql: select 1}\n  bad: {sql: \"select 1 / 0\"}\n\
         load: {mix: {good: 3, bad: 1}, transactions: 400, on_error: continue}\n\
         metrics: {broken: {query: select 1 / 0}, none: {query: select null}}\n\
         thresholds:\n\
         \x20 - failed < 50%\n\
         \x20 - failed.other < 1\n\
         \x20 - main.bad.latency.p99 < 1s\n\
         \x20 - latency.count(<1h) = 100%\n\
         \x20 - main.good.transactions > 100\n\
         \x20 - broken < 5\n\
         \x20 - none = 0\n",
    );
    let ended = scenario.run(&[]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let report = scenario.kept("run.json");
    let thresholds = report["thresholds"].as_array().unwrap();
    let met: Vec<_> = thresholds.iter().map(|rule| rule["met"].as_bool().unwrap()).collect();
    assert_eq!(met, [true, false, false, true, true, false, false], "{thresholds:?}");
    let share = thresholds[0]["measured"].as_f64().unwrap();
    let failed = report["phases"][0]["total"]["failed"].as_f64().unwrap();
    assert!((share - failed / 400.0).abs() < 1e-12 && thresholds[0]["unit"] == "share", "{thresholds:?}");
    assert_eq!(thresholds[2]["measured"], Value::Null);
    assert_eq!(thresholds[2]["reason"], "there was nothing to measure it on");
    assert_eq!(thresholds[6]["reason"], "its query failed: it gave null");
    for said in [
        "not met: main.bad.latency.p99 < 1s, and it can't be told, since there was nothing to measure it on",
        "not met: broken < 5, and it can't be told, since its query failed: ERROR: division by zero",
        "Thresholds  4 of 7 not met",
        "broken  could not be taken once: ERROR: division by zero",
    ] {
        assert!(ended.out.contains(said), "{said}: {}", ended.out);
    }
}

#[test]
fn failures_are_not_met_unless_a_rule_is_about_them() {
    let server = Server::start();
    let text = "scripts: {bad: {sql: \"select 1 / 0\"}, good: {sql: select 1}}\nload: {transactions: 20}\n";
    let scenario = Scenario::new(&server, text);
    assert_eq!(scenario.run(&[]).code, Some(3));
    scenario.write(&format!("{text}thresholds: [failed < 20]\n"));
    assert_eq!(scenario.run(&[]).code, Some(0));
}

#[test]
fn a_curve_is_taken_beside_the_load_and_a_figure_before_and_after_it() {
    let server = Server::start();
    let scenario = Scenario::new(
        &server,
        "setup: [{sql: create table t (v int)}]\n\
         scripts: {insert: {sql: insert into t values (1)}}\n\
         load: {transactions: 100}\n\
         phases: [{name: first}, {name: second, duration: 300ms, every: 10ms}]\n\
         metrics:\n\
         \x20 before: {query: select count(*) from t, at: start}\n\
         \x20 after: {query: select count(*) from t}\n\
         \x20 sessions: {query: \"select count(*) from pg_stat_activity where application_name = 'reprise'\", every: 50ms}\n\
         \x20 truth: {query: select true}\n\
         thresholds: [before = 0, after > 100, second.sessions.min >= 2, sessions.max < 20, truth = 1]\n",
    );
    let ended = scenario.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let report = scenario.kept("run.json");
    let points = report["metrics"][2]["points"].as_array().unwrap();
    let second = points.iter().filter(|point| point["phase"] == "second").count();
    assert!(second >= 2, "{points:?}");
    assert!(
        points
            .windows(2)
            .all(|two| two[0]["phase"] != two[1]["phase"] || two[0]["at_us"].as_u64() <= two[1]["at_us"].as_u64())
    );
    assert_eq!(report["metrics"][0]["taken"], "start");
}

const MATRIX: &str = "vars: {rows: 10, clients: 1, how: simple, n: 20}\n\
    setup: [{name: fill, sql: \"create table t as select generate_series(1, :rows) as v\"}]\n\
    scripts: {read: {sql: select count(*) from t}}\n\
    load: {clients: :clients, protocol: :how, transactions: :n}\n\
    matrix: {rows: [10, 5 * :n], clients: [1, 2], how: [simple, prepared]}\n";

/// Each point of the index: its values, and whether it was there before.
fn points(index: &Value) -> Vec<(String, bool)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let vars: Vec<String> = index["vars"].as_array().unwrap().iter().map(text).collect();
    let at = |point: &Value| vars.iter().map(|var| text(&point["at"][var])).collect::<Vec<_>>().join(" ");
    let points = index["points"].as_array().unwrap();
    points.iter().map(|point| (at(point), point["taken"].as_bool().unwrap())).collect()
}

#[test]
fn a_matrix_runs_every_combination_and_repeats_set_up_only_where_it_changes() {
    let server = Server::start();
    let scenario = Scenario::new(&server, MATRIX);
    let ended = scenario.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let index = scenario.kept("matrix.json");
    let all = ["10 1 simple", "10 1 prepared", "10 2 simple", "10 2 prepared"];
    let all: Vec<String> =
        all.iter().map(|at| (*at).to_owned()).chain(all.map(|at| format!("100{}", &at[2..]))).collect();
    assert_eq!(points(&index), all.iter().map(|at| (at.clone(), false)).collect::<Vec<_>>());
    let mut made = Vec::new();
    for point in index["points"].as_array().unwrap() {
        let report = scenario.kept(&format!("{}/run.json", point["folder"].as_str().unwrap()));
        made.push(!report["steps"][0]["kept"].as_bool().unwrap());
        assert_eq!(report["phases"][0]["load"]["clients"].to_string(), point["at"]["clients"].as_str().unwrap());
        assert_eq!(report["phases"][0]["load"]["protocol"], point["at"]["how"]);
        assert_eq!(report["scenario"]["vars"][0]["origin"], "matrix");
        assert_eq!(point["transactions"], 20);
    }
    assert_eq!(made, [true, false, false, false, true, false, false, false]);
    assert_eq!(server.psql("select count(*) from t"), "100");
    assert!(ended.out.contains("8 of 8 points complete"), "{}", ended.out);
    let row = |line: &&str| line.split_whitespace().collect::<Vec<_>>().starts_with(&["100", "2", "prepared"]);
    assert_eq!(ended.out.lines().filter(row).count(), 1, "{}", ended.out);

    // again: all of it is there; with one value more, so much is run
    let again = scenario.run(&[]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(points(&scenario.kept("matrix.json")).iter().all(|(_, taken)| *taken));
    assert!(again.out.contains("8 of them were there from an earlier run"), "{}", again.out);
    scenario.write(&format!("# a comment changes no run\n{}", MATRIX.replace("[1, 2]", "[1, 2, 3]")));
    let more = scenario.run(&["-D", "how=simple"]);
    assert_eq!(more.code, Some(0), "{more:?}");
    let fresh: Vec<_> = points(&scenario.kept("matrix.json")).into_iter().map(|(at, _)| at).collect();
    assert_eq!(fresh, ["10 1", "10 2", "10 3", "100 1", "100 2", "100 3"]);
}

#[test]
fn a_matrix_goes_on_where_it_was_stopped() {
    let server = Server::start();
    server.psql("create table pause as select 3600 as seconds");
    let text = "vars: {n: 1}\nscripts: {s: {sql: \"select pg_sleep(seconds) from pause where :n = 2\"}}\n\
                load: {transactions: 3}\nmatrix: {n: [1, 2, 3]}\n";
    let scenario = Scenario::new(&server, text);
    let mut command = with_default_signals(&scenario.command(&[]));
    command.current_dir(&scenario.folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let waiting = "select count(*) from pg_stat_activity where application_name = 'reprise' and wait_event = 'PgSleep'";
    let begun = Instant::now();
    while server.psql(waiting) == "0" {
        assert!(begun.elapsed() < Duration::from_secs(60), "the second point never waits");
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.out.contains("interrupted: 1 of 3 points complete"), "{}", ended.out);
    assert_eq!(points(&scenario.kept("matrix.json")), [("1".to_owned(), false), ("2".to_owned(), false)]);

    // where nothing waits any more, that point and the one behind it are run, and the first is not
    server.psql("update pause set seconds = 0");
    let again = scenario.run(&[]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let expected = [("1", true), ("2", false), ("3", false)].map(|(at, taken)| (at.to_owned(), taken));
    assert_eq!(points(&scenario.kept("matrix.json")), expected);
}

#[test]
fn a_point_that_can_not_be_set_up_does_not_keep_the_others_from_it() {
    let server = Server::start();
    let scenario = Scenario::new(
        &server,
        "vars: {n: 1}\nsetup: [{sql: \"create table t as select 1 / (:n - 2) as v\"}]\n\
         scripts: {s: {sql: select v from t}}\nload: {transactions: 3}\nmatrix: {n: [1, 2, 3]}\n",
    );
    let ended = scenario.run(&[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.out.contains("2 of 3 points complete") && ended.out.contains("could not be run"), "{}", ended.out);
    let index = scenario.kept("matrix.json");
    assert!(index["points"][1]["error"].as_str().unwrap().contains("division by zero"), "{index}");
    // what is wrong at once is wrong everywhere
    scenario.write("scripts: {s: {sql: select 1}}\nvars: {n: 1}\nload: {transactions: :n}\nmatrix: {n: [1, 2]}\n");
    let nowhere = ["run", "s.yaml", "--server", "host=/nonexistent", "--out", "other"];
    let refused = run(reprise(nowhere).current_dir(&scenario.folder));
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{refused:?}");
}

#[test]
fn a_matrix_never_drops_what_it_has_not_made() {
    let server = Server::start();
    server.psql("create table mine2 (v int)");
    let scenario = Scenario::new(
        &server,
        "vars: {n: 1}\nsetup: [{sql: \"create table mine:n (v int)\"}]\n\
         scripts: {s: {sql: select 1}}\nload: {transactions: 3}\nmatrix: {n: [1, 2, 3]}\n",
    );
    let ended = scenario.run(&[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(server.psql("select to_regclass('mine2') is not null, to_regclass('mine3') is not null"), "t|t");
}

#[test]
fn published_figures_stand_beside_the_point_that_they_belong_to() {
    let server = Server::start();
    let scenario = Scenario::new(
        &server,
        "vars: {clients: 1}\nscripts: {s: {sql: select 1}}\nload: {clients: :clients, transactions: 10}\n\
         matrix: {clients: [1, 2]}\npublished:\n  title: A post\n  systems:\n\
         \x20   - {name: one, at: {clients: 1}, results: {tps: 5}}\n\
         \x20   - {name: any, results: {tps: 6}}\n\
         \x20   - {name: nine, at: {clients: 9}, results: {tps: 7}}\n",
    );
    assert_eq!(scenario.run(&[]).code, Some(0));
    let systems = |folder: &str| -> Vec<String> {
        let report = scenario.kept(&format!("{folder}/run.json"));
        let systems = report["published"]["systems"].as_array().unwrap();
        systems.iter().map(|system| system["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(systems("clients=1"), ["one", "any"]);
    assert_eq!(systems("clients=2"), ["any"]);
}

#[test]
fn the_highest_rate_that_keeps_a_rule_is_found_between_two_that_were_tried() {
    let server = Server::start();
    let scenario = Scenario::new(
        &server,
        "scripts: {s: {sql: select pg_sleep(0.02)}}\n\
         phases: [{name: capacity, rate: 10/s..1000/s, arrivals: even, find: latency.p95 < 1s, duration: 300ms, grace: 0s}]\n\
         load: {clients: 2}\n",
    );
    let ended = scenario.run(&[]);
    let report = scenario.kept("run.json");
    let find = &report["phases"][0]["find"];
    let trials = find["trials"].as_array().unwrap();
    let rate = |trial: &Value| trial["rate"].as_f64().unwrap();
    let kept = |wanted: bool| trials.iter().filter(move |trial| trial["kept"] == wanted).map(rate);
    let (found, missed) = (find["found"].as_f64().unwrap(), kept(false).fold(f64::INFINITY, f64::min));
    // two clients can't do more than a hundred a second
    assert!((10.0..=105.0).contains(&found), "{ended:?}");
    assert_eq!(kept(true).fold(0.0, f64::max).to_bits(), found.to_bits());
    assert!(missed / found <= 1.051, "{trials:?}");
    assert!((4..=9).contains(&trials.len()), "{trials:?}");
    assert_eq!(report["phases"][0]["load"]["rate"], serde_json::json!([found, found]));
    assert!(
        ended.out.contains("Highest rate, phase capacity") && ended.err.contains("capacity: 10.00/s:"),
        "{ended:?}"
    );
}

#[test]
fn a_search_that_finds_nothing_or_the_end_of_its_range_says_so() {
    let server = Server::start();
    let text = "scripts: {s: {sql: select 1}}\nload: {clients: 2, arrivals: even, duration: 200ms}\n\
                phases: [{name: capacity, rate: 10/s..20/s, find: RULE}]\n";
    let scenario = Scenario::new(&server, &text.replace("RULE", "latency.p99 < 1us"));
    let ended = scenario.run(&[]);
    assert!(ended.out.contains("not even 10.00/s keeps latency.p99 < 1us"), "{}", ended.out);
    assert_eq!(scenario.kept("run.json")["phases"][0]["find"]["found"], Value::Null);
    scenario.write(&text.replace("RULE", "tps > 0"));
    let ended = scenario.run(&[]);
    assert!(ended.out.contains("even the highest rate of the range, 20.00/s, keeps tps > 0"), "{}", ended.out);
}

#[test]
fn a_claim_is_reproduced_or_not_or_cannot_be_compared_and_decides_no_exit_code() {
    let server = Server::start();
    let scenario = Scenario::new(
        &server,
        "vars: {pause: 1, clients: 2}\n\
         setup: [{sql: create table t (id int primary key)}]\n\
         scripts:\n\
         \x20 nap: {sql: \"\\\\sleep :pause ms\"}\n\
         \x20 add: {sql: insert into t values (1)}\n\
         load: {clients: :clients}\n\
         phases:\n\
         \x20 - {name: naps, mix: {nap: 1}, transactions: 8}\n\
         \x20 - {name: adds, mix: {add: 1}, transactions: 20}\n\
         \x20 - {name: late, mix: {nap: 1}, transactions: 8}\n\
         matrix: {pause: [1, 40]}\n\
         thresholds: [failed < 1000]\n\
         profiles:\n\
         \x20 ci: {matrix: {pause: [1]}, phases: [{name: adds, transactions: 10}, {name: late, skip: true}]}\n\
         published:\n\
         \x20 title: naps\n\
         \x20 claims:\n\
         \x20   - naps.transactions = 8\n\
         \x20   - naps.latency.min@pause=40 > 10 * naps.latency.min@pause=1\n\
         \x20   - naps.latency.min@pause=40 < naps.latency.min@pause=1\n\
         \x20   - naps.latency.min@pause=40 ~ 40ms\n\
         \x20   - adds.failed with unique_violation\n\
         \x20   - adds.failed with 'duplicate key'\n\
         \x20   - adds.failed with deadlock_detected\n\
         \x20   - late.latency.min@pause=1 < late.latency.min@pause=40\n",
    );
    let ended = scenario.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let verdicts = |file: &Value| -> Vec<String> {
        let claims = file.as_array().unwrap().iter();
        let show = |claim: &Value| {
            let at = claim["at"]["pause"].as_str().map(|pause| format!(" at {pause}")).unwrap_or_default();
            format!("{}{at}: {}", claim["rule"].as_str().unwrap(), claim["verdict"].as_str().unwrap())
        };
        claims.map(show).collect()
    };
    let both = |claim: &str, verdict: &str| [1, 40].map(|pause| format!("{claim} at {pause}: {verdict}"));
    let one = |claim: &str, verdict: &str| vec![format!("{claim}: {verdict}")];
    let expected = [
        both("naps.transactions = 8", "reproduced").to_vec(),
        one("naps.latency.min@pause=40 > 10 * naps.latency.min@pause=1", "reproduced"),
        one("naps.latency.min@pause=40 < naps.latency.min@pause=1", "not_reproduced"),
        one("naps.latency.min@pause=40 ~ 40ms", "reproduced"),
        both("adds.failed with unique_violation", "reproduced").to_vec(),
        both("adds.failed with 'duplicate key'", "reproduced").to_vec(),
        both("adds.failed with deadlock_detected", "not_reproduced").to_vec(),
        one("late.latency.min@pause=1 < late.latency.min@pause=40", "reproduced"),
    ];
    assert_eq!(verdicts(&scenario.kept("matrix.json")["claims"]), expected.concat());
    assert!(ended.out.contains("Claims  9 of 12 reproduced\n"), "{}", ended.out);
    // a point has what can be said of it alone
    let point = &scenario.kept("pause=40/run.json")["published"]["claims"];
    let names: Vec<_> = point.as_array().unwrap().iter().map(|claim| claim["rule"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "naps.transactions = 8",
            "naps.latency.min@pause=40 ~ 40ms",
            "adds.failed with unique_violation",
            "adds.failed with 'duplicate key'",
            "adds.failed with deadlock_detected"
        ]
    );
    fs::remove_dir_all(scenario.folder.path().join("kept")).unwrap();
    let ended = scenario.run(&["--profile", "ci", "-D", "clients=1"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("Claims  0 of 8 reproduced, 8 not comparable"), "{}", ended.out);
    let ended = scenario.run(&["--profile", "ci"]);
    for said in [
        "Claims  1 of 8 reproduced, 7 not comparable",
        "  not comparable  naps.latency.min@pause=40 ~ 40ms: pause = 40 was not run",
        "  not comparable  adds.failed with 'duplicate key', at pause = 1: profile ci changes",
        "                  phases.late\n",
    ] {
        assert!(ended.out.contains(said), "{said}: {}", ended.out);
    }
}

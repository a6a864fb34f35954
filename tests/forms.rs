//! One run in every form: the same numbers everywhere, and nothing of a name that a form could take for its own syntax.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::fs;
use std::path::Path;

use reprise::report::quantity::{count, duration, rate};
use serde_json::Value;
use support::{Ended, Server, reprise, run};

/// Several workers, phases, replicas and errors, and names that are hard to quote.
const SCENARIO: &str = r#"reprise: 1
name: forms
description: "<script>alert(1)</script> | `x` & \"quotes\", umlauts äöü"
setup:
  - {name: "a, \"b\" | <c>", sql: "create table t (a int, b text)"}
scripts:
  good: {sql: "insert into t values (:client_id, '<b>,|`\"') returning a"}
  bad: {sql: "select 1 / 0"}
load: {mix: {good: 9, bad: 1}, clients: 4, threads: 2, replicas: 2, on_error: continue, transactions: 200}
background: {beside: {mix: {good: 1}, every: 1ms}}
phases:
  - {name: first}
  - {name: second, transactions: 100, protocol: simple}
thresholds:
  - failed < 50%
  - second.latency.p99 < 1us
"#;

fn reprise_in(folder: &Path, args: &[&str]) -> Ended {
    run(reprise(args).env("COLUMNS", "400").env("NO_COLOR", "1").current_dir(folder))
}

/// Runs it once; each form is made of what was kept.
fn kept(server: &Server) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("forms.yaml"), SCENARIO).unwrap();
    let ended = reprise_in(folder.path(), &["run", "forms.yaml", "--server", &server.url()]);
    assert_eq!(ended.code, Some(3), "{}{}", ended.out, ended.err);
    folder
}

fn form(folder: &Path, format: &str) -> String {
    let ended = reprise_in(folder, &["report", "last", "--format", format]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    ended.out
}

#[test]
fn every_number_is_the_same_in_every_form() {
    let server = Server::start();
    let folder = kept(&server);
    let of = |format| form(folder.path(), format);
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    let (text, markdown, csv) = (of("text"), of("markdown"), of("csv"));
    let phases = json["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 2);
    for phase in phases {
        let name = phase["name"].as_str().unwrap();
        let total = &phase["total"];
        assert!(total["failed"].as_u64().unwrap() > 0 && phase["load"]["replicas"] == 2, "{phase}");
        let row = |line: &str| line.replace(' ', "").contains(&format!("|{name}|"));
        let row = markdown.lines().find(|line| row(line)).unwrap();
        let section = text.split(&format!("Phase {name}  ")).nth(1).unwrap().split("\nPhase ").next().unwrap();
        for key in ["transactions", "failed", "retries"] {
            let number = total[key].as_u64().unwrap();
            assert!(csv.contains(&format!("forms,phase,{name},,,{key},,{number},\n")), "{key}");
            if key != "retries" {
                assert!(row.contains(&format!("| {} |", count(number))), "{key} {number}: {row}");
            }
        }
        let tps = phase["tps"].as_f64().unwrap();
        assert!(csv.contains(&format!("forms,phase,{name},,,tps,,{tps},1/s\n")), "{tps}");
        assert!(row.contains(&format!("| {} |", rate(tps))), "{tps}: {row}");
        assert!(section.contains(&format!("tps = {tps:.6} ")), "{tps}: {section}");
        for stat in ["avg", "p50", "p95", "p99", "max"] {
            let us = total["latency"][format!("{stat}_us")].as_f64().unwrap();
            assert!(csv.contains(&format!("forms,phase,{name},,,latency,{stat},{us},us\n")), "{stat} {us}");
            let shown = duration(us * 1e3);
            assert!(row.contains(&format!("| {shown} |")), "{stat} {shown}: {row}");
            assert!(section.contains(&shown), "{stat} {shown}: {section}");
        }
        for script in phase["scripts"].as_array().unwrap() {
            let (script_name, figures) = (script["name"].as_str().unwrap(), &script["figures"]);
            let number = figures["failed"].as_u64().unwrap();
            assert!(csv.contains(&format!("forms,phase,{name},{script_name},,failed,,{number},\n")));
            for command in script["commands"].as_array().unwrap() {
                let rows = command["rows"].as_u64().unwrap();
                assert!(csv.contains(&format!(",rows,,{rows},\n")), "{command}");
            }
        }
    }
    let junit = of("junit");
    assert!(junit.contains("tests=\"3\" failures=\"1\""), "{junit}");
    assert!(junit.contains("name=\"second.latency.p99 &lt; 1us\""), "{junit}");
}

#[test]
fn no_name_becomes_syntax() {
    let server = Server::start();
    let folder = kept(&server);
    let of = |format| form(folder.path(), format);
    for (format, forbidden) in [("markdown", "<script>"), ("markdown", "<b>"), ("markdown", "<c>"), ("junit", "<c>")] {
        assert!(!of(format).contains(forbidden), "{format} has {forbidden}");
    }
    // every row of a table has as many cells as its head
    let markdown = of("markdown");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[0].starts_with('|') && pair[1].starts_with('|')) {
        assert_eq!(cells(pair[0]), cells(pair[1]), "{pair:?}");
    }
    // what psql copies is what was written
    let csv = folder.path().join("run.csv");
    fs::write(&csv, of("csv")).unwrap();
    server.psql(
        "create table figures (run text, kind text, phase text, script text, name text, metric text, stat text, \
         value double precision, unit text)",
    );
    server.psql(&format!("\\copy figures from '{}' with (format csv, header)", csv.display()));
    assert_eq!(server.psql("select name from figures where kind = 'step'"), "a, \"b\" | <c>");
    assert_eq!(server.psql("select value from figures where kind = 'threshold' and metric = 'met' order by 1"), "0\n1");
    assert_eq!(server.psql("select distinct script from figures where kind = 'background' and script <> ''"), "good");
}

#[test]
fn what_is_no_kept_run_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |run: &str| {
        let ended = reprise_in(folder.path(), &["report", run]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{run}");
        ended.err
    };
    assert!(refused("last").contains("no run was kept here yet"));
    assert!(refused("nowhere").contains("report::not_read"));
    for (text, code) in [
        ("{\"schema_version\": 1, \"started\"", "report::truncated"),
        ("{\"tps\": 1}", "report::not_a_report"),
        ("{\"schema_version\": 99}", "report::newer_format"),
        ("{\"schema_version\": 1}", "report::damaged"),
        ("", "report::truncated"),
    ] {
        fs::write(folder.path().join("run.json"), text).unwrap();
        assert!(refused(".").contains(code), "{text}: {}", refused("."));
        assert!(refused("run.json").contains(code), "{text}");
    }
    fs::remove_file(folder.path().join("run.json")).unwrap();
    fs::write(folder.path().join("matrix.json"), "{}").unwrap();
    assert!(refused(".").contains("report::matrix"));
}

#[test]
fn a_matrix_has_every_form_too() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let text = "reprise: 1\nname: m\nvars: {n: 1}\nscripts: {a: {sql: \"select :n\"}}\nload: {transactions: 5}\nmatrix: {n: [1, 2]}\n";
    fs::write(folder.path().join("m.yaml"), text).unwrap();
    let of = |format: &str| {
        let ended = reprise_in(folder.path(), &["run", "m.yaml", "--server", &server.url(), "--format", format]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        ended.out
    };
    let csv = of("csv");
    assert_eq!(csv.matches("run,kind,").count(), 1);
    assert!(csv.contains("\nn = 1,phase,") && csv.contains("\nn = 2,phase,"), "{csv}");
    assert_eq!(of("junit").matches("<testsuite name=\"n = ").count(), 2);
    assert_eq!(of("markdown").lines().filter(|line| line.starts_with("| 1 ") || line.starts_with("| 2 ")).count(), 2);
}

#[test]
fn a_run_can_be_pasted_as_what_was_published() {
    let server = Server::start();
    let folder = kept(&server);
    let published = form(folder.path(), "published");
    fs::write(folder.path().join("later.yaml"), format!("{SCENARIO}{published}")).unwrap();
    let args = ["run", "later.yaml", "--replace", "--format", "json", "--server", &server.url()];
    let ended = reprise_in(folder.path(), &args);
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    let results = report["published"]["systems"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 16, "{published}");
    for result in results {
        assert!(result["measured"].is_number() && result["published"].is_number(), "{result}");
    }
}

#[test]
fn what_was_kept_has_the_forms_that_others_look_at() {
    let server = Server::start();
    let folder = kept(&server);
    let file = |name: &str| fs::read_to_string(folder.path().join("reprise-runs/last").join(name)).unwrap();
    assert_eq!(file("report.md"), form(folder.path(), "markdown"));
    assert_eq!(file("junit.xml"), form(folder.path(), "junit"));
    assert_eq!(file("run.json"), form(folder.path(), "json"));
}

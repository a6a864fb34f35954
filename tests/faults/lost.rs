//! The server goes away, for good or for a while.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::process::{Run, is_running, sessions, until};
use crate::support::Server;

fn load(keys: &str) -> String {
    format!("scripts:\n  one: {{sql: \"select pg_sleep(0.01)\"}}\nload: {{clients: 4, {keys}}}\n")
}

/// A run of each load, all of them in their phases.
fn busy(server: &Server, loads: &[&str]) -> Vec<Run> {
    let start = |(number, keys): (usize, &&str)| {
        Run::on(server, &load(keys).replace("pg_sleep(0.01)", &format!("pg_sleep(0.01) as run_{number}")))
    };
    let runs = loads.iter().enumerate().map(start).collect();
    all_are_busy(server, loads.len());
    runs
}

/// Waits until each of so many runs has a statement on the server.
fn all_are_busy(server: &Server, runs: usize) {
    (0..runs).for_each(|number| sessions(server, &format!("query like '%as run_{number}%'"), 1));
}

#[test]
fn a_server_that_stops_ends_the_run_with_its_report() {
    let server = Server::start();
    let loads = [
        "duration: 1h",
        "duration: 1h, connections: per_transaction",
        "duration: 1h, connections: 2, protocol: prepared",
        "duration: 1h, rate: 50/s, protocol: extended",
        "transactions: 100000000, threads: 2",
        // over before it would have given up
        "duration: 6s",
    ];
    let mut runs = busy(&server, &loads);
    sessions(&server, "query like 'select pg_sleep%'", 4 * 4 + 2 + 1);
    server.crash();
    for (keys, run) in loads.iter().zip(&mut runs) {
        let finished = run.wait();
        assert_eq!((finished.code(), finished.ending()), (Some(2), "server_lost"), "{keys}: {finished:?}");
        assert!(finished.ended.out.contains("the server was lost"), "{keys}: {finished:?}");
        assert!(finished.total("transactions") > 0, "{keys}");
        assert!(finished.total("failed") > 0 && finished.total("unfinished") == 0, "{keys}: {finished:?}");
    }
}

#[test]
fn a_server_that_stops_during_set_up_is_a_sentence() {
    let server = Server::start();
    let scenario = format!(
        "setup:\n  - {{sql: create table t(v int)}}\n  - {{sql: select pg_sleep(3600)}}\n{}",
        load("duration: 1h")
    );
    let mut run = Run::on(&server, &scenario);
    sessions(&server, "query like 'select pg_sleep(3600)%'", 1);
    server.crash();
    let finished = run.wait();
    assert_eq!((finished.code(), finished.report.is_null()), (Some(1), true), "{finished:?}");
    let err = &finished.ended.err;
    assert!(err.contains("setup::statement") && err.contains("connection to the server lost"), "{err}");
    assert!(err.contains("still there, to be dropped by hand: `t`"), "{err}");
}

#[test]
fn an_embedded_server_that_dies_during_set_up_leaves_nothing() {
    let mut run = Run::embedded(&format!("setup:\n  - {{sql: select pg_sleep(3600)}}\n{}", load("duration: 1h")));
    let postmaster = run.postmaster();
    run.is_in_set_up();
    kill(Pid::from_raw(postmaster), Signal::SIGQUIT).unwrap();
    let finished = run.wait();
    assert_eq!(finished.code(), Some(1), "{finished:?}");
    assert!(!is_running(postmaster) && run.is_clean());
}

#[test]
fn an_embedded_server_that_dies_during_a_phase_is_reported_and_leaves_nothing() {
    let mut run = Run::embedded(&load("duration: 1h"));
    let postmaster = run.postmaster();
    run.is_in_phase();
    kill(Pid::from_raw(postmaster), Signal::SIGQUIT).unwrap();
    let finished = run.wait();
    assert_eq!((finished.code(), finished.ending()), (Some(2), "server_lost"), "{finished:?}");
    assert!(run.is_clean());
}

#[test]
fn clients_come_back_to_a_server_that_restarts() {
    let server = Server::start();
    let loads = [
        "duration: 1h",
        "duration: 1h, connections: per_transaction",
        "duration: 1h, connections: 3, protocol: prepared",
    ];
    let mut runs = busy(&server, &loads);
    sessions(&server, "query like 'select pg_sleep%'", 8);
    server.crash();
    server.start_again();
    sessions(&server, "query like 'select pg_sleep%'", 9);
    for (keys, run) in loads.iter().zip(&mut runs) {
        run.signal(Signal::SIGINT);
        let finished = run.wait();
        assert_eq!((finished.code(), finished.ending()), (Some(130), "interrupted"), "{keys}: {finished:?}");
        assert!(finished.failed("disconnect") > 0, "{keys}: {finished:?}");
        assert_eq!(finished.report["phases"][0]["clients_ended"], 0, "{keys}: {finished:?}");
        assert_eq!(finished.total("failed"), finished.failed("disconnect") + finished.failed("connect"), "{keys}");
    }
}

#[test]
fn a_backend_that_is_terminated_is_replaced_and_says_why() {
    let server = Server::start();
    let mut run = Run::on(&server, &load("duration: 1h, protocol: prepared"));
    sessions(&server, "query like 'select pg_sleep%'", 4);
    let pids = "select string_agg(pid::text, ',') from pg_stat_activity where query like 'select pg_sleep%' and pid <> pg_backend_pid()";
    let pids = server.psql(pids);
    server.psql(&format!("select pg_terminate_backend(pid) from unnest(array[{pids}]) as pid"));
    sessions(&server, &format!("query like 'select pg_sleep%' and pid not in ({pids})"), 4);
    run.signal(Signal::SIGTERM);
    let finished = run.wait();
    assert_eq!(
        (finished.code(), finished.total("failed"), finished.failed("disconnect")),
        (Some(130), 4, 4),
        "{finished:?}"
    );
    assert!(finished.messages()[0].contains("terminating connection due to administrator command"), "{finished:?}");
    assert_eq!(finished.report["phases"][0]["errors"][0]["sqlstate"], "57P01");
    until("all sessions are closed", || {
        server.psql("select count(*) from pg_stat_activity where application_name = 'reprise'") == "0"
    });
}

/// The outages of the only phase, as `(clients, since, first back, all back)` in microseconds.
fn outages(report: &serde_json::Value) -> Vec<(u64, u64, Option<u64>, Option<u64>)> {
    let all = report["phases"][0]["outages"].as_array().unwrap();
    let one = |outage: &serde_json::Value| {
        let number = |key: &str| outage[key].as_u64();
        (number("clients").unwrap(), number("since_us").unwrap(), number("first_back_us"), number("all_back_us"))
    };
    all.iter().map(one).collect()
}

#[test]
fn an_outage_is_measured() {
    let server = Server::start();
    let loads = [
        "duration: 1h",
        "duration: 1h, connections: per_transaction",
        "duration: 1h, connections: 4, protocol: prepared",
        "duration: 1h, rate: 100/s, threads: 2",
    ];
    let mut runs = busy(&server, &loads);
    server.crash();
    server.start_again();
    all_are_busy(&server, loads.len());
    for (keys, run) in loads.iter().zip(&mut runs) {
        // until the last client has had its transaction is up to the machine
        run.signal(Signal::SIGINT);
        let finished = run.wait();
        let outages = outages(&finished.report);
        let Some((clients, since, first, all)) = outages.first().copied() else { panic!("{keys}: {finished:?}") };
        assert!((1..=4).contains(&clients) && since > 0, "{keys}: {outages:?}");
        assert!(first.is_some_and(|first| first > since), "{keys}: {outages:?}");
        assert!(all.is_none_or(|all| Some(all) >= first), "{keys}: {outages:?}");
        let out = &finished.ended.out;
        assert!(out.contains(" had no session from ") && out.contains("the first transaction after came"), "{out}");
        assert!(out.contains("first transaction after  all back after"), "{out}");
    }
}

#[test]
fn a_server_that_never_comes_back_leaves_the_outage_open() {
    let server = Server::start();
    let mut run = Run::on(&server, &load("duration: 6s"));
    sessions(&server, "query like 'select pg_sleep%'", 4);
    server.crash();
    let finished = run.wait();
    let outages = outages(&finished.report);
    assert_eq!(outages.len(), 1, "{outages:?}");
    assert_eq!((outages[0].0, outages[0].2, outages[0].3), (4, None, None), "{finished:?}");
    assert!(finished.ended.out.contains("4 clients had no session from "), "{}", finished.ended.out);
}

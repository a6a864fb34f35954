//! Ctrl-C and SIGTERM.

use nix::sys::signal::Signal;

use crate::process::{Run, sessions, until};
use crate::support::Server;

const LOAD: &str = "scripts:\n  one: {sql: \"select pg_sleep(0.01)\"}\nload: {clients: 2, duration: 1h}\n";

/// Each client is in a statement that does not end, but for one that has short ones.
const LONG: &str = "scripts:\n  one:\n    sql: |\n      \\if :client_id > 0\n      select pg_sleep(3600);\n      \\endif\n      select 'short';\n\
                    load: {clients: 3, threads: 2, duration: 1h}\n";

fn nothing_is_left(server: &Server) {
    let relations = "select count(*) from pg_class where relname in ('a', 'b', 'c', 'reprise_setup')";
    assert_eq!(server.psql(relations), "0");
    until("no session is left", || {
        server.psql("select count(*) from pg_stat_activity where application_name = 'reprise'") == "0"
    });
}

#[test]
fn in_set_up_it_takes_back_what_was_made() {
    let server = Server::start();
    let setups = [
        // in a transaction, outside of one, in a fill
        "  - {sql: create table a(v int)}\n  - sql: |\n      create table b(v int);\n      select pg_sleep(3600);\n",
        "  - {sql: create table a(v int)}\n  - {sql: vacuum a}\n  - {sql: \"insert into a select 1 from pg_sleep(3600)\"}\n",
        "  - {sql: create table c(v int)}\n  - {fill: c, rows: 2, columns: {v: {sql: \"(select 1 from pg_sleep(3600))\"}}}\n",
        "  - {sql: create table a(v int)}\n  - {wait: 1h}\n",
    ];
    for (setup, signal) in setups.iter().zip([Signal::SIGINT, Signal::SIGTERM, Signal::SIGINT, Signal::SIGINT]) {
        let mut run = Run::on(&server, &format!("setup:\n{setup}{LOAD}"));
        if setup.contains("wait") {
            until("it waits", || run.printed().contains("step 2 of 2"));
        } else {
            sessions(&server, "query like '%pg_sleep(3600)%' and state = 'active'", 1);
        }
        run.signal(signal);
        let finished = run.wait();
        assert_eq!((finished.code(), finished.report.is_null()), (Some(130), true), "{finished:?}");
        assert!(finished.ended.err.contains("interrupted"), "{finished:?}");
        nothing_is_left(&server);
    }
}

#[test]
fn in_set_up_the_embedded_server_is_gone_too() {
    let mut run = Run::embedded(&format!("setup:\n  - {{sql: select pg_sleep(3600)}}\n{LOAD}"));
    run.is_in_set_up();
    run.signal(Signal::SIGINT);
    assert_eq!(run.wait().code(), Some(130));
    assert!(run.is_clean());
}

#[test]
fn before_there_is_a_server_it_leaves_at_once() {
    let mut run = Run::embedded(LOAD);
    until("something was begun", || !run.is_clean());
    run.signal(Signal::SIGINT);
    let finished = run.wait();
    assert_eq!(finished.code(), Some(130), "{finished:?}");
    assert!(run.is_clean());
}

/// Once: what runs gets two seconds, then it is cancelled on the server; the report is written.
#[test]
fn once_in_a_phase_cancels_what_does_not_end_by_itself() {
    let server = Server::start();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let mut run = Run::on(&server, LONG);
        sessions(&server, "query like 'select pg_sleep(3600)%' and state = 'active'", 2);
        run.signal(signal);
        let finished = run.wait();
        assert_eq!((finished.code(), finished.ending()), (Some(130), "interrupted"), "{finished:?}");
        assert_eq!((finished.total("unfinished"), finished.total("failed")), (2, 0), "{finished:?}");
        assert!(finished.report["phases"][0]["elapsed_us"].as_u64().unwrap() >= 2_000_000, "{finished:?}");
        assert_eq!(finished.report["verdict"]["outcome"], "interrupted");
        assert!(
            finished.ended.out.contains("interrupted after") && finished.ended.out.contains("tps ="),
            "{finished:?}"
        );
        nothing_is_left(&server);
    }
}

#[test]
fn once_in_a_phase_lets_short_transactions_end() {
    let server = Server::start();
    let mut run = Run::on(&server, LOAD);
    sessions(&server, "query like 'select pg_sleep%'", 2);
    run.signal(Signal::SIGINT);
    let finished = run.wait();
    assert_eq!(
        (finished.code(), finished.total("unfinished"), finished.total("failed")),
        (Some(130), 0, 0),
        "{finished:?}"
    );
}

#[test]
fn twice_and_three_times_end_it_with_its_report_too() {
    let server = Server::start();
    for times in [2, 3, 4] {
        let mut run = Run::on(&server, LONG);
        sessions(&server, "query like 'select pg_sleep(3600)%' and state = 'active'", 2);
        for time in 1..=times {
            // signals that come at once are one
            run.signal(if time % 2 == 1 { Signal::SIGINT } else { Signal::SIGTERM });
            std::thread::yield_now();
        }
        let finished = run.wait();
        assert_eq!((finished.code(), finished.ending()), (Some(130), "interrupted"), "{times}: {finished:?}");
        assert!(
            (2..=3).contains(&finished.total("unfinished")) && finished.total("failed") == 0,
            "{times}: {finished:?}"
        );
        nothing_is_left(&server);
    }
}

#[test]
fn while_sessions_are_opened_nothing_was_measured() {
    let server = Server::start();
    let keys = "session: {on_connect: [\"select pg_sleep(30)\"]}";
    let mut run = Run::on(&server, &LOAD.replace("clients: 2", &format!("clients: 2, {keys}")));
    sessions(&server, "query like 'select pg_sleep(30)%' and state = 'active'", 1);
    run.signal(Signal::SIGINT);
    let finished = run.wait();
    assert_eq!((finished.code(), finished.report.is_null()), (Some(130), true), "{finished:?}");
}

/// A second phase that can't begin any more does not cost what the first has measured.
#[test]
fn between_phases_what_was_measured_is_reported() {
    let server = Server::start();
    let scenario = "scripts:\n  one: {sql: select 1}\nload: {transactions: 5}\n\
                    phases:\n  - {name: a}\n  - sql: select pg_sleep(3600)\n  - {name: b}\n";
    let mut run = Run::on(&server, scenario);
    sessions(&server, "query like 'select pg_sleep(3600)%' and state = 'active'", 1);
    run.signal(Signal::SIGINT);
    let finished = run.wait();
    assert_eq!((finished.code(), finished.total("transactions")), (Some(130), 5), "{finished:?}");
    assert_eq!(finished.report["verdict"]["outcome"], "interrupted");
}

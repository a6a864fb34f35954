//! A server that is there and does not answer any more.

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::process::{Run, sessions, signal_server, until};
use crate::support::Server;

/// A server whose processes are stopped, as by a machine that hangs; they go on when this is dropped.
struct Frozen(Pid);

impl Frozen {
    fn freeze(server: &Server) -> Self {
        let pid = server.pid();
        // the postmaster first, or it would replace what is stopped
        nix::sys::signal::kill(pid, Signal::SIGSTOP).unwrap();
        signal_server(pid.as_raw(), Signal::SIGSTOP);
        Self(pid)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal_server(self.0.as_raw(), Signal::SIGCONT);
    }
}

fn load(keys: &str) -> String {
    format!("scripts:\n  one: {{sql: \"select pg_sleep(0.01)\"}}\nload: {{clients: 4, {keys}}}\n")
}

#[test]
fn the_phase_ends_by_itself_and_counts_what_never_ended() {
    let server = Server::start();
    let loads = [
        "duration: 8s, grace: 1s",
        "duration: 8s, grace: 1s, connections: per_transaction",
        "duration: 8s, grace: 1s, connections: 2, protocol: prepared",
        "duration: 8s, grace: 1s, rate: 100/s, protocol: extended, threads: 2",
    ];
    server.psql("create table done(run int)");
    let start = |(number, keys): (usize, &&str)| {
        let statement = format!("insert into done select {number} from pg_sleep(0.01)");
        Run::on(&server, &load(keys).replace("select pg_sleep(0.01)", &statement))
    };
    let mut runs: Vec<Run> = loads.iter().enumerate().map(start).collect();
    until("each has done something", || server.psql("select count(distinct run) from done") == "4");
    let frozen = Frozen::freeze(&server);
    for (keys, run) in loads.iter().zip(&mut runs) {
        let finished = run.wait();
        assert_eq!(finished.code(), Some(2), "{keys}: {finished:?}");
        assert!(finished.total("transactions") > 0 && finished.total("unfinished") > 0, "{keys}: {finished:?}");
        assert_eq!(finished.report["verdict"]["outcome"], "incomplete", "{keys}");
        assert!(finished.ended.out.contains("were cut off at the end"), "{keys}: {finished:?}");
    }
    drop(frozen);
}

#[test]
fn a_statement_has_the_clients_own_limit() {
    let server = Server::start();
    let mut run = Run::start(
        &load("duration: 6s, timeout: 1s, grace: 1s"),
        &["--server", &(server.url() + " connect_timeout=2")],
    );
    sessions(&server, "query like 'select pg_sleep%'", 4);
    let frozen = Frozen::freeze(&server);
    let finished = run.wait();
    assert!(finished.failed("timeout") > 0, "{finished:?}");
    assert_eq!(finished.code(), Some(2), "{finished:?}");
    drop(frozen);
}

#[test]
fn a_step_ends_where_a_second_session_is_not_answered_either() {
    let server = Server::start();
    // set-ups of one database wait for each other
    let start = |database: &str, scenario: &str| {
        server.psql(&format!("create database {database}"));
        let server = format!("{} connect_timeout=2 dbname={database}", server.url());
        Run::start(scenario, &["--server", &server])
    };
    let steps = "setup:\n  - {sql: create table t(v int)}\n  - {sql: select pg_sleep(3600)}\n";
    let mut in_set_up = start("a", &format!("{steps}{}", load("duration: 1h")));
    let mut between = start(
        "b",
        "scripts:\n  one: {sql: select 1}\nload: {transactions: 5}\n\
         phases:\n  - {name: a}\n  - sql: select pg_sleep(3600)\n  - {name: b}\n",
    );
    let mut tables = start("c", &format!("setup:\n  - {{pgbench: {{scale: 5000}}}}\n{}", load("duration: 1h")));
    sessions(&server, "query like 'select pg_sleep(3600)%' and state = 'active'", 2);
    sessions(&server, "query like 'copy pgbench_accounts%'", 1);
    let frozen = Frozen::freeze(&server);
    let finished = in_set_up.wait();
    assert_eq!((finished.code(), finished.report.is_null()), (Some(1), true), "{finished:?}");
    let err = &finished.ended.err;
    assert!(err.contains("setup::no_answer") && err.contains("got none in 4 s"), "{err}");
    assert!(err.contains("still there, to be dropped by hand: `t`"), "{err}");
    let finished = between.wait();
    assert_eq!((finished.code(), finished.total("transactions")), (Some(2), 5), "{finished:?}");
    assert!(finished.ended.out.contains("the server stopped answering"), "{finished:?}");
    let finished = tables.wait();
    assert_eq!(finished.code(), Some(1), "{finished:?}");
    assert!(finished.ended.err.contains("setup::no_answer"), "{finished:?}");
    drop(frozen);
}

#[test]
fn connecting_has_a_limit() {
    let server = Server::start();
    let frozen = Frozen::freeze(&server);
    let mut run = Run::start(&load("duration: 1h"), &["--server", &(server.url() + " connect_timeout=2")]);
    let finished = run.wait();
    assert_eq!((finished.code(), finished.report.is_null()), (Some(1), true), "{finished:?}");
    let err = &finished.ended.err;
    assert!(err.contains("pg::timeout") && err.contains("took longer than 2 s"), "{err}");
    drop(frozen);
}

#[test]
fn interrupted_it_ends_whatever_the_server_does() {
    let server = Server::start();
    let mut once = Run::on(&server, &load("duration: 1h"));
    sessions(&server, "query like 'select pg_sleep(0.01)%'", 4);
    let mut in_set_up =
        Run::on(&server, &format!("setup:\n  - {{sql: select pg_sleep(3600)}}\n{}", load("duration: 1h")));
    sessions(&server, "query like 'select pg_sleep%'", 5);
    let frozen = Frozen::freeze(&server);
    once.signal(Signal::SIGINT);
    let finished = once.wait();
    assert_eq!((finished.code(), finished.ending()), (Some(130), "interrupted"), "{finished:?}");
    assert!(finished.total("unfinished") > 0, "{finished:?}");
    // set-up wants to take back what it made and can't: the third signal leaves
    in_set_up.signal(Signal::SIGINT);
    in_set_up.signal(Signal::SIGTERM);
    until("it has left", || {
        // signals of one kind that come at once are one
        in_set_up.try_signal(Signal::SIGINT);
        in_set_up.has_ended()
    });
    let finished = in_set_up.wait();
    assert_eq!(finished.code(), Some(130), "{finished:?}");
    assert!(finished.ended.err.contains("without undoing it"), "{finished:?}");
    drop(frozen);
}

/// The guard takes down an embedded server that does not answer.
#[test]
fn an_embedded_server_that_hangs_is_gone_all_the_same() {
    let mut run = Run::embedded(&load("duration: 4s, grace: 1s"));
    let postmaster = run.postmaster();
    run.is_in_phase();
    signal_server(postmaster, Signal::SIGSTOP);
    let finished = run.wait();
    assert_eq!(finished.code(), Some(2), "{finished:?}");
    assert!(run.is_clean() && !crate::process::is_running(postmaster));
}

//! `kill -9` and signals of a terminal: the embedded server is gone afterwards.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::process::{Run, is_running, until};

const LOAD: &str = "scripts:\n  one: {sql: \"select pg_sleep(0.02)\"}\nload: {clients: 2, duration: 1h}\n";

fn is_gone(run: &Run, processes: [i32; 2]) {
    until("guard and server are gone", || processes.iter().all(|pid| !is_running(*pid)));
    until("the folder is gone", || run.is_clean());
}

#[test]
fn killed_in_the_middle_of_a_phase_it_leaves_nothing() {
    let mut run = Run::embedded(LOAD);
    let server = run.postmaster();
    run.is_in_phase();
    let guard = run.guard();
    run.signal(Signal::SIGKILL);
    assert_eq!(run.wait().code(), None);
    is_gone(&run, [server, guard]);
}

#[test]
fn killed_in_the_middle_of_set_up_it_leaves_nothing() {
    let mut run = Run::embedded(&format!("setup:\n  - {{sql: select pg_sleep(3600)}}\n{LOAD}"));
    let server = run.postmaster();
    run.is_in_set_up();
    let guard = run.guard();
    run.signal(Signal::SIGKILL);
    run.wait();
    is_gone(&run, [server, guard]);
}

/// A terminal that is closed ends the run; server and guard are out of its reach, and then the guard cleans up.
#[test]
fn the_end_of_the_terminal_ends_the_run_and_its_server() {
    let mut run = Run::embedded(LOAD);
    let server = run.postmaster();
    run.is_in_phase();
    let guard = run.guard();
    killpg(Pid::from_raw(run.pid()), Signal::SIGHUP).unwrap();
    assert_eq!(run.wait().code(), None);
    is_gone(&run, [server, guard]);
}

#[test]
fn the_guard_outlives_every_signal_that_asks_it_to_end() {
    let mut run = Run::embedded(LOAD);
    let server = run.postmaster();
    run.is_in_phase();
    let guard = run.guard();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        kill(Pid::from_raw(guard), signal).unwrap();
    }
    killpg(Pid::from_raw(run.pid()), Signal::SIGINT).unwrap();
    let finished = run.wait();
    assert_eq!((finished.code(), finished.ending()), (Some(130), "interrupted"), "{finished:?}");
    assert_eq!(finished.total("failed"), 0, "the server was there to the end: {finished:?}");
    is_gone(&run, [server, guard]);
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let scenario = "setup:\n  - {sql: create table t(v int)}\nscripts:\n  one:\n    sql: |\n      insert into t values (1);\n      \\sleep 1 ms\n\
                    load: {clients: 2, transactions: 200}\n";
    let (mut killed, mut other) =
        (Run::embedded(&format!("setup:\n  - {{sql: create table t(v int)}}\n{LOAD}")), Run::embedded(scenario));
    killed.is_in_phase();
    killed.signal(Signal::SIGKILL);
    killed.wait();
    let finished = other.wait();
    assert_eq!((finished.code(), finished.total("transactions")), (Some(0), 200), "{finished:?}");
    assert!(other.is_clean());
    until("the other's folder is gone", || killed.is_clean());
}

//! What a run shows on a terminal while it goes on.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{Server, reprise, with_default_signals};
use tempfile::TempDir;

/// A run whose standard error is a terminal.
struct Shown {
    folder: TempDir,
    master: File,
    child: Child,
}

impl Shown {
    fn start(server: &Server, scenario: &str, terminal: OpenptyResult) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("s.yaml"), format!("reprise: 1\n{scenario}")).unwrap();
        let mut command = reprise(["run", "s.yaml", "--out", "kept", "--server", &server.url()]);
        command.current_dir(&folder).env("TERM", "xterm").env_remove("NO_COLOR");
        let mut command = with_default_signals(&command);
        command.current_dir(&folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(terminal.slave);
        let child = command.spawn().unwrap();
        // the child alone has the other end now
        drop(command);
        Self { folder, master: File::from(terminal.master), child }
    }

    fn is_kept(&self) -> bool {
        let text = fs::read_to_string(self.folder.path().join("kept/run.json")).unwrap_or_default();
        text.contains("\"outcome\":\"complete\"")
    }

    /// Everything that is shown until the end.
    fn rest(mut self) -> (String, Option<i32>) {
        let mut shown = Vec::new();
        let mut some = [0; 4096];
        // the end of a terminal is an error
        while let Ok(n @ 1..) = self.master.read(&mut some) {
            shown.extend_from_slice(&some[..n]);
        }
        (String::from_utf8_lossy(&shown).into_owned(), self.child.wait().unwrap().code())
    }

    /// What is shown until these words come.
    fn until(&mut self, words: &str) -> String {
        let mut shown = String::new();
        let mut some = [0; 256];
        while !shown.contains(words) {
            let n = self.master.read(&mut some).unwrap();
            shown.push_str(&String::from_utf8_lossy(&some[..n]));
        }
        shown
    }
}

fn terminal(columns: u16) -> OpenptyResult {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    openpty(&size, None).unwrap()
}

/// Writes until nothing more goes in.
fn fill(slave: &OwnedFd) {
    let mut file = File::from(slave.try_clone().unwrap());
    let flags = OFlag::from_bits_truncate(fcntl(slave, FcntlArg::F_GETFL).unwrap());
    fcntl(slave, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK)).unwrap();
    while file.write(&[b'.'; 64]).is_ok() {}
    fcntl(slave, FcntlArg::F_SETFL(flags)).unwrap();
}

#[test]
fn a_terminal_that_does_not_read_costs_a_run_nothing() {
    let server = Server::start();
    let terminal = terminal(80);
    fill(&terminal.slave);
    let scenario = "scripts: {ping: {sql: select 1}}\nload: {clients: 4}\nphases: [{name: pings, duration: 1500ms}]\n";
    let run = Shown::start(&server, scenario, terminal);
    // nobody has read a byte, and all is measured and kept
    while !run.is_kept() {
        thread::sleep(Duration::from_millis(20));
    }
    let (_, code) = run.rest();
    assert_eq!(code, Some(0));
}

#[test]
fn a_phase_is_shown_with_its_figures_says_how_it_is_stopped_and_leaves_nothing() {
    let server = Server::start();
    let scenario = "scripts: {nap: {sql: select pg_sleep(60)}, ping: {sql: select 1}}\nload: {clients: 3}\n\
                    phases: [{name: pings, duration: 2500ms, mix: {ping: 1}}, {name: naps, duration: 1min, mix: {nap: 1}}]\n";
    let mut run = Shown::start(&server, scenario, terminal(80));
    let shown = run.until("naps (2 of 2)\x1b");
    for words in ["pings (1 of 2)", "3 clients  ", " tps ", "p50 ", "p95 ", "p99 ", "0 failed", "━"] {
        assert!(shown.contains(words), "{words}: {shown:?}");
    }
    run.until("p50 ");
    let child = Pid::from_raw(run.child.id().cast_signed());
    kill(child, Signal::SIGINT).unwrap();
    run.until("stopping: running transactions get 2 s; again to cancel them");
    kill(child, Signal::SIGINT).unwrap();
    let (shown, code) = run.rest();
    assert_eq!(code, Some(130), "{shown}");
    // the last frame is empty, and what follows it stands where the view was
    let last = shown.rsplit_once("\x1b[?2026h").unwrap().1;
    assert!(!last.contains("naps") && last.contains("kept in kept"), "{last:?}");
}

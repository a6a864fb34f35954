//! A run in the background, and what there is to see of it from outside.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ended, Server, reprise, with_default_signals};

/// Polls; the limit of time only ends a test that fails.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(90), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// `reprise run` in a process group of its own; killed when dropped.
pub(crate) struct Run {
    child: Child,
    folder: TempDir,
}

impl Run {
    /// On a server that is given; more arguments may follow.
    pub(crate) fn on(server: &Server, scenario: &str) -> Self {
        Self::start(scenario, &["--server", &server.url()])
    }

    /// On an embedded server, whose folder is in a place of its own.
    pub(crate) fn embedded(scenario: &str) -> Self {
        Self::start(scenario, &["--server", "embedded"])
    }

    /// With these arguments.
    pub(crate) fn start(scenario: &str, args: &[&str]) -> Self {
        // short enough for a socket, and open to the server's user
        let folder = tempfile::Builder::new().prefix("rf").tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("tmp")).unwrap();
        fs::set_permissions(path("tmp"), PermissionsExt::from_mode(0o1777)).unwrap();
        fs::write(path("scenario.yaml"), format!("reprise: 1\n{scenario}")).unwrap();
        let mut command = reprise(["run"]);
        command.arg(path("scenario.yaml")).arg("--out").arg(path("out")).args(args).env("TMPDIR", path("tmp"));
        let mut command = with_default_signals(&command);
        command.stdin(Stdio::null()).stdout(File::create(path("stdout")).unwrap());
        command.stderr(File::create(path("stderr")).unwrap()).process_group(0);
        Self { child: command.spawn().unwrap(), folder }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).unwrap();
    }

    /// The same where it may have ended.
    pub(crate) fn try_signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.pid()), signal);
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        !is_running(self.pid())
    }

    /// The folder of temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// Whether nothing is left of an embedded server.
    pub(crate) fn is_clean(&self) -> bool {
        fs::read_dir(self.temporary()).unwrap().next().is_none()
    }

    /// The embedded server's postmaster, once it is there.
    pub(crate) fn postmaster(&self) -> i32 {
        let mut found = None;
        until("the embedded server is there", || {
            let folders = fs::read_dir(self.temporary()).unwrap().flatten();
            let file = folders.map(|folder| folder.path().join("data/postmaster.pid")).find(|file| file.exists());
            let text = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
            found = text.lines().next().and_then(|line| line.parse().ok());
            found.is_some()
        });
        found.unwrap()
    }

    /// Waits until the embedded server works on a step of set-up.
    pub(crate) fn is_in_set_up(&self) {
        let server = self.postmaster();
        until("a step runs", || self.printed().contains("step 1 of ") && backends(server).contains(" SELECT"));
    }

    /// Waits until the embedded server works on statements of at least two clients.
    pub(crate) fn is_in_phase(&self) {
        let server = self.postmaster();
        until("clients are at work", || {
            let backends = backends(server);
            backends.matches("[local]").count() >= 3 && backends.contains(" SELECT")
        });
    }

    /// Its guard.
    pub(crate) fn guard(&self) -> i32 {
        let is_guard = |pid: &i32| command_line(*pid).ends_with("\0__guard\0");
        children(self.pid()).into_iter().find(is_guard).expect("an embedded server has a guard")
    }

    /// What was printed so far.
    pub(crate) fn printed(&self) -> String {
        let text = |name| fs::read_to_string(self.folder.path().join(name)).unwrap();
        text("stderr") + &text("stdout")
    }

    /// Waits for the end.
    pub(crate) fn wait(&mut self) -> Finished {
        let mut status = None;
        let child = &mut self.child;
        until("the run has ended", || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        let read = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        let ended = Ended { code: status.unwrap().code(), out: read("stdout"), err: read("stderr") };
        let report = serde_json::from_str(&read("out/run.json")).unwrap_or(Value::Null);
        Finished { ended, report }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ended: Ended,
    /// run.json; null where there is none.
    pub(crate) report: Value,
}

impl Finished {
    /// The exit code.
    pub(crate) fn code(&self) -> Option<i32> {
        self.ended.code
    }

    /// How the first phase ended.
    pub(crate) fn ending(&self) -> &str {
        self.report["phases"][0]["ending"].as_str().unwrap_or("none")
    }

    /// A figure of the first phase's total.
    pub(crate) fn total(&self, figure: &str) -> u64 {
        self.report["phases"][0]["total"][figure].as_u64().unwrap_or_else(|| panic!("no {figure}: {self:?}"))
    }

    /// Failed transactions of a class in the first phase.
    pub(crate) fn failed(&self, class: &str) -> u64 {
        self.report["phases"][0]["total"]["failed_by_class"][class].as_u64().unwrap_or(0)
    }

    /// The messages of errors in the first phase.
    pub(crate) fn messages(&self) -> Vec<&str> {
        let errors = self.report["phases"][0]["errors"].as_array().unwrap().iter();
        errors.map(|error| error["message"].as_str().unwrap()).collect()
    }
}

/// What a server's backends of local sessions do, as their titles say.
fn backends(postmaster: i32) -> String {
    children(postmaster).into_iter().map(command_line).filter(|line| line.contains("[local]")).collect()
}

/// Waits until this condition on `pg_stat_activity` holds for so many sessions of runs.
pub(crate) fn sessions(server: &Server, condition: &str, count: u32) {
    let sql =
        format!("select count(*) >= {count} from pg_stat_activity where application_name = 'reprise' and {condition}");
    until(condition, || server.psql(&sql) == "t");
}

/// The processes that a process has started.
pub(crate) fn children(parent: i32) -> Vec<i32> {
    let processes =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).collect()
}

/// State and parent of a process.
fn stat(pid: i32) -> Option<(char, i32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut rest = text.rsplit_once(") ")?.1.split(' ');
    Some((rest.next()?.chars().next()?, rest.next()?.parse().ok()?))
}

/// Whether a process runs; one that has ended and was not waited for does not.
pub(crate) fn is_running(pid: i32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

/// The words of a process's command line.
pub(crate) fn command_line(pid: i32) -> String {
    fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline"))
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .unwrap_or_default()
}

/// Stops or continues a server with all its processes.
pub(crate) fn signal_server(postmaster: i32, signal: Signal) {
    for pid in children(postmaster).into_iter().chain([postmaster]) {
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

//! A database of its own for each test, on a server that those which run at the same time share.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ended, Server, reprise, run};

/// The shared server; it is gone when the last test that has it is done.
fn server() -> Arc<Server> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let server = Arc::new(Server::with_settings(&[
            ("log_statement", "all"),
            ("log_line_prefix", "%d|%p|"),
            ("deadlock_timeout", "10ms"),
            ("max_connections", "200"),
        ]));
        *shared = Arc::downgrade(&server);
        server
    })
}

/// Where a scenario is run.
pub(crate) struct Bench {
    server: Arc<Server>,
    database: String,
    folder: TempDir,
}

/// A statement as the server logged it.
#[derive(Debug, Clone)]
pub(crate) struct Logged {
    /// The backend.
    pub(crate) pid: u32,
    /// `statement` in the simple protocol, else `execute NAME`.
    pub(crate) how: String,
    /// Its text.
    pub(crate) sql: String,
    /// Its parameters, as the log shows them.
    pub(crate) parameters: String,
}

impl Bench {
    /// A new database in which these statements were executed.
    pub(crate) fn new(sql: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = server();
        let database = format!("bench_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        server.psql(&format!("create database {database}"));
        let bench = Self { server, database, folder: tempfile::tempdir().unwrap() };
        if !sql.is_empty() {
            bench.psql(sql);
        }
        bench
    }

    /// For `--server`.
    pub(crate) fn url(&self) -> String {
        self.server.url().replace("dbname=postgres", &format!("dbname={}", self.database))
    }

    /// The folder of the server's socket, and its port.
    pub(crate) fn socket(&self) -> std::path::PathBuf {
        self.server.path(&format!(".s.PGSQL.{}", self.server.port()))
    }

    /// The database's name.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// What `psql` prints.
    pub(crate) fn psql(&self, sql: &str) -> String {
        let mut psql = self.server.command("psql");
        let args = ["-XqAt", "-v", "ON_ERROR_STOP=1", "-c", "set log_statement = 'none'", "-c", sql, "-d"];
        let ended = run(psql.args(args).arg(self.url()));
        assert_eq!(ended.code, Some(0), "{sql}: {}", ended.err);
        ended.out.trim_end().to_owned()
    }

    /// The statements that came to this database from sessions other than psql's.
    pub(crate) fn log(&self) -> Vec<Logged> {
        logged(&self.server.log(), &self.database)
    }

    /// Those of the log with this text in them.
    pub(crate) fn sent(&self, text: &str) -> Vec<Logged> {
        self.log().into_iter().filter(|logged| logged.sql.contains(text)).collect()
    }

    /// Runs a scenario on this database, with more arguments; its phases may end as they like.
    pub(crate) fn attempt(&self, scenario: &str, args: &[&str]) -> Ran {
        let file = self.folder.path().join("scenario.yaml");
        fs::write(&file, format!("reprise: 1\n{scenario}")).unwrap();
        let out = self.folder.path().join("run");
        let _ = fs::remove_dir_all(&out);
        let mut command = reprise(["run"]);
        command.arg(&file).args(["--server", &self.url(), "--out"]).arg(&out).args(args);
        let ended = run(&mut command);
        let report = fs::read_to_string(out.join("run.json")).ok();
        Ran { report: report.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap()), ended }
    }

    /// Runs a scenario to its end: all is well, unless transactions failed.
    pub(crate) fn run(&self, scenario: &str) -> Ran {
        let ran = self.attempt(scenario, &[]);
        let phases = ran.report["phases"].as_array().map_or(0, Vec::len);
        let failed: u64 = (0..phases).map(|phase| ran.total(phase, "failed")).sum();
        assert_eq!(ran.ended.code, Some(if failed > 0 { 3 } else { 0 }), "{}\n{}", ran.ended.err, ran.ended.out);
        assert_eq!(ran.outcome(), "complete");
        ran
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    /// How the program ended.
    pub(crate) ended: Ended,
    /// run.json; null where there is none.
    pub(crate) report: Value,
}

impl Ran {
    /// A figure of a phase's total.
    pub(crate) fn total(&self, phase: usize, figure: &str) -> u64 {
        self.report["phases"][phase]["total"][figure].as_u64().unwrap_or_else(|| panic!("no {figure}: {self:?}"))
    }

    /// Failed transactions of a class.
    pub(crate) fn failed(&self, phase: usize, class: &str) -> u64 {
        self.report["phases"][phase]["total"]["failed_by_class"][class].as_u64().unwrap_or(0)
    }

    /// Everything that a phase was asked for: successful, failed, skipped and unfinished.
    pub(crate) fn asked(&self, phase: usize) -> u64 {
        ["transactions", "failed", "skipped", "unfinished"].iter().map(|figure| self.total(phase, figure)).sum()
    }

    /// The messages of a phase's errors of a class.
    pub(crate) fn messages(&self, phase: usize, class: &str) -> Vec<String> {
        let errors = self.report["phases"][phase]["errors"].as_array().unwrap();
        let of_class = errors.iter().filter(|error| error["class"] == class);
        of_class.map(|error| error["message"].as_str().unwrap().to_owned()).collect()
    }

    /// How often a command with this text was executed to its end, in all scripts.
    pub(crate) fn executed(&self, phase: usize, text: &str) -> u64 {
        let scripts = self.report["phases"][phase]["scripts"].as_array().unwrap();
        let commands = scripts.iter().flat_map(|script| script["commands"].as_array().unwrap());
        let fitting = commands.filter(|command| command["text"].as_str().unwrap().contains(text));
        fitting.map(|command| command["latency"]["count"].as_u64().unwrap_or(0)).sum()
    }

    /// The verdict's outcome.
    pub(crate) fn outcome(&self) -> &str {
        self.report["verdict"]["outcome"].as_str().unwrap_or("none")
    }
}

fn logged(log: &str, database: &str) -> Vec<Logged> {
    let mut all: Vec<Logged> = Vec::new();
    for line in log.lines() {
        let mut parts = line.splitn(3, '|');
        let (Some(name), Some(pid), Some(text)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let Ok(pid) = pid.parse() else { continue };
        if name != database {
            continue;
        }
        if let Some(parameters) = text.strip_prefix("DETAIL:  ") {
            let of_this = all.iter_mut().rev().find(|one| one.pid == pid);
            let parameters = parameters.strip_prefix("parameters: ").or(parameters.strip_prefix("Parameters: "));
            if let (Some(one), Some(parameters)) = (of_this, parameters) {
                parameters.clone_into(&mut one.parameters);
            }
            continue;
        }
        let Some(rest) = text.strip_prefix("LOG:  ") else { continue };
        let Some((how, sql)) = rest.split_once(": ") else { continue };
        if (how == "statement" || how.starts_with("execute ")) && !sql.starts_with("set log_statement") {
            all.push(Logged { pid, how: how.to_owned(), sql: sql.to_owned(), parameters: String::new() });
        }
    }
    all
}

/// The backends of some statements.
pub(crate) fn backends(logged: &[Logged]) -> std::collections::BTreeSet<u32> {
    logged.iter().map(|one| one.pid).collect()
}

/// Polls; the limit of time only ends a test that fails.
pub(crate) fn until(what: &str, condition: impl Fn() -> bool) {
    let begin = std::time::Instant::now();
    while !condition() {
        assert!(begin.elapsed() < std::time::Duration::from_secs(60), "never: {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

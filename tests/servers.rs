//! One scenario, wherever its server is and however it is named; and what it measures is what the server has counted.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use openssl::asn1::Asn1Time;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::x509::{X509, X509NameBuilder};
use serde_json::Value;
use support::{Ended, Server, reprise, run};
use tempfile::TempDir;

/// Of the superuser `postgres` over TCP.
const PASSWORD: &str = "correct horse";
/// Tasks of each of the scenario's three processes.
const TASKS: u64 = 10;

/// The published scenario, with a table of a hundredth of its size.
struct Scenario {
    folder: TempDir,
}

impl Scenario {
    fn new() -> Self {
        Self::with("", "")
    }

    /// With another text for a part of it.
    fn with(before: &str, after: &str) -> Self {
        let blog = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/blog");
        let folder = tempfile::tempdir().unwrap();
        let text = fs::read_to_string(blog.join("linux-vs-windows-2016.yaml")).unwrap();
        let small = text.replace("generate_series(1,100000)", "generate_series(1,1000)");
        assert_ne!(small, text);
        let changed = small.replacen(before, after, 1);
        assert!(before == after || changed != small, "{before}");
        fs::write(folder.path().join("blog.yaml"), changed).unwrap();
        let script = "linux-vs-windows-2016/task.sql";
        fs::create_dir(folder.path().join("linux-vs-windows-2016")).unwrap();
        let text = fs::read_to_string(blog.join(script)).unwrap().replace("random(1, 99999)", "random(1, 999)");
        fs::write(folder.path().join(script), text).unwrap();
        Self { folder }
    }

    /// A run that keeps what it measured in the scenario's folder.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = reprise(["run", "blog.yaml", "--profile", "quick", "--replace", "--out", "kept"]);
        let _ = fs::remove_dir_all(self.folder.path().join("kept"));
        command.current_dir(&self.folder).args(["-D", &format!("tasks={TASKS}")]).args(args);
        // what the account that runs the tests has of its own is not meant
        command.env("HOME", self.folder.path());
        command
    }

    fn kept(&self) -> Value {
        let text = fs::read_to_string(self.folder.path().join("kept/run.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// It ran to its end, and shows no password.
fn assert_ran(scenario: &Scenario, command: &mut Command) {
    let Ended { code, out, err } = run(command);
    assert_eq!(code, Some(0), "{out}{err}");
    let kept = scenario.kept();
    let total = &kept["phases"][0]["total"];
    assert_eq!(total["transactions"].as_u64().unwrap() + total["failed"].as_u64().unwrap(), 3 * TASKS, "{out}");
    for text in [&out, &err, &kept.to_string()] {
        assert!(!text.contains(PASSWORD), "{text}");
    }
}

/// It ended with a sentence that says all of this, measured nothing, and shows no password.
fn assert_refused(command: &mut Command, said: &[&str]) {
    let Ended { code, out, err } = run(command);
    assert_eq!(code, Some(1), "{out}{err}");
    // a sentence may be wrapped anywhere
    let err: String = err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    for part in said {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert!(!err.contains("horse") && !out.contains("horse"), "{out}{err}");
}

#[test]
fn it_runs_wherever_the_server_is_and_however_it_is_named() {
    let server = Server::with_settings(&[("log_connections", "on")]);
    let scenario = Scenario::new();
    let port = server.port().to_string();
    let folder = server.path("").display().to_string();

    // a Unix-domain socket
    assert_ran(&scenario, &mut scenario.command(&["--server", &server.url()]));
    let mut command = scenario.command(&[]);
    assert_ran(&scenario, command.env("PGHOST", &folder).env("PGPORT", &port).env("PGUSER", "postgres"));

    // TCP with scram-sha-256; the password from the environment, from a file, in a URL
    let tcp = || {
        let mut command = scenario.command(&[]);
        command.env("PGHOST", "localhost").env("PGPORT", &port).env("PGUSER", "postgres");
        command.env("PGDATABASE", "postgres").env("PGSSLMODE", "disable");
        command
    };
    assert_ran(&scenario, tcp().env("PGPASSWORD", PASSWORD));
    let passfile = scenario.path("passfile");
    fs::write(&passfile, format!("# ours\nelsewhere:*:*:*:x\nlocalhost:{port}:*:postgres:{PASSWORD}\n")).unwrap();
    fs::set_permissions(&passfile, fs::Permissions::from_mode(0o600)).unwrap();
    assert_ran(&scenario, tcp().env("PGPASSFILE", &passfile));
    fs::rename(&passfile, scenario.path(".pgpass")).unwrap();
    assert_ran(&scenario, &mut tcp());
    let url = format!("postgresql://postgres:correct%20horse@127.0.0.1:{port}/postgres?sslmode=disable");
    assert_ran(&scenario, &mut scenario.command(&["--server", &url]));
    assert!(!server.log().contains("SSL enabled"));

    if !server.has_tls() {
        return;
    }
    let encrypted = format!("sslmode=verify-full sslrootcert={folder}/root.crt");
    let target = server.tcp("postgres", &encrypted);
    assert_ran(&scenario, scenario.command(&["--server", &target]).env("PGPASSWORD", PASSWORD));
    let sessions = || server.log().matches("SSL enabled").count();
    let before = sessions();
    assert!(before > 0, "{}", server.log());
    let root = format!("{folder}/root.crt");
    let mut by_environment = tcp();
    by_environment.env("PGSSLMODE", "verify-full").env("PGSSLROOTCERT", &root).env("PGPASSWORD", PASSWORD);
    assert_ran(&scenario, &mut by_environment);
    assert!(sessions() > before);
    // a client's certificate in place of a password; its key must be its user's alone
    server.psql("drop table table_a, reprise_setup; grant create on schema public to certified");
    let (certificate, key) = (scenario.path("client.crt"), scenario.path("client.key"));
    fs::copy(server.path("client.crt"), &certificate).unwrap();
    fs::copy(server.path("client.key"), &key).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let by_certificate = format!("{encrypted} sslcert={} sslkey={}", certificate.display(), key.display());
    assert_ran(&scenario, &mut scenario.command(&["--server", &server.tcp("certified", &by_certificate)]));
}

#[test]
fn what_keeps_it_out_is_said_in_a_sentence() {
    let server = Server::start();
    let scenario = Scenario::new();
    let at = |target: &str| {
        let mut command = scenario.command(&["--server", target]);
        command.env("PGPASSWORD", PASSWORD);
        command
    };
    let plain = server.tcp("postgres", "sslmode=disable");
    assert_refused(
        at(&plain).env("PGPASSWORD", "wrong horse"),
        &["password authentication failed for user \"postgres\""],
    );
    assert_refused(at(&plain).env_remove("PGPASSWORD"), &["password"]);
    let unknown = plain.replace("dbname=postgres", "dbname=nowhere");
    assert_refused(&mut at(&unknown), &["database \"nowhere\" does not exist"]);
    assert_refused(&mut at(&plain.replace("user=postgres", "user=nobody_here")), &["nobody_here"]);
    // a port that was free a moment ago
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    assert_refused(&mut at(&format!("host=127.0.0.1 port={free} user=postgres")), &["connection refused"]);
    assert_refused(&mut at("host=/nowhere/at/all user=postgres"), &["no such file or directory"]);
    assert_refused(&mut at("host=server.invalid user=postgres"), &["server.invalid"]);
    assert_refused(&mut at("host=localhost nonsense=1"), &["nonsense"]);

    if !server.has_tls() {
        assert_refused(&mut at(&server.tcp("postgres", "sslmode=require")), &["TLS"]);
        return;
    }
    let root = server.path("root.crt");
    let verified = |root: &Path| server.tcp("postgres", &format!("sslmode=verify-full sslrootcert={}", root.display()));
    // signed by somebody else; of another name; out of date
    let stranger = scenario.path("stranger.crt");
    fs::copy(server.path("client.crt"), &stranger).unwrap();
    assert_refused(&mut at(&verified(&stranger)), &["certificate verify failed"]);
    let by_address = verified(&root).replace("host=localhost", "host=127.0.0.1");
    assert_refused(&mut at(&by_address), &["127.0.0.1", "certificate"]);
    expire(&server);
    assert_refused(&mut at(&verified(&root)), &["certificate has expired"]);
}

/// Gives the server a certificate that was valid until yesterday.
fn expire(server: &Server) {
    let read = |name: &str| fs::read(server.path(name)).unwrap();
    let root = X509::from_pem(&read("root.crt")).unwrap();
    let root_key = PKey::private_key_from_pem(&read("root.key")).unwrap();
    let key = PKey::private_key_from_pem(&read("server.key")).unwrap();
    let mut name = X509NameBuilder::new().unwrap();
    name.append_entry_by_text("CN", "localhost").unwrap();
    let name = name.build();
    let day = 24 * 60 * 60;
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    let mut certificate = X509::builder().unwrap();
    certificate.set_version(2).unwrap();
    certificate.set_subject_name(&name).unwrap();
    certificate.set_issuer_name(root.subject_name()).unwrap();
    certificate.set_pubkey(&key).unwrap();
    certificate.set_not_before(&Asn1Time::from_unix(now - 10 * day).unwrap()).unwrap();
    certificate.set_not_after(&Asn1Time::from_unix(now - day).unwrap()).unwrap();
    certificate.sign(&root_key, MessageDigest::sha256()).unwrap();
    fs::write(server.path("server.crt"), certificate.build().to_pem().unwrap()).unwrap();
    server.crash();
    server.start_again();
}

#[test]
fn no_process_of_a_run_shows_a_password() {
    let scenario = Scenario::with("max_connections: 300}", "max_connections: 300}\n  auth: scram-sha-256");
    // the password of some other server, in the environment of whoever calls
    let mut command = scenario.command(&["--server", "embedded", "-D", "tasks=40"]);
    let mut running = command
        .env("PGPASSWORD", PASSWORD)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = BTreeSet::new();
    let begin = Instant::now();
    let status = loop {
        for process in descendants(running.id()) {
            let [line, environment] =
                ["cmdline", "environ"].map(|file| fs::read(process.join(file)).unwrap_or_default());
            let (line, environment) = (String::from_utf8_lossy(&line), String::from_utf8_lossy(&environment));
            if line.contains("\0run\0blog.yaml") {
                // just forked: still its parent's memory
                continue;
            }
            assert!(!line.contains(PASSWORD) && !environment.contains(PASSWORD), "{line}");
            // nor is there one of the embedded server's own
            assert!(!line.contains("password=") && !environment.contains("PGPASSWORD"), "{line}");
            let name = line.split('\0').next().unwrap_or_default();
            seen.insert(name.rsplit('/').next().unwrap_or_default().split(':').next().unwrap_or_default().to_owned());
        }
        if let Some(status) = running.try_wait().unwrap() {
            break status;
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
    assert!(seen.contains("postgres") && seen.contains("initdb"), "{seen:?}");
    let kept = scenario.kept().to_string();
    assert!(!kept.contains("password="), "{kept}");
}

/// The folders below `/proc` of a process's children, their children, and so on.
fn descendants(ancestor: u32) -> Vec<PathBuf> {
    let mut processes = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok());
        processes.push((pid, parent.unwrap_or(0)));
    }
    let mut family = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        let children = processes.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid);
        family.extend(children);
        next += 1;
    }
    family[1..].iter().map(|pid| PathBuf::from(format!("/proc/{pid}"))).collect()
}

#[test]
fn what_it_measures_is_what_the_server_has_counted() {
    let server = Server::with_settings(&[("log_statement", "all"), ("log_line_prefix", "%p|")]);
    for protocol in ["simple", "extended", "prepared"] {
        let scenario = Scenario::with("protocol: extended", &format!("protocol: {protocol}"));
        server.psql("drop schema public cascade; create schema public");
        let before = server.log().len();
        assert_ran(&scenario, &mut scenario.command(&["--server", &server.url()]));
        let kept = scenario.kept();
        let phase = &kept["phases"][0];
        let (asked, failed) = (3 * TASKS, phase["total"]["failed"].as_u64().unwrap());
        assert_eq!((phase["total"]["transactions"].as_u64(), failed), (Some(asked), 0), "{protocol}");

        let commands = phase["scripts"][0]["commands"].as_array().unwrap();
        let log = server.log();
        let executed = |begin: &str| {
            let simple = format!("statement: {begin}");
            let lines = log[before..].lines().filter(|line| {
                line.contains(&simple)
                    || line.split_once("execute ").is_some_and(|(_, rest)| rest.contains(&format!(": {begin}")))
            });
            lines.count() as u64
        };
        let mut rows = 0;
        for (text, word) in [("select a_value from table_a", "SQL"), ("update table_a set", "SQL")] {
            let command = commands.iter().find(|c| c["text"].as_str().unwrap().starts_with(text)).unwrap();
            assert_eq!(command["word"], word);
            let count = command["latency"]["count"].as_u64().unwrap() + command["failures"].as_u64().unwrap();
            assert_eq!(count, asked, "{protocol}: {text}");
            assert_eq!(executed(text), asked, "{protocol}: {text}");
            rows = command["rows"].as_u64().unwrap();
        }
        for command in commands {
            let count = command["latency"]["count"].as_u64().unwrap();
            assert_eq!(count, asked, "{protocol}: {command}");
        }
        // the last one was the update; every task has found its row, which is there once
        assert_eq!(rows, asked, "{protocol}");
        let counted = || {
            let statistics = "select n_tup_ins, n_tup_upd from pg_stat_user_tables where relname = 'table_a'";
            server.psql(statistics)
        };
        let wanted = format!("10000|{rows}");
        let begin = Instant::now();
        // a session tells what it has counted when it ends, which nobody waits for
        while counted() != wanted {
            assert!(begin.elapsed() < Duration::from_secs(60), "{protocol}: {} is not {wanted}", counted());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

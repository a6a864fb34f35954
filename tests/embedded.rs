//! The embedded server: found, made, started, and gone afterwards.
//!
//! The guard is this very executable: `__guard` as its first argument selects the test of that name, which is the
//! guard's main function then.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and one of them is a program of its own"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid, getpgid, getsid};
use reprise::server::{self, Embedded, EmbeddedOptions, Error, guard};

#[test]
fn __guard() {
    if is_asked_for(guard::SUBCOMMAND) {
        assert_eq!(format!("{:?}", guard::main()), format!("{:?}", ExitCode::SUCCESS));
    }
}

/// A run that is killed: starts a server, says where it is, and waits for a line.
#[test]
fn __run() {
    if is_asked_for("__run") {
        let embedded = start(&EmbeddedOptions { keep_in: std::env::var_os("KEEP_IN").map(PathBuf::from), ..options() });
        println!("server {} {} {}", embedded.pid(), embedded.folder().display(), embedded.conninfo());
        std::io::stdout().flush().unwrap();
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        embedded.stop().unwrap();
    }
}

/// A first argument like this is given by nobody but these tests.
fn is_asked_for(name: &str) -> bool {
    std::env::args().nth(1).is_some_and(|argument| argument == name)
}

fn options() -> EmbeddedOptions {
    EmbeddedOptions { settings: vec![("shared_buffers".into(), "8MB".into())], ..EmbeddedOptions::default() }
}

#[tokio::main(flavor = "current_thread")]
async fn start(options: &EmbeddedOptions) -> Embedded {
    server::start(options, &mut ()).await.unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn fails(options: &EmbeddedOptions) -> Error {
    server::start(options, &mut ()).await.unwrap_err()
}

/// What a query says.
#[tokio::main(flavor = "current_thread")]
async fn ask(conninfo: &str, password: Option<&str>, query: &str) -> Result<String, tokio_postgres::Error> {
    let mut config: tokio_postgres::Config = conninfo.parse().unwrap();
    if let Some(password) = password {
        config.password(password);
    }
    let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
    let driver = tokio::spawn(connection);
    let mut answer = String::new();
    for message in client.simple_query(query).await? {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
            row.get(0).unwrap_or_default().clone_into(&mut answer);
        }
    }
    drop(client);
    driver.await.unwrap()?;
    Ok(answer)
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid.try_into().unwrap()), signal).unwrap();
}

/// Polls; the time limit only ends a test that fails.
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A run in a process of its own.
struct Run {
    process: Child,
    pid: u32,
    folder: PathBuf,
    conninfo: String,
    /// Kept open for what the test's executable still has to say.
    _output: BufReader<ChildStdout>,
}

impl Run {
    fn start(keep_in: Option<&Path>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["__run", "--nocapture"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(folder) = keep_in {
            command.env("KEEP_IN", folder);
        }
        let mut process = command.spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let line = output.by_ref().lines().map(Result::unwrap).find(|line| line.contains("server ")).unwrap();
        let words: Vec<&str> = line.split("server ").nth(1).unwrap().splitn(3, ' ').collect();
        Self {
            process,
            pid: words[0].parse().unwrap(),
            folder: words[1].into(),
            conninfo: words[2].to_owned(),
            _output: output,
        }
    }

    /// The guard's process.
    fn guard(&self) -> u32 {
        let parent = self.process.id().to_string();
        let is_guard = |process: &Path| {
            let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
            let is_child = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some(&parent));
            is_child && std::fs::read(process.join("cmdline")).is_ok_and(|line| line.ends_with(b"\0__guard\0"))
        };
        let mut processes = std::fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
        let guard = processes.find(|process| is_guard(process)).unwrap();
        guard.file_name().unwrap().to_str().unwrap().parse().unwrap()
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The shared memory of a server: its System V segment's identifier, and files below `/dev/shm`.
fn shared_memory(embedded: &Embedded) -> Vec<String> {
    let file = std::fs::read_to_string(embedded.folder().join("data/postmaster.pid")).unwrap();
    let segment = file.lines().nth(6).unwrap().split_whitespace().nth(1).unwrap();
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", embedded.pid())).unwrap();
    let files = maps.lines().filter_map(|line| line.find("/dev/shm/").map(|at| line[at..].to_owned()));
    std::iter::once(segment.to_owned()).chain(files).collect()
}

fn exists(segment: &str) -> bool {
    let table = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    Path::new(segment).exists() || table.lines().any(|line| line.split_whitespace().nth(1) == Some(segment))
}

/// All that one server does in its life; also run as another user.
#[test]
fn a_server_is_made_used_and_gone() {
    let embedded = start(&options());
    let (pid, folder) = (embedded.pid(), embedded.folder().to_owned());
    let meta = folder.metadata().unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o700);
    assert_ne!(meta.uid(), 0);
    let memory = shared_memory(&embedded);
    assert!(memory.iter().all(|segment| exists(segment)) && memory.len() >= 2, "{memory:?}");
    let answer = |query: &str| ask(&embedded.conninfo(), None, query).unwrap();
    assert_eq!(answer("show server_version").split(' ').next().unwrap(), embedded.version());
    for (setting, value) in
        [("shared_buffers", "8MB"), ("fsync", "on"), ("listen_addresses", ""), ("server_encoding", "UTF8")]
    {
        assert_eq!(answer(&format!("show {setting}")), value, "{setting}");
    }
    assert_eq!(answer("select rolsuper from pg_roles where rolname = current_user"), "t");
    embedded.stop().unwrap();
    assert!(!folder.exists());
    assert!(!is_running(pid));
    assert!(!memory.iter().any(|segment| exists(segment)));
}

#[test]
fn the_user_postgres_can_do_it_too() {
    if !geteuid().is_root() {
        return;
    }
    // The build's folder may be closed to other users.
    let copy = tempfile::tempdir().unwrap();
    std::fs::set_permissions(copy.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = copy.path().join("embedded");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let status = Command::new("runuser")
        .args(["-u", "postgres", "--"])
        .arg(program)
        .args(["--exact", "a_server_is_made_used_and_gone", "--nocapture"])
        .current_dir("/")
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn nothing_stays_when_the_run_is_killed() {
    let mut run = Run::start(None);
    assert_eq!(ask(&run.conninfo, None, "select 1").unwrap(), "1");
    run.kill();
    wait_until("the folder is gone", || !run.folder.exists());
    assert!(!is_running(run.pid));
}

#[test]
fn nothing_stays_when_the_server_was_stopped_by_a_signal_that_it_can_not_handle() {
    let embedded = start(&options());
    let (pid, folder) = (embedded.pid(), embedded.folder().to_owned());
    signal(pid, Signal::SIGSTOP);
    embedded.stop().unwrap();
    assert!(!folder.exists() && !is_running(pid));
}

#[test]
fn nothing_stays_when_the_guard_was_killed() {
    let mut run = Run::start(None);
    signal(run.guard(), Signal::SIGKILL);
    run.process.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(run.process.wait().unwrap().success());
    assert!(!run.folder.exists() && !is_running(run.pid));
}

#[test]
fn ctrl_c_in_the_terminal_reaches_neither_the_server_nor_the_guard() {
    let mut run = Run::start(None);
    let pid = |pid: u32| Pid::from_raw(pid.try_into().unwrap());
    let (own, guard) = (pid(run.process.id()), pid(run.guard()));
    assert_ne!(getpgid(Some(pid(run.pid))).unwrap(), getpgid(Some(own)).unwrap());
    assert_eq!(getsid(Some(guard)).unwrap(), guard);
    run.process.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(run.process.wait().unwrap().success());
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let (one, other) = (start(&options()), start(&options()));
    ask(&one.conninfo(), None, "create table t ()").unwrap();
    one.stop().unwrap();
    assert_eq!(ask(&other.conninfo(), None, "select to_regclass('t') is null").unwrap(), "t");
    other.stop().unwrap();
}

#[test]
fn a_server_that_is_dropped_is_gone() {
    let embedded = start(&options());
    let (pid, folder) = (embedded.pid(), embedded.folder().to_owned());
    drop(embedded);
    assert!(!folder.exists() && !is_running(pid));
}

/// The program itself, told to end while its load runs: from outside nothing but the folder shows the server.
#[test]
fn the_program_takes_its_server_with_it() {
    for (sent, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGTERM, Some(130)), (Signal::SIGKILL, None)] {
        let tmp = tempfile::tempdir_in("/tmp").unwrap();
        std::fs::set_permissions(tmp.path(), PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::write(tmp.path().join("work.sql"), "\\sleep 10 ms\nselect 1;\n").unwrap();
        let temporary = tmp.path().join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        std::fs::set_permissions(&temporary, PermissionsExt::from_mode(0o755)).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_reprise"));
        program.args(["run", "work.sql", "--server", "embedded", "-T", "600"]).current_dir(tmp.path());
        program.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = program.spawn().unwrap();
        let server = || {
            let folder = std::fs::read_dir(&temporary).ok()?.flatten().next()?.path();
            let file = std::fs::read_to_string(folder.join("data/postmaster.pid")).ok()?;
            let mut lines = file.lines();
            let pid: u32 = lines.next()?.parse().ok()?;
            (lines.nth(6)?.trim() == "ready").then_some(pid)
        };
        wait_until("the server is ready", || server().is_some());
        let pid = server().unwrap();
        // its session, and so its load, runs
        let children = format!("/proc/{pid}/task/{pid}/children");
        let is_client = |child: &str| {
            std::fs::read_to_string(format!("/proc/{child}/cmdline")).is_ok_and(|line| line.contains("[local]"))
        };
        wait_until("a client is there", || {
            std::fs::read_to_string(&children).is_ok_and(|pids| pids.split_whitespace().any(is_client))
        });
        signal(program.id(), sent);
        assert_eq!(program.wait().unwrap().code(), code, "{sent}");
        wait_until("the folder is gone", || std::fs::read_dir(&temporary).unwrap().next().is_none());
        assert!(!is_running(pid), "{sent}");
    }
}

/// A start that is given up while `initdb` runs.
#[test]
fn __give_up() {
    if is_asked_for("__give_up") {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let (options, mut nobody) = (options(), ());
            // One poll gets as far as the first wait.
            tokio::select! {
                biased;
                _ = server::start(&options, &mut nobody) => panic!("there was nothing to wait for"),
                () = std::future::ready(()) => {}
            }
        });
    }
}

#[test]
fn a_start_that_is_given_up_leaves_nothing() {
    let tmp = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(tmp.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    assert!(command.arg("__give_up").env("TMPDIR", tmp.path()).status().unwrap().success());
    assert_eq!(std::fs::read_dir(tmp.path()).unwrap().count(), 0);
}

#[test]
fn a_password_is_asked_for_where_the_scenario_says_so() {
    let embedded = start(&EmbeddedOptions { scram: true, ..options() });
    let password = embedded.password().unwrap().reveal().to_owned();
    assert!(!format!("{embedded:?}").contains(&password) && !embedded.conninfo().contains(&password));
    assert!(ask(&embedded.conninfo(), None, "select 1").is_err());
    assert!(ask(&embedded.conninfo(), Some("wrong"), "select 1").is_err());
    assert_eq!(ask(&embedded.conninfo(), Some(&password), "show password_encryption").unwrap(), "scram-sha-256");
    embedded.stop().unwrap();
}

#[test]
fn a_wrong_setting_shows_what_the_server_said() {
    let error = fails(&EmbeddedOptions { settings: vec![("shared_bufers".into(), "8MB".into())], ..options() });
    assert!(matches!(error, Error::Start { .. }), "{error:?}");
    let diagnostic = error.diagnostic();
    assert!(diagnostic.message.starts_with("the embedded server did not start: "), "{}", diagnostic.message);
    assert!(diagnostic.help.unwrap().contains("unrecognized configuration parameter \"shared_bufers\""));
}

#[test]
fn a_kept_server_has_its_data_again() {
    let tmp = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(tmp.path(), PermissionsExt::from_mode(0o755)).unwrap();
    // Too long for a socket.
    let folder = tmp.path().join("x".repeat(120));
    let kept = EmbeddedOptions { keep_in: Some(folder.clone()), scram: true, ..options() };

    let embedded = start(&kept);
    let password = embedded.password().unwrap().reveal().to_owned();
    ask(&embedded.conninfo(), Some(&password), "create table t as select 1").unwrap();
    assert!(
        matches!(fails(&kept), Error::AlreadyRunning { pid: Some(pid), .. } if pid == embedded.pid().cast_signed())
    );
    embedded.stop().unwrap();

    let other = EmbeddedOptions { major: Some(9), ..kept.clone() };
    assert!(matches!(fails(&other), Error::KeptMajor { wanted: 9, .. }));

    let embedded = start(&EmbeddedOptions { settings: vec![("work_mem".into(), "1MB".into())], ..kept });
    assert_eq!(embedded.password().unwrap().reveal(), password);
    assert_eq!(ask(&embedded.conninfo(), Some(&password), "select count(*) from t").unwrap(), "1");
    assert_eq!(ask(&embedded.conninfo(), Some(&password), "show work_mem").unwrap(), "1MB");
    let sockets = embedded.conninfo();
    embedded.stop().unwrap();
    let sockets = sockets.split('\'').nth(1).unwrap();
    assert!(folder.join("data/PG_VERSION").is_file() && !Path::new(sockets).exists());
}

#[test]
fn a_kept_server_survives_a_kill_of_the_run() {
    let tmp = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(tmp.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let folder = tmp.path().join("kept");
    let mut run = Run::start(Some(&folder));
    ask(&run.conninfo, None, "create table t as select 1").unwrap();
    run.kill();
    // At once: the guard may still be stopping the server.
    let embedded = start(&EmbeddedOptions { keep_in: Some(folder), ..options() });
    assert!(!is_running(run.pid));
    assert_eq!(ask(&embedded.conninfo(), None, "select count(*) from t").unwrap(), "1");
    embedded.stop().unwrap();
}

#[test]
fn a_folder_with_other_things_is_not_touched() {
    let tmp = tempfile::tempdir().unwrap();
    std::fs::write(tmp.path().join("thesis.tex"), "").unwrap();
    let error = fails(&EmbeddedOptions { keep_in: Some(tmp.path().into()), ..options() });
    assert!(matches!(error, Error::FolderTaken { .. }));
    assert_eq!(std::fs::read_dir(tmp.path()).unwrap().count(), 1);
}

#[cfg(not(feature = "download"))]
#[test]
fn a_missing_major_lists_what_there_is() {
    let Error::MajorNotInstalled { wanted: 8, found } = fails(&EmbeddedOptions { major: Some(8), ..options() }) else {
        panic!()
    };
    assert!(!found.is_empty());
}

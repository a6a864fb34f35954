//! A private PostgreSQL: own folder, own port, gone when dropped.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{Pid, User, chown, geteuid};
use tempfile::TempDir;

use super::certificates;

/// The password of the superuser `postgres`, asked for over TCP.
pub const PASSWORD: &str = "correct horse";

/// A running server. Its socket trusts everyone, TCP asks for scram-sha-256; where the server was built with TLS, it
/// has a certificate for `localhost`, and the role `certified` logs in with `client.crt` alone.
pub struct Server {
    folder: TempDir,
    bin: PathBuf,
    port: u16,
    tls: bool,
}

impl Server {
    /// Starts one of the major version `REPRISE_TEST_MAJOR`, else the newest installed.
    pub fn start() -> Self {
        Self::with_settings(&[])
    }

    /// Starts one with these settings besides.
    pub fn with_settings(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("reprise-test-").tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let bin = binaries();
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let tls = has_tls(&bin);
        if tls {
            certificates::make(folder.path());
            own(&folder.path().join("server.key"));
        }
        own(folder.path());
        let server = Self { folder, bin, port, tls };
        server.initialize(settings);
        server.start_again();
        server.psql("create role certified login");
        server
    }

    fn initialize(&self, settings: &[(&str, &str)]) {
        let password = self.path("password");
        fs::write(&password, PASSWORD).unwrap();
        fs::set_permissions(&password, fs::Permissions::from_mode(0o644)).unwrap();
        let mut initdb = self.command("initdb");
        initdb.args(["-U", "postgres", "--auth=trust", "--no-sync", "--locale=C", "--encoding=UTF8", "-D"]);
        succeed(initdb.arg(self.path("data")).arg("--pwfile").arg(password));
        let folder = self.folder.path().display();
        let mut text = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{folder}'\nfsync = off\n\
             password_encryption = 'scram-sha-256'\n",
            self.port
        );
        if self.tls {
            text.push_str(&format!(
                "ssl = on\nssl_cert_file = '{folder}/server.crt'\nssl_key_file = '{folder}/server.key'\n\
                 ssl_ca_file = '{folder}/root.crt'\n"
            ));
        }
        for (name, value) in settings {
            text.push_str(&format!("{name} = '{value}'\n"));
        }
        let conf = self.path("data/postgresql.conf");
        fs::write(&conf, fs::read_to_string(&conf).unwrap() + &text).unwrap();
        let by_certificate = if self.tls { "hostssl all certified all cert\n" } else { "" };
        let hba = format!("local all all trust\n{by_certificate}host all all all scram-sha-256\n");
        fs::write(self.path("data/pg_hba.conf"), hba).unwrap();
    }

    /// Starts a server that was stopped.
    pub fn start_again(&self) {
        let mut pg_ctl = self.command("pg_ctl");
        // a server must not hold the pipes of the test, or their reader waits for the server's end
        pg_ctl.stdin(std::process::Stdio::null());
        succeed(
            pg_ctl.args(["start", "-w", "-s", "-t", "60", "-l"]).arg(self.path("log")).arg("-D").arg(self.path("data")),
        );
    }

    /// Ends it at once, as a crash would.
    pub fn crash(&self) {
        succeed(self.command("pg_ctl").args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.path("data")));
    }

    /// What `psql` prints for these statements, unaligned, rows only, without the last line end.
    pub fn psql(&self, sql: &str) -> String {
        let mut psql = self.command("psql");
        let output = psql.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", &self.url(), "-c", sql]).output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// For `--server`: the superuser over the Unix socket.
    pub fn url(&self) -> String {
        format!("host={} port={} user=postgres dbname=postgres", self.folder.path().display(), self.port)
    }

    /// For `--server`: over TCP, with this user and these further parameters.
    pub fn tcp(&self, user: &str, further: &str) -> String {
        format!("host=localhost port={} user={user} dbname=postgres {further}", self.port)
    }

    /// The port of both the socket and TCP.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether it speaks TLS.
    pub fn has_tls(&self) -> bool {
        self.tls
    }

    /// A file of its folder: `log`, `data/…`, `root.crt`, `client.crt`, `client.key`.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The server's log.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.path("log")).unwrap_or_default()).into_owned()
    }

    /// The postmaster.
    pub fn pid(&self) -> Pid {
        let text = fs::read_to_string(self.path("data/postmaster.pid")).expect("the server runs");
        Pid::from_raw(text.lines().next().and_then(|l| l.parse().ok()).expect("a pid"))
    }

    /// One of PostgreSQL's programs, run as the server's user.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command.current_dir(self.folder.path()).env("LC_ALL", "C");
        if let Some(user) = account() {
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.path("data/postmaster.pid").exists() {
            let mut stop = self.command("pg_ctl");
            let _ = stop.args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.path("data")).output();
        }
    }
}

/// PostgreSQL refuses to run as root; then it is `postgres`, or `nobody` where there is no such user.
fn account() -> Option<User> {
    if !geteuid().is_root() {
        return None;
    }
    let named = |name| User::from_name(name).ok().flatten();
    Some(named("postgres").or_else(|| named("nobody")).expect("a user for the server"))
}

fn own(path: &Path) {
    if let Some(user) = account() {
        chown(path, Some(user.uid), Some(user.gid)).unwrap();
    }
}

fn succeed(command: &mut Command) {
    let errors = tempfile::tempfile().unwrap();
    let status = command.stdout(std::process::Stdio::null()).stderr(errors.try_clone().unwrap()).status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if !status.success() {
        use std::io::{Read, Seek};
        let (mut errors, mut text) = (errors, String::new());
        errors.rewind().and_then(|()| errors.read_to_string(&mut text)).unwrap();
        panic!("{command:?}: {text}");
    }
}

fn has_tls(bin: &Path) -> bool {
    let output = Command::new(bin.join("pg_config")).arg("--configure").output();
    // without pg_config (a package of its own in some places) Debian's and PGDG's builds are the ones that have it
    output.map_or(true, |o| {
        let text = String::from_utf8_lossy(&o.stdout).into_owned();
        !o.status.success() || text.contains("--with-openssl") || text.contains("--with-ssl")
    })
}

fn binaries() -> PathBuf {
    let wanted = std::env::var("REPRISE_TEST_MAJOR").ok();
    let mut folders: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|found| found.flatten().map(|e| e.path().join("bin")).collect())
        .unwrap_or_default();
    folders.sort_by_key(|folder| std::cmp::Reverse(major(folder)));
    folders.extend(std::env::var_os("REPRISE_PG18").map(|folder| PathBuf::from(folder).join("bin")));
    folders.push(PathBuf::from("/var/tmp/reprise-ci/pg18/bin"));
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let fits = |folder: &PathBuf| {
        folder.join("initdb").is_file()
            && wanted.as_ref().is_none_or(|w| major(folder).is_some_and(|m| m.to_string() == *w))
    };
    folders.into_iter().find(fits).unwrap_or_else(|| {
        panic!("no PostgreSQL {} found: install it (apt install postgresql)", wanted.as_deref().unwrap_or("at all"))
    })
}

fn major(bin: &Path) -> Option<u32> {
    let output = Command::new(bin.join("postgres")).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().nth(2)?.split('.').next()?.parse().ok()
}

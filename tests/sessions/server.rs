//! A PostgreSQL server with TLS and a role for each way in, shared by the tests that run at the same time.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use reprise::pg::{Environment, Target};
use tempfile::TempDir;

const BINARIES: &str = "/usr/lib/postgresql/15/bin";

/// The password of every role.
pub(crate) const PASSWORD: &str = "s3cret of the tests";

const HBA: &str = "
local all all trust
hostssl all certified all cert
hostssl all encrypted all scram-sha-256
hostnossl all clear all scram-sha-256
host all hashed all md5
host all told all password
host all app all scram-sha-256
host all trusted all trust
";

const ROLES: &str = "
set password_encryption = 'scram-sha-256';
create role app login password 's3cret of the tests';
create role encrypted login password 's3cret of the tests';
create role clear login password 's3cret of the tests';
create role told login password 's3cret of the tests';
create role trusted login;
create role certified login;
create role limited login connection limit 0;
set password_encryption = 'md5';
create role hashed login password 's3cret of the tests';
create database shop;
";

pub(crate) struct Server {
    folder: TempDir,
    pub(crate) port: u16,
}

impl Server {
    /// The server of the tests that run now; it ends with the last of them.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("reprise-sessions-").tempdir_in("/tmp").unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Self { folder, port };
        let root = server.folder.path();
        run(Command::new("chmod").arg("755").arg(root));
        fs::create_dir(server.path("client")).unwrap();
        fs::create_dir(server.path("server")).unwrap();
        server.make_certificates();
        if nix::unistd::geteuid().is_root() {
            run(Command::new("chown").args(["-R", "postgres:"]).arg(server.path("server")));
        }
        let data = server.path("server/data");
        let data = data.to_str().unwrap();
        run(server.binary("initdb").args([
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-N",
            "--no-locale",
            "-E",
            "UTF8",
        ]));
        fs::write(server.path("server/data/pg_hba.conf"), HBA).unwrap();
        let settings = format!(
            "port = {port}\nlisten_addresses = 'localhost'\nunix_socket_directories = '{0}'\nssl = on\nfsync = off\n\
             ssl_cert_file = '{0}/server.crt'\nssl_key_file = '{0}/server.key'\nssl_ca_file = '{0}/root.crt'\n",
            server.path("server").display(),
        );
        fs::write(server.path("server/data/postgresql.auto.conf"), settings).unwrap();
        let log = format!("{}/log", server.path("server").display());
        run(server.binary("pg_ctl").args(["-D", data, "-l", &log, "-w", "start"]));
        let socket = server.socket_folder();
        let arguments = ["-h", socket.to_str().unwrap(), "-p", &port.to_string(), "-U", "postgres", "-qX", "-v"];
        let input = server.path("server/roles.sql");
        fs::write(&input, ROLES).unwrap();
        run(server.binary("psql").args(arguments).arg("ON_ERROR_STOP=1").arg("-f").arg(input));
        server
    }

    /// Certificates as the manual's section "Creating Certificates" makes them, with a root of our own.
    fn make_certificates(&self) {
        let make = |name: &str, common_name: &str, sign: &[&str]| {
            let subject = format!("/CN={common_name}");
            let mut request = Command::new("openssl");
            request.args(["req", "-new", "-nodes", "-text", "-out", &format!("{name}.csr")]);
            run(request.args(["-keyout", &format!("{name}.key"), "-subj", &subject]).current_dir(self.folder.path()));
            let mut certificate = Command::new("openssl");
            certificate.args(["x509", "-req", "-in", &format!("{name}.csr"), "-text", "-days", "30"]).args(sign);
            run(certificate.args(["-out", &format!("{name}.crt")]).current_dir(self.folder.path()));
        };
        let by_itself = ["-extfile", "/etc/ssl/openssl.cnf", "-extensions", "v3_ca", "-signkey"];
        let by_root = ["-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial"];
        make("root", "root.reprise.test", &[&by_itself[..], &["root.key"]].concat());
        make("stranger", "stranger.reprise.test", &[&by_itself[..], &["stranger.key"]].concat());
        make("server", "localhost", &by_root);
        make("certified", "certified", &by_root);
        for (from, to) in
            [("root.crt", "server/root.crt"), ("server.crt", "server/server.crt"), ("server.key", "server/server.key")]
        {
            fs::copy(self.path(from), self.path(to)).unwrap();
        }
        run(Command::new("chmod").arg("600").arg(self.path("server/server.key")).arg(self.path("certified.key")));
    }

    /// A file in the server's folder: `root.crt`, `certified.crt`, `certified.key`, `stranger.crt`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn socket_folder(&self) -> PathBuf {
        self.path("server")
    }

    /// An environment with nothing in it but a home that is empty.
    pub(crate) fn environment(&self) -> Environment {
        Environment::empty().home(self.path("client")).user("nobody")
    }

    /// A target on this server's TCP port.
    pub(crate) fn target(&self, text: &str) -> Target {
        Target::parse(&format!("host=localhost port={} dbname=shop {text}", self.port), &self.environment()).unwrap()
    }

    /// A target of the superuser, by the Unix-domain socket.
    pub(crate) fn superuser(&self) -> Target {
        let folder = self.socket_folder();
        let text = format!("host={} port={} dbname=shop user=postgres", folder.display(), self.port);
        Target::parse(&text, &self.environment()).unwrap()
    }

    fn binary(&self, name: &str) -> Command {
        let path = Path::new(BINARIES).join(name);
        let mut command = if nix::unistd::geteuid().is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir(self.folder.path()).env_remove("PGHOST").env_remove("PGPORT");
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.path("server/data");
        let _ = self.binary("pg_ctl").arg("-D").arg(data).args(["-m", "immediate", "-w", "stop"]).output();
    }
}

pub(crate) fn run(command: &mut Command) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(status.success(), "{command:?}: {status}\n{}{}", text(&stdout), text(&stderr));
}

//! Making a cluster and running its server.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Child;

use super::account::Account;
use super::binaries::Installation;
use super::folder::PORT;
use super::guard::{Ending, Guard};
use super::{Error, child, settings};

/// The scenario's settings, beside `postgresql.conf`.
const SETTINGS: &str = "reprise.conf";

/// A cluster's folder and what runs it.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) installation: Installation,
    pub(super) account: Account,
    /// The data directory.
    pub(super) data: PathBuf,
    /// Where the server's log goes.
    pub(super) log: PathBuf,
}

impl Cluster {
    /// `initdb`: without waiting for the disk, which the server's own durability is not touched by.
    pub(super) async fn init(&self, password: Option<&str>, guard: &mut Guard) -> Result<(), Error> {
        // Made under another name: a folder called `data` is a whole cluster.
        let unfinished = self.data.with_extension("unfinished");
        guard.removes(&unfinished)?;
        let folder = self.data.parent().unwrap_or(Path::new("/"));
        if self.try_init(&unfinished, folder, "C.UTF-8", password, guard).await?.contains("invalid locale") {
            self.try_init(&unfinished, folder, "C", password, guard).await?;
        }
        let what = format!("could not make `{}`", self.data.display());
        let conf = unfinished.join("postgresql.conf");
        OpenOptions::new()
            .append(true)
            .open(conf)
            .and_then(|mut conf| writeln!(conf, "\ninclude '{SETTINGS}'"))
            .and_then(|()| fs::rename(&unfinished, &self.data))
            .map_err(Error::io(what))
    }

    /// Returns what it printed; an unknown locale is no error yet.
    async fn try_init(
        &self,
        data: &Path,
        folder: &Path,
        locale: &str,
        password: Option<&str>,
        guard: &mut Guard,
    ) -> Result<String, Error> {
        let mut command = child::command(&self.installation.bin.join("initdb"), self.account, folder);
        command.arg("--pgdata").arg(data);
        command.args(["--username=postgres", "--encoding=UTF8", "--no-sync", "--auth-host=reject"]);
        command.arg(format!("--locale={locale}"));
        let secret = folder.join("initdb.password");
        if let Some(password) = password {
            self.write_private(&secret, password)?;
            command.arg("--auth-local=scram-sha-256").arg("--pwfile").arg(&secret);
        } else {
            command.arg("--auth-local=trust");
        }
        let output = self.open_log()?;
        let before = output.metadata().map_or(0, |meta| meta.len());
        let what = "could not give the server its log";
        command.stdout(output.try_clone().map_err(Error::io(what))?).stderr(output);
        let status = child::run(&mut command, guard).await;
        if password.is_some() {
            fs::remove_file(&secret).map_err(Error::io(format!("could not remove `{}`", secret.display())))?;
        }
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(text.get(usize::try_from(before).unwrap_or(0)..).unwrap_or_default());
        if status?.success() || text.contains("invalid locale") && locale != "C" {
            return Ok(text.into_owned());
        }
        Err(Error::Initdb { output: tail(&text) })
    }

    /// Writes a file that only the server's user may read.
    pub(super) fn write_private(&self, file: &Path, text: &str) -> Result<(), Error> {
        let what = format!("could not write `{}`", file.display());
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(file)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(Error::io(what))?;
        self.account.own(file)
    }

    /// Starts the server with these settings, reachable in `sockets` alone.
    pub(super) fn spawn(
        &self,
        settings: &[(String, String)],
        sockets: &Path,
        ending: Ending,
        guard: &mut Guard,
    ) -> Result<Child, Error> {
        self.write_private(&self.data.join(SETTINGS), &settings::file(settings)?)?;
        let mut command = child::command(&self.installation.bin.join("postgres"), self.account, &self.data);
        command.arg("-D").arg(&self.data);
        // On the command line, where no configuration file and no ALTER SYSTEM overrides them.
        for setting in [
            "listen_addresses=".to_owned(),
            format!("port={PORT}"),
            format!("unix_socket_directories={}", sockets.display()),
        ] {
            command.arg("-c").arg(setting);
        }
        let log = self.open_log()?;
        command.stdout(log.try_clone().map_err(Error::io("could not give the server its log"))?).stderr(log);
        child::spawn(&mut command, guard, ending)
    }

    /// Whether it accepts connections, told as `pg_ctl` tells it: the server writes its state into `postmaster.pid`.
    pub(super) fn is_ready(&self, server: &mut Child) -> Result<bool, Error> {
        if server.try_wait().map_err(Error::io("could not wait for the server"))?.is_some() {
            return Err(Error::Start { log: self.log_tail() });
        }
        let text = fs::read_to_string(self.data.join("postmaster.pid")).unwrap_or_default();
        let mut lines = text.lines();
        let is_ours = lines.next().and_then(|pid| pid.trim().parse().ok()) == Some(server.id());
        Ok(is_ours && lines.nth(6).is_some_and(|state| state.trim() == "ready"))
    }

    fn open_log(&self) -> Result<File, Error> {
        let what = format!("could not write `{}`", self.log.display());
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.log).map_err(Error::io(what))?;
        self.account.own(&self.log)?;
        Ok(file)
    }

    /// The end of the server's log.
    pub(super) fn log_tail(&self) -> String {
        tail(&String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()))
    }
}

/// The last twelve lines.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

//! `--hold`: the embedded server stays until its user has seen enough.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use tokio::sync::watch;

use super::perform::Fault;
use super::place::Place;
use crate::diagnostic::Diagnostic;
use crate::exec::StopStage;

/// A server that is held.
#[derive(Debug)]
pub(super) struct Held {
    /// How `psql` gets there, in one line.
    pub(super) url: String,
}

impl Held {
    /// The embedded server of the run. Its password, where it has one, goes to a file that is gone with it.
    pub(super) fn at(place: &Place) -> Result<Self, Diagnostic> {
        let Some(embedded) = &place.embedded else {
            let text = "`--hold` keeps the embedded server, and this run has another";
            return Err(Diagnostic::error("usage::hold", text).help("leave it out: that server stays as it is"));
        };
        let url = embedded.url();
        let Some(password) = embedded.password() else { return Ok(Self { url: format!("psql '{url}'") }) };
        let file = embedded.private_folder().join("pgpass");
        let written = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&file);
        let written = written.and_then(|mut file| writeln!(file, "*:*:*:postgres:{}", password.reveal()));
        written.map_err(|error| {
            Diagnostic::error("files::not_written", format!("can't write `{}`: {error}", file.display()))
                .help("check the folder's permissions and its free space")
        })?;
        Ok(Self { url: format!("PGPASSFILE='{}' psql '{url}'", file.display()) })
    }

    /// Waits for Ctrl-C, unless it came before. What went wrong is said in short: whoever looks for the reason on the
    /// server wants to know it before the server is gone.
    pub(super) async fn until_stopped(&self, fault: Option<&Fault>, mut stop: watch::Receiver<StopStage>) {
        if *stop.borrow() == StopStage::Run {
            if let Some(diagnostic) = fault.map(Fault::diagnostic) {
                let _ = writeln!(io::stderr(), "failed: {}", diagnostic.message);
            }
            let _ = writeln!(io::stderr(), "the server is there until Ctrl-C:\n{}", self.url);
            // an error means that nobody can ask any more
            let _ = stop.wait_for(|stage| *stage > StopStage::Run).await;
        }
    }
}

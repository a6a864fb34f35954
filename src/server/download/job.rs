//! A download from its beginning to its end, on a thread of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use super::Received;
use super::cache::Cache;
use super::fault::Fault;
use super::fetch::Client;
use super::source::{Source, Version};
use crate::server::binaries::Installation;

/// How many versions are tried: the newest may be announced before its archive is there.
const TRIED: usize = 3;

/// What is to be done.
pub(super) struct Job {
    pub(super) source: Source,
    pub(super) major: Option<u32>,
    pub(super) cache: Cache,
    /// The folder that is removed in any case.
    pub(super) unfinished: PathBuf,
    pub(super) told: UnboundedSender<Received>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Job {
    pub(super) fn run(self) -> Result<Installation, Fault> {
        let _lock = self.cache.lock()?;
        // Another run may have got it while we waited for it.
        if let Ok(cached) = self.cache.search().choose(self.major) {
            return Ok(cached);
        }
        self.go_on()?;
        let client = Client::new(self.source.address()?);
        let list = client.text(self.source.list())?;
        let versions = self.source.versions(&list, self.major);
        let mut outcome = Err(Fault::Bad(match self.major {
            Some(major) => format!("it has no PostgreSQL {major}"),
            None => "it lists no version".to_owned(),
        }));
        for (n, version) in versions.into_iter().take(TRIED).enumerate() {
            match self.get(&client, version) {
                // The first one says what is missing.
                Err(Fault::Absent(_)) if n > 0 => {}
                Err(Fault::Absent(path)) => outcome = Err(Fault::Absent(path)),
                other => return other,
            }
        }
        outcome
    }

    fn get(&self, client: &Client<'_>, version: Version) -> Result<Installation, Fault> {
        let path = self.source.archive(version);
        let published = client.text(&format!("{path}.sha256"))?;
        self.go_on()?;
        fs::create_dir(&self.unfinished)?;
        let archive = self.unfinished.join("archive.tar.gz");
        let outcome = self.get_into(client, version, &path, &archive, &published);
        fs::remove_dir_all(&self.unfinished)?;
        outcome
    }

    fn get_into(
        &self,
        client: &Client<'_>,
        version: Version,
        path: &str,
        archive: &Path,
        published: &str,
    ) -> Result<Installation, Fault> {
        let name = version.to_string();
        let digest = client.file(path, archive, |bytes, of| {
            let _ = self.told.send(Received { version: name.clone(), bytes, of });
            self.go_on()
        })?;
        // As `sha256sum` writes it: the digest, then the file's name.
        let published = published.split_whitespace().next().unwrap_or_default();
        if !published.eq_ignore_ascii_case(&digest) {
            let path = path.trim_start_matches('/');
            return Err(Fault::Bad(format!("the SHA-256 of `{path}` is {digest}, not {published} as published")));
        }
        self.cache.keep(archive, &self.unfinished, &name, version.major, || self.go_on())
    }

    fn go_on(&self) -> Result<(), Fault> {
        if self.stop.load(Ordering::Relaxed) { Err(Fault::Stopped) } else { Ok(()) }
    }
}

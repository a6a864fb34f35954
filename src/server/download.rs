//! PostgreSQL's programs from the net, where none are installed. They stay in a cache that all runs share.

mod cache;
mod fault;
mod fetch;
mod job;
mod source;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use super::account::Account;
use super::binaries::Installation;
use super::guard::Guard;
use super::{Error, Observer};
use cache::Cache;
use fault::Fault;
use job::Job;
pub use source::Source;

/// Where PostgreSQL is downloaded from, and to.
#[derive(Debug, Clone)]
pub struct Download {
    /// Where it is published.
    pub source: Source,
    /// Folders to keep it in: the first that the server's user can enter is taken.
    pub caches: Vec<PathBuf>,
}

impl Default for Download {
    /// From the mirror that `REPRISE_POSTGRES_MIRROR` names, else from the project that publishes the programs; to the
    /// user's cache. Root's own is often closed to the server's user: then to the machine's.
    fn default() -> Self {
        let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let own = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
        let own = own.filter(|folder| folder.is_absolute());
        let bases = own.into_iter().chain([PathBuf::from("/var/cache")]);
        Self { source: Source::of_process(), caches: bases.map(|base| base.join("reprise/postgresql")).collect() }
    }
}

/// What the job says while it works.
#[derive(Debug)]
struct Received {
    version: String,
    bytes: u64,
    of: Option<u64>,
}

impl Download {
    /// The newest server of this major version, or of all: from the cache, else from the net. `missing` says what is
    /// not installed. Dropping the future ends the download, and the guard removes what there is of it.
    pub(super) async fn installation(
        &self,
        missing: Error,
        major: Option<u32>,
        account: Account,
        guard: &mut Guard,
        observer: &mut impl Observer,
    ) -> Result<Installation, Error> {
        let cache = Cache::open(&self.caches, account)?;
        if let Ok(cached) = cache.search().choose(major) {
            return Ok(cached);
        }
        let folder = cache.folder().to_owned();
        let unfinished = cache.unfinished();
        guard.removes(&unfinished)?;
        let (told, mut news) = mpsc::unbounded_channel();
        let stop = Stop::default();
        let job = Job { source: self.source.clone(), major, cache, unfinished, told, stop: Arc::clone(&stop.0) };
        let thread = std::thread::Builder::new().name("download".to_owned());
        let thread = thread.spawn(move || job.run()).map_err(Error::io("could not start a thread"))?;
        while let Some(received) = news.recv().await {
            observer.downloading(&received.version, received.bytes, received.of);
        }
        // The job hangs up when it is done.
        match thread.join() {
            Ok(Ok(installation)) => Ok(installation),
            Ok(Err(Fault::Cache(error))) => Err(Error::Cache { folder, error }),
            Ok(Err(fault)) => Err(self.failed(missing, &fault.to_string())),
            Err(_) => Err(self.failed(missing, "it broke off")),
        }
    }

    fn failed(&self, missing: Error, reason: &str) -> Error {
        Error::Download { missing: Box::new(missing), from: self.source.shown(), reason: reason.to_owned() }
    }
}

/// Dropped, it ends the job.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

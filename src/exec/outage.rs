//! A client without a session: how it gets another, and how long it had none.

use std::time::{Duration, Instant};

use super::client::Client;
use super::session::Session;
use crate::id::ScriptId;
use crate::metrics::ClientOutage;
use crate::plan::phase::ConnectionPolicy;

/// A client that can't open a session for so long gives up.
const OUTAGE: Duration = Duration::from_secs(30);
/// The first pause between two tries to open a session; it doubles up to a second.
const PAUSE: Duration = Duration::from_millis(50);
/// Times without a session that one worker keeps; a script that ends its own sessions would have no end of them.
const MOST_KEPT: usize = 10_000;

impl Client {
    /// A client that keeps its session opens a new one where the last was lost. False: it gives up.
    pub(super) async fn ensure_session(&mut self) -> bool {
        let shared = self.shared.clone();
        if self.session.is_some() || shared.load().connections != ConnectionPolicy::PerClient {
            return self.outlast().await;
        }
        self.presence.stranded.set(self.done > 0);
        loop {
            let (opened, elapsed) = shared.opener.open_timed().await;
            self.now = Instant::now();
            match opened {
                Ok(session) => {
                    shared.recorder.borrow_mut().connected(elapsed);
                    self.take_session(session);
                    return true;
                }
                Err(failure) => {
                    self.note_outage();
                    self.record_error(&failure, self.first_script());
                    if !self.outlast().await {
                        return false;
                    }
                }
            }
        }
    }

    /// Errors outside of a transaction are kept under the first script of the mix.
    fn first_script(&self) -> ScriptId {
        self.shared.load().mix.entries[0].0
    }

    /// The session was lost, or could not be opened.
    pub(super) fn note_outage(&mut self) {
        let (since, tries) = self.outage.unwrap_or((self.now, 0));
        self.outage = Some((since, tries + 1));
        self.presence.stranded.set(true);
        self.note_loss();
    }

    /// From now on it has no session that works.
    pub(super) fn note_loss(&mut self) {
        self.lost.get_or_insert(self.now);
    }

    /// A transaction has succeeded at that moment, or none will any more.
    pub(super) fn end_outage(&mut self, at: Option<Instant>) {
        let Some(lost) = self.lost.take() else { return };
        let mut kept = self.shared.outages.borrow_mut();
        if kept.len() < MOST_KEPT {
            let after = |at: Instant| at.saturating_duration_since(self.shared.start.get());
            kept.push(ClientOutage { since: after(lost), until: at.map(after), client: self.number });
        }
    }

    /// Pauses while the server lets nobody in; false when that has taken too long.
    async fn outlast(&mut self) -> bool {
        let Some((since, tries)) = self.outage else { return true };
        if self.now.duration_since(since) > OUTAGE {
            return false;
        }
        let pause = PAUSE.saturating_mul(1 << tries.min(5)).min(Duration::from_secs(1));
        self.wait_until(self.now + pause).await
    }

    /// Takes a session, and lets others cancel what it does.
    pub(super) fn take_session(&mut self, session: Session) {
        *self.presence.cancel.borrow_mut() = Some(session.cancel.clone());
        self.presence.stranded.set(false);
        self.outage = None;
        self.session = Some(session);
    }
}

//! Follows a run: which clients end early, and what `-P` shows.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::progress::Progress;
use super::wording;
use crate::exec::{ClientEnd, Observer, StopStage};
use crate::metrics::Sample;
use crate::plan::{PhasePlan, Plan};

/// Shows on `err` what happens.
pub(super) struct Watch<'a> {
    pub(super) program: &'a str,
    pub(super) plan: &'a Plan,
    pub(super) err: &'a mut (dyn Write + Send),
    /// `-P`
    pub(super) progress: Option<Progress>,
    /// `--exit-on-abort`: stops the run.
    pub(super) exit_on_abort: Option<Arc<watch::Sender<StopStage>>>,
    /// The thread whose client has stopped it.
    pub(super) aborted: Option<usize>,
}

impl Observer for Watch<'_> {
    fn phase_started(&mut self, _: &PhasePlan) {}

    fn progress(&mut self, _: &PhasePlan, elapsed: Duration, sample: &Sample) {
        if self.aborted.is_some() {
            return;
        }
        if let Some(line) = self.progress.as_mut().and_then(|p| p.line(elapsed, sample, Instant::now())) {
            let _ = self.err.write_all(line.as_bytes());
        }
    }

    fn client_ended(&mut self, _: &PhasePlan, end: &ClientEnd) {
        if self.aborted.is_some() {
            return;
        }
        let text = wording::tagged(self.program, &wording::client_end(self.plan, end));
        let _ = self.err.write_all(text.as_bytes());
        if let Some(stop) = &self.exit_on_abort {
            self.aborted = Some(end.thread);
            stop.send_replace(StopStage::Leave);
        }
    }
}

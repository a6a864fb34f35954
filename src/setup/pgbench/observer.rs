//! Who watches an initialization.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::pg::{Error, ServerError};
use crate::plan::initialization::InitStep;
use crate::setup::Cancel;

/// What is told while tables are made.
pub trait InitObserver {
    /// A step begins.
    fn step_started(&mut self, step: InitStep) {
        let _ = step;
    }

    /// So many partitions are about to be made.
    fn partitions_started(&mut self, count: u32) {
        let _ = count;
    }

    /// So many rows of a table have been sent since the COPY began.
    fn rows_sent(&mut self, table: &'static str, done: u64, of: u64, elapsed: Duration) {
        let _ = (table, done, of, elapsed);
    }

    /// The server said something that is no error.
    fn noticed(&mut self, notice: &ServerError) {
        let _ = notice;
    }

    /// Somebody asked to stop, and the server has been asked to cancel, or could not be.
    fn cancel_requested(&mut self, sent: Result<(), Error>) {
        let _ = sent;
    }

    /// A step has ended well and made so many rows.
    fn step_finished(&mut self, step: InitStep, rows: u64, elapsed: Duration) {
        let _ = (step, rows, elapsed);
    }
}

/// What the sessions of an initialization share.
pub(super) struct Shared<'a> {
    pub(super) cancel: &'a Cancel,
    clock: Clock,
    observer: RefCell<&'a mut dyn InitObserver>,
    cancelled: Cell<bool>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(observer: &'a mut dyn InitObserver, cancel: &'a Cancel) -> Self {
        Self { cancel, clock: Clock::new(), observer: RefCell::new(observer), cancelled: Cell::new(false) }
    }

    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    pub(super) fn tell(&self, what: impl FnOnce(&mut dyn InitObserver)) {
        what(&mut **self.observer.borrow_mut());
    }

    /// Tells of the first cancel request of all.
    pub(super) fn cancel_requested(&self, sent: Result<(), Error>) {
        if !self.cancelled.replace(true) {
            self.tell(|observer| observer.cancel_requested(sent));
        }
    }
}

//! A precise timer: one per worker, for think times, schedules, `\sleep` and limits.
//!
//! tokio's own rounds to a millisecond, which is no good for `\sleep 50 us` or for 20,000 starts a second. Here a heap of
//! deadlines stands behind one [`Alarm`], which is set again only for an earlier deadline. Entries carry a generation
//! number, so that a sleep that is dropped leaves a dead entry in the heap instead of a search through it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::alarm::Alarm;
use crate::metrics::Histogram;

/// The sleeps of one worker.
pub(super) struct Timer {
    alarm: Alarm,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    heap: BinaryHeap<Reverse<(Instant, usize, u64)>>,
    entries: Vec<Entry>,
    free: Vec<usize>,
    armed: Option<Instant>,
    lag: Histogram,
}

/// A sleep that waits, or a place for one.
#[derive(Default)]
struct Entry {
    generation: u64,
    waker: Option<Waker>,
    fired: bool,
}

impl Timer {
    /// A timer of the runtime that this is called in; [`Timer::drive`] must run there.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { alarm: Alarm::new()?, state: RefCell::default() })
    }

    /// Waits until then. A moment that has passed does not wait at all.
    pub(super) fn sleep_until(&self, at: Instant) -> Sleep<'_> {
        Sleep { timer: self, at, entry: None }
    }

    /// Gives up `future` at `at`: `None` then.
    pub(super) async fn limit<F: Future>(&self, at: Instant, future: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = self.sleep_until(at) => None,
        }
    }

    /// Wakes sleepers for ever.
    pub(super) async fn drive(&self) -> io::Result<()> {
        loop {
            self.alarm.wait().await?;
            self.fire(Instant::now())?;
        }
    }

    /// How much later than asked for sleepers were woken, since the last call.
    pub(super) fn take_lag(&self) -> Histogram {
        std::mem::take(&mut self.state.borrow_mut().lag)
    }

    fn fire(&self, now: Instant) -> io::Result<()> {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        state.armed = None;
        while let Some(Reverse((at, index, generation))) = state.heap.peek().copied() {
            let entry = &mut state.entries[index];
            if entry.generation == generation {
                if at > now {
                    state.armed = Some(at);
                    return self.alarm.set(at - now);
                }
                entry.fired = true;
                state.lag.record(now - at);
                if let Some(waker) = entry.waker.take() {
                    waker.wake();
                }
            }
            state.heap.pop();
        }
        Ok(())
    }

    fn insert(&self, at: Instant, now: Instant, waker: Waker) -> usize {
        let mut state = self.state.borrow_mut();
        let index = state.free.pop().unwrap_or_else(|| {
            state.entries.push(Entry::default());
            state.entries.len() - 1
        });
        let entry = &mut state.entries[index];
        entry.waker = Some(waker);
        entry.fired = false;
        let generation = entry.generation;
        state.heap.push(Reverse((at, index, generation)));
        if state.armed.is_none_or(|armed| at < armed) {
            state.armed = Some(at);
            if self.alarm.set(at - now).is_err() {
                // a timerfd that exists can be set; if not, the sleep ends at once rather than never
                let entry = &mut state.entries[index];
                entry.fired = true;
                if let Some(waker) = entry.waker.take() {
                    waker.wake();
                }
            }
        }
        index
    }

    fn remove(&self, index: usize) {
        let mut state = self.state.borrow_mut();
        let entry = &mut state.entries[index];
        entry.generation += 1;
        entry.waker = None;
        state.free.push(index);
    }
}

/// Waits until a moment; see [`Timer::sleep_until`].
pub(super) struct Sleep<'a> {
    timer: &'a Timer,
    at: Instant,
    entry: Option<usize>,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(index) = self.entry else {
            let now = Instant::now();
            if self.at <= now {
                return Poll::Ready(());
            }
            self.entry = Some(self.timer.insert(self.at, now, cx.waker().clone()));
            return Poll::Pending;
        };
        let mut state = self.timer.state.borrow_mut();
        let entry = &mut state.entries[index];
        if entry.fired {
            return Poll::Ready(());
        }
        match &mut entry.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        if let Some(index) = self.entry {
            self.timer.remove(index);
        }
    }
}

//! A pool of sessions that the clients of one worker share.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

use tokio::sync::oneshot;

use super::failure::{Failure, Fault, Outcome};
use super::session::{Opener, Session};
use super::timer::Timer;
use crate::plan::phase::PoolPlan;

/// A pool: idle sessions, last in first out, and clients that wait, first come first served.
pub(super) struct Pool {
    plan: PoolPlan,
    opener: Rc<Opener>,
    idle: RefCell<Vec<Session>>,
    waiting: RefCell<VecDeque<oneshot::Sender<Turn>>>,
    /// Sessions that exist or are being opened.
    open: Cell<u32>,
}

/// What a waiting client gets.
enum Turn {
    /// A session that another gave back.
    Session(Box<Session>),
    /// The place of one that was lost.
    Open,
}

impl Pool {
    /// An empty pool.
    pub(super) fn new(plan: PoolPlan, opener: Rc<Opener>) -> Self {
        Self { plan, opener, idle: RefCell::default(), waiting: RefCell::default(), open: Cell::new(0) }
    }

    /// How many sessions it may have.
    pub(super) fn size(&self) -> u32 {
        self.plan.size
    }

    /// Takes in a session that was opened before the phase began.
    pub(super) fn add(&self, session: Session) {
        self.open.set(self.open.get() + 1);
        self.idle.borrow_mut().push(session);
    }

    /// A session, within the pool's timeout.
    pub(super) async fn acquire(&self, timer: &Timer, now: Instant) -> Outcome<Session> {
        let idle = self.idle.borrow_mut().pop();
        if let Some(session) = idle {
            return Ok(session);
        }
        if self.open.get() < self.plan.size {
            self.open.set(self.open.get() + 1);
            return self.open_one().await;
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().push_back(sender);
        match timer.limit(now + self.plan.timeout, receiver).await {
            Some(Ok(Turn::Session(session))) => Ok(*session),
            Some(Ok(Turn::Open)) => self.open_one().await,
            Some(Err(_)) | None => Err(Failure::client(
                Fault::Pool,
                format!(
                    "no connection came free within {:?}: all {} of the pool were in use",
                    self.plan.timeout, self.plan.size
                ),
            )),
        }
    }

    /// Opens a session in a place that is the caller's already.
    async fn open_one(&self) -> Outcome<Session> {
        // given away again by `lost`, also when this future is dropped half-way
        let place = Place { pool: self };
        let (opened, _) = self.opener.open_timed().await;
        if opened.is_ok() {
            std::mem::forget(place);
        }
        opened
    }

    /// Gives a session back: to the client that waits longest, else to the idle ones.
    pub(super) fn release(&self, mut session: Session) {
        if self.plan.discard_all {
            session.discard_later();
        }
        let mut turn = Turn::Session(Box::new(session));
        loop {
            let next = self.waiting.borrow_mut().pop_front();
            match next {
                Some(waiting) => match waiting.send(turn) {
                    Ok(()) => return,
                    // that client has given up
                    Err(back) => turn = back,
                },
                None => break,
            }
        }
        if let Turn::Session(session) = turn {
            self.idle.borrow_mut().push(*session);
        }
    }

    /// A session is gone: its place goes to the client that waits longest, else it is free.
    pub(super) fn lost(&self) {
        while let Some(waiting) = self.waiting.borrow_mut().pop_front() {
            // one that has given up passes its turn on
            if waiting.send(Turn::Open).is_ok() {
                return;
            }
        }
        self.open.set(self.open.get().saturating_sub(1));
    }

    /// All idle sessions, to be closed.
    pub(super) fn drain(&self) -> Vec<Session> {
        self.idle.take()
    }
}

/// A place in the pool whose session is not open yet.
struct Place<'a> {
    pool: &'a Pool,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.pool.lost();
    }
}

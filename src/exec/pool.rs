//! A pool of sessions that the clients of one worker share.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::failure::{Failure, Fault, Outcome};
use super::session::{Opener, Session};
use super::timer::Timer;
use crate::plan::phase::PoolPlan;

/// A pool: idle sessions, last in first out, and clients that wait, first come first served.
pub(super) struct Pool {
    plan: PoolPlan,
    opener: Rc<Opener>,
    idle: RefCell<Vec<Session>>,
    waiting: RefCell<VecDeque<Rc<Waiter>>>,
    /// For the next ones that wait: once there are as many as ever wait, nothing is allocated.
    spare: RefCell<Vec<Rc<Waiter>>>,
    /// Sessions that exist or are being opened.
    open: Cell<u32>,
}

/// A place in the queue.
#[derive(Default)]
struct Waiter {
    turn: Cell<Option<Turn>>,
    waker: Cell<Option<Waker>>,
}

/// What a waiting client gets.
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation for each wait")]
enum Turn {
    /// A session that another gave back.
    Session(Session),
    /// The place of one that was lost.
    Open,
}

impl Pool {
    /// An empty pool.
    pub(super) fn new(plan: PoolPlan, opener: Rc<Opener>) -> Self {
        Self {
            plan,
            opener,
            idle: RefCell::default(),
            waiting: RefCell::default(),
            spare: RefCell::default(),
            open: Cell::new(0),
        }
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
        match timer.limit(now + self.plan.timeout, Wait::join(self)).await {
            Some(Turn::Session(session)) => Ok(session),
            Some(Turn::Open) => self.open_one().await,
            None => Err(Failure::client(
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
        self.pass(Turn::Session(session));
    }

    /// A session is gone: its place goes to the client that waits longest, else it is free.
    pub(super) fn lost(&self) {
        self.pass(Turn::Open);
    }

    /// Gives a turn to the client that waits longest, else back to the pool.
    fn pass(&self, turn: Turn) {
        let next = self.waiting.borrow_mut().pop_front();
        match (next, turn) {
            (Some(waiter), turn) => {
                waiter.turn.set(Some(turn));
                if let Some(waker) = waiter.waker.take() {
                    waker.wake();
                }
            }
            (None, Turn::Session(session)) => self.idle.borrow_mut().push(session),
            (None, Turn::Open) => self.open.set(self.open.get().saturating_sub(1)),
        }
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

/// Waits for a turn.
struct Wait<'a> {
    pool: &'a Pool,
    waiter: Rc<Waiter>,
}

impl<'a> Wait<'a> {
    /// At the end of the queue.
    fn join(pool: &'a Pool) -> Self {
        let waiter = pool.spare.borrow_mut().pop().unwrap_or_default();
        pool.waiting.borrow_mut().push_back(waiter.clone());
        Self { pool, waiter }
    }
}

impl Future for Wait<'_> {
    type Output = Turn;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Turn> {
        if let Some(turn) = self.waiter.turn.take() {
            return Poll::Ready(turn);
        }
        self.waiter.waker.set(Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        // one that gave up: its turn, if it had got it by now, is the next one's
        match self.waiter.turn.take() {
            Some(turn) => self.pool.pass(turn),
            None => self.pool.waiting.borrow_mut().retain(|waiter| !Rc::ptr_eq(waiter, &self.waiter)),
        }
        self.waiter.waker.take();
        self.pool.spare.borrow_mut().push(self.waiter.clone());
    }
}

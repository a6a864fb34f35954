//! One client: when its next transaction starts, when it stops, and the loop between.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::draw::draw;
use super::failure::ClientEnd;
use super::feed::Reader;
use super::interpreter::Loop;
use super::listener::Step;
use super::log::{TransactionEnd, TransactionOutcome};
use super::pipeline::Pipeline;
use super::schedule::Schedule;
use super::session::Session;
use super::shared::Shared;
use super::shutdown::StopStage;
use super::store::StoredRow;
use crate::eval::{Generator, Value};
use crate::id::{ClientId, CommandId, ScriptId};
use crate::metrics::Arrivals;
use crate::pg::CancelToken;
use crate::plan::phase::{Delay, StopPlan};

/// What others on the worker may know of a client while it runs.
#[derive(Default)]
pub(super) struct Presence {
    /// The script of the transaction that it is in.
    pub(super) script: Cell<Option<ScriptId>>,
    /// How to cancel what its session does.
    pub(super) cancel: RefCell<Option<Rc<CancelToken>>>,
    /// It sleeps within its transaction: there is nothing on the server to cancel.
    pub(super) paused: Cell<bool>,
    /// Set when it has ended.
    pub(super) ended: Cell<bool>,
    /// It has lost its session and has no other yet.
    pub(super) stranded: Cell<bool>,
}

/// When a client is there, in a phase whose number of clients changes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attendance {
    /// It joins so long after the start; none: from the beginning.
    pub(super) joins: Option<Duration>,
    /// It leaves so long after the start; none: it stays.
    pub(super) leaves: Option<Duration>,
}

/// Where a client's starts come from.
pub(super) enum Pacer {
    /// The next start waits for the last end.
    Closed {
        /// The earliest next start, where starts have a least distance.
        not_before: Option<Instant>,
    },
    /// A schedule of its own.
    Scheduled(Box<Schedule>),
    /// The schedule of its thread.
    Throttled,
}

/// A client with all that it owns.
pub(super) struct Client {
    pub(super) shared: Rc<Shared>,
    pub(super) presence: Rc<Presence>,
    pub(super) number: ClientId,
    /// Its number within its replica.
    pub(super) place: u32,
    pub(super) attendance: Attendance,
    pub(super) slots: Box<[Option<Value>]>,
    /// Serves the scripts' functions alone.
    pub(super) random: Generator,
    /// Chooses scripts, where the thread does not.
    pub(super) choose: Generator,
    /// Draws think times and delays.
    pub(super) think: Generator,
    pub(super) pacer: Pacer,
    pub(super) session: Option<Session>,
    /// Transactions that it has begun.
    pub(super) done: u64,
    /// The clock as last read.
    pub(super) now: Instant,
    /// The command under way.
    pub(super) command: Option<CommandId>,
    pub(super) loops: Vec<Loop>,
    pub(super) pipeline: Pipeline,
    pub(super) stored: Option<Box<StoredRow>>,
    /// Whether the running script's undefined variables are faults.
    pub(super) strict: bool,
    /// Since when no session could be opened, and how often it was tried.
    pub(super) outage: Option<(Instant, u32)>,
    /// Since when it has had no session, until its next successful transaction.
    pub(super) lost: Option<Instant>,
    /// How far it is in the feeds.
    pub(super) reader: Reader,
    /// The error that ends it.
    pub(super) end: Option<Box<ClientEnd>>,
}

/// What a client leaves behind.
pub(super) struct Finished {
    pub(super) session: Option<Session>,
    /// It ended before its time.
    pub(super) early: bool,
    /// The error that ended it.
    pub(super) end: Option<Box<ClientEnd>>,
}

/// Whether a client goes on after a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// With the next one.
    Transaction,
    /// Not at all: it ends before its time.
    End,
    /// Not at all: the phase is over.
    Over,
}

/// Missed starts of one client that are counted.
const MISSED_LIMIT: u32 = 1_000_000;

impl Drop for Client {
    /// However it ends, also where it is cut off.
    fn drop(&mut self) {
        self.count_missed();
        self.end_outage(None);
    }
}

impl Client {
    /// Runs to the end of the phase, or of the client.
    pub(super) async fn run(mut self) -> Finished {
        let early = !self.take_part().await;
        if early && let Some(session) = self.session.take() {
            // what it holds on the server is free for the others
            session.connection.close().await;
        }
        self.presence.ended.set(true);
        if early {
            self.presence.stranded.set(false);
        }
        Finished { session: self.session.take(), early, end: self.end.take() }
    }

    /// The loop. False: it ended before its time.
    async fn take_part(&mut self) -> bool {
        let shared = self.shared.clone();
        self.now = Instant::now();
        if let Some(joins) = self.attendance.joins
            && !self.wait_until(shared.start.get() + joins).await
        {
            return true;
        }
        loop {
            if shared.is_over(self.now) || self.has_left() || self.is_through() {
                return true;
            }
            let ready = self.session.is_some() && self.outage.is_none();
            if !ready && !self.ensure_session().await {
                return shared.is_over(self.now);
            }
            if !shared.claim() {
                return true;
            }
            let script = self.choose();
            if shared.wants.steps {
                self.tell(Step::Script(script));
            }
            // the common case needs no future of its own
            let at_once = matches!(self.pacer, Pacer::Closed { .. }) && shared.load().pacing.is_none();
            let start = if at_once { Some(self.now) } else { self.next_start(script).await };
            let Some(scheduled) = start else { return true };
            self.presence.script.set(Some(script));
            let next = self.transaction(script, scheduled).await;
            self.presence.script.set(None);
            self.done += 1;
            // one without a statement never waits, and others have to run too
            tokio::task::coop::consume_budget().await;
            if next != Next::Transaction {
                return next == Next::Over;
            }
            let think = shared.plan.scripts[script.index()].think.as_ref().unwrap_or(&shared.load().think);
            if *think != Delay::None {
                let pause = draw(*think, &mut self.think);
                self.wait_until(self.now + pause).await;
            }
        }
    }

    /// What it is called where it is one of many.
    pub(super) fn whose(&self) -> String {
        match self.shared.part {
            0 => format!("client {}", self.number.0),
            _ => format!("client {} of background `{}`", self.number.0, self.shared.phase().name),
        }
    }

    fn has_left(&self) -> bool {
        self.attendance.leaves.is_some_and(|leaves| self.now >= self.shared.start.get() + leaves)
    }

    fn is_through(&self) -> bool {
        matches!(self.shared.phase().stop, StopPlan::TransactionsPerClient(count) if self.done >= count)
    }

    /// Waits, but not beyond the end of the phase: false then. No transaction is under way.
    pub(super) async fn wait_until(&mut self, at: Instant) -> bool {
        let shared = self.shared.clone();
        // one that was in its transaction when it was told to end must not begin a pause after it
        if shared.stage.get() >= StopStage::Drain {
            return false;
        }
        let until = shared.deadline.get().map_or(at, |deadline| deadline.min(at));
        shared.timer.sleep_until(until).await;
        self.now = Instant::now();
        until == at && !shared.is_over(self.now)
    }

    /// The script of the next transaction. One draw, none where there is no choice.
    fn choose(&mut self) -> ScriptId {
        let mix = &self.shared.load().mix;
        if let [(only, _)] = mix.entries[..] {
            return only;
        }
        let last = i64::try_from(mix.total - 1).unwrap_or(i64::MAX);
        let mut draw = match &self.shared.thread {
            Some(thread) => thread.borrow_mut().choose.uniform(0, last),
            None => self.choose.uniform(0, last),
        };
        for (script, weight) in &mix.entries {
            draw -= i64::from(*weight);
            if draw < 0 {
                return *script;
            }
        }
        mix.entries[mix.entries.len() - 1].0
    }

    /// Waits for the start of the next transaction; `None` when there is none in this phase.
    async fn next_start(&mut self, script: ScriptId) -> Option<Instant> {
        let shared = self.shared.clone();
        if let Pacer::Closed { not_before } = &mut self.pacer {
            let Some(pacing) = shared.load().pacing else { return Some(self.now) };
            let at = not_before.unwrap_or(self.now).max(self.now);
            *not_before = Some(at + pacing);
            return (at <= self.now || self.wait_until(at).await).then_some(self.now);
        }
        loop {
            let at = match &mut self.pacer {
                Pacer::Scheduled(schedule) => schedule.next()?,
                _ => shared.thread.as_ref()?.borrow_mut().throttle.as_mut()?.next(),
            };
            if shared.deadline.get().is_some_and(|deadline| at >= deadline) {
                return None;
            }
            shared.note_arrivals(Arrivals { due: 1, begun: 0 });
            self.now = Instant::now();
            let hopeless = shared.load().latency_limit.is_some_and(|limit| self.now > at + limit);
            if !hopeless {
                if at > self.now && !self.wait_until(at).await {
                    return None;
                }
                shared.note_arrivals(Arrivals { due: 0, begun: 1 });
                return Some(at);
            }
            shared.recorder.borrow_mut().skipped(Some(script));
            shared.log(|| TransactionEnd {
                client: self.number,
                number: self.done + 1,
                script,
                outcome: TransactionOutcome::Skipped,
                latency: Duration::ZERO,
                lag: Duration::ZERO,
                tries: 1,
                at: self.now,
            });
            // a schedule beyond all bounds skips without end, and others have to run too
            tokio::task::coop::consume_budget().await;
            self.done += 1;
            if self.is_through() || !shared.claim() {
                return None;
            }
        }
    }

    /// Starts that fell due before the end and that this client never came to.
    fn count_missed(&mut self) {
        let (Pacer::Scheduled(schedule), Some(deadline)) = (&mut self.pacer, self.shared.deadline.get()) else {
            return;
        };
        let end = deadline.min(Instant::now());
        // a schedule that is far ahead of its client need not be counted to its end
        for _ in 0..MISSED_LIMIT {
            if schedule.next().is_none_or(|at| at >= end) {
                break;
            }
            self.shared.note_arrivals(Arrivals { due: 1, begun: 0 });
        }
    }

    /// Whether running statements are being cancelled: what fails now is unfinished.
    pub(super) fn is_cut(&self) -> bool {
        self.shared.stage.get() >= StopStage::Cancel
    }
}

//! What the clients of one worker share: nothing of it is seen by another thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::failure::Failure;
use super::feed::Feeds;
use super::listener::{Listener, Wants};
use super::log::{TransactionEnd, TransactionLog};
use super::pool::Pool;
use super::schedule::Throttle;
use super::session::Opener;
use super::shutdown::StopStage;
use super::store::Stores;
use super::timer::Timer;
use crate::eval::Generator;
use crate::id::{FeedId, SlotId, StatementId};
use crate::metrics::{Arrivals, ClientOutage, Detail, Ending, Recorder};
use crate::plan::phase::LoadPlan;
use crate::plan::{PhasePlan, Plan};

/// The streams of a thread, where its clients share them as pgbench's do.
pub(super) struct ThreadStreams {
    pub(super) choose: Generator,
    pub(super) throttle: Option<Throttle>,
}

/// What the clients of one worker share.
pub(super) struct Shared {
    pub(super) plan: Arc<Plan>,
    /// What is put on the server: the phase, or a load beside it.
    pub(super) phase: Arc<PhasePlan>,
    /// The number of that load among those of the phase.
    pub(super) part: usize,
    /// `P_0`, `P_1`, …, by statement.
    pub(super) names: Arc<[Box<str>]>,
    /// `:ROW_COUNT`, where a script may read it.
    pub(super) row_count: Option<SlotId>,
    pub(super) recorder: RefCell<Recorder>,
    pub(super) detail: Detail,
    pub(super) timer: Timer,
    pub(super) opener: Rc<Opener>,
    pub(super) pool: Option<Pool>,
    pub(super) stores: RefCell<Stores>,
    pub(super) thread: Option<RefCell<ThreadStreams>>,
    /// What is left of a number of transactions that all clients of a replica do together.
    pub(super) quota: Option<Arc<AtomicU64>>,
    /// Where scripts take rows from.
    pub(super) feeds: Arc<Feeds>,
    /// The feed that had no more rows.
    pub(super) dry: Cell<Option<FeedId>>,
    /// Times in which a client had no session.
    pub(super) outages: RefCell<Vec<ClientOutage>>,
    /// When the phase's clock started.
    pub(super) start: Cell<Instant>,
    /// When its time is over.
    pub(super) deadline: Cell<Option<Instant>>,
    pub(super) stage: Cell<StopStage>,
    /// The worker's number.
    pub(super) number: usize,
    /// Hears what clients tell.
    pub(super) listener: Arc<dyn Listener>,
    /// What it wants to hear.
    pub(super) wants: Wants,
    /// Takes the ends of transactions.
    pub(super) log: Option<RefCell<Box<dyn TransactionLog>>>,
    /// What became of the schedules so far.
    pub(super) arrivals: Cell<Arrivals>,
    /// Why a client asked for the whole run to end.
    pub(super) verdict: RefCell<Option<Ending>>,
    /// Told when there is a verdict, or a feed has no more rows.
    pub(super) alarm: tokio::sync::Notify,
}

impl Shared {
    /// The phase.
    #[inline]
    pub(super) fn phase(&self) -> &PhasePlan {
        &self.phase
    }

    /// Its load.
    #[inline]
    pub(super) fn load(&self) -> &LoadPlan {
        &self.phase.load
    }

    /// Whether nothing new may begin.
    #[inline]
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.stage.get() >= StopStage::Drain || self.deadline.get().is_some_and(|deadline| now >= deadline)
    }

    /// Takes one transaction from the quota of the replica.
    #[inline]
    pub(super) fn claim(&self) -> bool {
        self.quota.as_ref().is_none_or(|quota| {
            quota.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
        })
    }

    /// Counts starts.
    pub(super) fn note_arrivals(&self, more: Arrivals) {
        let Arrivals { due, begun } = self.arrivals.get();
        self.arrivals.set(Arrivals { due: due + more.due, begun: begun + more.begun });
    }

    /// Tells the log of a transaction, where there is one.
    #[inline]
    pub(super) fn log(&self, end: impl FnOnce() -> TransactionEnd) {
        if let Some(log) = &self.log {
            log.borrow_mut().ended(&end());
        }
    }

    /// The name of a prepared statement.
    #[inline]
    pub(super) fn name(&self, statement: StatementId) -> &str {
        &self.names[statement.index()]
    }

    /// A failure of a statement, with what to do about it where that is known.
    #[cold]
    pub(super) fn advised(&self, failure: Box<Failure>, statement: StatementId) -> Box<Failure> {
        failure.advised(&self.plan.statements[statement.index()], &self.plan)
    }

    /// Ends the run.
    pub(super) fn end_run(&self, ending: Ending) {
        self.verdict.borrow_mut().get_or_insert(ending);
        self.stage.set(self.stage.get().max(StopStage::Drain));
        self.alarm.notify_one();
    }
}

//! A worker: one OS thread with a runtime of its own that drives its clients. Nothing here is shared with another.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{AbortHandle, JoinSet, LocalSet};

use super::client::{Client, Finished, Presence};
use super::deal::Deal;
use super::error::Error;
use super::failure::ClientEnd;
use super::feed::Feeds;
use super::listener::Listener;
use super::log::TransactionLogs;
use super::muster;
use super::pool::Pool;
use super::session::{Opener, Session, Unopened};
use super::shared::Shared;
use super::shutdown::StopStage;
use super::store::Stores;
use super::timer::Timer;
use crate::id::{ClientId, FeedId};
use crate::metrics::{Arrivals, ClientOutage, Detail, Ending, Histogram, PhaseMetrics, Recorder, Sample};
use crate::pg::Target;
use crate::plan::phase::ConnectionPolicy;
use crate::plan::{PhasePlan, Plan};

/// How many tasks may run before sockets and timers are looked at again; tokio's own 61 would delay a timer by as many
/// statements.
const EVENT_INTERVAL: u32 = 8;
/// How long a cancel request may take.
const CANCELLING: Duration = Duration::from_secs(5);

/// What a worker is to do.
pub(super) struct Job {
    pub(super) plan: Arc<Plan>,
    /// What it puts on the server.
    pub(super) phase: Arc<PhasePlan>,
    pub(super) target: Target,
    pub(super) deal: Arc<Deal>,
    /// The number of its load among those of the phase.
    pub(super) part: usize,
    /// Its number among the workers of all replicas.
    pub(super) thread: usize,
    /// Its clients, with their numbers within the replica.
    pub(super) clients: Vec<(ClientId, u32)>,
    pub(super) names: Arc<[Box<str>]>,
    pub(super) quota: Option<Arc<AtomicU64>>,
    pub(super) feeds: Arc<Feeds>,
    pub(super) detail: Detail,
    pub(super) listener: Arc<dyn Listener>,
    pub(super) logs: Option<Arc<TransactionLogs>>,
    pub(super) orders: watch::Receiver<Orders>,
    pub(super) reports: mpsc::UnboundedSender<(usize, Word)>,
}

/// What all workers of a phase are told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Orders {
    /// The clock starts here.
    pub(super) start: Option<Instant>,
    pub(super) stage: StopStage,
}

/// What a worker tells.
pub(super) enum Word {
    /// Its sessions are open, or could not be.
    Ready(Result<(), Error>),
    /// What happened in the last second.
    Sample(Box<Sample>),
    /// An error ended a client.
    Ended(Box<ClientEnd>),
    /// A client asked for the run to end.
    Verdict,
    /// A feed that ends the load has no more rows.
    RanDry,
    /// It is done.
    Done(Box<Account>),
}

/// What a worker leaves.
pub(super) struct Account {
    pub(super) metrics: PhaseMetrics,
    pub(super) timer_lag: Histogram,
    pub(super) arrivals: Arrivals,
    /// Clients that ended before their time.
    pub(super) ended_early: u32,
    /// Clients that had no session at the end, since the server let them have none.
    pub(super) stranded: u32,
    /// When its last client was done.
    pub(super) ended: Instant,
    pub(super) verdict: Option<Ending>,
    /// The feed that had no more rows.
    pub(super) dry: Option<FeedId>,
    /// Of its clients, each time without a session.
    pub(super) outages: Vec<ClientOutage>,
}

/// Runs a job to its end, on the thread that it is called on.
pub(super) fn work(job: Job) {
    let (reports, part) = (job.reports.clone(), job.part);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().event_interval(EVENT_INTERVAL).build();
    let outcome = match runtime {
        // a task of its own: what is blocked on would be polled again whenever any client is
        Ok(runtime) => LocalSet::new()
            .block_on(&runtime, async { tokio::task::spawn_local(Worker::run(job)).await })
            .unwrap_or_else(|panicked| Err(Error::Worker(std::io::Error::other(panicked)))),
        Err(error) => Err(Error::Worker(error)),
    };
    if let Err(error) = outcome {
        // nobody listens when the phase has been given up already
        let _ = reports.send((part, Word::Ready(Err(error))));
    }
}

/// A client's task as the worker sees it.
struct Running {
    presence: Rc<Presence>,
    handle: AbortHandle,
}

struct Worker {
    shared: Rc<Shared>,
    orders: watch::Receiver<Orders>,
    reports: mpsc::UnboundedSender<(usize, Word)>,
    running: Vec<Running>,
    tasks: JoinSet<Finished>,
    cancels: JoinSet<()>,
}

impl Worker {
    async fn run(job: Job) -> Result<(), Error> {
        let shared = Rc::new(Self::shared(&job)?);
        let timer = shared.clone();
        let driver = tokio::task::spawn_local(async move { timer.timer.drive().await });
        let mut clients = muster::clients(&job, &shared);
        let mut orders = job.orders.clone();
        tokio::select! {
            biased;
            () = stopped(&mut orders) => {
                return Err(Error::Stopped(shared.phase().name.clone()));
            }
            opened = open_sessions(&shared, &mut clients) => opened?,
        }
        let mut worker = Self {
            shared,
            orders,
            reports: job.reports,
            running: Vec::with_capacity(clients.len()),
            tasks: JoinSet::new(),
            cancels: JoinSet::new(),
        };
        worker.tell(Word::Ready(Ok(())));
        if !worker.await_start().await {
            return Err(Error::Stopped(worker.shared.phase().name.clone()));
        }
        muster::start_clock(&job.deal, job.thread, &worker.shared, &mut clients);
        for client in clients {
            let presence = client.presence.clone();
            let handle = worker.tasks.spawn_local(client.run());
            worker.running.push(Running { presence, handle });
        }
        worker.supervise().await;
        driver.abort();
        Ok(())
    }

    fn shared(job: &Job) -> Result<Shared, Error> {
        let plan = job.plan.clone();
        let phase = job.phase.clone();
        let wants = job.listener.wants();
        let listener = wants.notices.then(|| job.listener.clone());
        let opener = Opener::new(job.target.clone(), &phase.load.session, plan.statements.len(), listener);
        let opener = Rc::new(opener);
        let pool = match phase.load.connections {
            ConnectionPolicy::Pool(pool) => Some(Pool::new(pool, opener.clone())),
            _ => None,
        };
        let now = Instant::now();
        let bounds = &plan.report.bounds;
        let recorder = Recorder::new(plan.scripts.len(), plan.commands.len(), bounds, now, job.detail);
        Ok(Shared {
            phase,
            part: job.part,
            names: job.names.clone(),
            row_count: muster::row_count(&plan),
            recorder: RefCell::new(recorder),
            detail: job.detail,
            timer: Timer::new().map_err(Error::Worker)?,
            opener,
            pool,
            stores: RefCell::new(Stores::new(plan.statements.len())),
            thread: muster::thread_streams(job),
            quota: job.quota.clone(),
            feeds: job.feeds.clone(),
            dry: Cell::new(None),
            outages: RefCell::default(),
            start: Cell::new(now),
            deadline: Cell::new(None),
            arrivals: Cell::default(),
            stage: Cell::new(StopStage::Run),
            number: job.thread,
            wants,
            listener: job.listener.clone(),
            log: muster::log(job),
            verdict: RefCell::new(None),
            alarm: Notify::new(),
            plan,
        })
    }

    fn tell(&self, word: Word) {
        // the phase stops listening only when it has given up
        let _ = self.reports.send((self.shared.part, word));
    }

    /// Waits for the clock to start; false when the phase is given up before.
    async fn await_start(&mut self) -> bool {
        let Ok(orders) = self.orders.wait_for(|orders| orders.start.is_some() || orders.stage > StopStage::Run).await
        else {
            return false;
        };
        let Some(start) = orders.start else { return false };
        self.shared.start.set(start);
        true
    }

    /// Watches over the clients until the last is done.
    async fn supervise(&mut self) {
        // not the runtime's own timer: while one of those is set, every wait for a socket sets a timer of the kernel's too
        let shared = self.shared.clone();
        let mut next = shared.start.get() + SECOND;
        let mut second = pin!(shared.timer.sleep_until(next));
        let mut sessions: Vec<Session> = Vec::new();
        let mut ended_early = 0;
        loop {
            tokio::select! {
                finished = self.tasks.join_next() => match finished {
                    None => break,
                    Some(Ok(finished)) => {
                        ended_early += u32::from(finished.early);
                        sessions.extend(finished.session);
                        if let Some(end) = finished.end {
                            self.tell(Word::Ended(end));
                        }
                    }
                    // cut off, and counted when that was done
                    Some(Err(_)) => {}
                },
                changed = self.orders.changed() => {
                    // a phase that is gone needs nothing any more
                    let stage = if changed.is_ok() { self.orders.borrow_and_update().stage } else { StopStage::Leave };
                    self.enter(stage);
                    if changed.is_err() {
                        self.tasks.shutdown().await;
                    }
                }
                () = &mut second => {
                    let now = Instant::now();
                    let sample = shared.recorder.borrow_mut().take_sample(now);
                    self.tell(Word::Sample(Box::new(sample)));
                    next = now.max(next + SECOND);
                    second.set(shared.timer.sleep_until(next));
                }
                () = self.shared.alarm.notified() => self.tell_alarm(),
            }
        }
        let ended = Instant::now();
        // the clients end when the last second does, and that one is told as all the others are
        if ended >= next {
            let sample = shared.recorder.borrow_mut().take_sample(ended);
            self.tell(Word::Sample(Box::new(sample)));
        }
        if let Some(log) = &shared.log {
            log.borrow_mut().close(ended);
        }
        self.account(ended, ended_early);
        sessions.extend(self.shared.pool.iter().flat_map(Pool::drain));
        // none of this is measured, and none of it may hold up the end
        let closing = async {
            // what was cut goes on at the server until its cancel request is there
            while self.cancels.join_next().await.is_some() {}
            for session in sessions {
                session.connection.close().await;
            }
        };
        let _ = tokio::time::timeout(SECOND, closing).await;
    }

    /// Why a client has rung.
    fn tell_alarm(&self) {
        let verdict = self.shared.verdict.borrow().is_some();
        self.tell(if verdict { Word::Verdict } else { Word::RanDry });
    }

    fn account(&self, ended: Instant, ended_early: u32) {
        let stranded = self.running.iter().filter(|client| client.presence.stranded.get()).count();
        let empty = Recorder::new(0, 0, &[], ended, Detail::Transactions);
        let recorder = self.shared.recorder.replace(empty);
        self.tell(Word::Done(Box::new(Account {
            metrics: recorder.finish(),
            timer_lag: self.shared.timer.take_lag(),
            arrivals: self.shared.arrivals.take(),
            ended_early,
            stranded: u32::try_from(stranded).unwrap_or(u32::MAX),
            ended,
            verdict: self.shared.verdict.take(),
            dry: self.shared.dry.take(),
            outages: self.shared.outages.take(),
        })));
    }

    /// Goes on to a later stage of stopping.
    fn enter(&mut self, stage: StopStage) {
        if stage <= self.shared.stage.get() && stage < StopStage::Leave {
            return;
        }
        let before = self.shared.stage.get();
        self.shared.stage.set(stage.max(before));
        for client in &self.running {
            if client.presence.ended.get() || client.handle.is_finished() {
                continue;
            }
            let in_transaction = client.presence.script.get().is_some();
            let token = client.presence.cancel.borrow().clone();
            match (stage, in_transaction, token) {
                (StopStage::Run, ..) | (StopStage::Drain, true, _) => {}
                // on the server something may run: it is asked to stop, and its client will see the error
                (_, true, Some(token)) if !client.presence.paused.get() => {
                    if before < StopStage::Cancel {
                        self.cancels.spawn_local(async move {
                            // a request that does not get through leaves the cut to the next stage
                            let _ = token.cancel(CANCELLING).await;
                        });
                    }
                    if stage == StopStage::Leave {
                        self.cut(client);
                    }
                }
                _ => self.cut(client),
            }
        }
    }

    /// Ends a client where it stands.
    fn cut(&self, client: &Running) {
        client.handle.abort();
        client.presence.ended.set(true);
        if let Some(script) = client.presence.script.take() {
            self.shared.recorder.borrow_mut().unfinished(Some(script));
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// Returns when the phase is given up.
async fn stopped(orders: &mut watch::Receiver<Orders>) {
    // an error means that nobody waits for this worker any more
    let _ = orders.wait_for(|orders| orders.stage > StopStage::Run).await;
}

/// Opens what has to be open before the clock starts.
async fn open_sessions(shared: &Rc<Shared>, clients: &mut [Client]) -> Result<(), Error> {
    let present = clients.iter_mut().filter(|client| client.attendance.joins.is_none());
    let size = match (shared.load().connections, &shared.pool) {
        (ConnectionPolicy::PerClient, _) => usize::MAX,
        (ConnectionPolicy::PerTransaction, _) => 0,
        (ConnectionPolicy::Pool(_), pool) => pool.as_ref().map_or(0, |pool| pool.size() as usize),
    };
    for client in present.take(size) {
        let begin = Instant::now();
        let opened = shared.opener.open().await;
        let session = opened.map_err(|unopened| match unopened {
            Unopened::Session(source) => Error::Session { client: client.whose(), source },
            Unopened::OnConnect { statement, source } => Error::OnConnect { statement, source },
        })?;
        shared.recorder.borrow_mut().connected(begin.elapsed());
        match &shared.pool {
            Some(pool) => pool.add(session),
            None => client.take_session(session),
        }
    }
    Ok(())
}

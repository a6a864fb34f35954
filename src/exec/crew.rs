//! The workers of one load of a phase: the phase's own, or one beside it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::deal::Deal;
use super::error::Error;
use super::feed::Feeds;
use super::phase::Execution;
use super::shutdown::StopStage;
use super::worker::{Account, Job, Orders, Word, work};
use crate::id::ClientId;
use crate::pg::Target;
use crate::plan::PhasePlan;
use crate::plan::phase::StopPlan;

/// One load of a phase.
pub(super) struct Part {
    /// What it puts on the server.
    pub(super) phase: Arc<PhasePlan>,
    /// Where.
    pub(super) target: Target,
}

/// The workers of one load.
pub(super) struct Crew {
    /// What they put on the server.
    pub(super) phase: Arc<PhasePlan>,
    /// What they left when they were done.
    pub(super) accounts: Vec<Account>,
    /// Workers that ended without an account.
    pub(super) gone: usize,
    /// How far they have been told to stop.
    pub(super) stage: StopStage,
    /// When the next stage begins by itself.
    pub(super) next: Option<Instant>,
    pub(super) workers: usize,
    orders: watch::Sender<Orders>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Crew {
    /// Starts all workers of the load that has this number among those of the phase; they open their sessions and wait.
    pub(super) fn muster(
        execution: &Execution,
        part: Part,
        number: usize,
        feeds: &Arc<Feeds>,
        reports: &mpsc::UnboundedSender<(usize, Word)>,
    ) -> Result<Self, Error> {
        let plan = &execution.plan;
        let Part { phase, target } = part;
        let load = &phase.load;
        let clients = load.clients.max();
        let workers = (load.replicas * load.threads) as usize;
        let (orders, receiver) = watch::channel(Orders::default());
        let deal = Arc::new(Deal::new(plan, phase.id, number, clients * load.replicas, load.replicas * load.threads));
        let names: Arc<[Box<str>]> = (0..plan.statements.len()).map(|index| format!("P_{index}").into()).collect();
        let mut crew = Self {
            phase: phase.clone(),
            accounts: Vec::with_capacity(workers),
            gone: 0,
            stage: StopStage::Run,
            next: None,
            workers,
            orders,
            threads: Vec::with_capacity(workers),
        };
        for replica in 0..load.replicas {
            let quota = match phase.stop {
                StopPlan::Transactions(count) => Some(Arc::new(AtomicU64::new(count))),
                _ => None,
            };
            for thread in 0..load.threads {
                let places = places(clients, load.threads, thread, Deal::per_thread(plan));
                let job = Job {
                    plan: plan.clone(),
                    phase: phase.clone(),
                    target: target.clone(),
                    deal: deal.clone(),
                    part: number,
                    thread: (replica * load.threads + thread) as usize,
                    clients: places.map(|place| (ClientId(replica * clients + place), place)).collect(),
                    names: names.clone(),
                    quota: quota.clone(),
                    feeds: feeds.clone(),
                    detail: execution.detail,
                    listener: execution.listener.clone(),
                    // a log is of the phase's own transactions
                    logs: execution.logs.clone().filter(|_| number == 0),
                    orders: receiver.clone(),
                    reports: reports.clone(),
                };
                let name = if number == 0 {
                    format!("worker-{}", job.thread)
                } else {
                    format!("beside-{number}-{}", job.thread)
                };
                let started = std::thread::Builder::new().name(name).spawn(move || work(job));
                crew.threads.push(started.map_err(Error::Worker)?);
            }
        }
        Ok(crew)
    }

    /// Starts the clock.
    pub(super) fn start(&self, at: Instant) {
        self.orders.send_modify(|orders| orders.start = Some(at));
    }

    /// Tells the workers a stage, without going on to the next by itself.
    pub(super) fn tell(&self, stage: StopStage) {
        self.orders.send_modify(|orders| orders.stage = stage);
    }

    /// Goes on to a later stage, and to the one behind it after `wait`.
    pub(super) fn enter(&mut self, stage: StopStage, wait: Option<Duration>) {
        if stage <= self.stage {
            return;
        }
        self.stage = stage;
        self.next = wait.and_then(|wait| Instant::now().checked_add(wait));
        self.tell(stage);
    }

    /// Whether every worker is done.
    pub(super) fn is_done(&self) -> bool {
        self.accounts.len() + self.gone >= self.workers
    }

    /// Waits until all threads are gone.
    pub(super) async fn join(&mut self) {
        let threads = std::mem::take(&mut self.threads);
        // a worker that panicked has sent no account, and its clients show as missing
        let _ =
            tokio::task::spawn_blocking(move || threads.into_iter().map(std::thread::JoinHandle::join).count()).await;
    }
}

/// The places of a thread's clients within their replica: dealt round robin, or in blocks as pgbench deals them.
fn places(clients: u32, threads: u32, thread: u32, blocks: bool) -> Box<dyn Iterator<Item = u32>> {
    if !blocks {
        return Box::new((thread..clients).step_by(threads as usize));
    }
    let size = |thread: u32, left: u32| left.div_ceil(threads - thread);
    let first = (0..thread).fold(0, |given, thread| given + size(thread, clients - given));
    Box::new(first..first + size(thread, clients - first))
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn clients_are_dealt_as_pgbench_deals_them_or_round_robin() {
        let blocks: Vec<Vec<u32>> = (0..3).map(|thread| places(7, 3, thread, true).collect()).collect();
        assert_eq!(blocks, [vec![0, 1, 2], vec![3, 4], vec![5, 6]]);
        let robin: Vec<Vec<u32>> = (0..3).map(|thread| places(7, 3, thread, false).collect()).collect();
        assert_eq!(robin, [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
    }
}

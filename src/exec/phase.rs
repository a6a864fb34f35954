//! One phase: workers are started, told when to begin and when to stop, and what they recorded is put together.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use tokio::sync::{mpsc, watch};

use super::deal::Deal;
use super::error::Error;
use super::failure::ClientEnd;
use super::listener::Listener;
use super::log::TransactionLogs;
use super::muster;
use super::shutdown::StopStage;
use super::worker::{Account, Job, Orders, Word, work};
use crate::clock::Clock;
use crate::id::{ClientId, PhaseId};
use crate::metrics::{Arrivals, Detail, Ending, FailureClass, Histogram, PhaseMetrics, PhaseRun, Sample};
use crate::pg::Target;
use crate::plan::phase::StopPlan;
use crate::plan::{PhasePlan, Plan};

/// What running transactions get when somebody stops the run.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// From cancelling on the server to cutting.
const CUT_AFTER: Duration = Duration::from_secs(5);
/// A moment that never comes.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// What every phase of a run is executed with.
#[derive(Clone)]
pub struct Execution {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The server of each phase.
    pub targets: Vec<Target>,
    /// How much is recorded.
    pub detail: Detail,
    /// Hears what clients tell.
    pub listener: Arc<dyn Listener>,
    /// Makes the logs of transactions, where they are wanted.
    pub logs: Option<Arc<TransactionLogs>>,
    /// Somebody may stop the run.
    pub stop: watch::Receiver<StopStage>,
}

/// Hears of a phase while it runs.
pub trait Observer {
    /// The sessions are open and the clock starts.
    fn phase_started(&mut self, phase: &PhasePlan);
    /// What happened in about a second: of all workers together, `elapsed` after the start.
    fn progress(&mut self, phase: &PhasePlan, elapsed: Duration, sample: &Sample);
    /// An error ended a client before its time.
    fn client_ended(&mut self, phase: &PhasePlan, end: &ClientEnd) {
        let _ = (phase, end);
    }
}

/// Runs one phase to its end, however that comes.
///
/// # Errors
/// When it can't begin: a session can't be opened, a worker can't be made, or it is stopped before.
pub async fn run_phase(
    execution: &Execution,
    clock: &Clock,
    id: PhaseId,
    observer: &mut dyn Observer,
) -> Result<PhaseRun, Error> {
    let phase = &execution.plan.phases[id.index()];
    let begin = clock.now();
    let (mut crew, words) = Crew::muster(execution, id)?;
    let mut control = Control { stage: StopStage::Run, next: None, stop: execution.stop.clone(), words };
    control.await_ready(&crew).await?;
    let cpu = cpu_time();
    let start = clock.now();
    crew.orders.send_modify(|orders| orders.start = Some(start));
    observer.phase_started(phase);
    let mut accounts = Vec::with_capacity(crew.workers);
    let interrupted = control.conduct(&crew, phase, start, observer, &mut accounts).await;
    let client_cpu = cpu_time().saturating_sub(cpu);
    crew.join().await;
    let mut run = PhaseRun {
        metrics: PhaseMetrics::default(),
        started: clock.wall(start),
        elapsed: Duration::ZERO,
        connecting: start - begin,
        clients: phase.load.clients.max() * phase.load.replicas,
        threads: phase.load.threads * phase.load.replicas,
        clients_ended: 0,
        ending: Ending::Complete,
        arrivals: None,
        client_cpu,
        timer_lag: Histogram::default(),
        search: None,
    };
    let stranded = gather(&mut run, phase, start, accounts);
    let gone = run.clients_ended + stranded;
    run.ending = match std::mem::take(&mut run.ending) {
        Ending::Complete if interrupted => Ending::Interrupted,
        Ending::Complete if gone > 0 && gone == run.clients => all_gone(&run),
        ending => ending,
    };
    Ok(run)
}

/// Puts together what the workers recorded; the number of clients that had no session at the end.
fn gather(run: &mut PhaseRun, phase: &PhasePlan, start: Instant, accounts: Vec<Account>) -> u32 {
    let mut arrivals = Arrivals::default();
    let mut end = start;
    let mut stranded = 0;
    for (index, account) in accounts.into_iter().enumerate() {
        let Account { metrics, timer_lag, arrivals: started, ended_early, stranded: here, ended, verdict } = account;
        stranded += here;
        if index == 0 {
            run.metrics = metrics;
        } else {
            run.metrics.merge(&metrics);
        }
        run.timer_lag.merge(&timer_lag);
        arrivals.due += started.due;
        arrivals.begun += started.begun;
        run.clients_ended += ended_early;
        end = end.max(ended);
        if let (Ending::Complete, Some(verdict)) = (&run.ending, verdict) {
            run.ending = verdict;
        }
    }
    run.elapsed = end - start;
    run.arrivals = phase.load.arrivals.is_some().then_some(arrivals);
    stranded
}

/// Why no client is left: the server, where sessions were lost or refused.
fn all_gone(run: &PhaseRun) -> Ending {
    let lost = |class| matches!(class, FailureClass::Connect | FailureClass::Disconnect | FailureClass::Timeout);
    let reason = run
        .metrics
        .errors
        .entries()
        .into_iter()
        .find(|(kind, _)| lost(kind.class))
        .map(|(_, entry)| entry.message.clone());
    match reason {
        Some(reason) => Ending::ServerLost(reason),
        None => Ending::Aborted("every client ended with an error".to_owned()),
    }
}

/// User and system time of this process so far.
fn cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let of = |time: nix::sys::time::TimeVal| {
        let micros = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_usec());
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    of(usage.user_time()) + of(usage.system_time())
}

/// The workers of a phase.
struct Crew {
    orders: watch::Sender<Orders>,
    workers: usize,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Crew {
    /// Starts all workers; they open their sessions and wait.
    fn muster(execution: &Execution, id: PhaseId) -> Result<(Self, mpsc::UnboundedReceiver<Word>), Error> {
        let plan = &execution.plan;
        let load = &plan.phases[id.index()].load;
        let clients = load.clients.max();
        let workers = (load.replicas * load.threads) as usize;
        let (orders, receiver) = watch::channel(Orders::default());
        let (sender, words) = mpsc::unbounded_channel();
        let deal = Arc::new(Deal::new(plan, id, clients * load.replicas, load.replicas * load.threads));
        let names: Arc<[Box<str>]> = (0..plan.statements.len()).map(|index| format!("P_{index}").into()).collect();
        let mut crew = Self { orders, workers, threads: Vec::with_capacity(workers) };
        for replica in 0..load.replicas {
            let quota = match plan.phases[id.index()].stop {
                StopPlan::Transactions(count) => Some(Arc::new(AtomicU64::new(count))),
                _ => None,
            };
            for thread in 0..load.threads {
                let places = places(clients, load.threads, thread, Deal::per_thread(plan));
                let job = Job {
                    plan: plan.clone(),
                    phase: id,
                    target: execution.targets[id.index()].clone(),
                    deal: deal.clone(),
                    thread: (replica * load.threads + thread) as usize,
                    clients: places.map(|place| (ClientId(replica * clients + place), place)).collect(),
                    names: names.clone(),
                    quota: quota.clone(),
                    detail: execution.detail,
                    listener: execution.listener.clone(),
                    logs: execution.logs.clone(),
                    orders: receiver.clone(),
                    reports: sender.clone(),
                };
                let name = format!("worker-{}", job.thread);
                let started = std::thread::Builder::new().name(name).spawn(move || work(job));
                crew.threads.push(started.map_err(Error::Worker)?);
            }
        }
        Ok((crew, words))
    }

    fn stage(&self, stage: StopStage) {
        self.orders.send_modify(|orders| orders.stage = stage);
    }

    /// Waits until all threads are gone.
    async fn join(&mut self) {
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

/// Listens to the workers, to the clock and to whoever may stop the run.
struct Control {
    stage: StopStage,
    /// When the next stage begins by itself.
    next: Option<Instant>,
    stop: watch::Receiver<StopStage>,
    words: mpsc::UnboundedReceiver<Word>,
}

impl Control {
    /// Waits until every worker has its sessions.
    async fn await_ready(&mut self, crew: &Crew) -> Result<(), Error> {
        let mut ready = 0;
        let mut first_error = None;
        let mut stop = self.stop.clone();
        while ready < crew.workers {
            tokio::select! {
                word = self.words.recv() => match word {
                    Some(Word::Ready(outcome)) => {
                        ready += 1;
                        if let Err(error) = outcome {
                            // a worker that was only told to give up says less than the one that had to
                            let told = matches!(error, Error::Stopped(_));
                            if first_error.is_none() || !told {
                                first_error.get_or_insert(error);
                            }
                            crew.stage(StopStage::Leave);
                        }
                    }
                    Some(_) => {}
                    None => break,
                },
                // nobody can ask any more when the sender is gone
                Ok(_) = stop.wait_for(|stage| *stage > StopStage::Run), if self.stage == StopStage::Run => {
                    self.stage = StopStage::Leave;
                    crew.stage(StopStage::Leave);
                }
            }
        }
        self.stage = StopStage::Run;
        first_error.map_or(Ok(()), Err)
    }

    /// Sees the phase through; true when somebody stopped it.
    async fn conduct(
        &mut self,
        crew: &Crew,
        phase: &PhasePlan,
        start: Instant,
        observer: &mut dyn Observer,
        accounts: &mut Vec<Account>,
    ) -> bool {
        let deadline = muster::length(phase).map(|length| start + length);
        self.next = deadline;
        let mut interrupted = false;
        let mut sample = Sample::default();
        let mut second = tokio::time::interval_at((start + PROGRESS + LATE).into(), PROGRESS);
        let mut heard = 0;
        let tell = |sample: &mut Sample, heard: &mut usize, observer: &mut dyn Observer| {
            observer.progress(phase, start.elapsed(), &std::mem::take(sample));
            *heard = 0;
        };
        while accounts.len() < crew.workers {
            let next = self.next.unwrap_or(start + FAR);
            tokio::select! {
                word = self.words.recv() => match word {
                    Some(Word::Done(account)) => {
                        // a worker whose last client has ended the run may not come to tell so before
                        if account.verdict.is_some() {
                            self.enter(StopStage::Drain, Some(INTERRUPT_GRACE), crew);
                        }
                        accounts.push(*account);
                    }
                    Some(Word::Sample(one)) => {
                        sample.merge(&one);
                        heard += 1;
                        if heard >= crew.workers - accounts.len() {
                            tell(&mut sample, &mut heard, observer);
                        }
                    }
                    Some(Word::Ended(end)) => observer.client_ended(phase, &end),
                    Some(Word::Verdict) => self.enter(StopStage::Drain, Some(INTERRUPT_GRACE), crew),
                    Some(Word::Ready(_)) => {}
                    // every worker is gone, some without a word
                    None => break,
                },
                _ = second.tick() => {
                    // a worker that is late keeps the others' samples for so long and no longer
                    if heard > 0 {
                        tell(&mut sample, &mut heard, observer);
                    }
                }
                () = tokio::time::sleep_until(next.into()) => {
                    let (stage, wait) = match self.stage {
                        StopStage::Run => (StopStage::Drain, phase.load.grace),
                        StopStage::Drain => (StopStage::Cancel, Some(CUT_AFTER)),
                        StopStage::Cancel | StopStage::Leave => (StopStage::Leave, None),
                    };
                    self.enter(stage, wait, crew);
                }
                Ok(()) = self.stop.changed() => {
                    let stage = *self.stop.borrow_and_update();
                    interrupted |= stage > StopStage::Run;
                    let wait = match stage {
                        StopStage::Run | StopStage::Leave => None,
                        StopStage::Drain => Some(INTERRUPT_GRACE),
                        StopStage::Cancel => Some(CUT_AFTER),
                    };
                    if stage == self.stage && stage == StopStage::Drain {
                        self.next = Some(Instant::now() + INTERRUPT_GRACE);
                    }
                    self.enter(stage, wait, crew);
                }
            }
        }
        if heard > 0 {
            tell(&mut sample, &mut heard, observer);
        }
        interrupted
    }

    /// Goes on to a later stage, and to the one behind it after `wait`.
    fn enter(&mut self, stage: StopStage, wait: Option<Duration>, crew: &Crew) {
        if stage <= self.stage {
            return;
        }
        self.stage = stage;
        self.next = wait.and_then(|wait| Instant::now().checked_add(wait));
        crew.stage(stage);
    }
}

/// How often an observer hears of a phase.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long the samples of a second may take to come in.
const LATE: Duration = Duration::from_millis(200);

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

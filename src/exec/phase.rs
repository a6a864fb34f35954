//! One phase: workers are started, told when to begin and when to stop, and what they recorded is put together.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use tokio::sync::{mpsc, watch};

use super::control::Control;
use super::crew::{Crew, Part};
use super::error::Error;
use super::failure::ClientEnd;
use super::feed::Feeds;
use super::listener::Listener;
use super::log::TransactionLogs;
use super::shutdown::StopStage;
use super::worker::Account;
use crate::clock::Clock;
use crate::id::PhaseId;
use crate::metrics::{Arrivals, Detail, Ending, FailureClass, Histogram, Outage, PhaseMetrics, PhaseRun, Sample};
use crate::pg::Target;
use crate::plan::feed::FeedRows;
use crate::plan::{PhasePlan, Plan};

/// What every phase of a run is executed with.
#[derive(Clone)]
pub struct Execution {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The server of each phase.
    pub targets: Vec<Target>,
    /// The server of each load beside the phases.
    pub beside: Vec<Target>,
    /// The rows of each feed that the phase uses, in the order of the plan's feeds; of another, anything.
    pub feeds: Vec<Arc<FeedRows>>,
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
    let parts = parts(execution, id);
    let feeds = Arc::new(Feeds::new(execution, &parts.iter().map(|part| &*part.phase).collect::<Vec<_>>())?);
    let (sender, words) = mpsc::unbounded_channel();
    let muster = |(number, part)| Crew::muster(execution, part, number, &feeds, &sender);
    let crews = parts.into_iter().enumerate().map(muster).collect::<Result<Vec<Crew>, Error>>()?;
    // from now on only the workers have one: the last to go closes the channel
    drop(sender);
    let mut control = Control { crews, stop: execution.stop.clone(), words };
    control.await_ready().await?;
    let cpu = cpu_time();
    let start = clock.now();
    control.crews.iter().for_each(|crew| crew.start(start));
    observer.phase_started(phase);
    let asked = control.conduct(phase, start, observer).await;
    let client_cpu = cpu_time().saturating_sub(cpu);
    for crew in &mut control.crews {
        crew.join().await;
    }
    let times = Times { start, started: clock.wall(start), connecting: start - begin, client_cpu };
    let mut runs = control.crews.iter_mut().map(|crew| gather(execution, crew, &times));
    let (mut run, stranded) = runs.next().ok_or_else(|| Error::Stopped(phase.name.clone()))?;
    for (beside, _) in runs {
        // whichever client asked for the run to end, the phase ends by it
        if let (Ending::Complete, Ending::Aborted(_)) = (&run.ending, &beside.ending) {
            run.ending = beside.ending.clone();
        }
        // the time of all threads is the phase's own
        run.beside.push(PhaseRun { client_cpu: Duration::ZERO, ..beside });
    }
    let gone = run.clients_ended + stranded;
    run.ending = match std::mem::take(&mut run.ending) {
        Ending::Complete if asked != Ending::Complete => asked,
        Ending::Complete if gone > 0 && gone == run.clients => all_gone(&run),
        ending => ending,
    };
    Ok(run)
}

/// The loads of a phase: its own, then those beside it.
fn parts(execution: &Execution, id: PhaseId) -> Vec<Part> {
    let phase = &execution.plan.phases[id.index()];
    let own = Part { phase: Arc::new(phase.clone()), target: execution.targets[id.index()].clone() };
    let beside = execution.plan.backgrounds.iter().zip(&execution.beside);
    let beside = beside
        .filter(|(background, _)| background.phases.contains(&id))
        .map(|(background, target)| Part { phase: Arc::new(background.beside(phase)), target: target.clone() });
    std::iter::once(own).chain(beside).collect()
}

/// When things happened that all loads of a phase share.
struct Times {
    start: Instant,
    started: std::time::SystemTime,
    connecting: Duration,
    client_cpu: Duration,
}

/// Puts together what the workers of a load recorded; and the number of its clients that had no session at the end.
fn gather(execution: &Execution, crew: &mut Crew, times: &Times) -> (PhaseRun, u32) {
    let load = &crew.phase.load;
    let mut run = PhaseRun {
        metrics: PhaseMetrics::default(),
        started: times.started,
        elapsed: Duration::ZERO,
        connecting: times.connecting,
        clients: load.clients.max() * load.replicas,
        threads: load.threads * load.replicas,
        clients_ended: 0,
        ending: Ending::Complete,
        arrivals: None,
        client_cpu: times.client_cpu,
        timer_lag: Histogram::default(),
        dry: None,
        outages: Vec::new(),
        beside: Vec::new(),
        search: None,
    };
    let mut arrivals = Arrivals::default();
    let mut end = times.start;
    let mut stranded = 0;
    let mut lost = Vec::new();
    for (index, account) in std::mem::take(&mut crew.accounts).into_iter().enumerate() {
        let Account {
            metrics,
            timer_lag,
            arrivals: started,
            ended_early,
            stranded: here,
            ended,
            verdict,
            dry,
            outages,
        } = account;
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
        run.dry = run.dry.or(dry.map(|feed| execution.plan.feeds[feed.index()].name.clone()));
        lost.extend(outages);
    }
    run.elapsed = end - times.start;
    run.arrivals = load.arrivals.is_some().then_some(arrivals);
    run.outages = Outage::of_clients(lost);
    (run, stranded)
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

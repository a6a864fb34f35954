//! Shows how a run goes on.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crate::cli::color::ColorChoice;
use crate::cli::diagnostic::escaped;
use crate::clock::Clock;
use crate::exec::StopStage;
use crate::metrics::{Counters, FailureClass, Sample};
use crate::plan::phase::{PhaseKind, StopPlan};
use crate::plan::step::StepKind;
use crate::plan::{PhasePlan, StepPlan};
use crate::report::quantity;
use crate::term::{Progress, Tick};
use crate::{exec, pg, server, setup};

/// Shows steps and phases on standard error: a few lines that change on a terminal, plain lines elsewhere.
#[derive(Debug)]
pub(super) struct Watch {
    progress: Progress,
    /// The running step.
    step: String,
    /// What happened since the last line, and since when.
    lately: Sample,
    since: Duration,
    /// The phase so far.
    counters: Counters,
    /// Its throughput, second by second.
    curve: Vec<f64>,
    /// How many phases there are.
    phases: usize,
    /// The step whose rows are counted, and when it began.
    filling: Option<(String, Instant)>,
    clock: Clock,
}

impl Watch {
    /// A watch that prints a plain line `every` so often where there is no terminal.
    pub(super) fn new(every: Duration, color: ColorChoice) -> Self {
        // a dumb terminal can't move its cursor
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let progress = if io::stderr().is_terminal() && !dumb {
            let size = || terminal_size::terminal_size_of(io::stderr()).map(|(w, h)| (w.0.into(), h.0.into()));
            Progress::live(Box::new(io::stderr()), Box::new(size), color.style(&io::stderr()))
        } else {
            Progress::plain(Box::new(io::stderr()), every)
        };
        Self {
            progress,
            step: String::new(),
            lately: Sample::default(),
            since: Duration::ZERO,
            counters: Counters::default(),
            curve: Vec::new(),
            phases: 0,
            filling: None,
            clock: Clock::new(),
        }
    }

    /// What says how far somebody who stops the run has come, from wherever that is heard.
    pub(super) fn stopping(&self) -> impl Fn(StopStage) + Send + 'static {
        let progress = self.progress.clone();
        move |stage| match stage {
            StopStage::Run => {}
            StopStage::Drain => progress.stopping(
                "stopping: running transactions get 2 s; again to cancel them",
                "stopping: what was begun is undone; twice more to leave it as it is",
            ),
            StopStage::Cancel => progress.stopping(
                "stopping: running transactions are cancelled; again to leave them",
                "stopping: what was begun is undone; again to leave it as it is",
            ),
            StopStage::Leave => progress.stopping("leaving", "leaving"),
        }
    }

    /// So many phases are to come.
    pub(super) fn expect(&mut self, phases: usize) {
        self.phases = phases;
    }

    /// The sessions of a phase are opened.
    pub(super) fn connecting(&mut self, phase: &PhasePlan) {
        let clients = u64::from(phase.load.clients.max()) * u64::from(phase.load.replicas);
        let clients =
            if clients == 1 { "1 client".to_owned() } else { format!("{} clients", quantity::count(clients)) };
        self.progress.passing(&format!("{}: connecting {clients}", self.title(phase)));
    }

    /// `steady (2 of 3)`
    fn title(&self, phase: &PhasePlan) -> String {
        let place = (self.phases > 1).then(|| format!("{} of {}", phase.id.index() + 1, self.phases));
        let kind = (phase.kind == PhaseKind::Warmup).then(|| "not measured".to_owned());
        let remarks: Vec<String> = place.into_iter().chain(kind).collect();
        if remarks.is_empty() { phase.name.clone() } else { format!("{} ({})", phase.name, remarks.join(", ")) }
    }

    /// The phase as it is shown after an interval of this sample.
    fn show(&mut self, phase: &PhasePlan, elapsed: Duration, sample: &Sample) {
        let interval = elapsed.saturating_sub(self.since).as_secs_f64();
        self.since = elapsed;
        let tps = if interval > 0.0 { sample.counters.transactions as f64 / interval } else { 0.0 };
        if interval > 0.0 {
            self.curve.push(tps);
        }
        let fraction = fraction(phase, elapsed, self.counters.total());
        self.progress.tick(&Tick {
            phase: &phase.name,
            title: self.title(phase),
            elapsed,
            fraction: Some(fraction),
            tps,
            latency_avg: sample.latency.mean_ns().map(|ns| Duration::from_secs_f64(ns / 1e9)),
            latency_p95: sample.percentile(95.0),
            failed: self.counters.failed(),
            load: load(phase, fraction, tps),
            curve: &self.curve,
            latencies: latencies(sample),
            failures: failures(&self.counters),
        });
    }

    /// A line that stays.
    pub(super) fn note(&mut self, text: &str) {
        self.progress.note(text);
    }

    /// Nothing goes on, or nothing that takes long.
    pub(super) fn rest(&mut self) {
        self.progress.rest();
    }

    /// Nothing goes on any more.
    pub(super) fn finish(&mut self) {
        self.progress.finish();
    }
}

impl server::Observer for Watch {
    fn downloading(&mut self, version: &str, bytes: u64, of: Option<u64>) {
        self.progress.bytes(&format!("downloading PostgreSQL {version}"), bytes, of);
    }

    fn starting(&mut self, version: &str) {
        self.progress.passing(&format!("starting a PostgreSQL {version} server"));
    }
}

impl setup::Observer for Watch {
    fn step_started(&mut self, number: usize, of: usize, step: &StepPlan) {
        step.name.clone_into(&mut self.step);
        self.progress.step(&format!("step {} of {of}: {}", number + 1, step.name));
        let has_rows = matches!(step.kind, StepKind::Fill(_) | StepKind::Pgbench(_));
        self.filling = has_rows.then(|| (step.name.clone(), self.clock.now()));
    }

    fn progressed(&mut self, done: u64, of: u64) {
        if let Some((name, begun)) = &self.filling {
            self.progress.rows(name, done, of, self.clock.now() - *begun);
        }
    }

    fn copied(&mut self, bytes: u64, of: u64) {
        self.progress.bytes(&self.step, bytes, Some(of));
    }

    fn passed_over(&mut self, step: &StepPlan, error: &pg::Error) {
        self.note(&format!("{}: {error} (passed over)", step.name));
    }

    fn waiting(&mut self, reason: &str) {
        self.progress.note(&escaped(reason));
    }
}

impl exec::Observer for Watch {
    fn phase_started(&mut self, phase: &PhasePlan) {
        self.lately = Sample::default();
        (self.since, self.counters) = (Duration::ZERO, Counters::default());
        self.curve.clear();
        if self.progress.is_live() {
            self.show(phase, Duration::ZERO, &Sample::default());
        }
    }

    fn progress(&mut self, phase: &PhasePlan, elapsed: Duration, sample: &Sample) {
        self.counters.merge(&sample.counters);
        self.lately.merge(sample);
        if !self.progress.is_due(&phase.name, elapsed) {
            return;
        }
        let sample = std::mem::take(&mut self.lately);
        self.show(phase, elapsed, &sample);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Clients and throughput: `50 clients  1,946.3 tps of 2,000.0/s`.
fn load(phase: &PhasePlan, fraction: f64, tps: f64) -> String {
    let (load, part) = (&phase.load, fraction.clamp(0.0, 1.0));
    let replicas = f64::from(load.replicas);
    let between = |from: f64, to: f64| (from + (to - from) * part) * replicas;
    let clients = between(load.clients.from.into(), load.clients.to.into()).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clients are whole and few")]
    let clients = quantity::count(clients as u64);
    let rate = load.arrivals.map(|arrivals| between(arrivals.rate.from, arrivals.rate.to));
    let of = rate.map(|rate| format!(" of {}/s", quantity::rate(rate))).unwrap_or_default();
    format!("{clients} {}  {} tps{of}", if clients == "1" { "client" } else { "clients" }, quantity::rate(tps))
}

/// `p50 1.02 ms  p95 3.41 ms  p99 9.10 ms`
fn latencies(sample: &Sample) -> String {
    let shown = [50.0, 95.0, 99.0].map(|percent| {
        let latency = sample.percentile(percent).map(|latency| latency.as_nanos() as f64);
        format!("p{percent} {}", quantity::duration_or_none(latency))
    });
    shown.join("  ")
}

/// `12 failed: deadlock 9, serialization 3`
fn failures(counters: &Counters) -> String {
    let mut classes: Vec<(u64, &str)> =
        FailureClass::ALL.into_iter().map(|class| (counters.failed_of(class), class.name())).collect();
    classes.retain(|(failed, _)| *failed > 0);
    classes.sort_by_key(|(failed, _)| std::cmp::Reverse(*failed));
    let classes: Vec<String> =
        classes.into_iter().map(|(failed, class)| format!("{class} {}", quantity::count(failed))).collect();
    let failed = format!("{} failed", quantity::count(counters.failed()));
    if classes.is_empty() { failed } else { format!("{failed}: {}", classes.join(", ")) }
}

/// How much of a phase is done.
fn fraction(phase: &PhasePlan, elapsed: Duration, ended: u64) -> f64 {
    let load = &phase.load;
    let of = |transactions: u64| ended as f64 / transactions.saturating_mul(load.replicas.into()).max(1) as f64;
    match phase.stop {
        StopPlan::Duration(duration) => elapsed.as_secs_f64() / duration.as_secs_f64().max(f64::MIN_POSITIVE),
        StopPlan::Transactions(n) => of(n),
        StopPlan::TransactionsPerClient(n) => of(n.saturating_mul(load.clients.max().into())),
        StopPlan::WithPhase => 0.0,
    }
}

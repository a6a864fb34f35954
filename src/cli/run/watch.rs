//! Shows how a run goes on.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::ProgressDrawTarget;

use crate::cli::diagnostic::escaped;
use crate::clock::Clock;
use crate::metrics::Sample;
use crate::plan::phase::StopPlan;
use crate::plan::step::StepKind;
use crate::plan::{PhasePlan, StepPlan};
use crate::term::{Progress, Tick};
use crate::{exec, pg, server, setup};

/// Shows steps and phases on standard error: a live line on a terminal, plain lines elsewhere.
#[derive(Debug)]
pub(super) struct Watch {
    progress: Progress,
    /// The running step.
    step: String,
    /// What happened since the last line, and since when.
    lately: Sample,
    since: Duration,
    ended: u64,
    failed: u64,
    /// The step whose rows are counted, and when it began.
    filling: Option<(String, Instant)>,
    clock: Clock,
}

impl Watch {
    /// A watch that prints a plain line `every` so often where there is no terminal.
    pub(super) fn new(every: Duration) -> Self {
        // a dumb terminal can't move its cursor
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let progress = if io::stderr().is_terminal() && !dumb {
            Progress::live(ProgressDrawTarget::stderr_with_hz(5))
        } else {
            Progress::plain(Box::new(io::stderr()), every)
        };
        Self {
            progress,
            step: String::new(),
            lately: Sample::default(),
            since: Duration::ZERO,
            ended: 0,
            failed: 0,
            filling: None,
            clock: Clock::new(),
        }
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
    fn phase_started(&mut self, _phase: &PhasePlan) {
        self.lately = Sample::default();
        (self.since, self.ended, self.failed) = (Duration::ZERO, 0, 0);
    }

    fn progress(&mut self, phase: &PhasePlan, elapsed: Duration, sample: &Sample) {
        self.ended += sample.counters.total();
        self.failed += sample.counters.failed();
        self.lately.merge(sample);
        if !self.progress.is_due(&phase.name, elapsed) {
            return;
        }
        let sample = std::mem::take(&mut self.lately);
        let interval = elapsed.saturating_sub(self.since).as_secs_f64();
        self.since = elapsed;
        self.progress.tick(&Tick {
            phase: &phase.name,
            elapsed,
            fraction: Some(fraction(phase, elapsed, self.ended)),
            tps: if interval > 0.0 { sample.counters.transactions as f64 / interval } else { 0.0 },
            latency_avg: sample.latency.mean_ns().map(|ns| Duration::from_secs_f64(ns / 1e9)),
            latency_p95: sample.percentile(95.0),
            failed: self.failed,
        });
    }
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

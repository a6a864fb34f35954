//! Plan and observations → report.

use std::time::{Duration, SystemTime};

use super::model::{
    ChangeReport, Outcome, ProfileReport, Report, SCHEMA_VERSION, ScenarioReport, ServerRequirement, StepReport,
    ThresholdReport, VarReport, Verdict,
};
use super::phase::{
    ArrivalsReport, BelowReport, CommandReport, ErrorReport, Figures, LoadReport, OutageReport, PhaseReport,
    ScriptReport, SecondReport, StopReport,
};
use super::{Distribution, RunFacts, quantity};
use super::{find, metric, own, published, warnings};
use crate::metrics::{CommandMetrics, Ending, FailureClass, Outage, PhaseRun, Sample, ScriptMetrics};
use crate::plan::phase::{ConnectionPolicy, PhaseKind, PhasePlan, Protocol, StopPlan};
use crate::plan::{Plan, Program, ThresholdPlan, VarOrigin};

impl Report {
    /// The report of a run of `plan`.
    pub fn build(plan: &Plan, facts: &RunFacts) -> Self {
        let runs = &facts.metrics.phases;
        let phases: Vec<_> = plan.phases.iter().zip(runs).map(|(phase, run)| build_phase(plan, phase, run)).collect();
        let mut report = Self {
            schema_version: SCHEMA_VERSION,
            reprise_version: facts.version.clone(),
            started: rfc3339(facts.started),
            scenario: build_scenario(plan),
            environment: facts.environment.clone(),
            verdict: build_verdict(&facts.metrics.ending, &phases),
            warnings: Vec::new(),
            thresholds: Vec::new(),
            steps: facts
                .steps
                .iter()
                .map(|step| StepReport {
                    name: step.name.clone(),
                    elapsed_us: micros(step.elapsed),
                    rows: step.rows,
                    kept: step.kept,
                    before_phase: step.before_phase,
                })
                .collect(),
            phases,
            metrics: own::build(plan, facts),
            published: None,
        };
        report.warnings = warnings::of(&report, &facts.metrics.ending);
        report.warnings.extend(find::warnings(&report).collect::<Vec<_>>());
        report.warnings.extend(facts.warnings.iter().cloned());
        report.thresholds = plan.thresholds.iter().map(|threshold| hold(threshold, &report)).collect();
        report.published = plan.published.as_ref().and_then(|published| published::compare(published, &report));
        report
    }
}

fn build_scenario(plan: &Plan) -> ScenarioReport {
    let origin = |origin| match origin {
        VarOrigin::Default => "scenario",
        VarOrigin::Profile => "profile",
        VarOrigin::CommandLine => "command_line",
        VarOrigin::Point => "matrix",
        VarOrigin::Query => "query",
    };
    let vars = plan.vars.iter().map(|var| VarReport {
        name: var.name.clone(),
        value: var.value_text(),
        default: var.default_text(),
        origin: origin(var.origin).to_owned(),
    });
    let profile = plan.profile.as_ref().map(|profile| {
        let changes = profile.changes.iter().map(|change| ChangeReport {
            key: change.key.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        });
        ProfileReport { name: profile.name.clone(), changes: changes.collect() }
    });
    ScenarioReport {
        name: plan.name.clone(),
        description: plan.description.clone(),
        seed: plan.seed,
        vars: vars.collect(),
        profile,
        server: ServerRequirement {
            version: plan.server.version,
            min_version: plan.server.min_version,
            extensions: plan.server.extensions.clone(),
            settings: plan.server.settings.iter().cloned().collect(),
        },
        pgbench: plan.report.pgbench,
        percentiles: plan.report.percentiles.clone(),
    }
}

fn build_verdict(ending: &Ending, phases: &[PhaseReport]) -> Verdict {
    let measured = || phases.iter().filter(|phase| phase.measured);
    let transactions: u64 = measured().map(|phase| phase.total.transactions).sum();
    let failed: u64 = measured().map(|phase| phase.total.failed).sum();
    let unfinished: u64 = measured().map(|phase| phase.total.unfinished).sum();
    let loads = phases.iter().flat_map(|phase| std::iter::once(phase).chain(&phase.background));
    let ended: u32 = loads.map(|load| load.clients_ended).sum();
    let count = format!("{} transactions, {} failed", quantity::count(transactions), quantity::count(failed));
    let (outcome, text) = match ending {
        Ending::Interrupted => (Outcome::Interrupted, format!("interrupted after {count}")),
        _ if transactions + failed + unfinished == 0 => (Outcome::NothingMeasured, "nothing was measured".to_owned()),
        Ending::ServerLost(_) => (Outcome::Incomplete, format!("the server was lost after {count}")),
        Ending::Aborted(_) => (Outcome::Incomplete, format!("aborted after {count}")),
        Ending::Stopped(_) => (Outcome::Incomplete, format!("stopped by its own rule after {count}")),
        Ending::Complete if ended > 0 || unfinished > 0 => (Outcome::Incomplete, format!("incomplete: {count}")),
        Ending::Complete => (Outcome::Complete, format!("complete: {count}")),
    };
    Verdict { outcome, text }
}

fn hold(threshold: &ThresholdPlan, report: &Report) -> ThresholdReport {
    let measured = metric::resolve(report, &threshold.metric).map(|figure| figure.value);
    ThresholdReport {
        rule: threshold.text.clone(),
        measured,
        unit: metric::unit(&threshold.metric),
        met: measured.is_some_and(|measured| threshold.comparison.holds(measured, threshold.value)),
        reason: measured.is_none().then(|| metric::why_missing(report, &threshold.metric)),
    }
}

/// What a rule says of one run of a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The figure, in its unit; none where it can't be told.
    pub figure: Option<f64>,
    /// The figure for people: `latency.p99 is 23.1 ms`.
    pub text: String,
    /// Whether the rate was reached.
    pub reached: bool,
    /// Whether the rule was kept to the end, at the rate that was asked for.
    pub kept: bool,
    /// Successful transactions a second.
    pub tps: Option<f64>,
}

/// Holds a rule against one run of a phase, whatever phase the rule names.
pub fn judge(plan: &Plan, phase: &PhasePlan, run: &PhaseRun, rule: &ThresholdPlan) -> Judged {
    let report = build_phase(plan, phase, run);
    let measured = metric::of_phases(&[&report], &rule.metric);
    let value = measured.map_or_else(|| quantity::NONE.to_owned(), |v| metric::figure(v, metric::unit(&rule.metric)));
    let reached = warnings::is_rate_reached(&report);
    let slow = if reached { "" } else { ", and the rate was not reached" };
    Judged {
        figure: measured,
        text: format!("{} is {value}{slow}", rule.metric.text),
        reached,
        kept: run.ending == Ending::Complete
            && reached
            && measured.is_some_and(|measured| rule.comparison.holds(measured, rule.value)),
        tps: report.tps,
    }
}

fn build_phase(plan: &Plan, phase: &PhasePlan, run: &PhaseRun) -> PhaseReport {
    let bounds = &plan.report.bounds;
    let metrics = &run.metrics;
    let total = Figures::of(&metrics.total(), bounds);
    // as it is kept, so that whoever divides again comes to the same
    let seconds = Duration::from_micros(micros(run.elapsed)).as_secs_f64();
    let weight = |script: usize| {
        let entries = phase.load.mix.entries.iter();
        entries.filter(|(id, _)| id.index() == script).map(|(_, weight)| weight).sum()
    };
    // with a weight of zero it is in the mix, too
    let in_mix = |script: usize| phase.load.mix.entries.iter().any(|(id, _)| id.index() == script);
    let observed = plan.scripts.iter().zip(&metrics.scripts).enumerate();
    let of_phase = observed.filter(|(number, (_, script))| in_mix(*number) || script.counts.total() > 0);
    let build = |(number, (program, script)): (usize, (&Program, &ScriptMetrics))| {
        let commands = program.commands.start as usize..program.commands.end as usize;
        let known = plan.commands.get(commands.clone()).unwrap_or_default();
        let seen = metrics.commands.get(commands).unwrap_or_default();
        ScriptReport {
            name: program.name.clone(),
            description: program.description.clone(),
            weight: weight(number),
            figures: Figures::of(script, bounds),
            commands: known.iter().zip(seen).map(|(known, seen)| build_command(known, seen)).collect(),
        }
    };
    let scripts = of_phase.map(build).collect();
    PhaseReport {
        name: phase.name.clone(),
        measured: phase.kind == PhaseKind::Measure,
        load: build_load(phase, run),
        started: rfc3339(run.started),
        elapsed_us: micros(run.elapsed),
        ending: match run.ending {
            Ending::Complete => "complete",
            Ending::Interrupted => "interrupted",
            Ending::ServerLost(_) => "server_lost",
            Ending::Aborted(_) => "aborted",
            Ending::Stopped(_) => "stopped",
        }
        .to_owned(),
        connecting_us: micros(run.connecting),
        clients_ended: run.clients_ended,
        arrivals: run.arrivals.map(|arrivals| ArrivalsReport { due: arrivals.due, begun: arrivals.begun }),
        client_cpu_us: micros(run.client_cpu),
        timer_lag: Distribution(run.timer_lag.clone()),
        connected: Distribution(metrics.connected.clone()),
        tps: (seconds > 0.0).then(|| total.transactions as f64 / seconds),
        total,
        scripts,
        errors: build_errors(plan, run),
        errors_dropped: metrics.errors.dropped(),
        find: run.search.as_ref().and_then(|search| find::build(phase, search)),
        timeline: metrics.timeline.seconds.iter().map(|(second, sample)| build_second(*second, sample)).collect(),
        ran_dry: run.dry.clone(),
        outages: run.outages.iter().map(build_outage).collect(),
        background: (plan.backgrounds.iter().filter(|background| background.phases.contains(&phase.id)))
            .zip(&run.beside)
            .map(|(background, run)| build_phase(plan, &background.beside(phase), run))
            .collect(),
    }
}

fn build_outage(outage: &Outage) -> OutageReport {
    let Outage { since, first_back, all_back, clients } = *outage;
    OutageReport {
        since_us: micros(since),
        clients,
        first_back_us: first_back.map(micros),
        all_back_us: all_back.map(micros),
    }
}

fn build_command(known: &crate::plan::CommandPlan, seen: &CommandMetrics) -> CommandReport {
    CommandReport {
        text: known.display.clone(),
        label: known.label.clone(),
        word: known.word.to_owned(),
        latency: Distribution(seen.histogram.clone()),
        rows: seen.rows,
        failures: seen.failures,
        retries: seen.retries,
    }
}

fn build_load(phase: &PhasePlan, run: &PhaseRun) -> LoadReport {
    let load = &phase.load;
    let replicas = u64::from(load.replicas);
    let (connections, pool_size) = match load.connections {
        ConnectionPolicy::PerClient => ("per_client", None),
        ConnectionPolicy::PerTransaction => ("per_transaction", None),
        ConnectionPolicy::Pool(pool) => ("pool", Some(pool.size)),
    };
    let all = f64::from(load.replicas);
    LoadReport {
        clients: run.clients,
        clients_ramp: (!load.clients.is_flat())
            .then_some((load.clients.from * load.replicas, load.clients.to * load.replicas)),
        threads: run.threads,
        replicas: load.replicas,
        protocol: match load.protocol {
            Protocol::Simple => "simple",
            Protocol::Extended => "extended",
            Protocol::Prepared => "prepared",
        }
        .to_owned(),
        connections: connections.to_owned(),
        pool_size,
        stop: match phase.stop {
            StopPlan::Duration(duration) => StopReport::DurationUs(micros(duration)),
            StopPlan::Transactions(n) => StopReport::Transactions(n.saturating_mul(replicas)),
            StopPlan::TransactionsPerClient(n) => StopReport::TransactionsPerClient(n),
            StopPlan::WithPhase => StopReport::WithPhase,
        },
        rate: match run.search.as_ref().and_then(|search| search.trials.get(search.shown)) {
            Some(trial) => Some((trial.rate, trial.rate)),
            None => load.arrivals.map(|arrivals| (arrivals.rate.from * all, arrivals.rate.to * all)),
        },
        latency_limit_us: load.latency_limit.map(micros),
        max_tries: load.max_tries,
    }
}

fn build_errors(plan: &Plan, run: &PhaseRun) -> Vec<ErrorReport> {
    let reports = run.metrics.errors.entries().map(|(kind, entry)| ErrorReport {
        class: kind.class.name().to_owned(),
        sqlstate: (kind.sqlstate != *b".....").then(|| String::from_utf8_lossy(&kind.sqlstate).into_owned()),
        script: plan.scripts.get(kind.script.index()).map(|script| script.name.clone()).unwrap_or_default(),
        command: kind.command.and_then(|id| plan.commands.get(id.index())).map(|command| command.display.clone()),
        count: entry.count,
        message: entry.message.clone(),
        first_us: micros(entry.first),
        last_us: micros(entry.last),
    });
    reports.collect()
}

fn build_second(second: u32, sample: &Sample) -> SecondReport {
    let Sample { counters, latency, lag, latencies } = sample;
    let exact = |ns: u64| (latency.count > 0).then(|| quantity::microseconds(ns as f64));
    let percentile = |percent| sample.percentile(percent).map(|d| quantity::microseconds(d.as_nanos() as f64));
    // starts on time are not in the lag's count, and they are no less lags
    let lag_avg = (lag.count > 0 && counters.transactions > 0).then(|| lag.sum as f64 / counters.transactions as f64);
    SecondReport {
        second,
        transactions: counters.transactions,
        failed: counters.failed(),
        skipped: counters.skipped,
        retries: counters.retries,
        latency_avg_us: latency.mean_ns().map(quantity::microseconds),
        latency_stddev_us: latency.stddev_ns().map(quantity::microseconds),
        latency_min_us: exact(latency.min),
        latency_p50_us: percentile(50.0),
        latency_p95_us: percentile(95.0),
        latency_p99_us: percentile(99.0),
        latency_max_us: exact(latency.max),
        lag_avg_us: lag_avg.map(quantity::microseconds),
        latencies_ns: latencies.clone(),
    }
}

impl Figures {
    /// The figures of what a script, or all scripts, observed; `bounds` are the report's.
    fn of(metrics: &ScriptMetrics, bounds: &[Duration]) -> Self {
        let ScriptMetrics { latency, service_time, schedule_lag, pool_wait, connection_time, counts, below } = metrics;
        let classes = FailureClass::ALL.into_iter().map(|class| (class.name().to_owned(), counts.failed_of(class)));
        Self {
            transactions: counts.transactions,
            failed: counts.failed(),
            failed_by_class: classes.filter(|(_, n)| *n > 0).collect(),
            skipped: counts.skipped,
            late: counts.late,
            retried: counts.retried,
            retries: counts.retries,
            unfinished: counts.unfinished,
            latency: Distribution(latency.clone()),
            service_time: Distribution(service_time.clone()),
            schedule_lag: Distribution(schedule_lag.clone()),
            pool_wait: Distribution(pool_wait.clone()),
            connection_time: Distribution(connection_time.clone()),
            below: (bounds.iter().zip(below))
                .map(|(bound, count)| BelowReport { bound_us: micros(*bound), count: *count })
                .collect(),
        }
    }
}

/// Whole microseconds, rounded.
fn micros(duration: Duration) -> u64 {
    u64::try_from((duration + Duration::from_nanos(500)).as_micros()).unwrap_or(u64::MAX)
}

/// A moment as reports have it, in UTC.
pub fn rfc3339(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map(|time| format!("{time:.3}")).unwrap_or_default()
}

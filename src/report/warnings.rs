//! What makes figures doubtful, so that it is read before them.

use std::time::Duration;

use super::phase::{Figures, OutageReport, PhaseReport};
use super::quantity::{bound, count, duration, share};
use super::{Distribution, Report};
use crate::metrics::{Ending, Histogram};

/// Of the starts that fell due, the share that must have begun or been skipped; less is a rate that was not reached.
const REACHED: f64 = 0.99;
/// The share of its threads' time from which on the client was busy enough to be what limited a run.
const BUSY: f64 = 0.9;
/// In less time a client's own beginning and end are most of what its threads did.
const LEAST_TIME: Duration = Duration::from_millis(100);
/// A timer that is late by less on average is as exact as an ordinary system's.
const LATE_TIMER: Duration = Duration::from_millis(1);
/// The part of all latencies from which on a late timer shows in them.
const LATE_SHARE: f64 = 0.05;
/// The SQLSTATEs of a prepared statement that is not there, or is there already: sessions are not what they seem.
const FOREIGN_STATEMENTS: [&str; 2] = ["26000", "42P05"];

/// The warnings of a report, but for those that the command line adds.
pub(super) fn of(report: &Report, ending: &Ending) -> Vec<String> {
    let mut warnings = match ending {
        Ending::Complete | Ending::Interrupted => Vec::new(),
        Ending::ServerLost(why) => vec![format!("the server was lost: {why}")],
        Ending::Aborted(why) => vec![format!("the run was aborted: {why}")],
        Ending::Stopped(rule) => vec![format!("the run was stopped, since it came to this: {rule}")],
    };
    for phase in &report.phases {
        let mut warn = |text: String| warnings.push(format!("phase {}: {text}", phase.name));
        match phase.ending.as_str() {
            "interrupted" => warn("interrupted; its figures are those until then".to_owned()),
            "server_lost" => warn("the server was lost; its figures are those until then".to_owned()),
            "aborted" => warn("aborted; its figures are those until then".to_owned()),
            "stopped" => warn("stopped by its `stop_if`; its figures are those until then".to_owned()),
            _ => {}
        }
        of_clients(phase, &mut warn);
        of_outages(phase, &mut warn);
        of_load(phase, &mut warn);
        for beside in &phase.background {
            let mut warn =
                |text: String| warnings.push(format!("background {} of phase {}: {text}", beside.name, phase.name));
            of_background(beside, &mut warn);
            of_outages(beside, &mut warn);
            of_schedule(beside, &mut warn);
        }
    }
    of_server(report, &mut warnings);
    warnings
}

fn of_clients(phase: &PhaseReport, warn: &mut impl FnMut(String)) {
    if phase.clients_ended > 0 {
        warn(format!("{} of {} clients ended early", phase.clients_ended, phase.load.clients));
    }
    let total = &phase.total;
    if total.transactions == 0 && phase.ending == "complete" {
        warn("no transaction succeeded".to_owned());
    }
    if total.unfinished > 0 {
        warn(format!("{} transactions were cut off at the end", count(total.unfinished)));
    }
    let foreign = |state: &str| FOREIGN_STATEMENTS.contains(&state);
    if phase.load.protocol == "prepared"
        && phase.errors.iter().any(|error| error.sqlstate.as_deref().is_some_and(foreign))
    {
        warn(
            "sessions lost their prepared statements, as they do behind a pooler that shares its connections: take `protocol: \
             extended` (`-M extended`), or set what lets it keep them (PgBouncer: max_prepared_statements)"
                .to_owned(),
        );
    }
    let clamped: u64 = distributions(total).map(|distribution| distribution.clamped()).sum();
    if clamped > 0 {
        warn(format!(
            "{} durations were longer than 24 hours; percentiles among them show the longest",
            count(clamped)
        ));
    }
}

/// What is no part of any figure, and would be overlooked.
fn of_background(beside: &PhaseReport, warn: &mut impl FnMut(String)) {
    if beside.clients_ended > 0 {
        warn(format!("{} of {} clients ended early", beside.clients_ended, beside.load.clients));
    }
    let Figures { transactions, failed, .. } = beside.total;
    if failed > 0 {
        warn(format!("{} of {} transactions failed", count(failed), count(transactions + failed)));
    }
}

fn of_outages(phase: &PhaseReport, warn: &mut impl FnMut(String)) {
    let length =
        |outage: &&OutageReport| outage.first_back_us.unwrap_or(phase.elapsed_us).saturating_sub(outage.since_us);
    let Some(longest) = phase.outages.iter().max_by_key(length) else { return };
    let since = duration(longest.since_us as f64 * 1e3);
    let back = match longest.first_back_us {
        Some(back) => {
            format!(
                "the first transaction after came {} later",
                duration(back.saturating_sub(longest.since_us) as f64 * 1e3)
            )
        }
        None => "no transaction came after".to_owned(),
    };
    let clients = if longest.clients == 1 { "1 client".to_owned() } else { format!("{} clients", longest.clients) };
    let others = match phase.outages.len() {
        1 => String::new(),
        n => format!("; so it was {} times, this the longest", count(n as u64)),
    };
    warn(format!("{clients} had no session from {since} on, {back}{others}"));
}

fn of_load(phase: &PhaseReport, warn: &mut impl FnMut(String)) {
    of_schedule(phase, warn);
    of_machine(phase, warn);
}

/// A schedule that was not kept.
fn of_schedule(phase: &PhaseReport, warn: &mut impl FnMut(String)) {
    let total = &phase.total;
    if let Some(arrivals) = phase.arrivals {
        let due = arrivals.due as f64;
        let of_due = |n: u64| format!("{} of {} ({})", count(n), count(arrivals.due), share(n as f64, due));
        // what was skipped was the schedule's turn, and the client came to it
        if ((arrivals.begun + total.skipped) as f64) < due * REACHED {
            let text = "the rate was not reached: of the starts that fell due";
            warn(format!("{text}, {} began", of_due(arrivals.begun)));
        }
        if total.skipped as f64 > due * (1.0 - REACHED) {
            let limit = phase.load.latency_limit_us.map(bound).unwrap_or_default();
            warn(format!(
                "{} starts were skipped: when their turn came, the latency limit of {limit} had passed",
                of_due(total.skipped)
            ));
        }
    }
}

/// What the client's own machine does to the figures.
fn of_machine(phase: &PhaseReport, warn: &mut impl FnMut(String)) {
    let total = &phase.total;
    let busy = busy(phase);
    if busy.is_some_and(|busy| busy >= BUSY) && Duration::from_micros(phase.elapsed_us) >= LEAST_TIME {
        let busy = share(busy.unwrap_or_default(), 1.0);
        let what = match threads(phase) {
            1 => "its thread was".to_owned(),
            n => format!("its {n} threads were"),
        };
        warn(format!("the client may have been the limit: {what} busy {busy} of the time"));
    }
    if let Some(late) = late_timer(&phase.timer_lag, &total.latency) {
        let part = share(phase.timer_lag.sum_ns() as f64, total.latency.sum_ns() as f64);
        let late = duration(late.as_nanos() as f64);
        warn(format!(
            "the client woke {late} late on average, {part} of the latencies: its machine was short of processor time"
        ));
    }
}

/// Whether nearly all starts that fell due were begun; those that were skipped as hopeless were not.
pub(super) fn is_rate_reached(phase: &PhaseReport) -> bool {
    phase.arrivals.is_none_or(|arrivals| arrivals.begun as f64 >= arrivals.due as f64 * REACHED)
}

/// How late the client's own timer was on average, where that shows in the figures: by more than an ordinary system's
/// timer, and by more than a small part of what was measured. A server on the same machine that takes all processors
/// delays every wake-up a little; in latencies that it makes long itself this changes nothing.
fn late_timer(lag: &Histogram, latency: &Histogram) -> Option<Duration> {
    let average = Duration::from_secs_f64(lag.mean_ns()? / 1e9);
    let shows = lag.sum_ns() as f64 >= LATE_SHARE * latency.sum_ns() as f64;
    (average >= LATE_TIMER && shows && !latency.is_empty()).then_some(average)
}

/// The client's threads, those of the loads beside the phase included.
fn threads(phase: &PhaseReport) -> u32 {
    phase.load.threads + phase.background.iter().map(|beside| beside.load.threads).sum::<u32>()
}

/// The share of its time that the client's threads were on a processor. What they did before the phase's clock started
/// and after its last transaction is in it, so that of a very short phase it could come to more than all.
pub(super) fn busy(phase: &PhaseReport) -> Option<f64> {
    let time = phase.elapsed_us as f64 * f64::from(threads(phase));
    (time > 0.0).then(|| (phase.client_cpu_us as f64 / time).min(1.0))
}

fn of_server(report: &Report, warnings: &mut Vec<String>) {
    let (wanted, server) = (&report.scenario.server, &report.environment.server);
    let major = server.version_num / 10_000;
    if let Some(version) = wanted.version.filter(|version| *version != major) {
        let here = server.version.split_whitespace().next().unwrap_or_default();
        warnings.push(format!("the scenario is for PostgreSQL {version}, and this was {here}"));
    }
    for (name, value) in &wanted.settings {
        match server.settings.get(name) {
            Some(here) if here != value => {
                warnings.push(format!("the scenario asks for {name} = {value}, and the server had {here}"));
            }
            _ => {}
        }
    }
}

fn distributions(figures: &Figures) -> impl Iterator<Item = &Distribution> {
    [&figures.latency, &figures.schedule_lag, &figures.pool_wait, &figures.connection_time].into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(count: u32, each: Duration) -> Histogram {
        let mut histogram = Histogram::default();
        (0..count).for_each(|_| histogram.record(each));
        histogram
    }

    #[test]
    fn a_late_timer_is_told_where_it_shows() {
        let ms = Duration::from_millis;
        let warned = |lag: Duration, latency| late_timer(&histogram(10, lag), &histogram(10, latency)).is_some();
        assert!(warned(ms(40), ms(500)));
        assert!(!warned(ms(40), ms(1000)), "a small part of what was measured");
        assert!(!warned(Duration::from_micros(100), Duration::from_micros(200)), "no later than timers are");
        assert!(late_timer(&histogram(10, ms(40)), &Histogram::default()).is_none());
        assert!(late_timer(&Histogram::default(), &histogram(10, ms(1))).is_none());
    }
}

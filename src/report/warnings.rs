//! What makes figures doubtful, so that it is read before them.

use std::time::Duration;

use super::phase::{Figures, PhaseReport};
use super::quantity::{count, duration, share};
use super::{Distribution, Report};
use crate::metrics::{Ending, Histogram};

/// Of the starts that fell due, the share that must have begun; less is a rate that was not reached.
const REACHED: f64 = 0.99;
/// The share of its threads' time from which on the client was busy enough to be what limited a run.
const BUSY: f64 = 0.9;
/// The lag of the client's own timer that shows in figures, at the 99th percentile.
const LATE_TIMER: Duration = Duration::from_millis(2);

/// The warnings of a report, but for those that the command line adds.
pub(super) fn of(report: &Report, ending: &Ending) -> Vec<String> {
    let mut warnings = match ending {
        Ending::Complete | Ending::Interrupted => Vec::new(),
        Ending::ServerLost(why) => vec![format!("the server was lost: {why}")],
        Ending::Aborted(why) => vec![format!("the run was aborted: {why}")],
    };
    for phase in &report.phases {
        let mut warn = |text: String| warnings.push(format!("phase {}: {text}", phase.name));
        match phase.ending.as_str() {
            "interrupted" => warn("interrupted; its figures are those until then".to_owned()),
            "server_lost" => warn("the server was lost; its figures are those until then".to_owned()),
            "aborted" => warn("aborted; its figures are those until then".to_owned()),
            _ => {}
        }
        of_clients(phase, &mut warn);
        of_load(phase, &mut warn);
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
    let clamped: u64 = distributions(total).map(|distribution| distribution.clamped()).sum();
    if clamped > 0 {
        warn(format!(
            "{} durations were longer than 24 hours; percentiles among them show the longest",
            count(clamped)
        ));
    }
}

fn of_load(phase: &PhaseReport, warn: &mut impl FnMut(String)) {
    if let Some(arrivals) = phase.arrivals {
        let (due, begun) = (arrivals.due as f64, arrivals.begun as f64);
        if begun < due * REACHED {
            let text = "the rate was not reached: of the starts that fell due";
            warn(format!("{text}, {} of {} ({}) began", count(arrivals.begun), count(arrivals.due), share(begun, due)));
        }
    }
    let busy = busy(phase);
    if busy.is_some_and(|busy| busy >= BUSY) {
        let busy = share(busy.unwrap_or_default(), 1.0);
        let what = if phase.load.threads == 1 {
            "its thread was".to_owned()
        } else {
            format!("its {} threads were", phase.load.threads)
        };
        warn(format!("the client may have been the limit: {what} busy {busy} of the time"));
    }
    let lag: &Histogram = &phase.timer_lag;
    if let Some(p99) = lag.percentile(99.0).filter(|p99| *p99 >= LATE_TIMER) {
        let p99 = duration(p99.as_nanos() as f64);
        warn(format!("the client's timer was late: by {p99} or more in 1 of 100 cases; is the machine overloaded?"));
    }
}

/// The share of its time that the client's threads were on a processor.
pub(super) fn busy(phase: &PhaseReport) -> Option<f64> {
    let time = phase.elapsed_us as f64 * f64::from(phase.load.threads);
    (time > 0.0).then(|| phase.client_cpu_us as f64 / time)
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

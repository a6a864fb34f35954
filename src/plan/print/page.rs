//! What a reviewer asks first: how much data, how much load, for how long, and what leaves the server.

use std::fmt::Write as _;
use std::time::Duration;

use super::{counted, duration, grouped, line, table};
use crate::plan::fill::{ColumnPlan, FillPlan};
use crate::plan::phase::{LoadPlan, StopPlan};
use crate::plan::program::OpKind;
use crate::plan::step::StepKind;
use crate::plan::{PhasePlan, Plan};

/// What the page says that is not the plan's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// The files that the scenario reads.
    pub files: Vec<String>,
    /// The most connections that a point of the matrix needs, where there is a matrix.
    pub connections: Option<u64>,
    /// The processors of this machine.
    pub cpus: Option<u32>,
    /// Its memory, in bytes.
    pub memory: Option<u64>,
}

/// Bytes of a row beside its values: header, alignment and line pointer.
const ROW_BYTES: f64 = 28.0;
/// Bytes of one unit of pgbench's scale factor, indexes included.
const SCALE_BYTES: u64 = 15 << 20;
/// How wide the bars of the time line are.
const BAR: f64 = 40.0;

/// The answers in a few lines.
pub(super) fn summary(plan: &Plan, around: &Around, out: &mut String) {
    line(out, 0, "");
    line(out, 0, "at a glance");
    let mut rows = vec![("data", data(plan)), ("load", load(plan))];
    let copied = plan.steps().filter_map(|step| match &step.kind {
        StepKind::Copy(copy) => Some(copy.csv.clone()),
        _ => None,
    });
    rows.push(("files read", listed(&around.files.iter().cloned().chain(copied).collect::<Vec<_>>())));
    rows.push(("shell", listed(&shell(plan))));
    rows.push(("other servers", listed(&other_servers(plan))));
    table(out, &rows);
}

fn listed(items: &[String]) -> String {
    if items.is_empty() { "none".to_owned() } else { items.join("; ") }
}

/// Tables that are filled, with their rows and about how large they get.
fn data(plan: &Plan) -> String {
    let (mut tables, mut rows, mut bytes, mut open) = (0_u64, 0_u64, 0_u64, false);
    for step in &plan.setup {
        match &step.kind {
            StepKind::Fill(fill) => {
                tables += 1;
                match fill.most_rows() {
                    Some(most) => {
                        rows = rows.saturating_add(most);
                        bytes = bytes.saturating_add(whole(most as f64 * row_bytes(fill)));
                    }
                    None => open = true,
                }
            }
            StepKind::Pgbench(init) if init.rows() > 0 => {
                tables += 3;
                rows = rows.saturating_add(init.rows());
                bytes = bytes.saturating_add(u64::from(init.scale) * SCALE_BYTES);
            }
            _ => {}
        }
    }
    let more = if open { ", and rows whose number depends on others" } else { "" };
    match tables {
        0 => "what the statements of set-up make".to_owned(),
        _ => format!(
            "{} filled with {} rows, about {} without indexes{more}",
            counted(tables, "table"),
            grouped(rows),
            size(bytes)
        ),
    }
}

fn row_bytes(fill: &FillPlan) -> f64 {
    ROW_BYTES + fill.columns.iter().map(|(_, column)| width(column)).sum::<f64>()
}

/// About how many bytes a value takes.
fn width(column: &ColumnPlan) -> f64 {
    let text = |length: usize| length as f64 + 1.0;
    match column {
        ColumnPlan::Series | ColumnPlan::Permute { .. } | ColumnPlan::Zipfian { .. } | ColumnPlan::Reference { .. } => {
            4.0
        }
        ColumnPlan::UniformInteger { low, high } if i32::try_from(*low).is_ok() && i32::try_from(*high).is_ok() => 4.0,
        ColumnPlan::Choice(choices) => {
            let total: f64 = choices.iter().map(|(_, weight)| weight).sum();
            choices.iter().map(|(value, weight)| text(value.len()) * weight / total).sum()
        }
        ColumnPlan::Words { low, high } => f64::from(low + high) / 2.0 * 6.0 + 1.0,
        ColumnPlan::Pattern { pattern, .. } => pattern.longest() as f64 + 1.0,
        ColumnPlan::Uuid => 16.0,
        ColumnPlan::Json(members) => members.iter().map(|(name, member)| text(name.len() + 4) + width(member)).sum(),
        ColumnPlan::Nulls { fraction, of } => width(of) * (1.0 - fraction),
        _ => 8.0,
    }
}

fn load(plan: &Plan) -> String {
    let clients = |phase: &PhasePlan| u64::from(phase.load.clients.max()) * u64::from(phase.load.replicas);
    let most = plan.phases.iter().map(clients).max().unwrap_or(0);
    let known: Duration = plan.phases.iter().filter_map(length).sum();
    let counts = plan.phases.iter().filter(|phase| length(phase).is_none()).count() as u64;
    let mut text = format!("up to {} in {}", counted(most, "client"), counted(plan.phases.len() as u64, "phase"));
    if known > Duration::ZERO {
        text.push_str(", ");
        text.push_str(&span(known));
    }
    match counts {
        0 => {}
        1 => text.push_str(", one of them until its transactions are done"),
        counts => {
            let _ = write!(text, ", {counts} of them until their transactions are done");
        }
    }
    text
}

fn length(phase: &PhasePlan) -> Option<Duration> {
    if let StopPlan::Duration(time) = phase.stop { Some(time) } else { None }
}

/// Commands of the shell, each with who runs it.
fn shell(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    for step in plan.steps() {
        if let StepKind::Shell(command) = &step.kind {
            found.push(format!("{} (step {})", command.trim(), step.name));
        }
    }
    for program in &plan.scripts {
        for op in program.ops.iter().filter(|op| matches!(op.kind, OpKind::Shell { .. })) {
            let command = plan.commands.get(op.command.index()).map_or("", |command| command.display.as_str());
            found.push(format!("{command} (script {})", program.name));
        }
    }
    found
}

/// Phases whose load goes elsewhere, with the host; what else a URL holds may be secret.
fn other_servers(plan: &Plan) -> Vec<String> {
    let phases = plan.phases.iter().map(|phase| (&phase.name, &phase.load));
    let loads = phases.chain(plan.backgrounds.iter().map(|background| (&background.name, &background.load)));
    loads.filter_map(|(name, load)| Some(format!("{} ({name})", host(load.url.as_ref()?)))).collect()
}

/// The host of a URL or of a connection string.
fn host(url: &str) -> String {
    if url.starts_with("${") {
        return url.to_owned();
    }
    if let Some((_, rest)) = url.split_once("://") {
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        return authority.rsplit('@').next().unwrap_or_default().to_owned();
    }
    let host = url.split_whitespace().find_map(|word| word.strip_prefix("host="));
    host.unwrap_or("another, by `url`").to_owned()
}

/// When each phase runs, and what it does to the load.
pub(super) fn time_line(plan: &Plan, out: &mut String) {
    if plan.phases.len() < 2 {
        return;
    }
    line(out, 0, "");
    line(out, 0, "time line");
    let total = plan.phases.iter().filter_map(length).sum::<Duration>().as_secs_f64();
    let names = plan.phases.iter().map(|phase| phase.name.chars().count()).max().unwrap_or(0);
    let loads: Vec<String> = plan.phases.iter().map(|phase| shape(&phase.load)).collect();
    let widest = loads.iter().map(|load| load.chars().count()).max().unwrap_or(0);
    let (mut start, mut exact) = (Duration::ZERO, true);
    for (phase, load) in plan.phases.iter().zip(&loads) {
        let begin = if exact { span(start) } else { format!("{} +", span(start)) };
        let (took, bar) = match length(phase) {
            Some(time) => (span(time), bar(start, time, total)),
            None => ("by count".to_owned(), bar(start, Duration::ZERO, total)),
        };
        line(out, 2, &format!("{begin:>12}  {:names$}  {took:>10}  {load:widest$}  {bar}", phase.name));
        start += length(phase).unwrap_or_default();
        exact &= length(phase).is_some();
    }
}

/// What a phase puts on the server, in a few words.
fn shape(load: &LoadPlan) -> String {
    let from_to = |from: String, to: String| if from == to { to } else { format!("{from} → {to}") };
    if let Some(arrivals) = load.arrivals {
        return from_to(format!("{}/s", arrivals.rate.from), format!("{}/s", arrivals.rate.to));
    }
    let clients = from_to(load.clients.from.to_string(), load.clients.to.to_string());
    format!("{clients} client{}", if load.clients.max() == 1 { "" } else { "s" })
}

fn bar(start: Duration, time: Duration, total: f64) -> String {
    if total <= 0.0 {
        return String::new();
    }
    let at = |time: f64| usize::try_from(whole((time / total * BAR).round())).unwrap_or(0);
    let (from, to) = (at(start.as_secs_f64()), at((start + time).as_secs_f64()));
    let sign = if time.is_zero() { "?" } else { "#" };
    format!("{}{}", " ".repeat(from), sign.repeat((to - from).max(1)))
}

/// The machines that the figures were published for, beside this one.
pub(super) fn hosts(plan: &Plan, around: &Around, out: &mut String) {
    let systems = plan.published.iter().flat_map(|published| &published.systems);
    let known = |name: &str| matches!(name, "cpus" | "memory");
    let systems: Vec<_> = systems.filter(|system| system.hardware.iter().any(|(name, _)| known(name))).collect();
    if systems.is_empty() {
        return;
    }
    line(out, 0, "");
    line(out, 0, "machines");
    let mut rows: Vec<(&str, String)> = Vec::new();
    for system in systems {
        let of =
            |name: &str| system.hardware.iter().find(|(key, _)| key == name).map_or("?", |(_, value)| value.as_str());
        rows.push((system.name.as_str(), format!("{} processors, {} of memory", of("cpus"), of("memory"))));
    }
    if let (Some(cpus), Some(memory)) = (around.cpus, around.memory) {
        rows.push(("this one", format!("{cpus} processors, {} of memory", size(memory))));
    }
    table(out, &rows);
}

/// A number without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "none is negative, and large ones are clamped"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

/// A duration in two units at most: `12min 30s`.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let parts = [(hours, "h"), (minutes, "min"), (seconds % 60, "s")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).take(2).map(|(count, unit)| format!("{count}{unit}")).collect();
    if parts.is_empty() || time.subsec_nanos() > 0 { duration(time) } else { parts.join(" ") }
}

/// Bytes in two digits or three.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 10.0 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{grouped, host, size, span};

    #[test]
    fn figures_are_easy_to_read() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([500, 20 << 10, 5 << 20, 3 << 40].map(size), ["0.5 kB", "20 kB", "5.0 MB", "3.0 TB"]);
        let spans = [0, 30_000, 750_000, 3_600_000, 1_500].map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(spans, ["0s", "30s", "12min 30s", "1h", "1500ms"]);
    }

    #[test]
    fn of_another_server_only_the_host_is_shown() {
        assert_eq!(host("postgresql://app:secret@pool:6432/shop?x=y"), "pool:6432");
        assert_eq!(host("host=standby password=secret"), "standby");
        assert_eq!(host("${POOLER_URL}"), "${POOLER_URL}");
        assert_eq!(host("password=secret"), "another, by `url`");
    }
}

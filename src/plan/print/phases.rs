//! Phases with their load, the mix in percent, the connections that they need.

use super::page::Around;
use super::steps::print_step;
use super::{counted, duration, line, table};
use crate::id::FeedId;
use crate::plan::Plan;
use crate::plan::feed::{FeedOrder, FeedSource};
use crate::plan::phase::{
    ArrivalKind, ConnectionPolicy, Delay, LoadPlan, OnError, PhaseKind, PhasePlan, Protocol, Ramp, StopPlan,
};

/// What `max_connections` is unless set.
const DEFAULT_MAX_CONNECTIONS: u64 = 100;

/// All phases; on a page, those after the first say only what is different in them.
pub(super) fn print(plan: &Plan, page: Option<&Around>, out: &mut String) {
    line(out, 0, "");
    line(out, 0, "phases");
    for (index, phase) in plan.phases.iter().enumerate() {
        interludes(plan, index, out);
        let like = plan.phases.first().filter(|_| page.is_some() && index > 0);
        print_phase(plan, phase, like, out);
    }
    interludes(plan, plan.phases.len(), out);
    print_backgrounds(plan, out);
    print_feeds(plan, out);
    connections(plan, page.and_then(|around| around.connections), out);
}

fn interludes(plan: &Plan, before: usize, out: &mut String) {
    for (_, step) in plan.interludes.iter().filter(|(index, _)| *index == before) {
        print_step("- ", step, out);
    }
}

fn print_phase(plan: &Plan, phase: &PhasePlan, like: Option<&PhasePlan>, out: &mut String) {
    let load = &phase.load;
    let stop = match phase.stop {
        StopPlan::Duration(time) => format!("for {}", duration(time)),
        StopPlan::Transactions(count) => counted(count, "transaction"),
        StopPlan::TransactionsPerClient(count) => format!("{} per client", counted(count, "transaction")),
        StopPlan::WithPhase => "as long as its phase".to_owned(),
    };
    let per_replica =
        if load.replicas > 1 && !matches!(phase.stop, StopPlan::Duration(_)) { " per replica" } else { "" };
    let kind = if phase.kind == PhaseKind::Warmup { ", not measured" } else { "" };
    let (mut rows, like) = match like {
        Some(other) => (differences(rows(plan, load), &rows(plan, &other.load)), format!(", like {}", other.name)),
        None => (rows(plan, load), String::new()),
    };
    if let Some(rule) = &phase.find {
        rows.push(("finds", format!("the highest rate of these that keeps {}, each tried for that time", rule.text)));
    }
    let but = if rows.is_empty() || like.is_empty() { "" } else { " but for" };
    line(out, 2, &format!("{}. {}: {stop}{per_replica}{kind}{like}{but}", phase.id.index() + 1, phase.name));
    let mut text = String::new();
    table(&mut text, &rows);
    text.lines().for_each(|row| line(out, 3, row));
    if let Some(rule) = &phase.stop_if {
        line(out, 5, &format!("ends with the run if {}, looked at each second", rule.text));
    }
}

/// Loads beside the phases.
fn print_backgrounds(plan: &Plan, out: &mut String) {
    for background in &plan.backgrounds {
        let named = |id: &crate::id::PhaseId| plan.phases[id.index()].name.as_str();
        let beside = match background.phases.len() {
            all if all == plan.phases.len() => "all phases".to_owned(),
            _ => background.phases.iter().map(named).collect::<Vec<_>>().join(", "),
        };
        line(out, 2, &format!("beside {beside}: {}", background.name));
        let mut text = String::new();
        table(&mut text, &rows(plan, &background.load));
        text.lines().for_each(|row| line(out, 3, row));
    }
}

/// Where scripts take rows from.
fn print_feeds(plan: &Plan, out: &mut String) {
    if plan.feeds.is_empty() {
        return;
    }
    line(out, 0, "");
    line(out, 0, "feeds");
    let feeds = plan.feeds.iter().enumerate().map(|(number, feed)| {
        let source = match &feed.source {
            FeedSource::Csv(rows) => counted(rows.count as u64, "row"),
            FeedSource::Query(statement) => {
                format!("asked before each phase that uses it: {}", statement.sql.trim())
            }
        };
        let order = match feed.order {
            FeedOrder::Sequential => "one after the other",
            FeedOrder::Random => "drawn",
            FeedOrder::PerClient => "dealt to the clients",
        };
        let end = match (feed.stops, feed.order) {
            (_, FeedOrder::Random) => "",
            (true, _) => "; the phase ends after the last",
            (false, _) => "; from the beginning after the last",
        };
        let id = FeedId::from_index(number);
        let is_used = plan.phases.iter().any(|phase| plan.needs_feed(phase.id, id));
        let unused = if is_used { "" } else { "; no phase uses it" };
        (feed.name.as_str(), format!("{order}{end}; {source}{unused}"))
    });
    table(out, &feeds.collect::<Vec<_>>());
}

/// The rows that are not among those of another phase, and those of it that are missing.
fn differences(
    mut rows: Vec<(&'static str, String)>,
    others: &[(&'static str, String)],
) -> Vec<(&'static str, String)> {
    let missing = |(name, _): &&(&'static str, String)| rows.iter().all(|(known, _)| known != name);
    let missing: Vec<_> = others.iter().filter(missing).map(|(name, _)| (*name, "none".to_owned())).collect();
    rows.retain(|row| !others.contains(row));
    rows.extend(missing);
    rows
}

fn rows(plan: &Plan, load: &LoadPlan) -> Vec<(&'static str, String)> {
    let mut rows = vec![("mix", mix(plan, load))];
    let times = if load.replicas > 1 { format!(", {} times", load.replicas) } else { String::new() };
    let threads = counted(u64::from(load.threads), "thread");
    rows.push(("clients", format!("{} on {threads}{times}", ramp(load.clients, ToString::to_string))));
    rows.push(("connections", policy(load)));
    let protocol = match load.protocol {
        Protocol::Simple => "simple",
        Protocol::Extended => "extended",
        Protocol::Prepared => "prepared",
    };
    rows.push(("protocol", protocol.to_owned()));
    rows.push(("starts", starts(plan, load)));
    rows.extend(load.latency_limit.map(|limit| ("latency limit", duration(limit))));
    rows.extend(load.timeout.map(|timeout| ("timeout", format!("{} a statement", duration(timeout)))));
    rows.push(("failures", failures(load)));
    rows.push(("grace", load.grace.map_or_else(|| "unlimited".to_owned(), duration)));
    session(load, &mut rows);
    rows
}

fn session(load: &LoadPlan, rows: &mut Vec<(&'static str, String)>) {
    if load.url.is_some() {
        // it may hold a password
        rows.push(("server", "another than set-up's, by `url`".to_owned()));
    }
    rows.extend(load.session.user.as_ref().map(|user| ("role", user.clone())));
    rows.extend(load.session.settings.iter().map(|(name, value)| ("setting", format!("{name} = {value}"))));
    rows.extend(load.session.on_connect.iter().map(|sql| ("on connect", sql.clone())));
}

/// Each script with its share, and its own pause.
fn mix(plan: &Plan, load: &LoadPlan) -> String {
    let share = |(script, weight): &(crate::id::ScriptId, u32)| {
        let percent = f64::from(*weight) / load.mix.total as f64 * 100.0;
        let program = plan.scripts.get(script.index());
        format!("{} {percent:.1} %", program.map_or("?", |program| program.name.as_str()))
    };
    load.mix.entries.iter().map(share).collect::<Vec<_>>().join(", ")
}

fn policy(load: &LoadPlan) -> String {
    match load.connections {
        ConnectionPolicy::PerClient => "one per client".to_owned(),
        ConnectionPolicy::PerTransaction => "a new one per transaction".to_owned(),
        ConnectionPolicy::Pool(pool) => {
            let reset = if pool.discard_all { ", `discard all` between users" } else { "" };
            format!("a pool of {}, waited for up to {}{reset}", pool.size, duration(pool.timeout))
        }
    }
}

fn starts(plan: &Plan, load: &LoadPlan) -> String {
    let thinks = |(script, _): &&(crate::id::ScriptId, u32)| {
        plan.scripts.get(script.index()).is_some_and(|program| program.think.is_some())
    };
    let thinking = load.mix.entries.iter().filter(thinks).count() as u64;
    if let Some(arrivals) = load.arrivals {
        let kind = match arrivals.kind {
            ArrivalKind::Poisson => "Poisson",
            ArrivalKind::Even => "even",
            ArrivalKind::Burst => "in bursts",
        };
        let unused = if thinking > 0 { "; the scripts' own `think` plays no part" } else { "" };
        return format!(
            "{} a second, {kind}{unused}",
            ramp(arrivals.rate, |rate| format!("{}", (rate * 1e3).round() / 1e3))
        );
    }
    let pause = match load.think {
        Delay::None => "one after the other".to_owned(),
        think => format!("after a pause of {}", delay(think)),
    };
    let apart = load.pacing.map(|pacing| format!(", at least {} apart", duration(pacing))).unwrap_or_default();
    let own =
        if thinking > 0 { format!("; {} with a pause of its own", counted(thinking, "script")) } else { String::new() };
    format!("{pause}{apart}{own}")
}

fn failures(load: &LoadPlan) -> String {
    let states: Vec<String> = load.retry.iter().map(|state| String::from_utf8_lossy(state).into_owned()).collect();
    let tries = match load.max_tries {
        1 => "one try".to_owned(),
        0 => format!("tried until done after {}", states.join(", ")),
        tries => format!("up to {tries} tries after {}", states.join(", ")),
    };
    let pause = match load.retry_delay {
        Delay::None => String::new(),
        pause if load.max_tries != 1 => format!(" with a pause of {}", delay(pause)),
        _ => String::new(),
    };
    let then = match load.on_error {
        OnError::Continue => "then counted, and the client goes on",
        OnError::AbortClient => "then the client ends",
        OnError::AbortRun => "then the run ends",
        OnError::Pgbench => "then counted if of these kinds, else the client ends, as in pgbench",
    };
    format!("{tries}{pause}, {then}")
}

pub(super) fn delay(delay: Delay) -> String {
    match delay {
        Delay::None => "nothing".to_owned(),
        Delay::Constant(time) => duration(time),
        Delay::Uniform { low, high } => format!("{}..{}", duration(low), duration(high)),
        Delay::Exponential { mean } => format!("{} on average, exponential", duration(mean)),
        Delay::Normal { mean, stddev } => format!("{} ± {}, normal", duration(mean), duration(stddev)),
    }
}

fn ramp<T: Copy + PartialOrd>(ramp: Ramp<T>, show: impl Fn(&T) -> String) -> String {
    if ramp.is_flat() { show(&ramp.from) } else { format!("{} → {}", show(&ramp.from), show(&ramp.to)) }
}

/// The most connections that any phase opens, beside what the server allows. Of a matrix, `points` is what the most
/// demanding point needs.
fn connections(plan: &Plan, points: Option<u64>, out: &mut String) {
    let needed = points.unwrap_or_default().max(plan.most_connections());
    let where_ = if points.is_some() { " at some point of the matrix" } else { "" };
    let setting = plan.server.settings.iter().find(|(name, _)| name == "max_connections");
    let allowed = setting.and_then(|(_, value)| value.parse::<u64>().ok());
    let name = if allowed.is_some() { "max_connections" } else { "PostgreSQL's default max_connections" };
    let allowed = allowed.unwrap_or(DEFAULT_MAX_CONNECTIONS);
    let verdict = if needed >= allowed { ": too few" } else { "" };
    line(out, 0, "");
    line(out, 0, &format!("connections: up to {needed}{where_} and one for set-up; {name} is {allowed}{verdict}"));
}

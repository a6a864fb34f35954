//! `load`, with what a phase says again laid over it.

use std::time::Duration;

use super::ScenarioError;
use super::condition;
use super::scenario_error::Kind;
use super::server::compile_settings;
use super::values::Values;
use crate::diagnostic::Diagnostic;
use crate::id::ScriptId;
use crate::plan::LoadPlan;
use crate::plan::phase::{
    ArrivalKind, ArrivalPlan, ConnectionPolicy, Delay, Mix, OnError, PoolPlan, Protocol, Ramp, Secret, SessionPlan,
};
use crate::scenario::{DelaySpec, LoadSpec, Named, Scalar, SessionSpec};
use crate::source::Span;

/// How long a client waits for a pooled connection unless told otherwise.
const POOL_TIMEOUT: Duration = Duration::from_secs(30);
/// What running transactions get at a phase's end unless told otherwise.
const GRACE: Duration = Duration::from_secs(30);
/// Clients of all replicas together; no machine drives more, so more is a slip.
const MOST_CLIENTS: u32 = 1_000_000;
/// Threads of all replicas together; more than any machine has processors.
const MOST_THREADS: u32 = 4096;
/// PostgreSQL's own limit of `max_connections`.
const MOST_CONNECTIONS: u32 = 262_143;

/// Compiles a load. Defaults stand in for what could not be compiled, so that all its faults are found.
pub(super) fn compile_load(spec: &LoadSpec, scripts: &[&str], cores: usize, values: &mut Values<'_>) -> LoadPlan {
    let clients = spec
        .clients
        .as_ref()
        .and_then(|n| values.ramp_of_counts(n, "`clients`", MOST_CLIENTS))
        .unwrap_or(Ramp::flat(1));
    let connections = compile_connections(spec, values);
    let load = LoadPlan {
        mix: compile_mix(spec.mix.as_ref(), scripts, values),
        clients,
        replicas: spec.replicas.as_ref().and_then(|n| values.count(n, "`replicas`", 1..=MOST_CLIENTS)).unwrap_or(1),
        threads: compile_threads(spec, connections, cores, values).clamp(1, clients.max()),
        protocol: compile_protocol(spec.protocol.as_ref(), values),
        connections,
        session: spec.session.as_ref().map(|session| compile_session(session, values)).unwrap_or_default(),
        url: spec.url.as_ref().and_then(|url| values.environment_text(url)),
        timeout: compile_limit(spec.timeout.as_ref(), "`timeout`", values),
        max_tries: spec.max_tries.as_ref().and_then(|n| values.count(n, "`max_tries`", 0..=u32::MAX)).unwrap_or(1),
        retry: compile_retry(spec.retry.as_deref(), values),
        retry_delay: compile_delay(spec.retry_delay.as_ref(), "`retry_delay`", values),
        on_error: compile_on_error(spec.on_error.as_ref(), values),
        latency_limit: compile_limit(spec.latency_limit.as_ref(), "`latency_limit`", values),
        pacing: compile_duration(spec.every.as_ref(), "`every`", values),
        think: compile_delay(spec.think.as_ref(), "`think`", values),
        arrivals: compile_arrivals(spec, values),
        grace: match &spec.grace {
            Some(scalar) if scalar.text == "unlimited" => None,
            Some(scalar) => values.duration(scalar, "`grace`").or(Some(GRACE)),
            None => Some(GRACE),
        },
    };
    check_open_model(spec, &load, values);
    check_replicas(spec, &load, values);
    load
}

fn compile_duration(spec: Option<&Scalar>, what: &str, values: &mut Values<'_>) -> Option<Duration> {
    values.duration(spec?, what)
}

/// A duration that nothing could keep if it were zero.
fn compile_limit(spec: Option<&Scalar>, what: &str, values: &mut Values<'_>) -> Option<Duration> {
    values.positive_duration(spec?, what)
}

fn compile_delay(spec: Option<&DelaySpec>, what: &str, values: &mut Values<'_>) -> Delay {
    spec.and_then(|spec| values.delay(spec, what)).unwrap_or_default()
}

fn compile_threads(spec: &LoadSpec, connections: ConnectionPolicy, cores: usize, values: &mut Values<'_>) -> u32 {
    let pooled = matches!(connections, ConnectionPolicy::Pool(_));
    let default = if pooled { 1 } else { u32::try_from(cores).unwrap_or(1) };
    let Some(at) = &spec.threads else { return default };
    let threads = values.count(at, "`threads`", 1..=MOST_THREADS).unwrap_or(default);
    if let (true, 2.., Some(pool)) = (pooled, threads, &spec.connections) {
        let warning = Diagnostic::warning("plan::pool_over_threads", "a pool and its clients live on one thread");
        let help = "leave `threads` out; `replicas` is how pools multiply";
        values.warn(warning.label(at.span, "one is taken").label(pool.span, "the pool").help(help));
        return 1;
    }
    threads
}

fn compile_mix(spec: Option<&Named<Scalar>>, scripts: &[&str], values: &mut Values<'_>) -> Mix {
    let Some(spec) = spec else {
        let entries: Vec<_> = (0..scripts.len()).map(|index| (ScriptId::from_index(index), 1)).collect();
        return Mix { total: entries.len() as u64, entries };
    };
    let mut entries = Vec::new();
    let mut complete = true;
    for (name, weight) in &spec.0 {
        let weight = values.whole_weight(weight, &name.text);
        match scripts.iter().position(|script| *script == name.text) {
            Some(index) => entries.extend(weight.map(|weight| (ScriptId::from_index(index), weight))),
            // without any, the scripts themselves are what is missing
            None if scripts.is_empty() => {}
            None => values.unknown(Kind::Script, name, scripts),
        }
        complete &= weight.is_some();
    }
    let total = entries.iter().map(|(_, weight)| u64::from(*weight)).sum();
    if total == 0 && complete && entries.len() == spec.0.len() {
        let span = match (spec.0.first(), spec.0.last()) {
            (Some((first, _)), Some((_, last))) => first.span.to(last.span),
            _ => Span::default(),
        };
        values.fault(ScenarioError::ZeroWeights { span });
    }
    Mix { entries, total }
}

fn compile_protocol(spec: Option<&Scalar>, values: &mut Values<'_>) -> Protocol {
    let known = ["simple", "extended", "prepared"];
    match spec.and_then(|word| values.word(word, "`protocol`", &known)) {
        Some("extended") => Protocol::Extended,
        Some("simple") => Protocol::Simple,
        _ => Protocol::Prepared,
    }
}

fn compile_on_error(spec: Option<&Scalar>, values: &mut Values<'_>) -> OnError {
    let known = ["continue", "abort_client", "abort_run", "pgbench"];
    match spec.and_then(|word| values.word(word, "`on_error`", &known)) {
        Some("abort_client") => OnError::AbortClient,
        Some("abort_run") => OnError::AbortRun,
        Some("pgbench") => OnError::Pgbench,
        _ => OnError::Continue,
    }
}

fn compile_connections(spec: &LoadSpec, values: &mut Values<'_>) -> ConnectionPolicy {
    let policy = match spec.connections.as_ref().map(|scalar| (scalar, values.text(scalar))) {
        None | Some((_, None)) => ConnectionPolicy::PerClient,
        Some((_, Some(word))) if word == "per_client" => ConnectionPolicy::PerClient,
        Some((_, Some(word))) if word == "per_transaction" => ConnectionPolicy::PerTransaction,
        Some((scalar, Some(word))) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let help = Some("`per_client`, `per_transaction`, or the size of a pool".to_owned());
            values.invalid(scalar, "`connections`", "a policy or a number", help);
            return ConnectionPolicy::PerClient;
        }
        Some((scalar, Some(_))) => match values.count(scalar, "`connections`", 1..=MOST_CONNECTIONS) {
            None => return ConnectionPolicy::PerClient,
            Some(size) => {
                let timeout = compile_duration(spec.pool_timeout.as_ref(), "`pool_timeout`", values);
                let reset = spec.pool_reset.as_ref().and_then(|w| values.word(w, "`pool_reset`", &POOL_RESETS));
                let (timeout, discard_all) = (timeout.unwrap_or(POOL_TIMEOUT), reset == Some("discard all"));
                ConnectionPolicy::Pool(PoolPlan { size, timeout, discard_all })
            }
        },
    };
    if !matches!(policy, ConnectionPolicy::Pool(_)) && spec.connections.is_none() {
        for (key, value) in [("pool_timeout", &spec.pool_timeout), ("pool_reset", &spec.pool_reset)] {
            let Some(value) = value else { continue };
            let help = "say how many connections the clients share: `connections: 20`".to_owned();
            values.needs(key, "a pool", value.span, help);
        }
    }
    policy
}

/// What a pool does to a session between two users.
const POOL_RESETS: [&str; 2] = ["none", "discard all"];

fn compile_session(spec: &SessionSpec, values: &mut Values<'_>) -> SessionPlan {
    SessionPlan {
        user: spec.user.as_ref().and_then(|user| values.environment_text(user)),
        password: spec.password.as_ref().and_then(|password| values.environment_text(password)).map(Secret),
        settings: compile_settings(&spec.settings, values),
        on_connect: spec.on_connect.iter().filter_map(|sql| values.text(sql)).collect(),
    }
}

fn compile_retry(spec: Option<&[Scalar]>, values: &mut Values<'_>) -> Vec<[u8; 5]> {
    let Some(spec) = spec else { return vec![*b"40001", *b"40P01"] };
    let mut states = Vec::new();
    for condition in spec {
        match values.text(condition).as_deref().map(condition::sqlstate) {
            Some(Some(state)) => states.push(state),
            Some(None) => values.unknown(Kind::Condition, condition, &condition::names().collect::<Vec<_>>()),
            None => {}
        }
    }
    states
}

fn compile_arrivals(spec: &LoadSpec, values: &mut Values<'_>) -> Option<ArrivalPlan> {
    let word = spec.arrivals.as_ref().and_then(|w| values.word(w, "`arrivals`", &["poisson", "even", "burst"]));
    let rate = values.ramp_of_rates(spec.rate.as_ref()?, "`rate`")?;
    let kind = match word {
        Some("even") => ArrivalKind::Even,
        Some("burst") => ArrivalKind::Burst,
        _ => ArrivalKind::Poisson,
    };
    Some(ArrivalPlan { rate, kind })
}

/// A schedule and the pauses of the closed model exclude each other.
fn check_open_model(spec: &LoadSpec, load: &LoadPlan, values: &mut Values<'_>) {
    if let (Some(arrivals), None) = (&spec.arrivals, &spec.rate) {
        values.needs("arrivals", "a rate", arrivals.span, "say how many start: `rate: 200/s`".to_owned());
    }
    let Some(rate) = &spec.rate else { return };
    if let (Some(think), true) = (&spec.think, load.think != Delay::None) {
        let help = "with a rate, starts come from a schedule: leave `think` out, or set it to `0s` here".to_owned();
        values.contradiction(("rate", rate.span), ("think", think.span()), help);
    }
    if let Some(every) = &spec.every {
        let help = "a rate already says when transactions start; keep one of the two".to_owned();
        values.contradiction(("rate", rate.span), ("every", every.span), help);
    }
}

/// Replicas multiply clients and threads.
fn check_replicas(spec: &LoadSpec, load: &LoadPlan, values: &mut Values<'_>) {
    let Some(replicas) = &spec.replicas else { return };
    let all = [("`clients`", load.clients.max(), MOST_CLIENTS), ("`threads`", load.threads, MOST_THREADS)];
    for (what, each, most) in all {
        let product = u64::from(each) * u64::from(load.replicas);
        if product > u64::from(most) {
            let what = format!("{what} times `replicas`");
            values.out_of_range(replicas, &what, &product, format!("may be at most {most}"));
            return;
        }
    }
}

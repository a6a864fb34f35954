//! A plan from a pgbench command line: scripts with weights and one phase.

use std::time::Duration;

use super::names::text_value;
use super::program::{Compiled, ScriptInput, compile_scripts};
use crate::eval::{Algorithm, Value};
use crate::id::{PhaseId, ScriptId};
use crate::plan::phase::{
    ArrivalKind, ArrivalPlan, ConnectionPolicy, Delay, LoadPlan, Mix, OnError, PhaseKind, PhasePlan, Protocol, Ramp,
    SessionPlan, StopPlan,
};
use crate::plan::{Error, MatrixPlan, Plan, ReportPlan, ResetPlan, ServerPlan, Streams, VarOrigin, VarPlan};
use crate::script::{Dialect, Script};
use crate::source::Span;

/// What a pgbench command line asks for.
#[derive(Debug)]
pub struct PgbenchInputs<'a> {
    /// The scripts, in their order.
    pub scripts: Vec<PgbenchScript<'a>>,
    /// `-D`; later ones win.
    pub defines: &'a [(String, String)],
    /// `:scale`.
    pub scale: i64,
    /// `-c`
    pub clients: u32,
    /// `-j`; lowered to the number of clients.
    pub threads: u32,
    /// `-M`
    pub protocol: Protocol,
    /// `-C`
    pub connect: bool,
    /// `-t` or `-T`
    pub stop: StopPlan,
    /// `-R`, transactions a second.
    pub rate: Option<f64>,
    /// `-L`
    pub latency_limit: Option<Duration>,
    /// `--max-tries`; 0: without limit.
    pub max_tries: u32,
    /// `--random-seed`
    pub seed: u64,
}

/// A script of a pgbench command line.
#[derive(Debug)]
pub struct PgbenchScript<'a> {
    /// The file as given, or `<builtin: …>`.
    pub description: String,
    /// What it says.
    pub script: &'a Script,
    /// How often it is chosen.
    pub weight: u32,
    /// Whether it is one of pgbench's own.
    pub builtin: bool,
}

/// Compiles a pgbench command line.
pub fn compile_pgbench(inputs: &PgbenchInputs<'_>) -> Result<Plan, Vec<Error>> {
    let mut errors = Vec::new();
    let vars = vars(inputs);
    let scripts: Vec<ScriptInput<'_>> = inputs
        .scripts
        .iter()
        .map(|script| ScriptInput {
            name: &script.description,
            description: script.description.clone(),
            script: script.script,
            think: None,
            builtin: script.builtin,
            protocols: vec![inputs.protocol],
        })
        .collect();
    let Compiled { slots, scripts, commands, statements, fed } =
        compile_scripts(&scripts, &vars, Dialect::Pgbench, &[], &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Plan {
        name: "pgbench".to_owned(),
        description: None,
        seed: inputs.seed,
        algorithm: Algorithm::default(),
        streams: Streams::PerThread,
        server: ServerPlan::default(),
        vars,
        queries: Vec::new(),
        profile: None,
        setup: Vec::new(),
        reset: ResetPlan::default(),
        slots,
        scripts,
        commands,
        statements,
        interludes: Vec::new(),
        phases: vec![phase(inputs)],
        backgrounds: Vec::new(),
        feeds: Vec::new(),
        fed,
        teardown: Vec::new(),
        metrics: Vec::new(),
        matrix: MatrixPlan::default(),
        report: ReportPlan { pgbench: 18, progress: Duration::ZERO, percentiles: Vec::new(), bounds: Vec::new() },
        thresholds: Vec::new(),
        published: None,
        warnings: Vec::new(),
    })
}

/// Automatic ones first; `-D` may give them all another value.
fn vars(inputs: &PgbenchInputs<'_>) -> Vec<VarPlan> {
    let var = |name: &str, value: Value, origin| VarPlan {
        name: name.to_owned(),
        value: value.clone(),
        default: value,
        origin,
        description: None,
    };
    let mut vars = vec![var("scale", Value::Integer(inputs.scale), VarOrigin::Default)];
    for (name, value) in inputs.defines {
        vars.retain(|known| known.name != *name);
        vars.push(var(name, text_value(value), VarOrigin::CommandLine));
    }
    vars
}

fn phase(inputs: &PgbenchInputs<'_>) -> PhasePlan {
    let entries: Vec<(ScriptId, u32)> = (inputs.scripts.iter().enumerate())
        .map(|(index, script)| (ScriptId::from_index(index), script.weight))
        .collect();
    PhasePlan {
        id: PhaseId(0),
        name: "pgbench".to_owned(),
        kind: PhaseKind::Measure,
        load: LoadPlan {
            mix: Mix { total: entries.iter().map(|(_, weight)| u64::from(*weight)).sum(), entries },
            clients: Ramp::flat(inputs.clients),
            replicas: 1,
            threads: inputs.threads.min(inputs.clients),
            protocol: inputs.protocol,
            connections: if inputs.connect { ConnectionPolicy::PerTransaction } else { ConnectionPolicy::PerClient },
            session: SessionPlan::default(),
            url: None,
            timeout: None,
            max_tries: inputs.max_tries,
            retry: vec![*b"40001", *b"40P01"],
            retry_delay: Delay::None,
            on_error: OnError::Pgbench,
            latency_limit: inputs.latency_limit,
            pacing: None,
            think: Delay::None,
            arrivals: inputs.rate.map(|rate| ArrivalPlan { rate: Ramp::flat(rate), kind: ArrivalKind::Poisson }),
            grace: None,
        },
        stop: inputs.stop,
        stop_if: None,
        find: None,
        span: Span::default(),
    }
}

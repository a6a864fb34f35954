//! A run as pgbench does it: set-up connection, vacuum, load, report.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::complaint;
use super::options::{Options, ScriptOrigin, Seed, Stop};
use super::tables::{self, Tables};
use super::teller::Teller;
use super::wording;
use crate::clock::Clock;
use crate::exec::{self, ClientEnd, Execution, Observer, StopStage};
use crate::id::PhaseId;
use crate::metrics::{Detail, RunMetrics, Sample};
use crate::pg::{Admin, Environment, OpenOptions, Target};
use crate::plan::compile::{PgbenchInputs, PgbenchScript, compile_pgbench};
use crate::plan::phase::{Protocol, StopPlan};
use crate::plan::{PhasePlan, Plan};
use crate::report::block;
use crate::report::pgbench::{self, BlockCommand, Wording};
use crate::report::{Report, RunFacts};
use crate::script::{self, Dialect, Script};
use crate::source::SourceMap;

/// How a run ended, as pgbench tells it.
pub(crate) enum Ended {
    /// To the end.
    Fine,
    /// Some clients ended with an error.
    Incomplete,
    /// Nothing was measured: why, for standard error.
    Failed(String),
}

/// Runs what the command line asks for; the report goes to `out`, all else to `err`.
pub(crate) async fn run(program: &str, options: &Options, out: &mut dyn Write, err: &mut (dyn Write + Send)) -> Ended {
    match attempt(program, options, out, err).await {
        Ok(ended) => ended,
        Err(message) => Ended::Failed(wording::tagged(program, &message)),
    }
}

async fn attempt(
    program: &str,
    options: &Options,
    out: &mut dyn Write,
    err: &mut (dyn Write + Send),
) -> Result<Ended, String> {
    let seed = seed(options);
    if options.seed.is_some() {
        let _ = writeln!(err, "{program}: setting random seed to {seed}");
    }
    let clock = Clock::new();
    let mut sources = SourceMap::default();
    let scripts = read_scripts(options, &mut sources)?;
    let target = target(options)?;
    let open = OpenOptions { application_name: Some(program.to_owned()), ..OpenOptions::default() };
    let admin = Admin::open(&target, &open).await;
    let admin = admin
        .map_err(|error| format!("{}\nerror: could not create connection for setup", wording::connection(&error)))?;
    let version = admin.server_version().to_owned();
    let banner =
        if version.starts_with("18.6") { "pgbench (18.6)".into() } else { format!("pgbench (18.6, server {version})") };
    let _ = writeln!(out, "{banner}");
    let _ = out.flush();
    let builtin = options.scripts.iter().any(|script| matches!(script.origin, ScriptOrigin::Builtin(_)));
    let found = if builtin { tables::look(&admin, target.database()).await? } else { Tables::default() };
    if let (Some(count), Some(_)) = (found.scale, options.scale) {
        let text = "warning: scale option ignored, using count from pgbench_branches table";
        let _ = writeln!(err, "{program}: {text} ({count})");
    }
    let scale = found.scale.or(options.scale.map(i64::from)).unwrap_or(1);
    if !options.no_vacuum {
        tables::vacuum(program, &admin, err).await;
    }
    admin.close().await;
    let plan = Arc::new(plan(options, &scripts, scale, seed)?);
    let detail = if options.report_per_command { Detail::Commands } else { Detail::Transactions };
    let (_stop, stop) = tokio::sync::watch::channel(StopStage::Run);
    let listener = Arc::new(Teller { program: program.to_owned(), plan: plan.clone(), tries: false, steps: false });
    let execution = Execution { plan: plan.clone(), targets: vec![target], detail, listener, logs: None, stop };
    let mut watch = Watch { program, plan: &plan, err };
    let phase = exec::run_phase(&execution, &clock, PhaseId(0), &mut watch).await.map_err(|error| match error {
        exec::Error::Session { client, source } => {
            format!("{}\nerror: could not create connection for client {client}", wording::connection(&source))
        }
        other => other.to_string(),
    })?;
    let clients_ended = phase.clients_ended;
    let facts = RunFacts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now(),
        environment: crate::report::Environment::default(),
        steps: Vec::new(),
        metrics: RunMetrics { phases: vec![phase], ending: crate::metrics::Ending::Complete },
        warnings: Vec::new(),
    };
    let report = Report::build(&plan, &facts);
    let _ = out.write_all(render(options, &report, scale, found.partitions).as_bytes());
    let _ = out.flush();
    Ok(if clients_ended > 0 { Ended::Incomplete } else { Ended::Fine })
}

/// pgbench's block, with what the command line adds to it.
fn render(options: &Options, report: &Report, scale: i64, partitions: Option<(String, u64)>) -> String {
    let Some(phase) = report.phases.first() else { return String::new() };
    let mut block = block::of(phase, scale);
    block.latencies = options.rate.is_some() || options.latency_limit_us.is_some();
    block.partitions = partitions;
    block.per_command = options.report_per_command;
    for (script, measured) in block.scripts.iter_mut().zip(&phase.scripts) {
        script.commands = (measured.commands.iter())
            .map(|command| BlockCommand {
                text: command.text.clone(),
                latency_avg_ms: command.latency.mean_ns().unwrap_or(0.0) / 1e6,
                failures: command.failures,
                retries: command.retries,
            })
            .collect();
    }
    pgbench::render(&block, Wording::V18)
}

fn read_scripts(options: &Options, sources: &mut SourceMap) -> Result<Vec<Script>, String> {
    let mut read = |arg: &super::options::ScriptArg| {
        let (name, text) = match &arg.origin {
            ScriptOrigin::Builtin(builtin) => (builtin.description.to_owned(), builtin.text.to_owned()),
            ScriptOrigin::File(path) => (path.clone(), read_file(path)?),
        };
        let id = sources.add(name.clone(), text);
        let text = sources.get(id).map_or("", |source| source.text.as_str());
        script::parse(id, text, Dialect::Pgbench).map_err(|errors| {
            let first = errors.first().map(script::Error::pgbench_message);
            first.map_or_else(String::new, |message| complaint::render(&message, &name, sources))
        })
    };
    options.scripts.iter().map(&mut read).collect()
}

fn read_file(path: &str) -> Result<String, String> {
    let text = if path == "-" { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(path) };
    text.map_err(|error| {
        let text = error.to_string();
        format!("could not open file \"{path}\": {}", text.split(" (os error").next().unwrap_or(&text))
    })
}

fn target(options: &Options) -> Result<Target, String> {
    let mut environment = Environment::of_process();
    for (name, value) in [("PGHOST", &options.host), ("PGPORT", &options.port), ("PGUSER", &options.user)] {
        if let Some(value) = value {
            environment = environment.variable(name, value);
        }
    }
    Target::parse(options.dbname.as_deref().unwrap_or(""), &environment).map_err(|invalid| invalid.to_string())
}

/// Drawn where the command line names none.
fn seed(options: &Options) -> u64 {
    match options.seed {
        Some(Seed::Number(seed)) => seed,
        Some(Seed::Time | Seed::Rand) | None => rand::random(),
    }
}

fn plan(options: &Options, scripts: &[Script], scale: i64, seed: u64) -> Result<Plan, String> {
    let described = options.scripts.iter().zip(scripts).map(|(arg, script)| PgbenchScript {
        description: match &arg.origin {
            ScriptOrigin::Builtin(builtin) => builtin.description.to_owned(),
            ScriptOrigin::File(path) => path.clone(),
        },
        script,
        weight: arg.weight,
        builtin: matches!(arg.origin, ScriptOrigin::Builtin(_)),
    });
    let inputs = PgbenchInputs {
        scripts: described.collect(),
        defines: &options.define,
        scale,
        clients: options.clients,
        threads: options.jobs,
        protocol: match options.protocol {
            "extended" => Protocol::Extended,
            "prepared" => Protocol::Prepared,
            _ => Protocol::Simple,
        },
        connect: options.connect,
        stop: match options.stop {
            Stop::Transactions(count) => StopPlan::TransactionsPerClient(count.into()),
            Stop::Seconds(seconds) => StopPlan::Duration(Duration::from_secs(seconds.into())),
        },
        rate: options.rate,
        latency_limit: options.latency_limit_us.map(Duration::from_micros),
        max_tries: options.max_tries,
        seed,
    };
    let plan =
        compile_pgbench(&inputs).map_err(|errors| errors.first().map(ToString::to_string).unwrap_or_default())?;
    match plan.not_yet.first() {
        Some(diagnostic) => Err(diagnostic.message.clone()),
        None => Ok(plan),
    }
}

/// Shows which clients end early, when they do.
struct Watch<'a> {
    program: &'a str,
    plan: &'a Plan,
    err: &'a mut (dyn Write + Send),
}

impl Observer for Watch<'_> {
    fn phase_started(&mut self, _: &PhasePlan) {}

    fn progress(&mut self, _: &PhasePlan, _: Duration, _: &Sample) {}

    fn client_ended(&mut self, _: &PhasePlan, end: &ClientEnd) {
        let text = wording::tagged(self.program, &wording::client_end(self.plan, end));
        let _ = self.err.write_all(text.as_bytes());
    }
}

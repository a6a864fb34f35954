//! A run as pgbench does it: set-up connection, vacuum, load, report.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::options::{Options, Stop};
use super::tables::{self, Tables};
use super::wording;
use crate::clock::Clock;
use crate::eval::Value;
use crate::exec::{self, ClientEnd, Execution, Observer, StopStage};
use crate::id::{CommandId, PhaseId};
use crate::metrics::{Detail, RunMetrics, Sample};
use crate::pg::{Admin, OpenOptions};
use crate::plan::compile::{PgbenchInputs, PgbenchScript, compile_pgbench};
use crate::plan::phase::{Protocol, StopPlan};
use crate::plan::{PhasePlan, Plan};
use crate::report::block;
use crate::report::pgbench::{self, BlockCommand, Wording};
use crate::report::{Report, RunFacts};

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
    refuse_what_is_missing(options)?;
    let clock = Clock::new();
    let target = options.connection.target()?;
    let open = OpenOptions { application_name: Some(program.to_owned()), ..OpenOptions::default() };
    let admin = Admin::open(&target, &open).await;
    let admin = admin
        .map_err(|error| format!("{}\nerror: could not create connection for setup", wording::connection(&error)))?;
    let version = admin.server_version().to_owned();
    let banner =
        if version.starts_with("18.6") { "pgbench (18.6)".into() } else { format!("pgbench (18.6, server {version})") };
    let _ = writeln!(out, "{banner}");
    let _ = out.flush();
    let builtin = options.scripts.iter().any(|script| script.builtin);
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
    let plan = Arc::new(plan(options, scale)?);
    let detail = if options.report_per_command { Detail::Commands } else { Detail::Transactions };
    let (_stop, stop) = tokio::sync::watch::channel(StopStage::Run);
    let commands = plan.clone();
    let debug = move |command: CommandId, value: &Value| {
        let plan = &commands.commands[command.index()];
        // one call for the line, so that lines of several threads don't mix
        let line = format!("debug(script={},command={}): {}\n", plan.script.0, plan.number + 1, value.typed());
        let _ = io::stderr().write_all(line.as_bytes());
    };
    let execution = Execution { plan: plan.clone(), targets: vec![target], detail, debug: Arc::new(debug), stop };
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

/// What the command line takes and a run doesn't do yet.
fn refuse_what_is_missing(options: &Options) -> Result<(), String> {
    let missing = [
        ("-P/--progress", options.progress.is_some()),
        ("-l/--log", options.log.is_some()),
        ("-v/--vacuum-all", options.vacuum_all),
        ("--failures-detailed", options.failures_detailed),
        ("--verbose-errors", options.verbose_errors),
        ("--exit-on-abort", options.exit_on_abort),
        ("--debug", options.debug),
        ("--pgbench-version", options.pgbench_version != 18),
    ];
    match missing.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(format!("{name} is not supported yet")),
        None => Ok(()),
    }
}

fn plan(options: &Options, scale: i64) -> Result<Plan, String> {
    let scripts = options.scripts.iter().map(|arg| PgbenchScript {
        description: arg.description.clone(),
        script: &arg.script,
        weight: arg.weight,
        builtin: arg.builtin,
    });
    let inputs = PgbenchInputs {
        scripts: scripts.collect(),
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
        seed: options.seed,
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

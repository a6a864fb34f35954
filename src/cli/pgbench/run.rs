//! A run as pgbench does it: set-up connection, vacuum, load, report.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;

use super::connect::{self, Connected};
use super::log::{self, LogStyle};
use super::options::{Format, Options, ProgressOptions, Stop};
use super::output;
use super::progress::{Columns, Progress};
use super::tables::{self, Tables};
use super::teller::Teller;
use super::watch::Watch;
use super::wording;
use crate::cli::interrupt::Interrupt;
use crate::clock::Clock;
use crate::eval::Algorithm;
use crate::exec::{self, Execution, StopStage, TransactionLogs};
use crate::id::PhaseId;
use crate::metrics::{Detail, Ending, RunMetrics};
use crate::pg::{Place, Target};
use crate::plan::Plan;
use crate::plan::compile::{PgbenchInputs, PgbenchScript, compile_pgbench};
use crate::plan::phase::{Protocol, StopPlan};
use crate::report::block;
use crate::report::pgbench::{self, BlockCommand, Wording};
use crate::report::{Report, RunFacts};

/// How a run ended, as pgbench tells it.
pub(crate) enum Ended {
    /// To the end.
    Fine,
    /// Some clients ended with an error.
    Incomplete,
    /// Somebody stopped it: what is to be said of that.
    Interrupted(&'static str),
    /// `--exit-on-abort`: why, for standard error. There is no report.
    Aborted(String),
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
    let clock = Clock::new();
    let started = SystemTime::now();
    let Connected { target, admin } = connect::open(program, &options.connection, "setup").await?;
    let version = admin.server_version().to_owned();
    let wording = Wording::of_major(options.pgbench_version);
    if wording >= Wording::V14 && options.format == Format::Text {
        let _ = writeln!(out, "{}", banner(options.pgbench_version, &version));
    }
    let _ = out.flush();
    if options.debug {
        let _ = writeln!(err, "{program}: {}", described(options, &target));
    }
    let builtin = options.scripts.iter().any(|script| script.builtin);
    let found = if builtin { tables::look(&admin, target.database()).await? } else { Tables::default() };
    if let (Some(count), Some(_)) = (found.scale, options.scale) {
        let text = "warning: scale option ignored, using count from pgbench_branches table";
        let _ = writeln!(err, "{program}: {text} ({count})");
    }
    let scale = found.scale.or(options.scale.map(i64::from)).unwrap_or(1);
    if !options.no_vacuum {
        tables::vacuum(program, &admin, options.vacuum_all, err).await;
    }
    let environment = output::environment(options, &admin, &target).await;
    admin.close().await;
    let plan = Arc::new(plan(options, scale)?);
    let detail = if options.report_per_command { Detail::Commands } else { Detail::Transactions };
    let logs = logs(options, wording, clock)?;
    let stop = Arc::new(watch::Sender::new(StopStage::Run));
    let listener = Arc::new(Teller {
        program: program.to_owned(),
        plan: plan.clone(),
        tries: options.verbose_errors,
        steps: options.debug,
    });
    let stopped = stop.subscribe();
    let execution = Execution {
        plan: plan.clone(),
        targets: vec![target],
        beside: Vec::new(),
        feeds: Vec::new(),
        detail,
        listener,
        logs,
        stop: stopped.clone(),
    };
    pass_on_signals(stop.clone())?;
    let mut watch = Watch {
        program,
        plan: &plan,
        err,
        progress: options.progress.map(|progress| self::progress(options, progress, wording)),
        exit_on_abort: options.exit_on_abort.then_some(stop),
        aborted: None,
    };
    let outcome = exec::run_phase(&execution, &clock, PhaseId(0), &mut watch).await;
    if let Some(thread) = watch.aborted {
        let text = format!("Run was aborted due to an error in thread {thread}");
        return Ok(Ended::Aborted(wording::tagged(program, &text)));
    }
    let phase = match outcome {
        Ok(phase) => phase,
        Err(exec::Error::Stopped(_)) => {
            return Ok(Ended::Interrupted("Run was interrupted before anything was measured."));
        }
        Err(exec::Error::Session { client, source }) => {
            let error = wording::connection(&source);
            return Err(format!("{error}\nerror: could not create connection for client {client}"));
        }
        Err(other) => return Err(other.to_string()),
    };
    let interrupted = phase.ending == Ending::Interrupted;
    let clients_ended = phase.clients_ended;
    let facts = RunFacts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        environment,
        steps: Vec::new(),
        metrics: RunMetrics { phases: vec![phase], ending: Ending::Complete },
        own: Vec::new(),
        warnings: Vec::new(),
    };
    let report = Report::build(&plan, &facts);
    let block = render(options, &report, scale, found.partitions);
    let _ = out.write_all(output::render(options, &report, &block).as_bytes());
    let _ = out.flush();
    if let Some(path) = &options.out {
        output::keep(&report, path)?;
    }
    Ok(match clients_ended {
        _ if interrupted => Ended::Interrupted("Run was interrupted; the above results are incomplete."),
        0 => Ended::Fine,
        _ => Ended::Incomplete,
    })
}

/// The first line: the version whose report is printed, and the server's where it is another.
fn banner(major: u32, server: &str) -> String {
    match major {
        // the version that is followed in everything else, too
        18 if server == "18.6" || server.starts_with("18.6 ") => "pgbench (18.6)".to_owned(),
        18 => format!("pgbench (18.6, server {server})"),
        _ => format!("pgbench ({major}, server {server})"),
    }
}

/// The line that `--debug` begins with.
fn described(options: &Options, target: &Target) -> String {
    let (host, port) = target.hosts().first().map_or((String::new(), 0), |host| {
        let place = match &host.place {
            Place::Folder(folder) => folder.display().to_string(),
            Place::Name(name) => name.clone(),
            Place::Address(address, name) => name.clone().unwrap_or_else(|| address.to_string()),
        };
        (place, host.port)
    });
    let (what, number) = match options.stop {
        Stop::Transactions(count) => ("nxacts", count),
        Stop::Seconds(seconds) => ("duration", seconds),
    };
    let (clients, database) = (options.clients, target.database());
    format!("pghost: {host} pgport: {port} nclients: {clients} {what}: {number} dbName: {database}")
}

/// From here on Ctrl-C and SIGTERM end the run with its report, and no longer the program without one.
fn pass_on_signals(stop: Arc<watch::Sender<StopStage>>) -> Result<(), String> {
    let listening = Interrupt::listen(StopStage::Run);
    let (interrupt, _) = listening.map_err(|error| format!("can't listen for Ctrl-C: {error}"))?;
    let stages = [StopStage::Drain, StopStage::Cancel, StopStage::Leave];
    tokio::spawn(interrupt.pass_on(stages, move |stage| {
        stop.send_replace(stage);
    }));
    Ok(())
}

/// The files of `-l`.
fn logs(options: &Options, wording: Wording, clock: Clock) -> Result<Option<Arc<TransactionLogs>>, String> {
    let Some(log) = &options.log else { return Ok(None) };
    let style = LogStyle {
        sampling_rate: log.sampling_rate,
        interval: log.aggregate_interval_s.map(|seconds| Duration::from_secs(seconds.into())),
        lag: options.rate.is_some(),
        limit: options.latency_limit_us.is_some(),
        retries: options.max_tries != 1 && wording >= Wording::V15,
        failures_detailed: options.failures_detailed,
        all_columns: wording >= Wording::V15,
    };
    log::open(&log.prefix, options.jobs, style, clock).map(Some)
}

/// The lines of `-P`.
fn progress(options: &Options, progress: ProgressOptions, wording: Wording) -> Progress {
    let columns = Columns {
        lag: options.rate.is_some(),
        skipped: options.rate.is_some() && options.latency_limit_us.is_some(),
        retries: options.max_tries != 1,
        timestamp: progress.timestamp,
    };
    Progress::new(Duration::from_secs(progress.interval_s.into()), columns, wording, Instant::now())
}

/// pgbench's block, with what the command line adds to it.
fn render(options: &Options, report: &Report, scale: i64, partitions: Option<(String, u64)>) -> String {
    let Some(phase) = report.phases.first() else { return String::new() };
    let mut block = block::of(phase, scale);
    block.latencies = options.rate.is_some() || options.latency_limit_us.is_some() || options.progress.is_some();
    block.failures_detailed = options.failures_detailed;
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
    pgbench::render(&block, Wording::of_major(options.pgbench_version))
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
    let mut plan =
        compile_pgbench(&inputs).map_err(|errors| errors.first().map(ToString::to_string).unwrap_or_default())?;
    plan.report.pgbench = options.pgbench_version;
    if (12..=14).contains(&options.pgbench_version) {
        plan.algorithm = Algorithm::Rand48;
    }
    Ok(plan)
}

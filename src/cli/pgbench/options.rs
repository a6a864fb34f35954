//! What a pgbench command line asks for.

use std::path::PathBuf;

use super::seed::Seed;
use crate::script::Script;

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Job {
    /// `-i`
    Initialize(InitOptions),
    /// A run.
    Benchmark(Box<Options>),
}

/// What a run is asked for.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Options {
    /// In the order given.
    pub(crate) scripts: Vec<ScriptArg>,
    /// `-c`
    pub(crate) clients: u32,
    /// `-j`, at most as many as clients.
    pub(crate) jobs: u32,
    /// `-t`, `-T` or neither.
    pub(crate) stop: Stop,
    /// `-M`
    pub(crate) protocol: &'static str,
    /// `-C`
    pub(crate) connect: bool,
    /// `-n`
    pub(crate) no_vacuum: bool,
    /// `-v`
    pub(crate) vacuum_all: bool,
    /// `-r`
    pub(crate) report_per_command: bool,
    /// `-R`, transactions a second.
    pub(crate) rate: Option<f64>,
    /// `-L`, whole microseconds.
    pub(crate) latency_limit_us: Option<u64>,
    /// `-D`, later ones win.
    pub(crate) define: Vec<(String, String)>,
    /// `-s`
    pub(crate) scale: Option<u32>,
    /// The seed of all randomness, wherever it comes from.
    pub(crate) seed: u64,
    /// Whether the seed is the same each time.
    pub(crate) has_fixed_seed: bool,
    /// `--max-tries`; 0: without limit.
    pub(crate) max_tries: u32,
    /// `-P`
    pub(crate) progress: Option<ProgressOptions>,
    /// `-l`
    pub(crate) log: Option<LogOptions>,
    /// `--failures-detailed`
    pub(crate) failures_detailed: bool,
    /// `--verbose-errors`
    pub(crate) verbose_errors: bool,
    /// `--exit-on-abort`
    pub(crate) exit_on_abort: bool,
    /// `--debug`
    pub(crate) debug: bool,
    /// `--format`: what standard output gets.
    pub(crate) format: Format,
    /// `--percentiles`, between 0 and 100, as written.
    pub(crate) percentiles: Vec<String>,
    /// `--pgbench-version`: the major version whose report is printed; 9 is 9.6.
    pub(crate) pgbench_version: u32,
    /// `REPRISE_OUT`: where the whole report goes too.
    pub(crate) out: Option<PathBuf>,
    /// Where the server is.
    pub(crate) connection: ConnectionOptions,
}

/// `-P`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProgressOptions {
    /// Seconds between two lines.
    pub(crate) interval_s: u32,
    /// `--progress-timestamp`
    pub(crate) timestamp: bool,
}

/// `-l`
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogOptions {
    /// `--log-prefix`
    pub(crate) prefix: String,
    /// `--sampling-rate`, above 0 and at most 1; never beside an interval.
    pub(crate) sampling_rate: Option<f64>,
    /// `--aggregate-interval`, seconds; a duration is a multiple of it.
    pub(crate) aggregate_interval_s: Option<u32>,
}

/// What standard output gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// pgbench's report.
    Text,
    /// The whole report.
    Json,
}

/// What an initialization is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InitOptions {
    /// `-I` with what `-n` and `--foreign-keys` make of it: letters of `dtgGvpf` in order.
    pub(crate) steps: String,
    /// `-s`
    pub(crate) scale: u32,
    /// `-F`, percent.
    pub(crate) fillfactor: u32,
    /// `-q`
    pub(crate) quiet: bool,
    /// `--unlogged-tables`
    pub(crate) unlogged_tables: bool,
    /// `--tablespace`
    pub(crate) tablespace: Option<String>,
    /// `--index-tablespace`
    pub(crate) index_tablespace: Option<String>,
    /// `--partitions`; 0: none.
    pub(crate) partitions: u32,
    /// `--partition-method`
    pub(crate) partition_method: PartitionMethod,
    /// `--init-jobs`
    pub(crate) jobs: u32,
    /// `--debug`
    pub(crate) debug: bool,
    /// Where the server is.
    pub(crate) connection: ConnectionOptions,
}

/// How the accounts are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartitionMethod {
    /// By ranges of `aid`.
    Range,
    /// By the hash of `aid`.
    Hash,
}

/// Where the server is, and as whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ConnectionOptions {
    /// `-d` or the operand: a name, or a whole connection string.
    pub(crate) dbname: Option<String>,
    /// `-h`
    pub(crate) host: Option<String>,
    /// `-p`
    pub(crate) port: Option<String>,
    /// `-U`
    pub(crate) user: Option<String>,
}

/// A script with its weight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptArg {
    /// The file as given, or `<builtin: …>`.
    pub(crate) description: String,
    /// Whether it is one of pgbench's own.
    pub(crate) builtin: bool,
    /// What it says, parsed …
    pub(crate) script: Script,
    /// … and as it is written.
    pub(crate) text: String,
    /// How often it is chosen.
    pub(crate) weight: u32,
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// After so many transactions of each client.
    Transactions(u32),
    /// After so many seconds.
    Seconds(u32),
}

/// What pgbench does where nothing is said.
impl Default for Options {
    fn default() -> Self {
        Self {
            scripts: Vec::new(),
            clients: 1,
            jobs: 1,
            stop: Stop::Transactions(10),
            protocol: "simple",
            connect: false,
            no_vacuum: false,
            vacuum_all: false,
            report_per_command: false,
            rate: None,
            latency_limit_us: None,
            define: Vec::new(),
            scale: None,
            seed: Seed::Time.draw(),
            has_fixed_seed: false,
            max_tries: 1,
            progress: None,
            log: None,
            failures_detailed: false,
            verbose_errors: false,
            exit_on_abort: false,
            debug: false,
            format: Format::Text,
            percentiles: Vec::new(),
            pgbench_version: 18,
            out: None,
            connection: ConnectionOptions::default(),
        }
    }
}

impl Default for InitOptions {
    fn default() -> Self {
        Self {
            steps: "dtgvp".to_owned(),
            scale: 1,
            fillfactor: 100,
            quiet: false,
            unlogged_tables: false,
            tablespace: None,
            index_tablespace: None,
            partitions: 0,
            partition_method: PartitionMethod::Range,
            jobs: 1,
            debug: false,
            connection: ConnectionOptions::default(),
        }
    }
}

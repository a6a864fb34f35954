//! Reads a command line from left to right: what is wrong with one option is told before the next is looked at.

use std::io::Write;
use std::path::PathBuf;

use super::builtin;
use super::files;
use super::getopt::{self, Found, Kind, Spec};
use super::numbers::{self, Wrong};
use super::options::{ConnectionOptions, Format, InitOptions, Job, Options, PartitionMethod};
use super::scripts::{self, Scripts};
use super::seed::Seed;
use super::table::OPTIONS;
use crate::name::is_name;

/// What an environment says beside a command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// `PGBENCH_RANDOM_SEED`
    pub(crate) seed: Option<String>,
    /// `REPRISE_OUT`
    pub(crate) out: Option<PathBuf>,
}

/// A fault, or something to print instead of running.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stopped {
    /// getopt's own complaint; after it stands the hint at `--help`.
    Getopt(String),
    /// An error; further lines with their tags (`hint: …`) after it.
    Error(String),
    /// What was asked for instead of a run, to standard error.
    Shown(String),
}

impl From<String> for Stopped {
    fn from(message: String) -> Self {
        Self::Error(message)
    }
}

pub(super) fn error<T>(message: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Error(message.into()))
}

/// A command line, as far as it is read: what is given, not yet what it means together.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Draft<'a> {
    pub(super) program: &'a str,
    err: &'a mut dyn Write,
    pub(super) options: Options,
    pub(super) init: InitOptions,
    pub(super) connection: ConnectionOptions,
    pub(super) scripts: Scripts,
    pub(super) operands: Vec<&'a str>,
    pub(super) initialize: bool,
    /// Whether an option for the one kind of run, or the other, is there.
    pub(super) has_init_option: bool,
    pub(super) has_run_option: bool,
    pub(super) foreign_keys: bool,
    pub(super) partition_method: Option<PartitionMethod>,
    pub(super) transactions: Option<u32>,
    pub(super) seconds: Option<u32>,
    pub(super) progress: Option<u32>,
    pub(super) progress_timestamp: bool,
    pub(super) log: bool,
    pub(super) log_prefix: Option<String>,
    pub(super) sampling_rate: Option<f64>,
    pub(super) aggregate_interval: Option<u32>,
}

/// Reads a command line, without the program's name. What is to be said while it is read goes to `err`.
pub(super) fn parse(
    program: &str,
    args: &[String],
    surroundings: &Surroundings,
    err: &mut dyn Write,
) -> Result<Job, Stopped> {
    let mut draft = Draft {
        program,
        err,
        options: Options { out: surroundings.out.clone(), ..Options::default() },
        init: InitOptions::default(),
        connection: ConnectionOptions::default(),
        scripts: Scripts::default(),
        operands: Vec::new(),
        initialize: false,
        has_init_option: false,
        has_run_option: false,
        foreign_keys: false,
        partition_method: None,
        transactions: None,
        seconds: None,
        progress: None,
        progress_timestamp: false,
        log: false,
        log_prefix: None,
        sampling_rate: None,
        aggregate_interval: None,
    };
    if let Some(text) = &surroundings.seed {
        draft.seed(text, "PGBENCH_RANDOM_SEED environment variable")?;
    }
    for found in getopt::read(OPTIONS, args) {
        match found.map_err(Stopped::Getopt)? {
            Found::Operand(text) => draft.operands.push(text),
            Found::Option(spec, value) => draft.apply(spec, value)?,
        }
    }
    draft.conclude()
}

impl Draft<'_> {
    fn apply(&mut self, spec: &'static Spec, value: &str) -> Result<(), Stopped> {
        match spec.kind {
            Kind::Initialize if spec.long != "initialize" => self.has_init_option = true,
            Kind::Initialize | Kind::Common => {}
            Kind::Script | Kind::Benchmark => self.has_run_option = true,
        }
        match spec.kind {
            Kind::Initialize => self.apply_init(spec, value),
            Kind::Script => self.apply_script(spec, value),
            Kind::Benchmark => self.apply_benchmark(spec, value),
            Kind::Common => self.apply_common(spec, value),
        }
    }

    fn apply_init(&mut self, spec: &Spec, value: &str) -> Result<(), Stopped> {
        let init = &mut self.init;
        match spec.long {
            "initialize" => self.initialize = true,
            "init-steps" => init.steps = steps(value)?,
            "fillfactor" => init.fillfactor = integer(spec, value, 10, 100)?,
            "quiet" => init.quiet = true,
            "foreign-keys" => self.foreign_keys = true,
            "unlogged-tables" => init.unlogged_tables = true,
            "tablespace" => init.tablespace = Some(value.to_owned()),
            "index-tablespace" => init.index_tablespace = Some(value.to_owned()),
            "partitions" => init.partitions = integer(spec, value, 0, MOST)?,
            "partition-method" => {
                self.partition_method = Some(match value.to_ascii_lowercase().as_str() {
                    "range" => PartitionMethod::Range,
                    "hash" => PartitionMethod::Hash,
                    _ => {
                        return error(format!(
                            "invalid partition method, expecting \"range\" or \"hash\", got: \"{value}\""
                        ));
                    }
                });
            }
            "init-jobs" => init.jobs = integer(spec, value, 1, MOST)?,
            _ => unreachable_option(spec)?,
        }
        Ok(())
    }

    fn apply_script(&mut self, spec: &Spec, value: &str) -> Result<(), Stopped> {
        let called = |name| scripts::builtin_script(name);
        match spec.long {
            "builtin" if value == "list" => return Err(Stopped::Shown(format!("{}\n", builtin::list()))),
            "builtin" => self.scripts.add_builtin(value)?,
            "file" => self.scripts.add_file(value)?,
            "skip-some-updates" => self.scripts.add(called("simple-update")?, 1)?,
            "select-only" => self.scripts.add(called("select-only")?, 1)?,
            _ => unreachable_option(spec)?,
        }
        Ok(())
    }

    fn apply_common(&mut self, spec: &Spec, value: &str) -> Result<(), Stopped> {
        let owned = || Some(value.to_owned());
        match spec.long {
            "no-vacuum" => self.options.no_vacuum = true,
            "scale" => self.options.scale = Some(integer(spec, value, 1, MOST)?),
            "debug" => self.options.debug = true,
            "show-script" => {
                let script = scripts::builtin_script(value)?;
                let text = format!("-- {}: {}\n{}\n", script.name, script.description, script.text);
                return Err(Stopped::Shown(text));
            }
            "dbname" => self.connection.dbname = owned(),
            "host" => self.connection.host = owned(),
            "port" => self.connection.port = owned(),
            "username" => self.connection.user = owned(),
            _ => unreachable_option(spec)?,
        }
        Ok(())
    }

    fn apply_benchmark(&mut self, spec: &Spec, value: &str) -> Result<(), Stopped> {
        let options = &mut self.options;
        let count = || integer(spec, value, 1, MOST);
        match spec.long {
            "client" => {
                options.clients = count()?;
                files::make_room(options.clients)?;
            }
            "jobs" => options.jobs = count()?,
            "transactions" => self.transactions = Some(count()?),
            "time" => self.seconds = Some(count()?),
            "connect" => options.connect = true,
            "define" => options.define.push(definition(value)?),
            // below a microsecond it is none
            "latency-limit" => options.latency_limit_us = Some(limit_us(value)?).filter(|us| *us > 0),
            // transactions without end in no time are no schedule
            "rate" => options.rate = Some(positive(value, "rate limit")?).filter(|rate| rate.is_finite()),
            "protocol" => match ["simple", "extended", "prepared"].into_iter().find(|known| *known == value) {
                Some(protocol) => options.protocol = protocol,
                None => return error(format!("invalid query mode (-M): \"{value}\"")),
            },
            "report-per-command" => options.report_per_command = true,
            "vacuum-all" => options.vacuum_all = true,
            "failures-detailed" => options.failures_detailed = true,
            "verbose-errors" => options.verbose_errors = true,
            "exit-on-abort" => options.exit_on_abort = true,
            "max-tries" => match u32::try_from(numbers::leading_integer(value)) {
                Ok(tries) => options.max_tries = tries,
                Err(_) => return error(format!("invalid number of maximum tries: \"{value}\"")),
            },
            "random-seed" => self.seed(value, "--random-seed option")?,
            "progress" => self.progress = Some(count()?),
            "progress-timestamp" => self.progress_timestamp = true,
            "log" => self.log = true,
            "log-prefix" => self.log_prefix = Some(value.to_owned()),
            "sampling-rate" => match numbers::leading_number(value) {
                rate if rate > 0.0 && rate <= 1.0 => self.sampling_rate = Some(rate),
                _ => return error(format!("invalid sampling rate: \"{value}\"")),
            },
            "aggregate-interval" => self.aggregate_interval = Some(count()?),
            "format" => options.format = format_called(value)?,
            "percentiles" => options.percentiles = percentiles(value)?,
            "pgbench-version" => options.pgbench_version = version(value)?,
            _ => unreachable_option(spec)?,
        }
        Ok(())
    }

    fn seed(&mut self, text: &str, origin: &str) -> Result<(), Stopped> {
        let Some(seed) = Seed::parse(text) else {
            return error(format!(
                "unrecognized random seed option \"{text}\"\n\
                 detail: Expecting an unsigned integer, \"time\" or \"rand\".\n\
                 error: error while setting random seed from {origin}"
            ));
        };
        self.options.seed = seed.draw();
        self.options.has_fixed_seed = matches!(seed, Seed::Number(_));
        // a closed standard error changes nothing
        let _ = writeln!(self.err, "{}: setting random seed to {}", self.program, self.options.seed);
        Ok(())
    }
}

/// C's largest `int`.
const MOST: u32 = i32::MAX.unsigned_abs();

/// The table has an option that nothing here reads.
fn unreachable_option(spec: &Spec) -> Result<(), Stopped> {
    error(format!("{} is in the table of options and is not read", spec.name()))
}

fn integer(spec: &Spec, value: &str, least: u32, most: u32) -> Result<u32, Stopped> {
    numbers::integer(value, least, most).or_else(|wrong| match wrong {
        Wrong::NotInteger => error(format!("invalid value \"{value}\" for option {}", spec.name())),
        Wrong::OutOfRange => error(format!("{} must be in range {least}..{most}", spec.name())),
    })
}

fn positive(value: &str, what: &str) -> Result<f64, Stopped> {
    match numbers::leading_number(value) {
        number if number > 0.0 => Ok(number),
        _ => error(format!("invalid {what}: \"{value}\"")),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number, cut as pgbench cuts it"
)]
fn limit_us(value: &str) -> Result<u64, Stopped> {
    positive(value, "latency limit").map(|ms| (ms * 1000.0) as u64)
}

fn definition(value: &str) -> Result<(String, String), Stopped> {
    match value.split_once('=') {
        Some((name, text)) if !name.is_empty() && !text.is_empty() => {
            if !is_name(name.bytes()) {
                return error(format!("option: invalid variable name: \"{name}\""));
            }
            Ok((name.to_owned(), text.to_owned()))
        }
        _ => error(format!("invalid variable definition: \"{value}\"")),
    }
}

fn steps(value: &str) -> Result<String, Stopped> {
    if value.is_empty() {
        return error("no initialization steps specified");
    }
    match value.chars().find(|c| !"dtgGvpf ".contains(*c)) {
        Some(other) => error(format!(
            "unrecognized initialization step \"{other}\"\ndetail: Allowed step characters are: \"dtgGvpf\"."
        )),
        None => Ok(value.replace(' ', "")),
    }
}

fn format_called(value: &str) -> Result<Format, Stopped> {
    match value {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        _ => error(format!("invalid report format: \"{value}\"\ndetail: Expecting \"text\" or \"json\".")),
    }
}

fn percentiles(value: &str) -> Result<Vec<String>, Stopped> {
    let valid = |text: &str| text.parse::<f64>().is_ok_and(|p| p > 0.0 && p <= 100.0);
    match value.split(',').find(|text| !valid(text)) {
        Some(text) => error(format!(
            "invalid percentile: \"{text}\"\ndetail: Expecting numbers between 0 and 100 with commas between them."
        )),
        None => Ok(value.split(',').map(str::to_owned).collect()),
    }
}

fn version(value: &str) -> Result<u32, Stopped> {
    match value {
        "9.6" => Ok(9),
        _ => match value.parse() {
            Ok(version @ 10..=18) => Ok(version),
            _ => {
                error(format!("unknown pgbench version: \"{value}\"\ndetail: Expecting 9.6 or a number from 10 to 18."))
            }
        },
    }
}

#[cfg(test)]
mod tests;

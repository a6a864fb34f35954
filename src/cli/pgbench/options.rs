//! What a pgbench command line asks for, checked in the order and in the words that its users know.

use super::builtin::{self, Builtin};
use super::getopt::{self, Found, Spec};
use super::table::OPTIONS;

/// A command line, checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    /// In the order given.
    pub(crate) scripts: Vec<ScriptArg>,
    /// `-c`.
    pub(crate) clients: u32,
    /// `-j`.
    pub(crate) jobs: u32,
    /// `-t`, `-T` or neither.
    pub(crate) stop: Stop,
    /// `-M`.
    pub(crate) protocol: &'static str,
    /// `-C`.
    pub(crate) connect: bool,
    /// `-n`.
    pub(crate) no_vacuum: bool,
    /// `-r`.
    pub(crate) report_per_command: bool,
    /// `-R`, transactions a second.
    pub(crate) rate: Option<f64>,
    /// `-L`, whole microseconds.
    pub(crate) latency_limit_us: Option<u64>,
    /// `-D`, later ones win.
    pub(crate) define: Vec<(String, String)>,
    /// `-s`.
    pub(crate) scale: Option<u32>,
    /// `--random-seed` or its environment variable.
    pub(crate) seed: Option<Seed>,
    /// `--max-tries`; 0: without limit.
    pub(crate) max_tries: u32,
    /// `-d` or the operand.
    pub(crate) dbname: Option<String>,
    /// `-h`.
    pub(crate) host: Option<String>,
    /// `-p`.
    pub(crate) port: Option<String>,
    /// `-U`.
    pub(crate) user: Option<String>,
}

/// A script with its weight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptArg {
    /// Where it comes from.
    pub(crate) origin: ScriptOrigin,
    /// How often it is chosen.
    pub(crate) weight: u32,
}

/// Where a script comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScriptOrigin {
    /// `-b`.
    Builtin(&'static Builtin),
    /// `-f`; `-` is standard input.
    File(String),
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stop {
    /// After so many transactions of each client.
    Transactions(u32),
    /// After so many seconds.
    Seconds(u32),
}

/// `--random-seed`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Seed {
    /// From the clock.
    Time,
    /// From the system's randomness.
    Rand,
    /// This one.
    Number(u64),
}

/// A fault, or something to print instead of running.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stopped {
    /// getopt's own complaint: after it stands the hint at `--help`.
    Usage(String),
    /// An error, further lines with their tags (`hint: …`) after it.
    Error(String),
    /// The list of builtins, to stderr, with exit code 0.
    List,
}

fn error<T>(message: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Error(message.into()))
}

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
            report_per_command: false,
            rate: None,
            latency_limit_us: None,
            define: Vec::new(),
            scale: None,
            seed: None,
            max_tries: 1,
            dbname: None,
            host: None,
            port: None,
            user: None,
        }
    }
}

/// Reads a command line, without the program's name. `seed_from_environment` is `PGBENCH_RANDOM_SEED`.
pub(crate) fn parse(args: &[String], seed_from_environment: Option<&str>) -> Result<Options, Stopped> {
    let mut options = Options::default();
    if let Some(text) = seed_from_environment {
        options.seed = Some(seed(text, "PGBENCH_RANDOM_SEED environment variable")?);
    }
    let mut transactions = None;
    let mut seconds = None;
    let mut operands = Vec::new();
    for found in getopt::read(OPTIONS, args).map_err(Stopped::Usage)? {
        match found {
            Found::Operand(text) => operands.push(text),
            Found::Option(spec, value) => match spec.long {
                "transactions" => transactions = Some(integer(spec, value)?),
                "time" => seconds = Some(integer(spec, value)?),
                _ => apply(&mut options, spec, value)?,
            },
        }
    }
    if options.scripts.is_empty() {
        options.scripts.push(ScriptArg { origin: ScriptOrigin::Builtin(&builtin::ALL[0]), weight: 1 });
    }
    if options.scripts.iter().all(|s| s.weight == 0) {
        return error("total script weight must not be zero");
    }
    options.jobs = options.jobs.min(options.clients);
    let mut operands = operands.into_iter();
    if options.dbname.is_none() {
        options.dbname = operands.next().map(str::to_owned);
    }
    if let Some(extra) = operands.next() {
        return Err(Stopped::Usage(format!("error: too many command-line arguments (first is \"{extra}\")")));
    }
    options.stop = match (transactions, seconds) {
        (Some(_), Some(_)) => {
            return error("specify either a number of transactions (-t) or a duration (-T), not both");
        }
        (_, Some(s)) => Stop::Seconds(s),
        (t, None) => Stop::Transactions(t.unwrap_or(10)),
    };
    if options.max_tries == 0 && options.latency_limit_us.is_none() && seconds.is_none() {
        return error(
            "an unlimited number of transaction tries can only be used with --latency-limit or a duration (-T)",
        );
    }
    Ok(options)
}

fn apply(options: &mut Options, spec: &'static Spec, value: &str) -> Result<(), Stopped> {
    let owned = || Some(value.to_owned());
    match spec.long {
        "builtin" if value == "list" => return Err(Stopped::List),
        "builtin" => {
            let (name, weight) = weighted(value)?;
            options.scripts.push(ScriptArg { origin: ScriptOrigin::Builtin(builtin_called(name)?), weight });
        }
        "file" => {
            let (name, weight) = weighted(value)?;
            options.scripts.push(ScriptArg { origin: ScriptOrigin::File(name.to_owned()), weight });
        }
        "skip-some-updates" => options.scripts.push(of_builtin("simple-update")?),
        "select-only" => options.scripts.push(of_builtin("select-only")?),
        "client" => options.clients = integer(spec, value)?,
        "jobs" => options.jobs = integer(spec, value)?,
        "scale" => options.scale = Some(integer(spec, value)?),
        "connect" => options.connect = true,
        "no-vacuum" => options.no_vacuum = true,
        "report-per-command" => options.report_per_command = true,
        "define" => options.define.push(definition(value)?),
        // below a microsecond it is none
        "latency-limit" => options.latency_limit_us = Some(limit_us(value)?).filter(|us| *us > 0),
        "rate" => options.rate = Some(positive(value, "rate limit")?),
        "protocol" => {
            let known = ["simple", "extended", "prepared"].into_iter().find(|p| *p == value);
            match known {
                Some(protocol) => options.protocol = protocol,
                None => return error(format!("invalid query mode (-M): \"{value}\"")),
            }
        }
        "max-tries" => match leading_integer(value) {
            negative if negative < 0 => return error(format!("invalid number of maximum tries: \"{value}\"")),
            tries => options.max_tries = u32::try_from(tries).unwrap_or(u32::MAX),
        },
        "random-seed" => options.seed = Some(seed(value, "--random-seed option")?),
        "dbname" => options.dbname = owned(),
        "host" => options.host = owned(),
        "port" => options.port = owned(),
        "username" => options.user = owned(),
        _ => return error(format!("{} is not supported yet", spec.name())),
    }
    Ok(())
}

fn integer(spec: &Spec, value: &str) -> Result<u32, Stopped> {
    let text = value.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return error(format!("invalid value \"{value}\" for option {}", spec.name()));
    }
    let number = text.parse::<i32>().ok().filter(|n| *n >= 1).and_then(|n| u32::try_from(n).ok());
    number.map_or_else(|| error(format!("{} must be in range 1..{}", spec.name(), i32::MAX)), Ok)
}

/// As C's `atoi`: what begins as a number counts, anything else is 0.
fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let sign = usize::from(text.starts_with(['+', '-']));
    let end = text[sign..].bytes().position(|b| !b.is_ascii_digit()).map_or(text.len(), |n| n + sign);
    text[..end].parse().unwrap_or(0)
}

fn positive(value: &str, what: &str) -> Result<f64, Stopped> {
    match leading_number(value) {
        number if number > 0.0 => Ok(number),
        _ => error(format!("invalid {what}: \"{value}\"")),
    }
}

/// As C's `atof`: the longest beginning that is a number, else 0.
fn leading_number(text: &str) -> f64 {
    let text = text.trim_start();
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.rev().find_map(|end| text[..end].parse().ok()).unwrap_or(0.0)
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
            if !is_variable_name(name) {
                return error(format!("option: invalid variable name: \"{name}\""));
            }
            Ok((name.to_owned(), text.to_owned()))
        }
        _ => error(format!("invalid variable definition: \"{value}\"")),
    }
}

fn is_variable_name(name: &str) -> bool {
    let allowed = |c: char| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii();
    name.chars().all(allowed) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn seed(text: &str, source: &str) -> Result<Seed, Stopped> {
    match text {
        "time" => Ok(Seed::Time),
        "rand" => Ok(Seed::Rand),
        _ => text.parse().map(Seed::Number).or_else(|_| {
            error(format!(
                "unrecognized random seed option \"{text}\"\n\
                 detail: Expecting an unsigned integer, \"time\" or \"rand\".\n\
                 error: error while setting random seed from {source}"
            ))
        }),
    }
}

fn weighted(value: &str) -> Result<(&str, u32), Stopped> {
    let Some(at) = value.rfind('@') else { return Ok((value, 1)) };
    let text = &value[at + 1..];
    match text.parse::<i64>() {
        Ok(weight) => match u32::try_from(weight).ok().filter(|w| i32::try_from(*w).is_ok()) {
            Some(weight) => Ok((&value[..at], weight)),
            None => error(format!("weight specification out of range (0 .. {}): {weight}", i32::MAX)),
        },
        Err(_) => error(format!("invalid weight specification: @{text}")),
    }
}

fn of_builtin(name: &str) -> Result<ScriptArg, Stopped> {
    Ok(ScriptArg { origin: ScriptOrigin::Builtin(builtin_called(name)?), weight: 1 })
}

fn builtin_called(name: &str) -> Result<&'static Builtin, Stopped> {
    let matching: Vec<&Builtin> = builtin::ALL.iter().filter(|b| b.name.starts_with(name)).collect();
    match matching[..] {
        [] => error(format!("no builtin script found for name \"{name}\"\n{}\n", builtin::list())),
        [found] => Ok(found),
        _ => error(format!(
            "ambiguous builtin name: {} builtin scripts found for prefix \"{name}\"\n{}\n",
            matching.len(),
            builtin::list()
        )),
    }
}

#[cfg(test)]
mod tests;

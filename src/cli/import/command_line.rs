//! The command line as it is repeated, and what of it no scenario has.

use super::place::quoted;
use crate::cli::pgbench::{Found, Job, OPTIONS, Spec, read};
use crate::plan::compile::references;

/// A command line that pgbench would take.
pub(super) struct CommandLine {
    /// Its options in their short forms, without those that say where the server is.
    pub(super) text: String,
    /// A line for each option that a scenario has no key for.
    pub(super) notes: Vec<String>,
}

impl CommandLine {
    /// Reads the arguments of a job once more, as they were written.
    pub(super) fn read(args: &[String], job: &Job) -> Self {
        let mut line = Self { text: "pgbench".to_owned(), notes: Vec::new() };
        for found in read(OPTIONS, args).flatten() {
            let Found::Option(spec, value) = found else { continue };
            if !matches!(spec.long, "host" | "port" | "username" | "dbname") {
                line.text.push(' ');
                line.text.push_str(&as_written(spec, value));
            }
            let note = note(spec, value, job).map(|note| format!("{}: {note}", as_written(spec, value)));
            line.notes.extend(note.filter(|note| !line.notes.contains(note)));
        }
        line
    }
}

fn as_written(spec: &Spec, value: &str) -> String {
    let value = if spec.argument.is_some() { quoted(value) } else { String::new() };
    match spec.short {
        Some(short) if value.is_empty() => format!("-{short}"),
        Some(short) => format!("-{short} {value}"),
        None if value.is_empty() => format!("--{}", spec.long),
        None => format!("--{}={value}", spec.long),
    }
}

/// What to know of an option that the scenario does not say, or not to the letter.
fn note(spec: &Spec, value: &str, job: &Job) -> Option<String> {
    let text = match spec.long {
        "log" => "no log of transactions is written; run.json has the whole distribution and the time line",
        "log-prefix" | "sampling-rate" | "aggregate-interval" => "part of the log, which is not written",
        "report-per-command" => "the report has the times of every command anyway",
        "failures-detailed" => "the report counts failures by their kind anyway",
        "verbose-errors" => "errors are not shown as they happen; the report has the first of each kind",
        "exit-on-abort" => "a client that is aborted ends alone; the exit code is 2 all the same",
        "debug" => "nothing is shown while it runs; `reprise plan --programs` shows what is sent",
        "progress-timestamp" => "lines of progress have the time since the start",
        "percentiles" => "the report has percentiles of its own choice; run.json has the whole distribution",
        "quiet" => "progress is shown as in any set-up",
        "format" if value == "text" => return None,
        "format" => "give it to `reprise run`",
        "pgbench-version" if matches!(value, "12" | "13" | "14") => {
            "the report's wording is that version's; the random numbers are those of 15 and later"
        }
        "scale" if uses_builtin(job) => "the server is asked for the scale factor of its tables, as pgbench does",
        "define" if has_outer_blanks(value) => "blanks around the value are cut off",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Whether the tables are pgbench's, whatever `-s` says.
fn uses_builtin(job: &Job) -> bool {
    matches!(job, Job::Benchmark(options) if options.scripts.iter().any(|script| script.builtin))
}

fn has_outer_blanks(definition: &str) -> bool {
    definition.split_once('=').is_some_and(|(_, value)| references(value).is_empty() && value.trim() != value)
}

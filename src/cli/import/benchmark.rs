//! A run of pgbench as a scenario.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::command_line::CommandLine;
use super::place::{Folder, server};
use crate::cli::pgbench::{ConnectionOptions, Options, ScriptArg, Stop};
use crate::cli::yaml::{block, identifier, quoted, value, variable};
use crate::plan::compile::BUILTINS;
use crate::plan::print::duration;

/// What pgbench counts to know the scale factor of tables that are there.
const BRANCHES: &str = "select count(*) from pgbench_branches";

/// The whole scenario.
pub(super) fn scenario(options: &Options, line: &CommandLine, folder: &Folder) -> String {
    let mut text = head(line, &options.connection, folder, "");
    body(options, &[], folder, &mut text);
    text
}

/// The comment at the beginning, and the keys above all others; `further` are options of `reprise run`.
pub(super) fn head(line: &CommandLine, connection: &ConnectionOptions, folder: &Folder, further: &str) -> String {
    let mut text = format!("# What this does, with pgbench's defaults written out:\n#   {}\n", one_line(&line.text));
    let mut notes = line.notes.clone();
    match server(connection) {
        Some((server, has_secret)) => {
            text.push_str("# To run it on the server that pgbench would take:\n");
            // writing to a string does not fail
            let _ = writeln!(text, "#   reprise run {}{further} --server {}", folder.scenario, one_line(&server));
            if has_secret {
                notes.push("The password is not in here: give it by PGPASSWORD or a password file".to_owned());
            }
        }
        None => notes.push("The connection string could not be read: give one to `reprise run --server`".to_owned()),
    }
    for note in notes {
        let _ = writeln!(text, "# {}", one_line(&note));
    }
    let _ = writeln!(text, "reprise: 1\ndescription: {}", quoted(&line.text));
    text
}

/// A comment ends with its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// All keys from `seed` on; `setup` are lines of steps.
pub(super) fn body(options: &Options, setup: &[String], folder: &Folder, text: &mut String) {
    let seed = if options.has_fixed_seed { options.seed.to_string() } else { "random".to_owned() };
    let _ = writeln!(text, "seed: {seed}\nstreams: pgbench");
    section("vars", vars(options), text);
    section("setup", setup.iter().map(|step| format!("- {step}")), text);
    let names = names(&options.scripts);
    let scripts = names.iter().zip(&options.scripts);
    section("scripts", scripts.map(|(name, script)| format!("{name}:{}", written(script, folder))), text);
    section("load", load(options, &names), text);
    let steps = vacuum(options).into_iter().map(|sql| format!("- {{sql: {sql}, on_error: continue}}"));
    section("phases", steps.chain([format!("- {{name: main, {}}}", end(options))]), text);
    let _ = writeln!(text, "report: {{{}}}", report(options));
}

/// A key with lines below it, if there are any.
fn section(key: &str, lines: impl IntoIterator<Item = String>, text: &mut String) {
    for (number, line) in lines.into_iter().enumerate() {
        let head = if number == 0 { format!("{key}:\n") } else { String::new() };
        // writing to a string does not fail
        let _ = writeln!(text, "{head}  {line}");
    }
}

/// `:scale` first, unless `-D` gives it another value.
fn vars(options: &Options) -> Vec<String> {
    let builtin = options.scripts.iter().any(|script| script.builtin);
    let scale = match options.scale {
        _ if builtin => format!("{{query: {BRANCHES}}}"),
        scale => scale.unwrap_or(1).to_string(),
    };
    let mut vars = vec![("scale".to_owned(), scale)];
    for (name, text) in &options.define {
        vars.retain(|(known, _)| known != name);
        vars.push((name.clone(), variable(text)));
    }
    vars.iter().map(|(name, text)| format!("{}: {text}", value(name))).collect()
}

/// A name for each script, no two alike.
fn names(scripts: &[ScriptArg]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for script in scripts {
        let path = Path::new(builtin(script).unwrap_or(&script.description));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = if stem == "-" { "stdin".to_owned() } else { identifier(&stem) };
        let free = |name: &String| !names.contains(name);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        names.extend(std::iter::once(name.clone()).chain(numbered).find(free));
    }
    names
}

fn builtin(script: &ScriptArg) -> Option<&'static str> {
    let found = BUILTINS.iter().find(|known| script.builtin && known.description == script.description);
    found.map(|known| known.name)
}

/// What stands behind a script's name.
fn written(script: &ScriptArg, folder: &Folder) -> String {
    if let Some(name) = builtin(script) {
        return format!(" {{builtin: {name}}}");
    }
    match folder.name(&script.description) {
        Some(file) => format!(" {{file: {}}}", value(&file)),
        None => format!("\n    sql: {}", block(&script.text, 4)),
    }
}

/// The keys of `load` but those that say when it ends.
fn load(options: &Options, names: &[String]) -> Vec<String> {
    let weights: Vec<String> =
        names.iter().zip(&options.scripts).map(|(name, script)| format!("{name}: {}", script.weight)).collect();
    let mut keys = vec![
        format!("mix: {{{}}}", weights.join(", ")),
        format!("clients: {}", options.clients),
        format!("threads: {}", options.jobs),
        format!("protocol: {}", options.protocol),
        format!("connections: {}", if options.connect { "per_transaction" } else { "per_client" }),
        format!("max_tries: {}", options.max_tries),
        "on_error: pgbench".to_owned(),
        "grace: unlimited".to_owned(),
    ];
    keys.extend(options.latency_limit_us.map(|us| format!("latency_limit: {}", duration(Duration::from_micros(us)))));
    keys
}

/// What comes before the clients.
fn vacuum(options: &Options) -> Vec<&'static str> {
    let mut statements = Vec::new();
    if !options.no_vacuum {
        statements.extend(["vacuum pgbench_branches", "vacuum pgbench_tellers", "truncate pgbench_history"]);
        if options.vacuum_all {
            statements.push("vacuum analyze pgbench_accounts");
        }
    }
    statements
}

/// When it ends, and how fast it goes.
fn end(options: &Options) -> String {
    let end = match options.stop {
        Stop::Transactions(count) => format!("transactions_per_client: {count}"),
        Stop::Seconds(seconds) => format!("duration: {seconds}s"),
    };
    let rate = options.rate.map(|rate| format!(", rate: {rate}/s")).unwrap_or_default();
    end + &rate
}

fn report(options: &Options) -> String {
    let version = if options.pgbench_version == 9 { "9.6".to_owned() } else { options.pgbench_version.to_string() };
    let progress = options.progress.map(|progress| format!(", progress: {}s", progress.interval_s));
    format!("pgbench: {version}{}", progress.unwrap_or_default())
}

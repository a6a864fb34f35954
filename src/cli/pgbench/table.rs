//! pgbench's options.

use std::fmt::Write as _;

use super::getopt::Spec;

macro_rules! options {
    ($($short:literal $long:literal $argument:literal $help:literal;)*) => {
        &[$(Spec {
            short: letter($short),
            long: $long,
            argument: nonempty($argument),
            help: nonempty($help),
        }),*]
    };
}

const fn letter(text: &str) -> Option<char> {
    if text.is_empty() { None } else { Some(text.as_bytes()[0] as char) }
}

const fn nonempty(text: &'static str) -> Option<&'static str> {
    if text.is_empty() { None } else { Some(text) }
}

/// All of PostgreSQL 18's options; those without a help text are not supported yet.
pub(crate) static OPTIONS: &[Spec] = options! {
    "b" "builtin" "NAME[@W]" "run a builtin script, weight W (`list` lists)";
    "f" "file" "FILE[@W]" "run a script from a file, with weight W";
    "N" "skip-some-updates" "" "the same as -b simple-update";
    "S" "select-only" "" "the same as -b select-only";
    "c" "client" "NUM" "number of clients (default 1)";
    "C" "connect" "" "a new connection for each transaction";
    "D" "define" "NAME=VALUE" "define a variable for the scripts";
    "j" "jobs" "NUM" "number of threads (default 1)";
    "L" "latency-limit" "NUM" "count transactions over NUM ms as late";
    "M" "protocol" "PROTOCOL" "simple (default), extended or prepared";
    "n" "no-vacuum" "" "no VACUUM before the run";
    "P" "progress" "NUM" "";
    "r" "report-per-command" "" "latencies, failures and retries of each command";
    "R" "rate" "NUM" "aim at so many transactions a second";
    "s" "scale" "NUM" "report this scale factor";
    "t" "transactions" "NUM" "transactions of each client (default 10)";
    "T" "time" "NUM" "run for NUM seconds";
    "" "max-tries" "NUM" "tries of a transaction (default 1)";
    "" "random-seed" "SEED" "`time`, `rand` or a number";
    "d" "dbname" "DBNAME" "the database, or a connection string";
    "h" "host" "HOSTNAME" "the server's host or socket folder";
    "p" "port" "PORT" "the server's port";
    "U" "username" "USERNAME" "connect as this user";
    "i" "initialize" "" "";
    "I" "init-steps" "STEPS" "";
    "F" "fillfactor" "NUM" "";
    "q" "quiet" "" "";
    "" "foreign-keys" "" "";
    "" "index-tablespace" "TABLESPACE" "";
    "" "tablespace" "TABLESPACE" "";
    "" "partition-method" "METHOD" "";
    "" "partitions" "NUM" "";
    "" "unlogged-tables" "" "";
    "l" "log" "" "";
    "v" "vacuum-all" "" "";
    "" "aggregate-interval" "NUM" "";
    "" "exit-on-abort" "" "";
    "" "failures-detailed" "" "";
    "" "log-prefix" "PREFIX" "";
    "" "progress-timestamp" "" "";
    "" "sampling-rate" "NUM" "";
    "" "show-script" "NAME" "";
    "" "verbose-errors" "" "";
    "" "debug" "" "";
};

/// What `--help` prints.
pub(crate) fn help(program: &str) -> String {
    let mut text = format!(
        "{program} is a benchmarking tool for PostgreSQL.\n\nUsage:\n  {program} [OPTION]... [DBNAME]\n\nOptions:\n"
    );
    for spec in OPTIONS {
        let Some(does) = spec.help else { continue };
        let short = spec.short.map_or_else(|| "    ".to_owned(), |c| format!("-{c}, "));
        let argument = spec.argument.map_or_else(String::new, |a| format!("={a}"));
        let _ = writeln!(text, "  {:<29} {does}", format!("{short}--{}{argument}", spec.long));
    }
    text.push_str("  -V, --version                 show the version, then exit\n");
    text.push_str("  -?, --help                    show this help, then exit\n");
    text
}

//! pgbench's options and our own.

use std::fmt::Write as _;

use super::getopt::{Kind, Spec};

macro_rules! options {
    ($($short:literal $long:literal $argument:literal $kind:ident $own:literal $help:literal;)*) => {
        &[$(Spec {
            short: letter($short),
            long: $long,
            argument: nonempty($argument),
            kind: Kind::$kind,
            own: $own,
            help: $help,
        }),*]
    };
}

const fn letter(text: &str) -> Option<char> {
    if text.is_empty() { None } else { Some(text.as_bytes()[0] as char) }
}

const fn nonempty(text: &'static str) -> Option<&'static str> {
    if text.is_empty() { None } else { Some(text) }
}

/// All of PostgreSQL 18's options, in the order in which it lists those that an abbreviation may mean; then our own.
pub(crate) static OPTIONS: &[Spec] = options! {
    "b" "builtin" "NAME[@W]" Script false "run a builtin script, with weight W\n(`-b list` lists them)";
    "c" "client" "NUM" Benchmark false "number of clients (default 1)";
    "C" "connect" "" Benchmark false "a new connection for each transaction";
    "d" "dbname" "DBNAME" Common false "the database, or a connection string";
    "D" "define" "NAME=VALUE" Benchmark false "define a variable for the scripts";
    "f" "file" "FILE[@W]" Script false "run a script from a file, with weight W\n(`-` is standard input)";
    "F" "fillfactor" "NUM" Initialize false "fill pages to NUM percent (default 100)";
    "h" "host" "HOSTNAME" Common false "the server's host or socket folder";
    "i" "initialize" "" Initialize false "make the standard tables and fill them";
    "I" "init-steps" "STEPS" Initialize false
        "what to do, in this order (default dtgvp)\nd  drop the old tables\nt  create the tables\n\
         g  fill them, rows sent from here\nG  fill them, rows made by the server\nv  vacuum them\n\
         p  add primary keys\nf  add foreign keys";
    "j" "jobs" "NUM" Benchmark false "number of threads (default 1)";
    "l" "log" "" Benchmark false "write each transaction to a log file";
    "L" "latency-limit" "NUM" Benchmark false "count transactions over NUM ms as late";
    "n" "no-vacuum" "" Common false "leave out VACUUM";
    "p" "port" "PORT" Common false "the server's port";
    "P" "progress" "NUM" Benchmark false "show the progress each NUM seconds";
    "M" "protocol" "PROTOCOL" Benchmark false "simple (default), extended or prepared";
    "q" "quiet" "" Initialize false "show the progress each 5 seconds only";
    "r" "report-per-command" "" Benchmark false "latencies, failures, retries of each command";
    "R" "rate" "NUM" Benchmark false "aim at NUM transactions a second";
    "s" "scale" "NUM" Common false "scale factor: of the tables with -i, else the\none to report (default 1)";
    "S" "select-only" "" Script false "the same as -b select-only";
    "N" "skip-some-updates" "" Script false "the same as -b simple-update";
    "T" "time" "NUM" Benchmark false "run for NUM seconds";
    "t" "transactions" "NUM" Benchmark false "transactions of each client (default 10)";
    "U" "username" "USERNAME" Common false "connect as this user";
    "v" "vacuum-all" "" Benchmark false "vacuum all standard tables before the run";
    "" "unlogged-tables" "" Initialize false "create the tables as unlogged ones";
    "" "tablespace" "TABLESPACE" Initialize false "create the tables in this tablespace";
    "" "index-tablespace" "TABLESPACE" Initialize false "create indexes in this tablespace";
    "" "sampling-rate" "NUM" Benchmark false "log this share of the transactions (0.01: 1 %)";
    "" "aggregate-interval" "NUM" Benchmark false "log sums over NUM seconds";
    "" "progress-timestamp" "" Benchmark false "progress with the Unix time";
    "" "log-prefix" "PREFIX" Benchmark false "the log files' prefix (default pgbench_log)";
    "" "foreign-keys" "" Initialize false "add foreign keys";
    "" "random-seed" "SEED" Benchmark false "`time`, `rand` or a number";
    "" "show-script" "NAME" Common false "show a builtin script, then exit";
    "" "partitions" "NUM" Initialize false "split pgbench_accounts into NUM partitions";
    "" "partition-method" "METHOD" Initialize false "range (default) or hash";
    "" "failures-detailed" "" Benchmark false "count failures by their kind";
    "" "max-tries" "NUM" Benchmark false "tries of a transaction (default 1)";
    "" "verbose-errors" "" Benchmark false "show each error";
    "" "exit-on-abort" "" Benchmark false "stop when a client is aborted";
    "" "debug" "" Common false "show what is done";
    "" "format" "FORMAT" Benchmark true "text (default), or json: the whole report";
    "" "percentiles" "LIST" Benchmark true "latencies below which so much percent lie:\nNUM,NUM..., such as 50,99,99.9";
    "" "pgbench-version" "VERSION" Benchmark true "report as pgbench 9.6, 10 ... 18 (default) does";
    "" "init-jobs" "NUM" Initialize true "fill the tables over NUM sessions (default 1)";
};

/// What `--help` prints.
pub(crate) fn help(program: &str) -> String {
    let mut text = format!(
        "{program} is a benchmarking tool for PostgreSQL.\n\nUsage:\n  {program} [OPTION]... [DBNAME]\n\
         \nInitialization options:\n"
    );
    let own = |own| move |spec: &&Spec| spec.own == own;
    let kind = |kind| move |spec: &&Spec| !spec.own && spec.kind == kind;
    list(&mut text, OPTIONS.iter().filter(kind(Kind::Initialize)));
    text.push_str("\nOptions to select what to run:\n");
    list(&mut text, OPTIONS.iter().filter(kind(Kind::Script)));
    text.push_str("\nBenchmarking options:\n");
    list(&mut text, OPTIONS.iter().filter(kind(Kind::Benchmark)));
    text.push_str("\nCommon options:\n");
    list(&mut text, OPTIONS.iter().filter(kind(Kind::Common)));
    text.push_str("  -V, --version                 show the version, then exit\n");
    text.push_str("  -?, --help                    show this help, then exit\n");
    text.push_str("\nOptions that PostgreSQL's own pgbench doesn't have:\n");
    list(&mut text, OPTIONS.iter().filter(own(true)));
    text.push_str("\nThe whole report, as JSON, also goes to the file that REPRISE_OUT names.\n");
    text.push_str("\nReport bugs to the makers of reprise, not to PostgreSQL's.\n");
    text
}

fn list<'a>(text: &mut String, specs: impl Iterator<Item = &'a Spec>) {
    for spec in specs {
        let short = spec.short.map_or_else(|| "    ".to_owned(), |c| format!("-{c}, "));
        let argument = spec.argument.map_or_else(String::new, |a| format!("={a}"));
        let mut name = format!("{short}--{}{argument}", spec.long);
        for line in spec.help.lines() {
            // writing to a string does not fail
            let _ = writeln!(text, "  {name:<29} {line}");
            name.clear();
        }
    }
}

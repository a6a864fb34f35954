//! What other tools call a key: pgbench, k6 and their like.

use self::Meant::{Key, Way};

/// The sections that take the keys of a load.
const LOADS: &[&str] = &["`load`", "a phase", "a background load"];
const SCENARIO: &[&str] = &["a scenario"];
const SCRIPT: &[&str] = &["a script"];
const SERVER: &[&str] = &["`server`"];
const STEP: &[&str] = &["a step"];
const COLUMN: &[&str] = &["a column"];
const FEED: &[&str] = &["a feed"];
const METRIC: &[&str] = &["a metric"];
const NORMAL: &[&str] = &["`normal`"];
const EXPONENTIAL: &[&str] = &["`exponential`"];
const ZIPFIAN: &[&str] = &["`zipfian`"];
const DELAY: &[&str] = &["a distribution"];

/// What is to be done about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// It has another name here.
    Key(&'static str),
    /// It is said in another way, in a sentence.
    Way(&'static str),
}

/// Sections, words that people write there, and what is meant by them.
const SYNONYMS: &[(&[&str], &[&str], Meant)] = &[
    (SCENARIO, &["variables", "variable", "params", "parameters", "constants", "env", "defines"], Key("vars")),
    (SCENARIO, &["scenarios", "queries", "statements", "transaction", "workload", "workloads"], Key("scripts")),
    (
        SCENARIO,
        &["stages", "steps", "executor"],
        Way("a ramp is a phase: `phases: [{clients: 1..50, duration: 1min}]`"),
    ),
    (SCENARIO, &["options", "config"], Key("load")),
    (SCENARIO, &["init", "prepare", "before", "schema", "data"], Key("setup")),
    (SCENARIO, &["cleanup", "clean", "after"], Key("teardown")),
    (SCENARIO, &["vus", "users"], Way("write `load: {clients: 50}`")),
    (SCENARIO, &["iterations"], Way("write `load: {transactions: 1000}`, or `transactions_per_client`")),
    (
        SCENARIO,
        &["clients", "threads", "jobs", "duration", "rate", "mix", "think", "transactions", "protocol", "replicas"],
        Way("it stands below `load`: `load: {clients: 50, duration: 1min}`"),
    ),
    (
        SCENARIO,
        &["database", "host", "port", "url", "dsn", "connection", "postgres", "user", "password"],
        Way("where a scenario runs is said by `--server`, and never by the scenario"),
    ),
    (LOADS, &["vus", "users", "concurrency", "client"], Key("clients")),
    (LOADS, &["jobs", "job", "workers", "thread"], Key("threads")),
    (LOADS, &["time", "runtime", "seconds"], Key("duration")),
    (LOADS, &["mode", "query_mode", "querymode"], Key("protocol")),
    (LOADS, &["pool", "pool_size"], Way("a pool is written as the number of its connections: `connections: 20`")),
    (
        LOADS,
        &["weight", "weights", "scripts", "script"],
        Way("weights of scripts stand in a mix: `mix: {read: 9, write: 1}`"),
    ),
    (LOADS, &["iterations"], Way("write `transactions`, which all clients share, or `transactions_per_client`")),
    (LOADS, &["stages", "ramp"], Way("a ramp is a range over a phase: `clients: 1..50` or `rate: 10/s..500/s`")),
    (LOADS, &["warmup", "type", "kind"], Way("a warm-up is a phase of its own with `measure: false`")),
    (
        LOADS,
        &["executor", "random"],
        Way("leave it out: `rate` and `arrivals` say when transactions start, `mix` which ones"),
    ),
    (LOADS, &["tps", "qps", "throughput", "target"], Key("rate")),
    (LOADS, &["delay", "sleep", "pause", "think_time"], Key("think")),
    (LOADS, &["tries", "retries"], Key("max_tries")),
    (LOADS, &["interval", "pacing", "period"], Key("every")),
    (
        LOADS,
        &["ramp_up", "rampup", "ramp_up_time"],
        Way("a ramp is a phase of its own: `{name: ramp, clients: 1..50, duration: 1min}`"),
    ),
    (
        LOADS,
        &["query_timeout", "statement_timeout"],
        Way(
            "the client's own limit is `timeout: 30s`; the server's is `session: {settings: {statement_timeout: 30s}}`",
        ),
    ),
    (SCRIPT, &["query", "statement", "statements", "text", "script", "body"], Key("sql")),
    (SCRIPT, &["path", "filename"], Key("file")),
    (SCRIPT, &["weight", "share"], Way("weights of scripts stand in `load`: `mix: {read: 9, write: 1}`")),
    (SCRIPT, &["type"], Way("leave it out: one of `sql`, `file` and `builtin` says it")),
    (
        SERVER,
        &["host", "port", "url", "dbname", "database", "user", "password", "dsn"],
        Way("where a scenario runs is said by `--server`, and never by the scenario"),
    ),
    (STEP, &["query", "statement", "statements"], Key("sql")),
    (STEP, &["table", "insert", "generate"], Key("fill")),
    (STEP, &["sleep", "pause"], Key("wait")),
    (STEP, &["jobs", "threads", "sessions", "parallel"], Key("workers")),
    (STEP, &["count", "size"], Key("rows")),
    (STEP, &["for_each", "parent", "rows_per", "each"], Key("per")),
    (STEP, &["command", "run", "exec"], Key("shell")),
    (STEP, &["type", "kind"], Way("leave it out: the step's own key says it, such as `sql` or `fill`")),
    (COLUMN, &["random", "range", "int", "integer"], Key("uniform")),
    (COLUMN, &["values", "one_of", "enum"], Key("choice")),
    (
        COLUMN,
        &["constant", "value", "default", "fixed", "const"],
        Way("a value that is always the same is SQL: `{sql: 50}`, of text `{sql: \"'open'\"}`"),
    ),
    (
        COLUMN,
        &["date", "timestamp", "time", "datetime", "between"],
        Way("days and moments are drawn by `{uniform: 2024-01-01..2025-01-01}`"),
    ),
    (COLUMN, &["gaussian"], Key("normal")),
    (
        COLUMN,
        &["zipf", "theta", "exponent"],
        Way("beside `references` it is `skew: 1.1`; numbers are drawn by `{zipfian: {range: 1..99, s: 1.1}}`"),
    ),
    (COLUMN, &["regex", "regexp", "text", "format"], Key("pattern")),
    (COLUMN, &["foreign_key", "fk", "ref", "reference"], Key("references")),
    (COLUMN, &["shuffle", "permutation"], Key("permute")),
    (COLUMN, &["nulls", "nullable", "null_fraction"], Key("null_frac")),
    (COLUMN, &["object", "jsonb"], Key("json")),
    (COLUMN, &["weight", "weights"], Way("weights stand in `choice`: `{choice: {paid: 80, open: 15}}`")),
    (COLUMN, &["expression", "expr"], Key("sql")),
    (FEED, &["sql", "select", "statement"], Key("query")),
    (FEED, &["file", "path", "filename"], Key("csv")),
    (
        FEED,
        &["loop", "repeat", "wrap"],
        Way("`at_end: restart` begins again, which is the default; `at_end: stop` ends"),
    ),
    (FEED, &["shuffle", "mode"], Way("write `order: random`, `order: sequential` or `order: per_client`")),
    (METRIC, &["sql", "select"], Key("query")),
    (METRIC, &["interval", "period", "frequency"], Key("every")),
    (
        NORMAL,
        &["min", "max", "round"],
        Way("write it beside `normal`: `{normal: {mean: 40, stddev: 12}, min: 0, round: 2}`"),
    ),
    (NORMAL, &["sd", "std", "sigma", "standard_deviation", "dev"], Key("stddev")),
    (NORMAL, &["mu", "average", "avg"], Key("mean")),
    (
        EXPONENTIAL,
        &["min", "max", "round"],
        Way("write it beside `exponential`: `{exponential: {mean: 5}, max: 60, round: 2}`"),
    ),
    (EXPONENTIAL, &["average", "avg"], Key("mean")),
    (EXPONENTIAL, &["rate", "lambda"], Way("write its mean, which is 1 / rate: `{mean: 5}`")),
    (ZIPFIAN, &["skew", "theta", "exponent", "a", "alpha"], Key("s")),
    (ZIPFIAN, &["n", "rows", "values"], Key("range")),
    (
        DELAY,
        &["poisson", "gaussian", "fixed", "constant", "min", "max", "zipfian"],
        Way("write `1s`, `{uniform: 1s..3s}`, `{exponential: {mean: 1s}}` or `{normal: {mean: 1s, stddev: 200ms}}`"),
    ),
    (COLUMN, &["type"], Way("the table says the type: leave it out, or write how values are made: `{uniform: 1..9}`")),
];

/// What a key that is not known in a section may have been meant to be.
pub(super) fn meant(section: &str, key: &str) -> Option<Meant> {
    let key = key.to_lowercase().replace('-', "_");
    let row = SYNONYMS.iter().find(|(sections, words, _)| sections.contains(&section) && words.contains(&key.as_str()));
    row.map(|(_, _, meant)| *meant)
}

/// Where keys of any name stand that a section does not have.
pub(super) fn elsewhere(section: &str) -> Option<&'static str> {
    match section {
        "`server`" => Some("a setting of PostgreSQL stands in `settings`: `settings: {shared_buffers: 1GB}`"),
        "`session`" => Some("a setting of PostgreSQL stands in `settings`: `settings: {work_mem: 64MB}`"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Meant, SYNONYMS, meant};

    #[test]
    fn a_word_has_one_meaning_in_a_section() {
        for (at, (sections, words, _)) in SYNONYMS.iter().enumerate() {
            for (other, more, _) in &SYNONYMS[at + 1..] {
                let same: Vec<_> = words.iter().filter(|word| more.contains(word)).collect();
                assert!(sections != other || same.is_empty(), "{sections:?}: {same:?}");
            }
        }
        assert_eq!(meant("`load`", "VUs"), Some(Meant::Key("clients")));
        assert_eq!(meant("`load`", "query-mode"), Some(Meant::Key("protocol")));
        assert_eq!(meant("a script", "vus"), None);
    }
}

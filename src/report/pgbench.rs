//! pgbench's own report, line for line.
//!
//! [`PgbenchBlock`] holds figures only, whoever measured them; [`render`] words them as a version of pgbench does.
//! What greps for `tps =` keeps working.

use std::fmt::Write as _;
use std::time::Duration;

/// The version whose wording a block takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wording {
    /// PostgreSQL 18's.
    #[default]
    V18,
}

/// The figures of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct PgbenchBlock {
    /// `scaling factor`
    pub scale: i64,
    /// How the accounts are partitioned (`range`, `hash`) and into how many, where a builtin script ran on them.
    pub partitions: Option<(String, u64)>,
    /// `simple`, `extended` or `prepared`.
    pub query_mode: String,
    /// Clients.
    pub clients: u32,
    /// Threads.
    pub threads: u32,
    /// Tries of a transaction; 0: without limit.
    pub max_tries: u32,
    /// What ended it.
    pub stop: BlockStop,
    /// Where starts came from a schedule (`-R`): the mean and the greatest schedule lag in milliseconds.
    pub lag_ms: Option<(f64, f64)>,
    /// The latency limit (`-L`).
    pub latency_limit: Option<Duration>,
    /// Whether each latency was measured: pgbench does with `-P`, `-R` and `-L`.
    pub latencies: bool,
    /// Whether failures are told apart (`--failures-detailed`).
    pub failures_detailed: bool,
    /// Whether each command has its line (`-r`).
    pub per_command: bool,
    /// From the first thread's start to the end.
    pub elapsed: Duration,
    /// How long connecting took.
    pub connecting: BlockConnecting,
    /// All scripts together.
    pub total: BlockCounts,
    /// The scripts, at least one.
    pub scripts: Vec<BlockScript>,
}

/// What ended the run of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockStop {
    /// So many transactions of each client (`-t`).
    TransactionsPerClient(u64),
    /// So many transactions of all clients together; pgbench has no such thing, and so no line for it.
    Transactions(u64),
    /// So long (`-T`).
    Duration(Duration),
}

/// How long connecting took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockConnecting {
    /// Until all clients had their sessions.
    Initial(Duration),
    /// Each transaction connected (`-C`): all of them together.
    EachTransaction(Duration),
}

/// How transactions ended, and how long successful ones took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BlockCounts {
    /// Successful.
    pub transactions: u64,
    /// Skipped.
    pub skipped: u64,
    /// Failed with a serialization failure.
    pub serialization: u64,
    /// Failed with a deadlock.
    pub deadlock: u64,
    /// Failed with something else.
    pub other: u64,
    /// Needed more than one try.
    pub retried: u64,
    /// Tries after the first.
    pub retries: u64,
    /// Over the latency limit.
    pub late: u64,
    /// Mean of the measured latencies in milliseconds.
    pub latency_avg_ms: f64,
    /// Their standard deviation.
    pub latency_stddev_ms: f64,
}

/// A script of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockScript {
    /// The file as it was given, or `<builtin: …>`.
    pub description: String,
    /// Its weight.
    pub weight: u32,
    /// Its figures.
    pub counts: BlockCounts,
    /// Its commands.
    pub commands: Vec<BlockCommand>,
}

/// A command of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockCommand {
    /// Its first line.
    pub text: String,
    /// Its mean time in milliseconds; 0 where it never completed.
    pub latency_avg_ms: f64,
    /// Tries that it ended for good.
    pub failures: u64,
    /// Tries that it ended and that were tried again.
    pub retries: u64,
}

impl BlockCounts {
    fn failed(&self) -> u64 {
        self.serialization + self.deadlock + self.other
    }

    fn total(&self) -> u64 {
        self.transactions + self.skipped + self.failed()
    }
}

/// The block in a version's wording; each line ends with a line feed.
pub fn render(block: &PgbenchBlock, wording: Wording) -> String {
    let mut out = String::new();
    // writing to a string does not fail
    let _ = match wording {
        Wording::V18 => write_18(&mut out, block),
    };
    out
}

fn write_18(out: &mut String, block: &PgbenchBlock) -> std::fmt::Result {
    write_setting(out, block)?;
    let total = &block.total;
    if total.total() == 0 {
        return Ok(());
    }
    write_outcomes(out, block, total, "")?;
    if let Some(limit) = block.latency_limit {
        let limit = limit.as_secs_f64() * 1000.0;
        let percent = if total.transactions > 0 { percent(total.late, total.transactions) } else { 0.0 };
        let (late, of) = (total.late, total.transactions);
        writeln!(out, "number of transactions above the {limit:.1} ms latency limit: {late}/{of} ({percent:.3}%)")?;
    }
    let measured = block.latencies || block.lag_ms.is_some() || block.latency_limit.is_some();
    if measured {
        if total.transactions > 0 {
            writeln!(out, "latency average = {:.3} ms", total.latency_avg_ms)?;
            writeln!(out, "latency stddev = {:.3} ms", total.latency_stddev_ms)?;
        }
    } else {
        let average = block.elapsed.as_secs_f64() * 1000.0 * f64::from(block.clients) / total.total() as f64;
        let failures = if total.failed() > 0 { " (including failures)" } else { "" };
        writeln!(out, "latency average = {average:.3} ms{failures}")?;
    }
    if let Some((average, max)) = block.lag_ms {
        writeln!(out, "rate limit schedule lag: avg {average:.3} (max {max:.3}) ms")?;
    }
    let tps = per_second(total.transactions, block.elapsed);
    match block.connecting {
        BlockConnecting::EachTransaction(all) => {
            let average = all.as_secs_f64() * 1000.0 / (total.transactions + total.failed()).max(1) as f64;
            writeln!(out, "average connection time = {average:.3} ms")?;
            writeln!(out, "tps = {tps:.6} (including reconnection times)")?;
        }
        BlockConnecting::Initial(initial) => {
            writeln!(out, "initial connection time = {:.3} ms", initial.as_secs_f64() * 1000.0)?;
            writeln!(out, "tps = {tps:.6} (without initial connection time)")?;
        }
    }
    write_scripts(out, block)
}

/// The lines about what was asked for.
fn write_setting(out: &mut String, block: &PgbenchBlock) -> std::fmt::Result {
    let kind = match block.scripts.as_slice() {
        [only] => only.description.as_str(),
        _ => "multiple scripts",
    };
    writeln!(out, "transaction type: {kind}")?;
    writeln!(out, "scaling factor: {}", block.scale)?;
    if let Some((method, number)) = &block.partitions {
        writeln!(out, "partition method: {method}\npartitions: {number}")?;
    }
    writeln!(out, "query mode: {}", block.query_mode)?;
    writeln!(out, "number of clients: {}", block.clients)?;
    writeln!(out, "number of threads: {}", block.threads)?;
    if block.max_tries != 0 {
        writeln!(out, "maximum number of tries: {}", block.max_tries)?;
    }
    let processed = block.total.transactions;
    match block.stop {
        BlockStop::TransactionsPerClient(each) => {
            let asked = each.saturating_mul(block.clients.into());
            writeln!(out, "number of transactions per client: {each}")?;
            writeln!(out, "number of transactions actually processed: {processed}/{asked}")
        }
        BlockStop::Transactions(asked) => {
            writeln!(out, "number of transactions actually processed: {processed}/{asked}")
        }
        BlockStop::Duration(duration) => {
            // pgbench knows whole seconds only, and they read here as they do there
            writeln!(out, "duration: {} s", duration.as_secs_f64())?;
            writeln!(out, "number of transactions actually processed: {processed}")
        }
    }
}

/// Failed, retried and skipped ones, of the whole run or of a script.
fn write_outcomes(out: &mut String, block: &PgbenchBlock, counts: &BlockCounts, lead: &str) -> std::fmt::Result {
    let total = counts.total();
    let mut line = |what: &str, n: u64| writeln!(out, "{lead}number of {what}: {n} ({:.3}%)", percent(n, total));
    line("failed transactions", counts.failed())?;
    if block.failures_detailed {
        line("serialization failures", counts.serialization)?;
        line("deadlock failures", counts.deadlock)?;
    }
    if block.max_tries != 1 {
        line("transactions retried", counts.retried)?;
        writeln!(out, "{lead}total number of retries: {}", counts.retries)?;
    }
    if block.lag_ms.is_some() && block.latency_limit.is_some() {
        let n = counts.skipped;
        writeln!(out, "{lead}number of transactions skipped: {n} ({:.3}%)", percent(n, total))?;
    }
    Ok(())
}

fn write_scripts(out: &mut String, block: &PgbenchBlock) -> std::fmt::Result {
    let several = block.scripts.len() > 1;
    let weights: u64 = block.scripts.iter().map(|script| u64::from(script.weight)).sum();
    for (number, script) in block.scripts.iter().enumerate() {
        if several {
            let BlockScript { description, weight, counts, .. } = script;
            let total = counts.total();
            writeln!(out, "SQL script {}: {description}", number + 1)?;
            writeln!(out, " - weight: {weight} (targets {:.1}% of total)", percent((*weight).into(), weights))?;
            writeln!(out, " - {total} transactions ({:.1}% of total)", percent(total, block.total.total()))?;
            if total > 0 {
                let tps = per_second(counts.transactions, block.elapsed);
                let n = counts.transactions;
                writeln!(out, " - number of transactions actually processed: {n} (tps = {tps:.6})")?;
                write_outcomes(out, block, counts, " - ")?;
            }
            if counts.transactions > 0 {
                writeln!(out, " - latency average = {:.3} ms", counts.latency_avg_ms)?;
                writeln!(out, " - latency stddev = {:.3} ms", counts.latency_stddev_ms)?;
            }
        }
        if block.per_command {
            write_commands(out, block, script, if several { " - " } else { "" })?;
        }
    }
    Ok(())
}

fn write_commands(out: &mut String, block: &PgbenchBlock, script: &BlockScript, lead: &str) -> std::fmt::Result {
    let retries = block.max_tries != 1;
    let also = if retries { ", failures and retries" } else { " and failures" };
    writeln!(out, "{lead}statement latencies in milliseconds{also}:")?;
    for command in &script.commands {
        let BlockCommand { text, latency_avg_ms, failures, retries: again } = command;
        write!(out, "   {latency_avg_ms:>11.3}  {failures:>10} ")?;
        if retries {
            write!(out, "{again:>10} ")?;
        }
        writeln!(out, "{text}")?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn per_second(n: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { n as f64 / elapsed.as_secs_f64() }
}

#[cfg(test)]
mod tests;

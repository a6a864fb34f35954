//! The lines of the whole run.

use std::fmt::{Result, Write};

use super::{BlockConnecting, BlockCounts, BlockStop, PgbenchBlock, Wording, scripts};

/// All lines of a block.
pub(super) fn write(out: &mut impl Write, block: &PgbenchBlock, wording: Wording) -> Result {
    write_setting(out, block, wording)?;
    let total = &block.total;
    if wording >= Wording::V18 && total.total() == 0 {
        return Ok(());
    }
    if wording >= Wording::V15 {
        write_failures(out, block, total, "", wording)?;
    }
    if wording < Wording::V18 && total.transactions + total.skipped == 0 {
        return Ok(());
    }
    if is_skipping(block) {
        let percent = percent(total.skipped, total.total(), wording);
        let gap = gap(wording);
        writeln!(out, "number of transactions skipped: {} ({percent:.3}{gap}%)", total.skipped)?;
    }
    write_late(out, block, wording)?;
    write_latency(out, block, wording)?;
    if let Some((average, max)) = block.lag_ms {
        writeln!(out, "rate limit schedule lag: avg {average:.3} (max {max:.3}) ms")?;
    }
    write_throughput(out, block, wording)?;
    scripts::write(out, block, wording)
}

/// The lines about what was asked for.
fn write_setting(out: &mut impl Write, block: &PgbenchBlock, wording: Wording) -> Result {
    let kind = match block.scripts.as_slice() {
        [only] => only.description.as_str(),
        _ => "multiple scripts",
    };
    writeln!(out, "transaction type: {kind}")?;
    writeln!(out, "scaling factor: {}", block.scale)?;
    if let Some((method, number)) = &block.partitions
        && wording >= Wording::V13
    {
        writeln!(out, "partition method: {method}\npartitions: {number}")?;
    }
    writeln!(out, "query mode: {}", block.query_mode)?;
    writeln!(out, "number of clients: {}", block.clients)?;
    writeln!(out, "number of threads: {}", block.threads)?;
    if block.max_tries != 0 && wording >= Wording::V15 {
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

/// Failed and retried ones, of the whole run or of a script.
pub(super) fn write_failures(
    out: &mut impl Write,
    block: &PgbenchBlock,
    counts: &BlockCounts,
    lead: &str,
    wording: Wording,
) -> Result {
    let total = counts.total();
    let mut line =
        |what: &str, n: u64| writeln!(out, "{lead}number of {what}: {n} ({:.3}%)", percent(n, total, wording));
    line("failed transactions", counts.failed())?;
    if block.failures_detailed {
        line("serialization failures", counts.serialization)?;
        line("deadlock failures", counts.deadlock)?;
    }
    if block.max_tries != 1 {
        line("transactions retried", counts.retried)?;
        writeln!(out, "{lead}total number of retries: {}", counts.retries)?;
    }
    Ok(())
}

/// Transactions are skipped where they come from a schedule and have a limit.
pub(super) fn is_skipping(block: &PgbenchBlock) -> bool {
    block.lag_ms.is_some() && block.latency_limit.is_some()
}

fn write_late(out: &mut impl Write, block: &PgbenchBlock, wording: Wording) -> Result {
    let Some(limit) = block.latency_limit else { return Ok(()) };
    let limit = limit.as_secs_f64() * 1000.0;
    let (late, gap) = (block.total.late, gap(wording));
    write!(out, "number of transactions above the {limit:.1} ms latency limit: {late}")?;
    let of = if wording <= Wording::V10 {
        block.total.transactions + block.total.skipped
    } else {
        write!(out, "/{}", block.total.transactions)?;
        block.total.transactions
    };
    let share = if of > 0 { percent(late, of, wording) } else { 0.0 };
    writeln!(out, " ({share:.3}{gap}%)")
}

fn write_latency(out: &mut impl Write, block: &PgbenchBlock, wording: Wording) -> Result {
    let total = &block.total;
    if block.latencies || block.lag_ms.is_some() || block.latency_limit.is_some() {
        return write_measured(out, total, "");
    }
    let average = block.elapsed.as_secs_f64() * 1000.0 * f64::from(block.clients) / total.total() as f64;
    let failures = if wording >= Wording::V15 && total.failed() > 0 { " (including failures)" } else { "" };
    writeln!(out, "latency average = {average:.3} ms{failures}")
}

/// Latencies that were measured, of the whole run or of a script.
pub(super) fn write_measured(out: &mut impl Write, counts: &BlockCounts, lead: &str) -> Result {
    if counts.transactions > 0 {
        writeln!(out, "{lead}latency average = {:.3} ms", counts.latency_avg_ms)?;
        writeln!(out, "{lead}latency stddev = {:.3} ms", counts.latency_stddev_ms)?;
    }
    Ok(())
}

fn write_throughput(out: &mut impl Write, block: &PgbenchBlock, wording: Wording) -> Result {
    let total = &block.total;
    let tps = block.per_second(total.transactions);
    if wording < Wording::V14 {
        let (with, without) = match block.connecting {
            BlockConnecting::Initial(initial) => (block.elapsed + initial, block.elapsed),
            BlockConnecting::EachTransaction(all) => {
                (block.elapsed, block.elapsed.saturating_sub(all / block.clients.max(1)))
            }
        };
        let tps = |elapsed| super::per_second(total.transactions, elapsed);
        writeln!(out, "tps = {:.6} (including connections establishing)", tps(with))?;
        return writeln!(out, "tps = {:.6} (excluding connections establishing)", tps(without));
    }
    match block.connecting {
        BlockConnecting::EachTransaction(all) => {
            let average = all.as_secs_f64() * 1000.0 / (total.transactions + total.failed()).max(1) as f64;
            writeln!(out, "average connection time = {average:.3} ms")?;
            writeln!(out, "tps = {tps:.6} (including reconnection times)")
        }
        BlockConnecting::Initial(initial) => {
            writeln!(out, "initial connection time = {:.3} ms", initial.as_secs_f64() * 1000.0)?;
            writeln!(out, "tps = {tps:.6} (without initial connection time)")
        }
    }
}

/// What stands between a share and its sign.
fn gap(wording: Wording) -> &'static str {
    if wording < Wording::V15 { " " } else { "" }
}

/// A share; of nothing, 15 to 17 print that it is no number.
pub(super) fn percent(part: u64, whole: u64, wording: Wording) -> f64 {
    match (whole, wording) {
        (0, Wording::V15 | Wording::V16 | Wording::V17) => f64::NAN,
        (0, _) => 0.0,
        _ => 100.0 * part as f64 / whole as f64,
    }
}

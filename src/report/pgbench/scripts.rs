//! The lines of each script and of each command.

use std::fmt::{Result, Write};

use super::lines::{is_skipping, percent, write_failures, write_measured};
use super::{BlockCommand, BlockScript, PgbenchBlock, Wording};

/// What a run with several scripts prints of each, and what `-r` prints of each command.
pub(super) fn write(out: &mut impl Write, block: &PgbenchBlock, wording: Wording) -> Result {
    let several = block.scripts.len() > 1;
    // up to 10 there was a block for a single script, too
    let single = !several && wording <= Wording::V10 && (block.per_command || block.latency_limit.is_some());
    for (number, script) in block.scripts.iter().enumerate() {
        if several {
            let weights = block.scripts.iter().map(|script| u64::from(script.weight)).sum();
            let targets = percent(script.weight.into(), weights, wording);
            writeln!(out, "SQL script {}: {}", number + 1, script.description)?;
            writeln!(out, " - weight: {} (targets {targets:.1}% of total)", script.weight)?;
            write_counts(out, block, script, wording)?;
        } else if single {
            writeln!(out, "script statistics:")?;
            write_skipped(out, block, script, wording)?;
        }
        if block.per_command {
            write_commands(out, block, script, if several || single { " - " } else { "" }, wording)?;
        }
    }
    Ok(())
}

fn write_counts(out: &mut impl Write, block: &PgbenchBlock, script: &BlockScript, wording: Wording) -> Result {
    let counts = &script.counts;
    let tps = block.per_second(counts.transactions);
    let (done, of_run) = (counts.total(), block.total.total());
    match wording {
        Wording::V18 => {
            writeln!(out, " - {done} transactions ({:.1}% of total)", percent(done, of_run, wording))?;
            if done > 0 {
                let n = counts.transactions;
                writeln!(out, " - number of transactions actually processed: {n} (tps = {tps:.6})")?;
                write_failures(out, block, counts, " - ", wording)?;
                write_skipped(out, block, script, wording)?;
            }
        }
        Wording::V15 | Wording::V16 | Wording::V17 => {
            let (n, of) = (counts.transactions, block.total.transactions);
            writeln!(out, " - {n} transactions ({:.1}% of total, tps = {tps:.6})", percent(n, of, wording))?;
            write_failures(out, block, counts, " - ", wording)?;
            write_skipped(out, block, script, wording)?;
        }
        _ => {
            let share = percent(done, of_run, wording);
            writeln!(out, " - {done} transactions ({share:.1}% of total, tps = {tps:.6})")?;
            write_skipped(out, block, script, wording)?;
        }
    }
    write_measured(out, counts, " - ")
}

fn write_skipped(out: &mut impl Write, block: &PgbenchBlock, script: &BlockScript, wording: Wording) -> Result {
    let always = wording <= Wording::V10 && block.latency_limit.is_some();
    if always || (is_skipping(block) && script.counts.total() > 0) {
        let n = script.counts.skipped;
        let percent = percent(n, script.counts.total(), wording);
        writeln!(out, " - number of transactions skipped: {n} ({percent:.3}%)")?;
    }
    Ok(())
}

fn write_commands(
    out: &mut impl Write,
    block: &PgbenchBlock,
    script: &BlockScript,
    lead: &str,
    wording: Wording,
) -> Result {
    let retries = block.max_tries != 1;
    let also = match retries {
        _ if wording < Wording::V15 => "",
        true => ", failures and retries",
        false => " and failures",
    };
    writeln!(out, "{lead}statement latencies in milliseconds{also}:")?;
    for command in &script.commands {
        let BlockCommand { text, latency_avg_ms, failures, retries: again } = command;
        write!(out, "   {latency_avg_ms:>11.3}")?;
        if wording >= Wording::V15 {
            write!(out, "  {failures:>10}")?;
            if retries {
                let gap = if wording < Wording::V18 { "  " } else { " " };
                write!(out, "{gap}{again:>10}")?;
            }
        }
        let gap = if wording < Wording::V18 { "  " } else { " " };
        writeln!(out, "{gap}{text}")?;
    }
    Ok(())
}

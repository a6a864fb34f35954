//! The figures of the phases.

use super::page::{INDENT, Page};
use super::statements;
use crate::metrics::Histogram;
use crate::report::phase::{Figures, LoadReport, PhaseReport, StopReport};
use crate::report::quantity::{NONE, count, duration, duration_or_none, rate, share};
use crate::report::{Report, block, warnings};
use crate::stats::{median, stddev};
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

/// The statistics of a distribution, as columns.
const STATISTICS: [&str; 9] = ["min", "avg", "p50", "p90", "p95", "p99", "p99.9", "max", "stddev"];

/// Fewer whole seconds say nothing about how steady a phase was.
const STEADINESS_LEAST: usize = 5;
/// More than a day of seconds is not looked at.
const STEADINESS_LIMIT: u32 = 86_400;

pub(super) fn write(page: &mut Page, report: &Report, phase: &PhaseReport) {
    page.section(&format!("Phase {}", phase.name), &remark(phase));
    page.blank();
    page.raw(&block::text(report, phase));
    write_distributions(page, phase);
    write_below(page, &phase.total);
    write_steadiness(page, phase);
    if phase.scripts.len() > 1 && phase.total.total() > 0 {
        write_scripts(page, phase);
    }
    statements::write(page, phase);
    for beside in &phase.background {
        write_background(page, phase, beside);
    }
}

/// A load that stood beside a phase. It has no block of pgbench's: nothing of it is in the phase's figures.
fn write_background(page: &mut Page, phase: &PhaseReport, beside: &PhaseReport) {
    page.section(&format!("Background {} beside {}", beside.name, phase.name), &remark(beside));
    let total = &beside.total;
    let tps = beside.tps.map_or_else(|| NONE.to_owned(), rate);
    let failed = if total.failed > 0 { format!(", {} failed", count(total.failed)) } else { String::new() };
    let cut =
        if total.unfinished > 0 { format!(", {} cut off at the end", count(total.unfinished)) } else { String::new() };
    let s = if total.transactions == 1 { "" } else { "s" };
    page.line(&format!("  {} transaction{s}{failed}{cut}, {tps} a second", count(total.transactions)));
    write_distributions(page, beside);
    write_below(page, total);
    if beside.scripts.len() > 1 && total.total() > 0 {
        write_scripts(page, beside);
    }
    statements::write(page, beside);
}

/// What pgbench's block does not say about the load.
fn remark(phase: &PhaseReport) -> String {
    let load = &phase.load;
    let mut parts = vec![duration(phase.elapsed_us as f64 * 1e3)];
    if load.replicas > 1 {
        parts.push(format!("{} replicas", load.replicas));
    }
    match load.pool_size {
        Some(size) if load.replicas > 1 => parts.push(format!("a pool of {size} connections each")),
        Some(size) => parts.push(format!("a pool of {size} connections")),
        None => {}
    }
    if load.clients_ramp.is_some() {
        parts.push(format!("{} clients", clients(load)));
    }
    if let Some((from, to)) = load.rate {
        let to = if (from - to).abs() < f64::EPSILON { String::new() } else { format!(" to {}", rate(to)) };
        parts.push(format!("{}{to} starts a second", rate(from)));
    }
    if let StopReport::Transactions(n) = load.stop {
        parts.push(format!("{} transactions", count(n)));
    }
    if let Some(feed) = &phase.ran_dry {
        parts.push(format!("feed {feed} had no more rows"));
    }
    if let Some(busy) = warnings::busy(phase).filter(|_| phase.client_cpu_us > 0) {
        parts.push(format!("client threads {} busy", share(busy, 1.0)));
    }
    parts.join(", ")
}

/// How many clients: `50`, of a ramp `5 to 50`.
fn clients(load: &LoadReport) -> String {
    match load.clients_ramp {
        Some((from, to)) => format!("{from} to {to}"),
        None => load.clients.to_string(),
    }
}

/// The distributions, one a column whatever their number, so that reports look alike.
fn write_distributions(page: &mut Page, phase: &PhaseReport) {
    let total = &phase.total;
    if total.latency.is_empty() && total.pool_wait.is_empty() {
        return;
    }
    let mut rows: Vec<(String, &Histogram)> = vec![("latency".to_owned(), &total.latency)];
    if phase.scripts.len() > 1 {
        rows.extend(phase.scripts.iter().map(|script| (format!("· {}", script.name), &*script.figures.latency)));
    }
    let waits = !total.schedule_lag.is_empty() || !total.pool_wait.is_empty() || !total.connection_time.is_empty();
    if waits {
        rows.push(("service time".to_owned(), &total.service_time));
        rows.push(("schedule lag".to_owned(), &total.schedule_lag));
        rows.push(("pool wait".to_owned(), &total.pool_wait));
        rows.push(("connecting".to_owned(), &total.connection_time));
        rows.retain(|(name, histogram)| name.starts_with(['l', '·']) || !histogram.is_empty());
    }
    page.blank();
    // so many side by side as fit
    let fits = |n: &usize| rows.chunks(*n).all(|rows| upright(rows).natural_width() <= page.width);
    let side_by_side = (1..=rows.len()).rev().find(fits).unwrap_or(1);
    for (number, rows) in rows.chunks(side_by_side).enumerate() {
        if number > 0 {
            page.blank();
        }
        page.table(&upright(rows));
    }
}

/// One distribution a column.
fn upright(distributions: &[(String, &Histogram)]) -> Table {
    let mut columns = vec![Column::text("")];
    columns.extend(distributions.iter().map(|(name, _)| Column::number(name.as_str())));
    let mut table = Table::new(INDENT, columns);
    let mut counts = vec![Cell::from("count")];
    counts.extend(distributions.iter().map(|(_, histogram)| Cell::from(count(histogram.count()))));
    table.row(counts);
    let figures: Vec<_> = distributions.iter().map(|(_, histogram)| statistics(histogram)).collect();
    for (at, name) in STATISTICS.iter().enumerate() {
        let mut cells = vec![Cell::from(*name)];
        cells.extend(figures.iter().map(|figures| figures[at].clone()));
        table.row(cells);
    }
    table
}

fn statistics(histogram: &Histogram) -> [Cell; STATISTICS.len()] {
    let whole = |d: Option<std::time::Duration>| d.map(|d| d.as_nanos() as f64);
    let percentile = |percent| whole(histogram.percentile(percent));
    let figures = [
        whole(histogram.min()),
        histogram.mean_ns(),
        percentile(50.0),
        percentile(90.0),
        percentile(95.0),
        percentile(99.0),
        percentile(99.9),
        whole(histogram.max()),
        histogram.stddev_ns(),
    ];
    figures.map(|ns| Cell::new(duration_or_none(ns), Tone::Value))
}

fn write_below(page: &mut Page, total: &Figures) {
    for below in total.below.iter().filter(|_| total.transactions > 0) {
        let bound = crate::report::quantity::bound(below.bound_us);
        let part = share(below.count as f64, total.transactions as f64);
        page.line(&format!(
            "  latency below {bound}: {} of {} ({part})",
            count(below.count),
            count(total.transactions)
        ));
    }
}

/// How steady the throughput was, over the whole seconds of the phase.
fn write_steadiness(page: &mut Page, phase: &PhaseReport) {
    let whole = u32::try_from(phase.elapsed_us / 1_000_000).unwrap_or(u32::MAX);

    let mut tps = vec![0.0; whole.min(STEADINESS_LIMIT) as usize];
    for row in &phase.timeline {
        if let Some(second) = tps.get_mut(row.second as usize) {
            *second = row.transactions as f64;
        }
    }
    if tps.len() < STEADINESS_LEAST {
        return;
    }
    let (Some(median), Some(stddev)) = (median(&tps), stddev(&tps)) else { return };
    let (min, max) = tps.iter().fold((f64::MAX, 0.0_f64), |(min, max), tps| (min.min(*tps), max.max(*tps)));
    let [min, median, max, stddev] = [min, median, max, stddev].map(rate);
    page.line(&format!("  tps by second: min {min}, median {median}, max {max}, stddev {stddev}"));
}

fn write_scripts(page: &mut Page, phase: &PhaseReport) {
    let optional = |figures: &Figures| {
        [
            ("retries", figures.retries),
            ("skipped", figures.skipped),
            ("late", figures.late),
            ("unfinished", figures.unfinished),
        ]
    };
    let shown = optional(&phase.total).into_iter().enumerate().filter(|(_, (_, n))| *n > 0).collect::<Vec<_>>();
    let mut columns = vec![Column::flexible("script")];
    columns.extend(["weight", "transactions", "share", "tps", "failed"].map(Column::number));
    columns.extend(shown.iter().map(|(_, (name, _))| Column::number(*name)));
    let mut table = Table::new(INDENT, columns);
    let seconds = phase.elapsed_us as f64 / 1e6;
    for script in &phase.scripts {
        let figures = &script.figures;
        let tps = if seconds > 0.0 { rate(figures.transactions as f64 / seconds) } else { NONE.to_owned() };
        let mut cells = vec![
            script.name.clone().into(),
            script.weight.to_string().into(),
            count(figures.transactions).into(),
            share(figures.transactions as f64, phase.total.transactions as f64).into(),
            Cell::new(tps, Tone::Value),
            failures(figures.failed),
        ];
        let all = optional(figures);
        cells.extend(shown.iter().map(|(at, _)| Cell::from(count(all[*at].1))));
        table.row(cells);
    }
    page.blank();
    page.table(&table);
}

/// All phases beside each other, where there is more than one.
pub(super) fn write_overview(page: &mut Page, report: &Report) {
    if report.phases.len() < 2 {
        return;
    }
    page.section("Phases", "");
    let mut columns = vec![Column::flexible("phase"), Column::number("clients").droppable()];
    columns.extend(["time", "transactions", "failed", "tps", "avg"].map(Column::number));
    columns.push(Column::number("p95").droppable());
    columns.push(Column::number("p99"));
    columns.push(Column::number("max").droppable());
    let mut table = Table::new(INDENT, columns);
    for phase in &report.phases {
        let latency = statistics(&phase.total.latency);
        let [_, avg, _, _, p95, p99, _, max, _] = latency;
        table.row(vec![
            if phase.measured { phase.name.clone() } else { format!("{} (not measured)", phase.name) }.into(),
            clients(&phase.load).into(),
            duration(phase.elapsed_us as f64 * 1e3).into(),
            count(phase.total.transactions).into(),
            failures(phase.total.failed),
            Cell::new(phase.tps.map_or_else(|| NONE.to_owned(), rate), Tone::Value),
            avg,
            p95,
            p99,
            max,
        ]);
    }
    page.table(&table);
}

/// A number of failures: red unless it is none.
pub(super) fn failures(n: u64) -> Cell {
    Cell::new(count(n), if n > 0 { Tone::Error } else { Tone::Plain })
}

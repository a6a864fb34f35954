//! What a set-up is known by: the same fingerprint makes the same relations with the same rows.

use std::fmt::Write as _;
use std::io::Read;

use openssl::sha::Sha256;

use super::Error;
use super::outside::RowFile;
use super::step::Run;
use crate::plan::fill::{ColumnPlan, ReferencePlan, RowsPlan};
use crate::plan::step::{CopyPlan, StepKind};
use crate::plan::{FillPlan, InitPlan, Plan};

/// Changes when the way in which rows are made does.
const FORMAT: &str = "reprise set-up 1";

/// How much of a file is read at once.
const CHUNK: usize = 256 * 1024;

/// A hash over everything that decides what a set-up makes. Names, places in files and comments of the YAML are not in
/// it; variables are, as far as they are used, since a plan's statements have their values put in.
pub fn fingerprint(plan: &Plan) -> String {
    let mut hash = Sha256::new();
    let mut feed = |text: &str| {
        // Length first, or two texts could be cut elsewhere and give the same bytes.
        hash.update(&(text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    };
    feed(FORMAT);
    for name in &plan.server.extensions {
        feed(name);
    }
    let has_fill = plan.setup.iter().any(|step| matches!(step.kind, StepKind::Fill(_)));
    if has_fill {
        feed(&plan.seed.to_string());
    }
    for step in &plan.setup {
        match &step.kind {
            StepKind::Sql(statements) => {
                feed("sql");
                for statement in statements {
                    feed(&statement.sql);
                    if let Some(rows) = &statement.rows {
                        feed("rows");
                        feed(rows);
                    }
                }
            }
            StepKind::Fill(fill) => feed_fill(fill, &mut feed),
            StepKind::Pgbench(init) => feed_initialization(init, &mut feed),
            StepKind::Copy(copy) => {
                feed("copy");
                feed(&copy.table);
                feed(&copy.csv);
            }
            // what the command's own files say is not known
            StepKind::Shell(command) => {
                feed("shell");
                feed(command);
            }
            // however long they take, they make nothing
            StepKind::Wait(_) | StepKind::WaitUntil(_) | StepKind::Restart => {}
        }
    }
    shown(hash)
}

/// A fingerprint with the contents of a file of rows.
pub(super) fn with_file(fingerprint: &str, run: &Run<'_>, copy: &CopyPlan) -> Result<String, Error> {
    let RowFile { mut reader, .. } =
        run.outside.open(copy).map_err(|fault| Error::Outside { span: copy.span, fault: Box::new(fault) })?;
    let mut hash = Sha256::new();
    hash.update(fingerprint.as_bytes());
    let mut chunk = vec![0; CHUNK];
    loop {
        if run.cancel.is_asked() {
            return Err(Error::Cancelled);
        }
        match reader.read(&mut chunk).map_err(|error| Error::unreadable(copy, &error))? {
            0 => return Ok(shown(hash)),
            count => hash.update(&chunk[..count]),
        }
    }
}

fn shown(hash: Sha256) -> String {
    hash.finish().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn feed_initialization(init: &InitPlan, feed: &mut impl FnMut(&str)) {
    // from how many sessions the rows come changes none of them
    let InitPlan { scale, steps: _, fillfactor, unlogged_tables, partitions, partition_method, .. } = init;
    feed("pgbench");
    feed(&init.letters());
    feed(&format!("{scale} {fillfactor} {unlogged_tables} {partitions} {}", partition_method.name()));
    for name in [&init.tablespace, &init.index_tablespace] {
        feed(name.as_deref().unwrap_or_default());
    }
}

/// From how many sessions the rows come changes none of them.
fn feed_fill(fill: &FillPlan, feed: &mut impl FnMut(&str)) {
    let FillPlan { table, rows, columns, references, workers: _ } = fill;
    feed("fill");
    feed(table);
    match rows {
        RowsPlan::Count(rows) => feed(&rows.to_string()),
        RowsPlan::Per { parent, low, high } => feed(&format!("per {parent} {low} {high}")),
    }
    // how the rows of another table were made is told where it was filled
    for ReferencePlan { table, alias, draw, made_by: _, columns: _ } in references {
        feed(table);
        feed(&format!("{alias:?} {draw:?}"));
    }
    for (name, column) in columns {
        feed(name);
        feed_column(column, feed);
    }
}

fn feed_column(column: &ColumnPlan, feed: &mut impl FnMut(&str)) {
    match column {
        ColumnPlan::Series => feed("series"),
        ColumnPlan::UniformInteger { low, high } => feed(&format!("integer {low} {high}")),
        ColumnPlan::UniformNumber { low, high, round } => feed(&format!("number {low:?} {high:?} {round:?}")),
        ColumnPlan::UniformTime { low, high } => {
            feed("time");
            feed(low);
            feed(high);
        }
        ColumnPlan::Normal { mean, stddev, bounds } => feed(&format!("normal {mean:?} {stddev:?} {bounds:?}")),
        ColumnPlan::Exponential { mean, bounds } => feed(&format!("exponential {mean:?} {bounds:?}")),
        ColumnPlan::Zipfian { low, high, s } => feed(&format!("zipfian {low} {high} {s:?}")),
        ColumnPlan::Permute { low, high } => feed(&format!("permute {low} {high}")),
        ColumnPlan::Choice(choices) => {
            feed("choice");
            for (value, weight) in choices {
                feed(value);
                feed(&format!("{weight:?}"));
            }
        }
        ColumnPlan::Words { low, high } => feed(&format!("words {low} {high}")),
        ColumnPlan::Pattern { pattern, unique } => feed(&format!("pattern {unique} {pattern}")),
        ColumnPlan::Uuid => feed("uuid"),
        ColumnPlan::Json(members) => {
            feed(&format!("json {}", members.len()));
            for (name, member) in members {
                feed(name);
                feed_column(member, feed);
            }
        }
        ColumnPlan::Reference { row, column } => feed(&format!("reference {row} {column}")),
        ColumnPlan::Sql(sql) => {
            feed("expression");
            feed(sql);
        }
        ColumnPlan::Nulls { fraction, of } => {
            feed(&format!("null {fraction:?}"));
            feed_column(of, feed);
        }
    }
}

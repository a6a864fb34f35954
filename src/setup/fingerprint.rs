//! What a set-up is known by: the same fingerprint makes the same relations with the same rows.

use std::fmt::Write as _;
use std::io::Read;

use openssl::sha::Sha256;

use super::Error;
use super::outside::RowFile;
use super::step::Run;
use crate::plan::fill::{ColumnPlan, ReferencePlan, RowsPlan};
use crate::plan::step::{CopyPlan, StepKind};
use crate::plan::{FillPlan, InitPlan, Plan, StepPlan};

/// Changes when the way in which rows are made does.
const FORMAT: &str = "reprise set-up 1";

/// How much of a file is read at once.
const CHUNK: usize = 256 * 1024;

/// A hash over everything that decides what a set-up makes. Names, places in files and comments of the YAML are not in
/// it; variables are, as far as they are used, since a plan's statements have their values put in.
pub fn fingerprint(plan: &Plan) -> String {
    hash_of(|feed| {
        feed(FORMAT);
        for name in &plan.server.extensions {
            feed(name);
        }
        if has_fill(plan) {
            feed(&plan.seed.to_string());
        }
        for step in &plan.setup {
            feed_step(step, feed);
        }
    })
}

/// What the fingerprint is made of, each a short hash with its name, so that one can say which part is another one. The
/// contents of files of rows are in none of them.
pub(super) fn parts(plan: &Plan) -> Vec<String> {
    let part = |name: &str, hash: String| format!("{} {name}", &hash[..16]);
    let extensions = hash_of(|feed| plan.server.extensions.iter().for_each(|name| feed(name)));
    let seed = has_fill(plan).then(|| part("the seed", hash_of(|feed| feed(&plan.seed.to_string()))));
    let steps = plan.setup.iter().map(|step| part(&format!("`{}`", step.name), hash_of(|feed| feed_step(step, feed))));
    std::iter::once(part("the extensions", extensions)).chain(seed).chain(steps).collect()
}

/// What differs between the parts that were noted and those of now, in words.
pub(super) fn difference(noted: &[String], now: &[String]) -> String {
    if noted.is_empty() {
        return "by an older version, which did not note of what".to_owned();
    }
    let of = |parts: &[String], name: &str| -> Vec<String> {
        parts.iter().filter(|part| name_of(part) == name).cloned().collect()
    };
    let mut names: Vec<&str> = Vec::new();
    for name in now.iter().chain(noted).map(|part| name_of(part)) {
        if !names.contains(&name) && of(noted, name) != of(now, name) {
            names.push(name);
        }
    }
    let told = |name: &&str| match (of(noted, name).is_empty(), of(now, name).is_empty()) {
        (true, _) => format!("{name} is new"),
        (_, true) => format!("{name} is gone"),
        _ => format!("{name} is another"),
    };
    match &names[..] {
        [] if noted == now => "a file of rows has other contents".to_owned(),
        [] => "the steps stand in another order".to_owned(),
        names => names.iter().map(told).collect::<Vec<_>>().join(", "),
    }
}

fn name_of(part: &str) -> &str {
    part.split_once(' ').map_or(part, |(_, name)| name)
}

fn has_fill(plan: &Plan) -> bool {
    plan.setup.iter().any(|step| matches!(step.kind, StepKind::Fill(_)))
}

/// A hash of texts. The length of each comes first, or two of them could be cut elsewhere and give the same bytes.
fn hash_of(texts: impl FnOnce(&mut dyn FnMut(&str))) -> String {
    let mut hash = Sha256::new();
    texts(&mut |text| {
        hash.update(&(text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    });
    shown(hash)
}

fn feed_step(step: &StepPlan, feed: &mut dyn FnMut(&str)) {
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
        StepKind::Fill(fill) => feed_fill(fill, feed),
        StepKind::Pgbench(init) => feed_initialization(init, feed),
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

/// A fingerprint with the contents of a file of rows behind it.
pub(super) fn with_file(fingerprint: &str, run: &Run<'_>, copy: &CopyPlan) -> Result<String, Box<Error>> {
    let RowFile { mut reader, .. } =
        run.outside.open(copy).map_err(|fault| Error::Outside { span: copy.span, fault: Box::new(fault) })?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        if run.cancel.is_asked() {
            return Err(Error::Cancelled.into());
        }
        match reader.read(&mut chunk).map_err(|error| Error::unreadable(copy, &error))? {
            0 => return Ok(format!("{fingerprint} {}", shown(hash))),
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

fn feed_initialization(init: &InitPlan, feed: &mut dyn FnMut(&str)) {
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
fn feed_fill(fill: &FillPlan, feed: &mut dyn FnMut(&str)) {
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

fn feed_column(column: &ColumnPlan, feed: &mut dyn FnMut(&str)) {
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

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn what_changed_is_named() {
        let parts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let noted = parts(&["1 the seed", "2 `schema`", "3 `fill a`", "4 `fill b`"]);
        let told = |now: &[&str]| difference(&noted, &parts(now));
        assert_eq!(told(&["1 the seed", "9 `schema`", "3 `fill a`", "4 `fill b`"]), "`schema` is another");
        assert_eq!(
            told(&["2 `schema`", "3 `fill a`", "5 `fill c`", "4 `fill b`"]),
            "`fill c` is new, the seed is gone"
        );
        assert_eq!(told(&["1 the seed", "2 `schema`", "4 `fill b`", "3 `fill a`"]), "the steps stand in another order");
        assert_eq!(difference(&noted, &noted), "a file of rows has other contents");
        assert!(difference(&[], &noted).contains("older version"));
    }
}

//! Running a fill, in the set-up's session or in several.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use futures_util::future::join_all;

use super::error::FillError;
use super::known::{look_up, numbering};
use super::statement::{Chunk, ChunkRange, Known, rows_for, rows_table, statement};
use crate::pg::Admin;
use crate::plan::fill::{ColumnPlan, Draw, RowsPlan};
use crate::plan::step::SetupStatement;
use crate::plan::{FillPlan, StepPlan};
use crate::setup::column::literal;
use crate::setup::step::Run;
use crate::setup::{Error, StatementResult, sessions};

/// Rows of one statement: enough that its start costs nothing beside it, few enough that one sees how far it is.
const CHUNK: u64 = 200_000;

/// The same where several sessions take turns: so few that the rows lie nearly in their order.
const SHARED_CHUNK: u64 = 10_000;

/// Fills a table. Each session has one transaction, and all are committed at the end.
pub(in crate::setup) async fn fill(
    run: &mut Run<'_>,
    step: &StepPlan,
    plan: &FillPlan,
) -> Result<Vec<StatementResult>, Error> {
    let version = run.version();
    if version < 110_000 {
        return Err(refused(step, FillError::Version { table: plan.table.clone(), version }));
    }
    let run = &*run;
    let mut known = look_up(run, step, plan).await?;
    let others = sessions::open(run, plan.workers - 1).await?;
    let sessions: Vec<&Admin> = std::iter::once(run.admin).chain(&others).collect();
    let done = fill_in(run, step, plan, &mut known, &sessions).await;
    if done.is_err() {
        // nobody waits for rows that are not kept
        for other in &others {
            let _ = other.execute("rollback").await;
        }
    }
    for other in others {
        other.close().await;
    }
    done
}

async fn fill_in(
    run: &Run<'_>,
    step: &StepPlan,
    plan: &FillPlan,
    known: &mut Known,
    sessions: &[&Admin],
) -> Result<Vec<StatementResult>, Error> {
    for (session, n) in sessions.iter().zip(0..) {
        run.execute_in(session, "could not begin a transaction", "begin").await?;
        number_rows(run, session, step, plan, known, n == 0).await?;
    }
    let chunks = chunks(run, plan, known, if sessions.len() > 1 { SHARED_CHUNK } else { CHUNK }).await?;
    let rows = chunks.iter().map(|chunk| chunk.rows).sum();
    check_room(step, plan, rows)?;
    let work = Work {
        run,
        step,
        plan,
        known,
        chunks: RefCell::new(chunks.into()),
        done: Cell::new(0),
        rows,
        failed: Cell::new(false),
        results: RefCell::new(Vec::new()),
    };
    // each ends the statement that it has begun, also where another one fails
    join_all(sessions.iter().map(|session| work.take_turns(session))).await.into_iter().collect::<Result<(), _>>()?;
    let results = work.results.into_inner();
    set_sequences(run, plan, rows).await?;
    for session in sessions {
        run.execute_in(session, "could not commit", "commit").await?;
    }
    Ok(results)
}

/// What the sessions share.
struct Work<'a, 'r> {
    run: &'a Run<'r>,
    step: &'a StepPlan,
    plan: &'a FillPlan,
    known: &'a Known,
    chunks: RefCell<VecDeque<Chunk>>,
    done: Cell<u64>,
    rows: u64,
    failed: Cell<bool>,
    results: RefCell<Vec<StatementResult>>,
}

impl Work<'_, '_> {
    /// One session's part: the next chunk, as long as there are any.
    async fn take_turns(&self, session: &Admin) -> Result<(), Error> {
        loop {
            let next = if self.failed.get() { None } else { self.chunks.borrow_mut().pop_front() };
            let Some(chunk) = next else { return Ok(()) };
            if let Err(error) = self.make(session, &chunk).await {
                self.failed.set(true);
                return Err(error);
            }
        }
    }

    async fn make(&self, session: &Admin, chunk: &Chunk) -> Result<(), Error> {
        let sql = statement(self.plan, self.run.seed, &chunk.range, self.known);
        let statement = SetupStatement::new(sql, self.step.span);
        let result = self.run.scenario_in(session, &self.step.name, &statement).await?;
        if result.rows != chunk.rows {
            let table = self.plan.table.clone();
            return Err(Error::RowCount { table, wanted: chunk.rows, made: result.rows });
        }
        self.done.set(self.done.get() + chunk.rows);
        self.run.tell(|observer| observer.progressed(self.done.get(), self.rows));
        self.results.borrow_mut().push(result);
        Ok(())
    }
}

/// Numbers the rows of other tables that have to be read, in the session that will refer to them.
async fn number_rows(
    run: &Run<'_>,
    session: &Admin,
    step: &StepPlan,
    plan: &FillPlan,
    known: &mut Known,
    first: bool,
) -> Result<(), Error> {
    let mut read = false;
    for (reference, index) in plan.references.iter().zip(0..) {
        if known.read[index].is_none() {
            continue;
        }
        read = true;
        let what = format!("could not number the rows of `{}`", reference.table);
        let made = run.execute_in(session, &what, &numbering(run, reference, index).await?).await?;
        let table = rows_table(index);
        run.execute_in(session, &what, &format!("create unique index on {table} (n)")).await?;
        run.execute_in(session, &what, &format!("analyze {table}")).await?;
        if made.rows == 0 && reference.draw != Draw::Parent {
            return Err(refused(step, FillError::NoRows { table: reference.table.clone() }));
        }
        if first {
            known.read[index] = Some(made.rows);
        }
    }
    if read {
        // a hash or a merge join would hand the rows over in another order
        let sql = "set local enable_hashjoin = off; set local enable_mergejoin = off";
        run.execute_in(session, "could not choose how tables are joined", sql).await?;
    }
    Ok(())
}

/// Cuts the rows into statements of about `size`.
async fn chunks(run: &Run<'_>, plan: &FillPlan, known: &Known, size: u64) -> Result<Vec<Chunk>, Error> {
    let by_rows = |rows: u64| {
        let starts = (1..=rows).step_by(usize::try_from(size).unwrap_or(usize::MAX));
        starts
            .map(|start| {
                let end = (start + size).min(rows + 1);
                Chunk { rows: end - start, range: ChunkRange::Rows(start..end) }
            })
            .collect()
    };
    let RowsPlan::Per { parent, low, high } = plan.rows else { return Ok(by_rows(known.rows(plan))) };
    let parents = match (known.read[parent], &plan.references[parent].made_by) {
        (Some(count), _) => count,
        (None, Some(fill)) => known.rows(fill),
        (None, None) => 0,
    };
    if low == high {
        return Ok(by_rows(parents.saturating_mul(low)));
    }
    // how many rows each range of them gets
    let each = (size / (low + high).div_ceil(2).max(1)).max(1);
    let sql = format!(
        "select sum({})::bigint from (select generate_series(1::bigint, {parents}) as parent) as p \
         group by (parent - 1) / {each} order by (parent - 1) / {each}",
        rows_for(plan, run.seed)
    );
    let counted = run.query("could not count the rows to be made", &sql).await?;
    let counts = counted.into_iter().flatten().flatten().filter_map(|count| count.parse::<u64>().ok());
    let (mut chunks, mut before, mut start) = (Vec::new(), 0, 1);
    for rows in counts {
        let end = (start + each).min(parents + 1);
        chunks.push(Chunk { rows, range: ChunkRange::Parents { parents: start..end, before } });
        before += rows;
        start = end;
    }
    chunks.retain(|chunk| chunk.rows > 0);
    Ok(chunks)
}

/// Values that come once each have to be enough, which `check` can't know where the server alone counts the rows.
fn check_room(step: &StepPlan, plan: &FillPlan, rows: u64) -> Result<(), Error> {
    for (name, column) in &plan.columns {
        if let Some(values) = column.different_values().filter(|values| *values < rows) {
            return Err(refused(
                step,
                FillError::TooFewValues { table: plan.table.clone(), column: name.clone(), values, rows },
            ));
        }
    }
    Ok(())
}

/// Sets the sequences behind filled columns to where they would be had they made the values.
async fn set_sequences(run: &Run<'_>, plan: &FillPlan, rows: u64) -> Result<(), Error> {
    for (name, column) in &plan.columns {
        let last = match column {
            ColumnPlan::Series => i128::from(rows),
            ColumnPlan::Permute { high, .. } => i128::from(*high),
            _ => continue,
        };
        if rows > 0 && last > 0 {
            // nothing happens to a column without a sequence of its own
            let sequence = format!("pg_get_serial_sequence({}, {})", literal(&plan.table), literal(name));
            run.execute("could not set a sequence", &format!("select setval({sequence}, {last})")).await?;
        }
    }
    Ok(())
}

/// The step can't be done.
pub(super) fn refused(step: &StepPlan, error: FillError) -> Error {
    Error::Fill { span: step.span, error }
}

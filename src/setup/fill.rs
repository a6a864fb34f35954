//! Rows made in the server.

use std::fmt::Write as _;
use std::ops::Range;

use super::column::{self, TableColumn, identifier, literal};
use super::step::Run;
use super::{Error, StatementResult, catalog};
use crate::plan::StepPlan;
use crate::plan::step::{ColumnPlan, FillPlan, SetupStatement};

/// Rows of one INSERT: the server keeps what `generate_series` gives in memory or a temporary file meanwhile.
const CHUNK: u64 = 1_000_000;

/// The statement that makes the rows of this range; the first row is 1.
///
/// Rows don't depend on how the range is cut. `known` is what the catalog says about the table's columns.
pub fn fill_sql(plan: &FillPlan, seed: u64, rows: Range<u64>, known: &[TableColumn]) -> String {
    let find = |name: &str| known.iter().find(|column| column.name == name);
    let names: Vec<String> = plan.columns.iter().map(|(name, _)| identifier(name)).collect();
    let overriding = plan.columns.iter().any(|(name, _)| find(name).is_some_and(|column| column.identity_always));
    let mut sql = format!("insert into {}", plan.table);
    if names.is_empty() {
        // All defaults: a row has to have something to select.
        let _ = write!(sql, "\nselect");
    } else {
        let _ = write!(sql, " ({})", names.join(", "));
        if overriding {
            sql.push_str(" overriding system value");
        }
        sql.push_str("\nselect");
        for (n, (name, column)) in plan.columns.iter().enumerate() {
            let separator = if n == 0 { "" } else { "," };
            let expression = column::expression(column, seed, &plan.table, name, find(name));
            let _ = write!(sql, "{separator}\n  {expression}");
        }
    }
    let _ = write!(sql, "\nfrom generate_series({}::bigint, {}::bigint) as i", rows.start, rows.end.saturating_sub(1));
    sql
}

/// Fills a table, in a transaction of its own.
pub(super) async fn fill(run: &mut Run<'_>, step: &StepPlan, plan: &FillPlan) -> Result<Vec<StatementResult>, Error> {
    let version = run.version();
    if version < 110_000 {
        return Err(Error::FillVersion { table: plan.table.clone(), version });
    }
    let known = catalog::columns(run, &plan.table).await?;
    run.begin().await?;
    let mut results = Vec::new();
    let mut done = 0;
    while done < plan.rows {
        let end = plan.rows.min(done + CHUNK);
        let sql = fill_sql(plan, run.seed, done + 1..end + 1, &known);
        let result = run.scenario(&step.name, &SetupStatement::new(sql, step.span)).await?;
        if result.rows != end - done {
            return Err(Error::RowCount { table: plan.table.clone(), wanted: end - done, made: result.rows });
        }
        done = end;
        run.tell(|observer| observer.progressed(done, plan.rows));
        results.push(result);
    }
    let series = plan.columns.iter().filter(|(_, column)| matches!(column, ColumnPlan::Series) && plan.rows > 0);
    for (column, _) in series {
        // Nothing happens to a column without a sequence of its own.
        let sequence = format!("pg_get_serial_sequence({}, {})", literal(&plan.table), literal(column));
        run.execute("could not set a sequence", &format!("select setval({sequence}, {})", plan.rows)).await?;
    }
    run.commit().await?;
    Ok(results)
}

//! What a fill has to know about its tables before it begins.

use super::error::FillError;
use super::run::refused;
use super::statement::{Known, rows_for, rows_table};
use crate::plan::fill::{ColumnPlan, Draw, ReferencePlan, RowsPlan};
use crate::plan::{FillPlan, StepPlan};
use crate::setup::column::{identifier, literal};
use crate::setup::step::Run;
use crate::setup::{Error, catalog};

/// Looks up the columns of all tables and the rows of those whose values are computed.
pub(super) async fn look_up(run: &Run<'_>, step: &StepPlan, plan: &FillPlan) -> Result<Known, Error> {
    let mut known = Known { read: vec![None; plan.references.len()], ..Known::default() };
    known.columns.push((plan.table.clone(), catalog::columns(run, &plan.table).await?));
    for (reference, index) in plan.references.iter().zip(0..) {
        if reference.draw == Draw::Earlier {
            continue;
        }
        let columns = catalog::columns(run, &reference.table).await?;
        if let Some(missing) = reference.columns.iter().find(|name| columns.iter().all(|column| column.name != **name))
        {
            let (table, column) = (reference.table.clone(), missing.clone());
            let columns = columns.into_iter().map(|column| column.name).collect();
            return Err(refused(step, FillError::UnknownColumn { table, column, columns }));
        }
        match made_by(run, reference).await? {
            Some(fill) => chain(run, fill, &mut known).await?,
            // how many there are is known once they are read
            None => known.read[index] = Some(0),
        }
    }
    Ok(known)
}

/// The fill whose rows are computed; none where they are read.
async fn made_by<'a>(run: &Run<'_>, reference: &'a ReferencePlan) -> Result<Option<&'a FillPlan>, Error> {
    let Some(fill) = reference.made_by.as_deref() else { return Ok(None) };
    let derived = reference.columns.iter().all(|column| fill.derives(column));
    if !derived || !is_as_filled(run, fill).await? {
        return Ok(None);
    }
    Ok(Some(fill))
}

/// Whether a table's rows are what was sent: no trigger has changed them or those that they refer to.
async fn is_as_filled(run: &Run<'_>, fill: &FillPlan) -> Result<bool, Error> {
    let mut open = vec![fill];
    while let Some(fill) = open.pop() {
        // 1: for each row, 2: before
        let sql = format!(
            "select count(*) from pg_trigger where tgrelid = to_regclass({}) and not tgisinternal \
             and tgtype & 3 = 3 and tgenabled <> 'D'",
            literal(&fill.table)
        );
        let rows = run.query("could not look up a table's triggers", &sql).await?;
        if rows.into_iter().flatten().flatten().any(|count| count != "0") {
            return Ok(false);
        }
        open.extend(fill.references.iter().filter_map(|reference| reference.made_by.as_deref()));
    }
    Ok(true)
}

/// Looks up a fill that was done before, and those that it refers to.
async fn chain(run: &Run<'_>, fill: &FillPlan, known: &mut Known) -> Result<(), Error> {
    let mut open = vec![fill];
    let mut order: Vec<&FillPlan> = Vec::new();
    while let Some(fill) = open.pop() {
        order.push(fill);
        open.extend(fill.references.iter().filter_map(|reference| reference.made_by.as_deref()));
    }
    // those that others count on come first
    for fill in order.into_iter().rev() {
        if known.rows.iter().all(|(table, _)| *table != fill.table) {
            let columns = catalog::columns(run, &fill.table).await?;
            known.columns.push((fill.table.clone(), columns));
            let rows = count(run, fill, known).await?;
            known.rows.push((fill.table.clone(), rows));
        }
    }
    Ok(())
}

/// The rows of a fill that was done.
async fn count(run: &Run<'_>, fill: &FillPlan, known: &Known) -> Result<u64, Error> {
    let RowsPlan::Per { parent, low, high } = fill.rows else { return Ok(known.rows(fill)) };
    let parents = match &fill.references[parent].made_by {
        Some(parents) => known.rows(parents),
        None => return count_stored(run, &fill.table).await,
    };
    if low == high {
        return Ok(parents.saturating_mul(low));
    }
    let sql = format!(
        "select coalesce(sum({}), 0)::bigint from (select generate_series(1::bigint, {parents}) as parent) as p",
        rows_for(fill, run.seed)
    );
    number(run, &sql).await
}

async fn count_stored(run: &Run<'_>, table: &str) -> Result<u64, Error> {
    number(run, &format!("select count(*) from {table}")).await
}

async fn number(run: &Run<'_>, sql: &str) -> Result<u64, Error> {
    let rows = run.query("could not count a table's rows", sql).await?;
    Ok(rows.into_iter().flatten().flatten().find_map(|count| count.parse().ok()).unwrap_or(0))
}

/// The statement that numbers the rows of a reference's table, in a temporary one that is gone with the transaction.
///
/// They are numbered in the order of the fill's series or of the primary key, and where there is neither, of the values
/// that are referred to: so the same rows have the same numbers, wherever they are stored.
pub(super) async fn numbering(run: &Run<'_>, reference: &ReferencePlan, index: usize) -> Result<String, Error> {
    let series = reference.made_by.as_ref().and_then(|fill| {
        let (name, _) = fill.columns.iter().find(|(_, column)| *column == ColumnPlan::Series)?;
        Some(vec![identifier(name)])
    });
    let mut order = match series {
        Some(series) => series,
        None => primary_key(run, &reference.table).await?,
    };
    let columns = reference.columns.iter().zip(0..);
    order.extend(reference.columns.iter().map(|name| format!("{}::text collate \"C\"", identifier(name))));
    let order = if order.is_empty() { String::new() } else { format!("order by {}", order.join(", ")) };
    let columns: Vec<String> =
        columns.map(|(name, at): (_, usize)| format!(", {} as c{at}", identifier(name))).collect();
    Ok(format!(
        "create temporary table {} on commit drop as select row_number() over ({order}) as n{} from {}",
        rows_table(index).trim_start_matches("pg_temp."),
        columns.concat(),
        reference.table
    ))
}

async fn primary_key(run: &Run<'_>, table: &str) -> Result<Vec<String>, Error> {
    let sql = format!(
        "select quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate \"C\"' else '' end \
         from pg_index x join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any (x.indkey) \
         where x.indrelid = to_regclass({}) and x.indisprimary order by array_position(x.indkey::int2[], a.attnum)",
        literal(table)
    );
    let rows = run.query("could not look up a primary key", &sql).await?;
    Ok(rows.into_iter().flatten().flatten().collect())
}

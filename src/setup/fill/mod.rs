//! Rows made in the server.
//!
//! A fill is `INSERT … SELECT` over a series of row numbers: [`statement`] puts it together, [`column`] makes the
//! expressions, [`known`] finds out what they depend on, [`run`] runs it, in one session or several.

mod column;
mod draws;
mod error;
mod known;
mod permutation;
mod run;
mod statement;
mod term;
mod text;
mod zipfian;

use std::ops::Range;

pub use error::FillError;
pub(super) use run::fill;
use statement::{ChunkRange, Known};

use super::column::TableColumn;
use crate::plan::FillPlan;
use crate::plan::fill::RowsPlan;

/// The statement that makes the rows of this range; the first row is 1. Where there is a varying number of rows for
/// each of another table's, the range is of those.
///
/// Rows don't depend on how the range is cut. `known` is what the catalog says about the table's columns.
pub fn fill_sql(plan: &FillPlan, seed: u64, rows: Range<u64>, known: &[TableColumn]) -> String {
    let known = Known { columns: vec![(plan.table.clone(), known.to_vec())], ..Known::default() };
    let range = match plan.rows {
        RowsPlan::Per { low, high, .. } if low != high => ChunkRange::Parents { parents: rows, before: 0 },
        _ => ChunkRange::Rows(rows),
    };
    statement::statement(plan, seed, &range, &known)
}

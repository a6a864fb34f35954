//! A step that fills a table.

use std::sync::Arc;

use super::ScenarioError;
use super::columns::Columns;
use super::quantity::split_range;
use super::references::References;
use super::values::Values;
use crate::plan::FillPlan;
use crate::plan::fill::{Draw, RowsPlan};
use crate::plan::step::StepKind;
use crate::scenario::{Scalar, StepSpec};

/// More sessions than this are a slip.
const MOST_WORKERS: u32 = 100;

/// Compiles a `fill` of this table; its name and what it does.
pub(super) fn compile_fill(spec: &StepSpec, table: &Scalar, values: &mut Values<'_>) -> Option<(String, StepKind)> {
    let faults = values.errors.len();
    let table = values.text(table)?;
    let mut columns = Columns { references: References::new(&table), values };
    let parent = spec.per.as_ref().map(|per| columns.references.per(per, columns.values));
    let compiled = columns.compile(&spec.columns);
    let references = columns.references.plans();
    let rows = compile_rows(spec, parent, values);
    let workers = match &spec.workers {
        Some(workers) => values.count(workers, "`workers`", 1..=MOST_WORKERS)?,
        None => 1,
    };
    let plan = FillPlan { rows: rows?, columns: compiled?, references, table, workers };
    check_earlier(&plan, spec, values);
    check_room(&plan, spec, values);
    (values.errors.len() == faults).then(|| (format!("fill {}", plan.table), StepKind::Fill(Arc::new(plan))))
}

/// How many rows; `parent` is the reference that `per` made, where there is one.
fn compile_rows(spec: &StepSpec, parent: Option<Option<usize>>, values: &mut Values<'_>) -> Option<RowsPlan> {
    let Some(rows) = &spec.rows else {
        if !spec.faulty {
            let help =
                if parent.is_some() { "say how many for each: `rows: 1..5`" } else { "say how many: `rows: 1000`" };
            values.fault(ScenarioError::Missing {
                what: "this `fill` has no `rows`".to_owned(),
                span: spec.span,
                help: help.to_owned(),
            });
        }
        return None;
    };
    let range = split_range(rows);
    match (parent, range) {
        (None, None) => values.whole(rows, "`rows`", 0).map(RowsPlan::Count),
        (None, Some(_)) => {
            let help = "a range is for each row of another table: add `per: TABLE`, or write one number".to_owned();
            values.invalid(rows, "`rows`", "a number", Some(help));
            None
        }
        (Some(parent), range) => {
            let ends = range.unwrap_or_else(|| (rows.clone(), rows.clone()));
            let most = 0..=1_000_000_000;
            let (low, high) = (values.count(&ends.0, "`rows`", most.clone()), values.count(&ends.1, "`rows`", most));
            let (low, high) = (low?, high?);
            values.ordered(&low, &high, rows, "`rows`")?;
            Some(RowsPlan::Per { parent: parent?, low: low.into(), high: high.into() })
        }
    }
}

/// References of a table to itself take what is known of earlier rows.
fn check_earlier(plan: &FillPlan, spec: &StepSpec, values: &mut Values<'_>) {
    for (column, reference) in plan.references.iter().flat_map(|row| row.columns.iter().map(move |c| (c, row))) {
        if reference.draw != Draw::Earlier {
            continue;
        }
        if !plan.derives(column) {
            let help = "an earlier row's value is computed from its number: let a generator make it, or use `sql`";
            values.fault(ScenarioError::Unsupported {
                key: format!("references: {}.{column}", plan.table),
                needs: format!("a generator for `{column}`"),
                span: spec.columns.0.first().map_or(spec.span, |(name, _)| name.span),
                help: help.to_owned(),
            });
        }
        if let Some(workers) = spec.workers.as_ref().filter(|_| plan.workers > 1) {
            let help = "rows of other sessions are not there yet: leave `workers` out".to_owned();
            values.fault(ScenarioError::Unsupported {
                key: "workers".to_owned(),
                needs: "rows that refer to other tables only".to_owned(),
                span: workers.span,
                help,
            });
        }
    }
}

/// Values that come once each have to be enough.
fn check_room(plan: &FillPlan, spec: &StepSpec, values: &mut Values<'_>) {
    let Some(rows) = plan.most_rows() else { return };
    for (name, column) in &plan.columns {
        if let Some(space) = column.different_values().filter(|space| *space < rows) {
            let span =
                spec.columns.0.iter().find(|(key, _)| key.text == *name).map_or(spec.span, |(_, spec)| spec.span);
            let up_to = matches!(plan.rows, RowsPlan::Per { low, high, .. } if low != high);
            values.fault(ScenarioError::TooFewValues { what: format!("`{name}`"), values: space, rows, up_to, span });
        }
    }
}

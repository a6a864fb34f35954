//! Columns that take their values from rows of other tables.

use super::ScenarioError;
use super::quantity::part;
use super::tables::{By, known_as};
use super::values::Values;
use crate::plan::fill::{ColumnPlan, Draw, ReferencePlan};
use crate::scenario::{ColumnSpec, Scalar};
use crate::source::Span;
use crate::suggest::nearest;

/// The largest exponent of a zipfian distribution.
pub(super) const MOST_SKEW: f64 = 100.0;

/// The rows of other tables that a fill's columns refer to.
pub(super) struct References {
    /// The table that is filled.
    table: String,
    rows: Vec<Row>,
}

/// One row of another table.
struct Row {
    plan: ReferencePlan,
    /// The skew, where it was given.
    skew: Option<(f64, Span)>,
    /// Whether the table's own step has faults.
    faulty: bool,
}

impl References {
    pub(super) fn new(table: &str) -> Self {
        Self { table: table.to_owned(), rows: Vec::new() }
    }

    /// The table that a fill has rows `per`; the index of its reference.
    pub(super) fn per(&mut self, table: &Scalar, values: &mut Values<'_>) -> Option<usize> {
        let name = values.text(table)?;
        let row = self.look_up(&name, None, table, values)?;
        self.rows[row].plan.draw = Draw::Parent;
        (!self.rows[row].faulty).then_some(row)
    }

    /// A column that `references` another.
    pub(super) fn column(&mut self, scalar: &Scalar, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
        let text = values.text(scalar)?;
        let Some((table, column)) =
            text.rsplit_once('.').filter(|(table, column)| !table.is_empty() && !column.is_empty())
        else {
            let help = Some("name the table and the column: `customers.id`".to_owned());
            values.invalid(scalar, "`references`", "a column of a table", help);
            return None;
        };
        let alias = match spec.option("as") {
            Some(alias) => Some(values.text(alias)?),
            None => None,
        };
        let at = if text == scalar.text.trim() { part(scalar, 0..table.len()) } else { scalar.clone() };
        let row = self.look_up(table, alias, &at, values)?;
        if let Some(skew) = spec.option("skew") {
            self.set_skew(row, skew, values)?;
        }
        let row_plan = &mut self.rows[row];
        if row_plan.faulty {
            return None;
        }
        if let (Draw::Uniform | Draw::Zipfian(_), Some(fill)) = (row_plan.plan.draw, &row_plan.plan.made_by)
            && fill.most_rows() == Some(0)
        {
            let text = row_plan.plan.table.clone();
            values.fault(ScenarioError::Evaluation {
                what: format!("a row of `{text}`"),
                reason: "the table gets no rows".to_owned(),
                span: scalar.span,
            });
            return None;
        }
        if !row_plan.plan.columns.iter().any(|known| known == column) {
            row_plan.plan.columns.push(column.to_owned());
        }
        Some(ColumnPlan::Reference { row, column: column.to_owned() })
    }

    /// The plans, once all columns are known.
    pub(super) fn plans(self) -> Vec<ReferencePlan> {
        self.rows.into_iter().map(|row| row.plan).collect()
    }

    /// The row of a table, with the same alias as before or anew.
    fn look_up(
        &mut self,
        table: &str,
        alias: Option<String>,
        scalar: &Scalar,
        values: &mut Values<'_>,
    ) -> Option<usize> {
        let name = known_as(table);
        let same = |row: &Row| known_as(&row.plan.table) == name && row.plan.alias == alias;
        if let Some(row) = self.rows.iter().position(same) {
            return Some(row);
        }
        let itself = name == known_as(&self.table);
        let (draw, by) =
            if itself { (Draw::Earlier, Some(By::Others)) } else { (Draw::Uniform, values.tables.find(table)) };
        let Some(by) = by else {
            let known = values.tables.names();
            let later = values.tables.filled_later(table);
            let near = nearest(&name, known.iter().map(String::as_str)).map(str::to_owned);
            values.fault(ScenarioError::NotFilled { table: name, span: scalar.span, later, nearest: near, known });
            return None;
        };
        let faulty = matches!(by, By::Faulty);
        let made_by = if let By::Fill(fill) = by { Some(fill) } else { None };
        let plan = ReferencePlan { table: table.to_owned(), alias, draw, made_by, columns: Vec::new() };
        self.rows.push(Row { plan, skew: None, faulty });
        Some(self.rows.len() - 1)
    }

    fn set_skew(&mut self, row: usize, scalar: &Scalar, values: &mut Values<'_>) -> Option<()> {
        let skew = values.number(scalar, "`skew`")?;
        if !(0.0..=MOST_SKEW).contains(&skew) {
            values.out_of_range(scalar, "`skew`", &skew, format!("lies between 0 and {MOST_SKEW}"));
            return None;
        }
        let row = &mut self.rows[row];
        match (row.plan.draw, row.skew) {
            (Draw::Parent, _) => {
                let help = "the row is the one that `per` names; `as: other` draws another one".to_owned();
                values.needs("skew", "a row that is drawn", scalar.span, help);
                return None;
            }
            (Draw::Earlier, _) => {
                let help = "earlier rows of the table itself are drawn all alike; remove it".to_owned();
                values.needs("skew", "another table", scalar.span, help);
                return None;
            }
            (_, Some((before, span))) if before.total_cmp(&skew).is_ne() => {
                let help = "both name one row, which is drawn in one way; `as: other` draws another one".to_owned();
                values.contradiction(("skew", span), ("skew", scalar.span), help);
                return None;
            }
            _ => {}
        }
        row.skew = Some((skew, scalar.span));
        row.plan.draw = if skew > 0.0 { Draw::Zipfian(skew) } else { Draw::Uniform };
        Some(())
    }
}

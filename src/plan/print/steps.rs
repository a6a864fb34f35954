//! Steps with their SQL and rows.

use super::{counted, duration, line, table};
use crate::plan::StepPlan;
use crate::plan::step::{ColumnPlan, StepKind};

pub(super) fn print(title: &str, steps: &[StepPlan], out: &mut String) {
    if steps.is_empty() {
        return;
    }
    line(out, 0, "");
    line(out, 0, title);
    for (index, step) in steps.iter().enumerate() {
        print_step(&format!("{}. ", index + 1), step, out);
    }
}

pub(super) fn print_step(lead: &str, step: &StepPlan, out: &mut String) {
    match &step.kind {
        StepKind::Sql(statements) => {
            line(out, 2, &format!("{lead}{}: {}", step.name, counted(statements.len() as u64, "statement")));
            for statement in statements {
                line(out, 5, &statement.sql);
                if let Some(data) = &statement.data {
                    line(out, 5, &format!("({} of data)", counted(data.lines().count() as u64, "line")));
                }
            }
        }
        StepKind::Fill(fill) => {
            line(out, 2, &format!("{lead}{}: {} into {}", step.name, counted(fill.rows, "row"), fill.table));
            let rows: Vec<(&str, String)> =
                fill.columns.iter().map(|(name, column)| (name.as_str(), column_text(column))).collect();
            let mut columns = String::new();
            table(&mut columns, &rows);
            columns.lines().for_each(|row| line(out, 3, row));
        }
        StepKind::Wait(time) => line(out, 2, &format!("{lead}{}: nothing for {}", step.name, duration(*time))),
    }
}

fn column_text(column: &ColumnPlan) -> String {
    match column {
        ColumnPlan::Series => "the row's number".to_owned(),
        ColumnPlan::UniformInteger { low, high } => format!("a whole number of {low}..{high}"),
        ColumnPlan::UniformNumber { low, high, round: None } => format!("a number of {low}..{high}"),
        ColumnPlan::UniformNumber { low, high, round: Some(digits) } => {
            format!("a number of {low}..{high} with {}", counted(u64::from(*digits), "digit"))
        }
        ColumnPlan::UniformTime { low, high } => format!("a time of {low}..{high}"),
        ColumnPlan::Choice(choices) => {
            let total: f64 = choices.iter().map(|(_, weight)| weight).sum();
            let share = |(value, weight): &(String, f64)| format!("{value} {:.1} %", weight / total * 100.0);
            choices.iter().map(share).collect::<Vec<_>>().join(", ")
        }
        ColumnPlan::Sql(sql) => sql.clone(),
    }
}

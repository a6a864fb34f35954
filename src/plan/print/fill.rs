//! Tables that are filled, with what makes their columns.

use super::{counted, line, table};
use crate::plan::FillPlan;
use crate::plan::fill::{Bounds, ColumnPlan, Draw, ReferencePlan, RowsPlan};

pub(super) fn print_fill(lead: &str, fill: &FillPlan, out: &mut String) {
    let rows = match fill.rows {
        RowsPlan::Count(rows) => counted(rows, "row"),
        RowsPlan::Per { parent, low, high } => {
            let each = if low == high { counted(low, "row") } else { format!("{low}..{high} rows") };
            let most = fill.most_rows().map(|most| format!(", at most {most}")).unwrap_or_default();
            format!("{each} for each of {}{most}", fill.references[parent].table)
        }
    };
    let workers = if fill.workers > 1 { format!(", from {} sessions", fill.workers) } else { String::new() };
    line(out, 2, &format!("{lead}: {rows} into {}{workers}", fill.table));
    let rows: Vec<(&str, String)> =
        fill.columns.iter().map(|(name, column)| (name.as_str(), column_text(fill, column))).collect();
    let mut columns = String::new();
    table(&mut columns, &rows);
    columns.lines().for_each(|row| line(out, 3, row));
}

fn column_text(fill: &FillPlan, column: &ColumnPlan) -> String {
    match column {
        ColumnPlan::Series => "the row's number".to_owned(),
        ColumnPlan::UniformInteger { low, high } => format!("a whole number of {low}..{high}"),
        ColumnPlan::UniformNumber { low, high, round: None } => format!("a number of {low}..{high}"),
        ColumnPlan::UniformNumber { low, high, round: Some(digits) } => {
            format!("a number of {low}..{high} with {}", counted(u64::from(*digits), "digit"))
        }
        ColumnPlan::UniformTime { low, high } => format!("a time of {low}..{high}"),
        ColumnPlan::Normal { mean, stddev, bounds } => {
            format!("a normal number, mean {mean}, stddev {stddev}{}", bounds_text(*bounds))
        }
        ColumnPlan::Exponential { mean, bounds } => {
            format!("an exponential number, mean {mean}{}", bounds_text(*bounds))
        }
        ColumnPlan::Zipfian { low, high, s } => format!("a zipfian number of {low}..{high}, s = {s}"),
        ColumnPlan::Permute { low, high } => format!("each number of {low}..{high} once, shuffled"),
        ColumnPlan::Choice(choices) => {
            let total: f64 = choices.iter().map(|(_, weight)| weight).sum();
            let share = |(value, weight): &(String, f64)| format!("{value} {:.1} %", weight / total * 100.0);
            choices.iter().map(share).collect::<Vec<_>>().join(", ")
        }
        ColumnPlan::Words { low, high } if low == high => counted(u64::from(*low), "word"),
        ColumnPlan::Words { low, high } => format!("{low}..{high} words"),
        ColumnPlan::Pattern { pattern, unique } => {
            format!("text like {pattern}{}", if *unique { ", none of it twice" } else { "" })
        }
        ColumnPlan::Uuid => "a random UUID".to_owned(),
        ColumnPlan::Json(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, member)| format!("{name}: {}", column_text(fill, member))).collect();
            format!("an object of {}", members.join("; "))
        }
        ColumnPlan::Reference { row, column } => reference_text(&fill.references[*row], column),
        ColumnPlan::Sql(sql) => sql.clone(),
        ColumnPlan::Nulls { fraction, of } => {
            format!("{}; {:.1} % null", column_text(fill, of), fraction * 100.0)
        }
    }
}

fn bounds_text(bounds: Bounds) -> String {
    let Bounds { min, max, round } = bounds;
    let mut text = String::new();
    text.extend(min.map(|min| format!(", at least {min}")));
    text.extend(max.map(|max| format!(", at most {max}")));
    text.extend(round.map(|digits| format!(", {}", counted(u64::from(digits), "digit"))));
    text
}

fn reference_text(reference: &ReferencePlan, column: &str) -> String {
    let ReferencePlan { table, alias, draw, made_by: _, columns: _ } = reference;
    let which = match draw {
        Draw::Parent => format!("of the row of {table} that it is made for"),
        Draw::Uniform => format!("of a row of {table}"),
        Draw::Zipfian(s) => format!("of a row of {table}, zipfian, s = {s}"),
        Draw::Earlier => "of an earlier row".to_owned(),
    };
    let alias = alias.as_ref().map(|alias| format!(" ({alias})")).unwrap_or_default();
    format!("{column} {which}{alias}")
}

//! Steps with their SQL and rows.

use super::fill::print_fill;
use super::{counted, duration, line};
use crate::plan::step::StepKind;
use crate::plan::{InitPlan, StepPlan};

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
                if let Some(rows) = &statement.rows {
                    line(out, 5, &format!("({})", counted(rows.lines().count() as u64, "line of data")));
                }
            }
        }
        StepKind::Fill(fill) => {
            print_fill(&format!("{lead}{}", step.name), fill, out);
        }
        StepKind::Pgbench(init) => print_initialization(lead, step, init, out),
        StepKind::Copy(copy) => line(out, 2, &format!("{lead}{}: rows of {} into {}", step.name, copy.csv, copy.table)),
        StepKind::WaitUntil(wait) => {
            line(out, 2, &format!("{lead}{}: for up to {}", step.name, duration(wait.timeout)));
            line(out, 5, &wait.question.sql);
        }
        StepKind::Restart => line(out, 2, &format!("{lead}{}: the embedded server", step.name)),
        StepKind::Shell(command) => {
            line(out, 2, &format!("{lead}{}: a command of the shell", step.name));
            line(out, 5, command);
        }
        StepKind::Wait(time) => line(out, 2, &format!("{lead}{}: nothing for {}", step.name, duration(*time))),
    }
}

fn print_initialization(lead: &str, step: &StepPlan, init: &InitPlan, out: &mut String) {
    let default = InitPlan::default();
    let rows = if init.rows() > 0 { format!(", {}", counted(init.rows(), "row")) } else { String::new() };
    line(out, 2, &format!("{lead}{}: what `pgbench -i` does{rows}", step.name));
    line(out, 5, &init.steps.iter().map(|step| step.name()).collect::<Vec<_>>().join(", "));
    let mut differences = Vec::new();
    if init.partitions > 0 {
        let partitions = counted(init.partitions.into(), "partition");
        differences.push(format!("accounts in {partitions} by {}", init.partition_method.name()));
    }
    if init.fillfactor != default.fillfactor {
        differences.push(format!("fillfactor {}", init.fillfactor));
    }
    if init.unlogged_tables {
        differences.push(if init.partitions > 0 { "unlogged partitions" } else { "unlogged tables" }.to_owned());
    }
    differences.extend(init.tablespace.as_ref().map(|name| format!("tables in tablespace {name}")));
    differences.extend(init.index_tablespace.as_ref().map(|name| format!("indexes in tablespace {name}")));
    if init.jobs > 1 {
        differences.push(format!("rows from {}", counted(init.jobs.into(), "session")));
    }
    if !differences.is_empty() {
        line(out, 5, &differences.join(", "));
    }
}

//! Compiled scripts: ops with their jump targets, statements as they are sent.

use super::line;
use super::phases::delay;
use crate::id::{CommandId, SlotId, StatementId};
use crate::plan::program::{OpKind, SleepPlan, TemplatePart};
use crate::plan::{Op, Plan, Program, StatementPlan};

pub(super) fn print(plan: &Plan, out: &mut String) {
    for program in &plan.scripts {
        line(out, 0, "");
        line(out, 0, &format!("script {} from {}", program.name, program.description));
        if let Some(think) = program.think {
            line(out, 2, &format!("then a pause of {}", delay(think)));
        }
        print_ops(plan, program, out);
    }
}

fn print_ops(plan: &Plan, program: &Program, out: &mut String) {
    for (index, op) in program.ops.iter().enumerate() {
        line(out, 2, &format!("{index:>2}  {}", op_text(plan, op)));
        if let OpKind::Execute(statement) = op.kind {
            statement_lines(plan, statement, out);
        }
    }
}

fn op_text(plan: &Plan, op: &Op) -> String {
    let display = |id: CommandId| plan.commands.get(id.index()).map_or("", |command| command.display.as_str());
    let written = display(op.command);
    match &op.kind {
        OpKind::Execute(_) => {
            let label = plan.commands.get(op.command.index()).and_then(|command| command.label.as_deref());
            format!("execute{}", label.map(|label| format!(" {label}")).unwrap_or_default())
        }
        OpKind::Set(slot, _) => format!("set {}: {written}", slot_name(plan, *slot)),
        OpKind::Sleep(SleepPlan::Constant(time)) => format!("sleep {}", super::duration(*time)),
        OpKind::Sleep(SleepPlan::Slot(slot, unit)) => format!("sleep :{} × {unit}us", slot_name(plan, *slot)),
        OpKind::JumpUnless(_, target) => format!("jump to {target} unless: {written}"),
        OpKind::Jump(target) => format!("jump to {target}"),
        OpKind::StartPipeline(statements) => {
            format!("start pipeline of {}", super::counted(statements.len() as u64, "statement"))
        }
        OpKind::SyncPipeline => "sync pipeline".to_owned(),
        OpKind::EndPipeline => "end pipeline".to_owned(),
        OpKind::Assert(_, _) => format!("assert: {written}"),
        OpKind::Repeat { counter, end, .. } => {
            let counter = counter.map(|slot| format!(" counting {}", slot_name(plan, slot))).unwrap_or_default();
            format!("repeat{counter}, then jump to {end}: {written}")
        }
        OpKind::EndRepeat { start } => format!("once more from {start}"),
        OpKind::Shell { store, .. } => {
            let store = store.map(|slot| format!(" into {}", slot_name(plan, slot))).unwrap_or_default();
            format!("shell{store}: {written}")
        }
        OpKind::Misnamed(message) => format!("fail: {message}"),
        OpKind::Feed(feed) => {
            format!("feed {}", plan.feeds.get(feed.index()).map_or("?", |feed| feed.name.as_str()))
        }
    }
}

fn statement_lines(plan: &Plan, id: StatementId, out: &mut String) {
    let Some(statement) = plan.statements.get(id.index()) else { return };
    if statement.parameters.is_empty() && simple_text(plan, statement) == *statement.extended {
        line(out, 8, &statement.extended);
    } else {
        line(out, 6, &format!("simple    {}", simple_text(plan, statement)));
        line(out, 6, &format!("extended  {}", statement.extended));
    }
    if !statement.parameters.is_empty() {
        let names: Vec<String> = statement.parameters.iter().map(|slot| slot_name(plan, *slot)).collect();
        line(out, 6, &format!("with      {}", names.join(", ")));
    }
    if let Some(store) = &statement.store {
        let which = if store.all { "last rows" } else { "one row" };
        let columns: Vec<String> =
            store.columns.iter().map(|(column, slot)| format!("{column} → {}", slot_name(plan, *slot))).collect();
        line(out, 6, &format!("stores    {which}: {}", columns.join(", ")));
    }
}

fn simple_text(plan: &Plan, statement: &StatementPlan) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.to_string(),
        TemplatePart::Raw(slot) => format!(":{}", slot_name(plan, *slot)),
        TemplatePart::Literal(slot) => format!(":'{}'", slot_name(plan, *slot)),
        TemplatePart::Identifier(slot) => format!(":\"{}\"", slot_name(plan, *slot)),
    };
    statement.simple.iter().map(part).collect()
}

fn slot_name(plan: &Plan, slot: SlotId) -> String {
    plan.slots.get(slot.index()).map_or_else(|| format!("#{}", slot.index()), |slot| slot.name.clone())
}

//! Runs a program's ops for one client, from the first to the last.

use std::time::{Duration, Instant, SystemTime};

use super::client::Client;
use super::failure::{Failure, Fault, Outcome};
use super::listener::Step;
use crate::eval::{self, Expr, Scope, Value};
use crate::id::{CommandId, ScriptId, SlotId};
use crate::metrics::Detail;
use crate::plan::program::{OpKind, SleepPlan};

/// A `\repeat` that is under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loop {
    left: i64,
    round: i64,
    counter: Option<SlotId>,
}

impl Client {
    /// One try of a transaction: all ops, or the failure that ended it. `self.command` tells which command it was.
    pub(super) async fn attempt(&mut self, script: ScriptId, from: Instant) -> Outcome<()> {
        let shared = self.shared.clone();
        let program = &shared.plan.scripts[script.index()];
        let commands = shared.detail == Detail::Commands;
        self.strict = program.strict;
        self.loops.clear();
        let mut began = from;
        let mut at = 0;
        while let Some(op) = program.ops.get(at) {
            at += 1;
            self.command = Some(op.command);
            if shared.wants.steps && !matches!(op.kind, OpKind::Execute(_)) {
                shared.listener.step(self.number, Step::Command(op.command));
            }
            let mut rows = 0;
            match &op.kind {
                OpKind::Execute(statement) => {
                    rows = self.statement(*statement).await?;
                    if let Some(slot) = shared.row_count {
                        self.slots[slot.index()] = Some(Value::Integer(rows.cast_signed()));
                    }
                }
                OpKind::Set(slot, expr) => {
                    let value = self.evaluate(expr, op.command)?;
                    self.slots[slot.index()] = Some(value);
                }
                OpKind::Sleep(sleep) => self.sleep(*sleep).await?,
                OpKind::JumpUnless(condition, target) => {
                    if !self.holds(condition, op.command)? {
                        at = *target as usize;
                    }
                }
                OpKind::Jump(target) => at = *target as usize,
                OpKind::StartPipeline(inside) => self.start_pipeline(inside).await?,
                OpKind::SyncPipeline => self.sync_pipeline().await?,
                OpKind::EndPipeline => self.end_pipeline().await?,
                OpKind::Assert(condition, text) => {
                    if !self.holds(condition, op.command)? {
                        return Err(Failure::client(Fault::Assertion, &**text));
                    }
                }
                OpKind::Repeat { count, counter, end } => {
                    if !self.begin_loop(count, *counter, op.command)? {
                        at = *end as usize;
                    }
                }
                OpKind::EndRepeat { start } => {
                    if self.next_round() {
                        at = *start as usize;
                        // a loop without a statement would keep all others of the thread from running
                        tokio::task::coop::consume_budget().await;
                    }
                }
                OpKind::Shell { words, store } => self.shell(words, *store).await?,
                OpKind::Feed(feed) => self.take_row(*feed)?,
                OpKind::Misnamed(message) => return Err(Failure::client(Fault::Assignment, &**message)),
            }
            if shared.wants.results {
                shared.listener.ended(op.command, rows, &self.slots);
            }
            if commands {
                let now = Instant::now();
                shared.recorder.borrow_mut().command(op.command, now - began, rows);
                began = now;
            }
        }
        if self.pipeline.open {
            return Err(Failure::client(Fault::ScriptEnd, "end of script reached with pipeline open"));
        }
        self.command = None;
        Ok(())
    }

    fn scope<'a>(&'a mut self, now: &'a dyn Fn() -> i64, debug: &'a mut dyn FnMut(&Value)) -> Scope<'a> {
        Scope {
            slots: &self.slots,
            random: &mut self.random,
            client: self.number.0,
            iteration: self.done,
            now_us: now,
            debug,
            strict_text: !self.strict,
        }
    }

    #[inline]
    fn evaluate(&mut self, expr: &Expr, command: CommandId) -> Outcome<Value> {
        let shared = self.shared.clone();
        let mut debug = |value: &Value| shared.listener.debug(command, value);
        eval::evaluate(expr, &mut self.scope(&wall_us, &mut debug)).map_err(|error| self.evaluation(&error))
    }

    #[inline]
    fn holds(&mut self, expr: &Expr, command: CommandId) -> Outcome<bool> {
        let shared = self.shared.clone();
        let mut debug = |value: &Value| shared.listener.debug(command, value);
        eval::evaluate_condition(expr, &mut self.scope(&wall_us, &mut debug)).map_err(|error| self.evaluation(&error))
    }

    fn evaluation(&self, error: &eval::Error) -> Box<Failure> {
        let plan = &self.shared.plan;
        // pgbench has no words for this one
        if let (eval::Error::EmptyVariable(_), false) = (error, self.strict) {
            return Failure::client(Fault::Expression, "");
        }
        Failure::client(Fault::Expression, error.message(&|slot: SlotId| plan.slots[slot.index()].name.clone()))
    }

    async fn sleep(&mut self, sleep: SleepPlan) -> Outcome<()> {
        let duration = match sleep {
            SleepPlan::Constant(duration) => duration,
            SleepPlan::Slot(slot, unit) => {
                let name = || self.shared.plan.slots[slot.index()].name.clone();
                let Some(value) = &self.slots[slot.index()] else {
                    return Err(Failure::client(Fault::Execution, format!("sleep: undefined variable \"{}\"", name())));
                };
                let Some(amount) = sleep_amount(value) else {
                    let mut text = Vec::new();
                    value.write_sql(&mut text);
                    let text = String::from_utf8_lossy(&text).into_owned();
                    let message = format!("sleep: invalid sleep time \"{text}\" for variable \"{}\"", name());
                    return Err(Failure::client(Fault::Execution, message));
                };
                Duration::from_micros(u64::try_from(amount).unwrap_or(0).saturating_mul(u64::from(unit)))
            }
        };
        let Some(until) = Instant::now().checked_add(duration) else {
            return Err(Failure::client(Fault::Execution, "sleep: longer than the clock can tell"));
        };
        self.pause_until(until).await;
        Ok(())
    }

    /// Waits within a transaction, holding the session.
    pub(super) async fn pause_until(&mut self, until: Instant) {
        let shared = self.shared.clone();
        self.presence.paused.set(true);
        shared.timer.sleep_until(until).await;
        self.presence.paused.set(false);
    }

    /// Whether there is a round to do.
    fn begin_loop(&mut self, count: &Expr, counter: Option<SlotId>, command: CommandId) -> Outcome<bool> {
        let shared = self.shared.clone();
        let mut debug = |value: &Value| shared.listener.debug(command, value);
        let left = eval::evaluate_integer(count, &mut self.scope(&wall_us, &mut debug))
            .map_err(|error| self.evaluation(&error))?;
        self.loops.push(Loop { left, round: 0, counter });
        Ok(self.next_round())
    }

    /// Goes on to the next round of the innermost loop; false when it was the last.
    fn next_round(&mut self) -> bool {
        let Some(innermost) = self.loops.last_mut() else { return false };
        if innermost.left <= 0 {
            self.loops.pop();
            return false;
        }
        innermost.left -= 1;
        innermost.round += 1;
        if let Some(counter) = innermost.counter {
            self.slots[counter.index()] = Some(Value::Integer(innermost.round));
        }
        true
    }
}

/// The wall clock, in microseconds since 1970.
fn wall_us() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The integer that a sleep takes from a variable: as C's `atoi`, the digits that the text begins with; a zero has to be
/// written.
fn sleep_amount(value: &Value) -> Option<i64> {
    let mut text = Vec::new();
    match value {
        Value::Integer(n) => return Some(*n),
        value => value.write_sql(&mut text),
    }
    let text = std::str::from_utf8(&text).ok()?.trim_start();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if length == 0 {
        return None;
    }
    let magnitude: i64 = digits[..length].parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::sleep_amount;
    use crate::eval::{Text, Value};

    #[test]
    fn a_sleep_reads_a_variable_as_c_would() {
        let text = |text: &str| sleep_amount(&Value::Text(Text::from(text)));
        assert_eq!(text("1.9"), Some(1));
        assert_eq!(text(" -3x"), Some(-3));
        assert_eq!(text("bla"), None);
        assert_eq!(sleep_amount(&Value::Integer(7)), Some(7));
    }
}

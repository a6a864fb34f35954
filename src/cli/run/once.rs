//! `--once`: each script once, by one client, with its statements, rows and variables shown.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::perform::Fault;
use crate::cli::diagnostic::escaped;
use crate::cli::width;
use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::eval::Value;
use crate::exec::{self, ClientEnd, Execution, Listener, StopStage, Wants};
use crate::id::{CommandId, PhaseId, ScriptId};
use crate::metrics::{Detail, Ending, Sample};
use crate::pg::{self, ServerError, Target};
use crate::plan::feed::FeedRows;
use crate::plan::phase::{ConnectionPolicy, Delay, Mix, OnError, PhaseKind, Ramp, StopPlan};
use crate::plan::program::TemplatePart;
use crate::plan::{PhasePlan, Plan, SlotInitial, StatementPlan};
use crate::term::Style;
use crate::term::table::{Column, Table};

/// Rows of a result that are shown.
const SHOWN: usize = 10;

/// Each script of a plan, run once.
pub(super) struct Once {
    execution: Execution,
    teller: Arc<Teller>,
    text: String,
    faults: Vec<Diagnostic>,
}

impl Once {
    /// Nothing has run yet; `targets` are the servers of the plan's phases.
    pub(super) fn new(plan: &Plan, targets: &[Target], stop: watch::Receiver<StopStage>) -> Self {
        let (plan, targets) = each_once(plan, targets);
        let teller = Arc::new(Teller { plan: Arc::clone(&plan), said: Mutex::default() });
        let execution = Execution {
            plan,
            targets,
            beside: Vec::new(),
            feeds: Vec::new(),
            detail: Detail::Transactions,
            listener: teller.clone(),
            logs: None,
            stop,
        };
        Self { execution, teller, text: String::new(), faults: Vec::new() }
    }

    /// The plan: a phase for each script.
    pub(super) fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.execution.plan)
    }

    /// How many scripts there are.
    pub(super) fn phases(&self) -> usize {
        self.execution.plan.phases.len()
    }

    /// What they did, and what went wrong in them.
    pub(super) fn told(self) -> (String, Vec<Diagnostic>) {
        (self.text, self.faults)
    }

    /// Runs one of them with the rows of its feeds.
    pub(super) async fn run(&mut self, number: usize, feeds: Vec<Arc<FeedRows>>, clock: &Clock) -> Result<(), Fault> {
        self.execution.feeds = feeds;
        let plan = self.plan();
        let script = &plan.scripts[number];
        let from = if script.description == script.name { "" } else { &*format!(" ({})", script.description) };
        let _ = writeln!(self.text, "{}{}{from}\n", if number == 0 { "" } else { "\n" }, script.name);
        let mut ends = Ends(Vec::new());
        let ran = exec::run_phase(&self.execution, clock, PhaseId::from_index(number), &mut ends).await;
        self.text.push_str(&self.teller.take());
        let run = ran.map_err(|error| Fault::Diagnostic(error.diagnostic()))?;
        let failed = !ends.0.is_empty();
        self.faults.extend(ends.0.iter().map(|end| fault(&plan, end)));
        match run.ending {
            Ending::Interrupted => {
                let diagnostic = Diagnostic::error("run::interrupted", "interrupted before every script had run");
                Err(Fault::Interrupted(diagnostic))
            }
            Ending::Aborted(message) | Ending::ServerLost(message) if !failed => {
                self.faults.push(Diagnostic::error("run::once", format!("`{}` failed: {message}", script.name)));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The plan with a phase for each script in which one client runs it once, otherwise as the first phase that has it in
/// its mix; with the phases' servers.
fn each_once(plan: &Plan, targets: &[Target]) -> (Arc<Plan>, Vec<Target>) {
    let has = |phase: &PhasePlan, script: ScriptId| phase.load.mix.entries.iter().any(|(other, _)| *other == script);
    let mut places = Vec::new();
    let mut phases = Vec::new();
    for (index, script) in plan.scripts.iter().enumerate() {
        let id = ScriptId::from_index(index);
        let like = plan.phases.iter().position(|phase| has(phase, id)).unwrap_or(0);
        let (Some(phase), Some(target)) = (plan.phases.get(like), targets.get(like)) else { continue };
        let mut phase = phase.clone();
        phase.id = PhaseId::from_index(index);
        phase.name.clone_from(&script.name);
        phase.kind = PhaseKind::Warmup;
        phase.stop = StopPlan::Transactions(1);
        (phase.stop_if, phase.find) = (None, None);
        let load = &mut phase.load;
        load.mix = Mix { entries: vec![(id, 1)], total: 1 };
        load.clients = Ramp::flat(1);
        (load.replicas, load.threads, load.max_tries) = (1, 1, 1);
        load.connections = ConnectionPolicy::PerClient;
        load.on_error = OnError::AbortClient;
        (load.latency_limit, load.pacing, load.arrivals) = (None, None, None);
        load.think = Delay::None;
        phases.push(phase);
        places.push(target.clone());
    }
    let mut once = plan.clone();
    once.phases = phases;
    once.backgrounds = Vec::new();
    once.interludes = Vec::new();
    for script in &mut once.scripts {
        script.think = None;
    }
    (Arc::new(once), places)
}

/// The error that ended a script, at the command that it came from.
fn fault(plan: &Plan, end: &ClientEnd) -> Diagnostic {
    let script = plan.scripts.get(end.script.index()).map_or("?", |script| script.name.as_str());
    let mut lines = end.message.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let first = first.split_once(":  ").map_or(first, |(_, message)| message);
    // in what was sent, which is not what was written
    let first = first.rsplit_once(" at character ").map_or(first, |(message, _)| message);
    let diagnostic = Diagnostic::error("run::once", format!("`{script}` failed: {first}"));
    let hint = lines.find_map(|line| line.strip_prefix("HINT:").map(str::trim));
    let diagnostic = match end.command.and_then(|command| plan.commands.get(command.index())) {
        Some(command) => diagnostic.label(command.span, "this command"),
        None => diagnostic,
    };
    match hint.map(str::to_owned).or_else(|| end.advice.clone()) {
        Some(hint) => diagnostic.help(hint),
        None => diagnostic,
    }
}

/// The clients that an error ended.
struct Ends(Vec<ClientEnd>);

impl exec::Observer for Ends {
    fn phase_started(&mut self, _phase: &PhasePlan) {}

    fn progress(&mut self, _phase: &PhasePlan, _elapsed: Duration, _sample: &Sample) {}

    fn client_ended(&mut self, _phase: &PhasePlan, end: &ClientEnd) {
        self.0.push(end.clone());
    }
}

/// Writes down what the one client does.
struct Teller {
    plan: Arc<Plan>,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    text: String,
    /// The columns and first rows of the statement under way.
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The variables as they were last shown.
    slots: Vec<Option<Value>>,
}

impl Teller {
    fn take(&self) -> String {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *said).text
    }

    /// A statement as it was written, with its variables' names.
    fn written(&self, statement: &StatementPlan) -> String {
        let name = |slot: crate::id::SlotId| self.plan.slots[slot.index()].name.as_str();
        let part = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.to_string(),
            TemplatePart::Raw(slot) => format!(":{}", name(*slot)),
            TemplatePart::Literal(slot) => format!(":'{}'", name(*slot)),
            TemplatePart::Identifier(slot) => format!(":\"{}\"", name(*slot)),
        };
        statement.simple.iter().map(part).collect()
    }
}

impl Listener for Teller {
    fn wants(&self) -> Wants {
        Wants { notices: true, results: true, ..Wants::default() }
    }

    fn debug(&self, _command: CommandId, value: &Value) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(said.text, "    debug: {}", value.typed());
    }

    fn notice(&self, notice: &ServerError) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(said.text, "    {}: {}", notice.severity.to_lowercase(), escaped(&notice.message));
    }

    fn row(&self, description: &[u8], row: &[u8]) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.rows.is_empty() {
            said.columns = pg::columns(description).map(text).collect();
        }
        if said.rows.len() < SHOWN {
            said.rows.push(pg::values(row).map(|value| value.map_or_else(|| "null".to_owned(), text)).collect());
        }
    }

    fn ended(&self, command: CommandId, rows: u64, slots: &[Option<Value>]) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = &mut *said;
        let Some(command) = self.plan.commands.get(command.index()) else { return };
        if matches!(command.word, "else" | "endif") {
            return;
        }
        let statement = command.statement.and_then(|id| self.plan.statements.get(id.index()));
        let shown = statement.map_or_else(|| command.display.clone(), |statement| self.written(statement));
        for line in escaped(shown.trim()).lines() {
            let _ = writeln!(said.text, "  {line}");
        }
        if !said.rows.is_empty() {
            let mut table = Table::new(4, said.columns.iter().map(Column::text).collect());
            for row in said.rows.drain(..) {
                table.row(row.into_iter().map(Into::into).collect());
            }
            said.text.push_str(&table.render(width::width(), Style::plain()));
        }
        if statement.is_some() && (rows > 0 || has_rows(&shown)) {
            let more = usize::try_from(rows).is_ok_and(|rows| rows > SHOWN) && !said.columns.is_empty();
            let more = if more { format!(", the first {SHOWN} are shown") } else { String::new() };
            let _ = writeln!(said.text, "    ({rows} row{}{more})", if rows == 1 { "" } else { "s" });
        }
        said.columns.clear();
        for (index, value) in slots.iter().enumerate() {
            let name = &self.plan.slots[index].name;
            let changed = match said.slots.get(index) {
                Some(before) => before != value,
                None => is_set(&self.plan.slots[index].initial, value.as_ref()),
            };
            if changed && name != "ROW_COUNT" {
                let value = value.as_ref().map_or_else(|| "undefined".to_owned(), ToString::to_string);
                let _ = writeln!(said.text, "    {name} = {}", escaped(&value));
            }
        }
        said.slots = slots.to_vec();
    }
}

/// Whether a variable has another value than a client begins with.
fn is_set(initial: &SlotInitial, value: Option<&Value>) -> bool {
    match initial {
        SlotInitial::Undefined => value.is_some(),
        SlotInitial::Constant(constant) => value != Some(constant),
        SlotInitial::ClientId | SlotInitial::DefaultSeed | SlotInitial::RandomSeed => false,
    }
}

/// Whether a statement is one that returns or changes rows, if only none of them.
fn has_rows(sql: &str) -> bool {
    let word = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let kinds = ["select", "insert", "update", "delete", "merge", "with", "values", "table"];
    kinds.iter().any(|kind| word.eq_ignore_ascii_case(kind))
}

/// Bytes as a cell shows them.
fn text(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = escaped(&String::from_utf8_lossy(bytes)).replace('\n', "\\n").replace('\t', "\\t");
    crate::term::table::shorten(&text, LONGEST)
}

//! Steps of set-up and teardown.

use std::time::Duration;

use super::fill::compile_fill;
use super::initialization::compile_initialization;
use super::sql::{split_one, split_step};
use super::values::Values;
use super::{CompileInputs, ScenarioError};
use crate::plan::StepPlan;
use crate::plan::print::duration as show_duration;
use crate::plan::step::{CopyPlan, StepKind, WaitUntilPlan};
use crate::scenario::{InitSpec, Scalar, StepSpec, WaitSpec};
use crate::source::Span;

/// The longest name that is made from a step's SQL or command.
const DERIVED_NAME: usize = 40;

/// How long a condition may take to become true, unless the scenario says.
const UNTIL: Duration = Duration::from_secs(600);

/// Compiles steps; files come from `inputs`.
pub(super) struct Steps<'a, 'b> {
    pub(super) inputs: &'a CompileInputs<'b>,
}

/// A key that says what a step does, with its place.
type Way = (&'static str, Span);

impl Steps<'_, '_> {
    /// Compiles a list of steps. Names that authors gave are unique.
    pub(super) fn compile_all(&self, specs: &[StepSpec], values: &mut Values<'_>) -> Vec<StepPlan> {
        let mut names: Vec<&Scalar> = Vec::new();
        for name in specs.iter().filter_map(|spec| spec.name.as_ref()) {
            if let Some(first) = names.iter().find(|first| first.text == name.text) {
                let (text, span, first) = (name.text.clone(), name.span, first.span);
                values.fault(ScenarioError::NameTwice { name: text, kinds: "steps", span, first });
            }
            names.push(name);
        }
        values.tables.expect(specs);
        let steps = specs.iter().filter_map(|spec| self.compile(spec, values)).collect();
        values.tables.settle();
        steps
    }

    /// Compiles one step; `None` where it has faults or can't be run yet, which is noted.
    pub(super) fn compile(&self, spec: &StepSpec, values: &mut Values<'_>) -> Option<StepPlan> {
        let plan = self.compile_alone(spec, values);
        values.tables.note(spec, plan.as_ref());
        plan
    }

    fn compile_alone(&self, spec: &StepSpec, values: &mut Values<'_>) -> Option<StepPlan> {
        let ways = ways(spec);
        let (key, at) = match ways[..] {
            [way] => way,
            [] if spec.faulty => return None,
            [] => {
                let help = "one of `sql`, `file`, `fill`, `copy`, `wait`, `pgbench`, `restart` and `shell`".to_owned();
                values.fault(ScenarioError::Missing {
                    what: "this step does nothing".to_owned(),
                    span: spec.span,
                    help,
                });
                return None;
            }
            [(first, at), (second, other), ..] => {
                values.contradiction((first, at), (second, other), "write two steps".to_owned());
                return None;
            }
        };
        check_companions(spec, values);
        let (name, kind) = match key {
            "sql" => Self::compile_sql(spec.sql.as_ref()?, values)?,
            "file" => self.compile_file(spec.file.as_ref()?, values)?,
            "fill" => compile_fill(spec, spec.fill.as_ref()?, values)?,
            "pgbench" => Self::compile_pgbench(spec.pgbench.as_ref()?, values)?,
            "wait" => Self::compile_wait(spec.wait.as_ref()?, values)?,
            "copy" => Self::compile_copy(spec, spec.copy.as_ref()?, values)?,
            "shell" => Self::compile_shell(spec.shell.as_ref()?, values)?,
            _ => ("restart".to_owned(), StepKind::Restart),
        };
        let name = spec.name.as_ref().map_or(name, |name| name.text.clone());
        let on_error =
            spec.on_error.as_ref().and_then(|word| values.word(word, "`on_error`", &["abort_run", "continue"]));
        // of a command and a restart nothing but the key's value says what it is
        let span = if matches!(key, "shell" | "restart") { at } else { spec.span };
        Some(StepPlan { name, span, kind, passes_over_errors: on_error == Some("continue") })
    }

    fn compile_sql(sql: &Scalar, values: &mut Values<'_>) -> Option<(String, StepKind)> {
        let statements = split_step(sql.span.source, &sql.text, Some(sql), values)?;
        if statements.is_empty() {
            let help = "write a statement, or remove the step".to_owned();
            values.fault(ScenarioError::Missing {
                what: "this step has no statement".to_owned(),
                span: sql.span,
                help,
            });
            return None;
        }
        Some((derived(&statements[0].sql), StepKind::Sql(statements)))
    }

    fn compile_file(&self, file: &Scalar, values: &mut Values<'_>) -> Option<(String, StepKind)> {
        let Some((source, text)) = (self.inputs.texts)(&file.text) else {
            values.fault(ScenarioError::MissingFile { path: file.text.clone(), span: file.span });
            return None;
        };
        let statements = split_step(source, text, None, values)?;
        Some((file.text.clone(), StepKind::Sql(statements)))
    }

    fn compile_pgbench(spec: &InitSpec, values: &mut Values<'_>) -> Option<(String, StepKind)> {
        let plan = compile_initialization(spec, values)?;
        let name = if plan.rows() > 0 { format!("scale {}", plan.scale) } else { plan.letters() };
        Some((format!("pgbench {name}"), StepKind::Pgbench(plan)))
    }

    fn compile_wait(spec: &WaitSpec, values: &mut Values<'_>) -> Option<(String, StepKind)> {
        match spec {
            WaitSpec::Duration(scalar) => {
                let duration = values.duration(scalar, "`wait`")?;
                Some((format!("wait {}", show_duration(duration)), StepKind::Wait(duration)))
            }
            WaitSpec::Until { until, timeout } => {
                let question = split_one(until, "`until`", values);
                let timeout = match timeout {
                    Some(timeout) => values.positive_duration(timeout, "`timeout`"),
                    None => Some(UNTIL),
                };
                let question = question?;
                let name = format!("wait until {}", derived(&question.sql));
                Some((name, StepKind::WaitUntil(WaitUntilPlan { question, timeout: timeout? })))
            }
        }
    }

    fn compile_copy(spec: &StepSpec, table: &Scalar, values: &mut Values<'_>) -> Option<(String, StepKind)> {
        let table = values.text(table);
        let Some(csv) = &spec.csv else {
            let help = "say where the rows are: `{copy: skus, csv: skus.csv}`".to_owned();
            let what = "this `copy` has no `csv`".to_owned();
            if !spec.faulty {
                values.fault(ScenarioError::Missing { what, span: spec.span, help });
            }
            return None;
        };
        let table = table?;
        let name = format!("copy {table}");
        Some((name, StepKind::Copy(CopyPlan { table, csv: csv.text.clone(), span: csv.span })))
    }

    fn compile_shell(command: &Scalar, values: &mut Values<'_>) -> Option<(String, StepKind)> {
        let text = values.text(command)?;
        if text.is_empty() {
            values.invalid(command, "`shell`", "a command", None);
            return None;
        }
        Some((derived(&text), StepKind::Shell(text)))
    }
}

/// A step's name, made from what it does.
fn derived(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").trim_end_matches(';');
    match line.char_indices().nth(DERIVED_NAME) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// What a step says that it does; one is meant to.
fn ways(spec: &StepSpec) -> Vec<Way> {
    let span = |scalar: &Option<Scalar>| scalar.as_ref().map(|scalar| scalar.span);
    let wait = spec.wait.as_ref().map(|wait| match wait {
        WaitSpec::Duration(scalar) | WaitSpec::Until { until: scalar, .. } => scalar.span,
    });
    let all = [
        ("sql", span(&spec.sql)),
        ("file", span(&spec.file)),
        ("fill", span(&spec.fill)),
        ("copy", span(&spec.copy)),
        ("wait", wait),
        ("pgbench", spec.pgbench.as_ref().map(|node| node.span)),
        ("restart", span(&spec.restart)),
        ("shell", span(&spec.shell)),
    ];
    all.into_iter().filter_map(|(key, span)| Some((key, span?))).collect()
}

/// Keys that go with one kind of step only.
fn check_companions(spec: &StepSpec, values: &mut Values<'_>) {
    let columns = spec.columns.0.first().map(|(name, _)| name.span);
    let rows = spec.rows.as_ref().map(|rows| rows.span);
    let per = spec.per.as_ref().map(|per| per.span);
    let workers = spec.workers.as_ref().map(|workers| workers.span);
    let csv = spec.csv.as_ref().map(|csv| csv.span);
    let companions = [
        ("rows", rows, "fill", spec.fill.is_some()),
        ("per", per, "fill", spec.fill.is_some()),
        ("columns", columns, "fill", spec.fill.is_some()),
        ("workers", workers, "fill", spec.fill.is_some()),
        ("csv", csv, "copy", spec.copy.is_some()),
    ];
    for (key, span, owner, there) in companions {
        if let (Some(span), false) = (span, there) {
            values.needs(key, &format!("a `{owner}`"), span, format!("add `{owner}: TABLE`, or remove it"));
        }
    }
    if let (Some(on_error), None, None) = (&spec.on_error, &spec.sql, &spec.file) {
        let help = "only a step of `sql` or `file` goes on after an error; remove it".to_owned();
        values.needs("on_error", "`sql` or `file`", on_error.span, help);
    }
}

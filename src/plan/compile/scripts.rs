//! `scripts`: texts from files, from the scenario itself and from pgbench's builtins, parsed.

use super::program::ScriptInput;
use super::relocate::relocate;
use super::values::Values;
use super::{CompileInputs, ScenarioError};
use crate::diagnostic::Diagnostic;
use crate::plan::Error;
use crate::plan::phase::{Delay, Protocol};
use crate::scenario::{Scalar, Scenario, ScriptSpec};
use crate::script::ast::Script;
use crate::script::{self, Dialect};
use crate::source::{SourceId, Span};

/// A script that parses.
pub(super) struct Parsed {
    /// Its name.
    pub(super) name: String,
    description: String,
    script: Script,
    think: Option<Delay>,
    builtin: bool,
}

impl Parsed {
    /// As the compiler of programs takes it.
    pub(super) fn input(&self, protocols: Vec<Protocol>) -> ScriptInput<'_> {
        ScriptInput {
            name: &self.name,
            description: self.description.clone(),
            script: &self.script,
            think: self.think,
            builtin: self.builtin,
            protocols,
        }
    }
}

/// A script that has a name of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What reports call it.
    pub description: &'static str,
    /// Its commands.
    pub text: &'static str,
}

/// pgbench's builtin scripts; the first is its default.
pub static BUILTINS: [Builtin; 3] = [
    Builtin {
        name: "tpcb-like",
        description: "<builtin: TPC-B (sort of)>",
        text: include_str!("../../../scenarios/pgbench/tpcb-like.sql"),
    },
    Builtin {
        name: "simple-update",
        description: "<builtin: simple update>",
        text: include_str!("../../../scenarios/pgbench/simple-update.sql"),
    },
    Builtin {
        name: "select-only",
        description: "<builtin: select only>",
        text: include_str!("../../../scenarios/pgbench/select-only.sql"),
    },
];

/// Parses every script, in the order of the scenario; one with faults is left out.
pub(super) fn parse_scripts(scenario: &Scenario, inputs: &CompileInputs<'_>, values: &mut Values<'_>) -> Vec<Parsed> {
    scenario.scripts.0.iter().filter_map(|(name, spec)| parse_one(name, spec, inputs, values)).collect()
}

fn parse_one(name: &Scalar, spec: &ScriptSpec, inputs: &CompileInputs<'_>, values: &mut Values<'_>) -> Option<Parsed> {
    let think = spec.think.as_ref().and_then(|think| values.delay(think, "`think`"));
    let ways = [("file", &spec.file), ("sql", &spec.sql), ("builtin", &spec.builtin)];
    let given: Vec<(&str, &Scalar)> = ways.iter().filter_map(|(key, way)| Some((*key, way.as_ref()?))).collect();
    let (description, script) = match given[..] {
        [("file", file)] => (file.text.clone(), parse_file(file, inputs, values)?),
        [("sql", sql)] => (name.text.clone(), parse_inline(sql, values)?),
        [(_, builtin)] => {
            let name = values.text(builtin)?;
            let known = BUILTINS.iter().find(|known| known.name == name)?;
            // a builtin stands in no file: its places are the name's
            let script = parse_text(builtin.span.source, known.text, |diagnostic| diagnostic, values)?;
            (known.description.to_owned(), relocate(script, &|_| builtin.span))
        }
        [(first, at), (second, other), ..] => {
            values.fault(ScenarioError::Contradiction {
                first: first.to_owned(),
                first_span: at.span,
                second: second.to_owned(),
                second_span: other.span,
                help: "a script has one of `file`, `sql` and `builtin`".to_owned(),
            });
            return None;
        }
        [] if spec.faulty => return None,
        [] => {
            let help = "give it one of `file`, `sql` and `builtin`".to_owned();
            values.fault(ScenarioError::Missing {
                what: format!("script `{}` has no text", name.text),
                span: spec.span,
                help,
            });
            return None;
        }
    };
    Some(Parsed { name: name.text.clone(), description, script, think, builtin: spec.builtin.is_some() })
}

fn parse_file(file: &Scalar, inputs: &CompileInputs<'_>, values: &mut Values<'_>) -> Option<Script> {
    let Some((source, text)) = (inputs.texts)(&file.text) else {
        values.fault(ScenarioError::MissingFile { path: file.text.clone(), span: file.span });
        return None;
    };
    parse_text(source, text, |diagnostic| diagnostic, values)
}

fn parse_inline(sql: &Scalar, values: &mut Values<'_>) -> Option<Script> {
    let source = sql.span.source;
    let script = parse_text(source, &sql.text, |diagnostic| moved(diagnostic, sql), values)?;
    Some(relocate(script, &|span| sql.place(span.range())))
}

fn parse_text(
    source: SourceId,
    text: &str,
    place: impl Fn(Diagnostic) -> Diagnostic,
    values: &mut Values<'_>,
) -> Option<Script> {
    match script::parse(source, text, Dialect::Extended) {
        Ok(script) => Some(script),
        Err(errors) => {
            for error in errors {
                values.fault(Error::Script(Box::new(place(error.diagnostic()))));
            }
            None
        }
    }
}

/// A diagnostic about a scalar's text, its labels moved to where that text stands in the scenario.
pub(super) fn moved(mut diagnostic: Diagnostic, scalar: &Scalar) -> Diagnostic {
    for label in &mut diagnostic.labels {
        let Span { start, end, .. } = label.span;
        label.span = scalar.place(start as usize..end as usize);
    }
    diagnostic
}

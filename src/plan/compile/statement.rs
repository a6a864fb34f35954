//! SQL commands: cut once for the simple protocol and once for the extended ones.

use super::ProgramError;
use super::names::Names;
use crate::id::{CommandId, SlotId};
use crate::plan::phase::Protocol;
use crate::plan::program::{StorePlan, TemplatePart};
use crate::plan::{Error, StatementPlan};
use crate::script::Dialect;
use crate::script::ast::{Sql, SqlPart, SqlPlace, StoreKind, VariableForm, VariableRef};
use crate::source::Span;

/// pgbench's own limit; the wire's is 65,535.
const PGBENCH_PARAMETERS: usize = 255;

/// What a statement is compiled for.
pub(super) struct Target<'a> {
    /// Which language it is in.
    pub(super) dialect: Dialect,
    /// The protocols that it will be sent in.
    pub(super) protocols: &'a [Protocol],
}

impl Target<'_> {
    /// The name of an extended protocol among those it will be sent in.
    fn extended(&self) -> Option<&'static str> {
        self.protocols.iter().find_map(|protocol| match protocol {
            Protocol::Simple => None,
            Protocol::Extended => Some("extended"),
            Protocol::Prepared => Some("prepared"),
        })
    }
}

/// Both templates of a statement while they grow.
#[derive(Default)]
struct Templates {
    simple: Vec<TemplatePart>,
    text: String,
    extended: String,
    parameters: Vec<SlotId>,
}

impl Templates {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.extended.push_str(text);
    }

    fn simple(&mut self, part: TemplatePart) {
        if !self.text.is_empty() {
            self.simple.push(TemplatePart::Text(std::mem::take(&mut self.text).into()));
        }
        self.simple.push(part);
    }

    fn parameter(&mut self, slot: SlotId) {
        self.parameters.push(slot);
        self.extended.push('$');
        self.extended.push_str(itoa::Buffer::new().format(self.parameters.len()));
    }
}

/// Compiles one SQL command.
pub(super) fn compile_statement(
    command: CommandId,
    sql: &Sql,
    span: Span,
    target: &Target<'_>,
    names: &mut Names,
    errors: &mut Vec<Error>,
) -> StatementPlan {
    let mut templates = Templates::default();
    for part in &sql.parts {
        match part {
            SqlPart::Text(text) => templates.text(text),
            SqlPart::Variable(reference) => match target.dialect {
                Dialect::Pgbench => pgbench_reference(reference, names, &mut templates),
                Dialect::Extended => extended_reference(reference, target, names, &mut templates, errors),
            },
        }
    }
    if !templates.text.is_empty() || templates.simple.is_empty() {
        templates.simple.push(TemplatePart::Text(std::mem::take(&mut templates.text).into()));
    }
    if target.extended().is_some() {
        check_parameters(sql, span, target, templates.parameters.len(), errors);
    }
    StatementPlan {
        command,
        simple: templates.simple.into(),
        extended: templates.extended.into(),
        parameters: templates.parameters.into(),
        store: sql.store.as_ref().map(|store| StorePlan {
            all: store.kind == StoreKind::Aset,
            prefix: store.prefix.as_str().into(),
            // filled in once every script's names are known
            columns: Box::default(),
        }),
    }
}

/// pgbench substitutes everywhere, and makes every candidate a parameter in the extended protocols.
fn pgbench_reference(reference: &VariableRef, names: &mut Names, templates: &mut Templates) {
    match names.known(&reference.name.text, reference.name.span) {
        Some(slot) => {
            templates.simple(TemplatePart::Raw(slot));
            templates.parameter(slot);
        }
        None => templates.text(&as_written(reference)),
    }
}

fn extended_reference(
    reference: &VariableRef,
    target: &Target<'_>,
    names: &mut Names,
    templates: &mut Templates,
    errors: &mut Vec<Error>,
) {
    let name = &reference.name.text;
    let span = reference.name.span;
    if reference.place != SqlPlace::Plain {
        // 'HH24:MI' and '{"a":true}' are not meant; only a name that certainly exists is
        let meant = names.is_defined(name) && reference.form == VariableForm::Raw;
        let Some(slot) = meant.then(|| names.known(name, span)).flatten() else {
            templates.text(&as_written(reference));
            return;
        };
        templates.simple(TemplatePart::Raw(slot));
        templates.extended.push_str(&as_written(reference));
        if let (Some(protocol), true) = (target.extended(), reference.place != SqlPlace::Comment) {
            errors.push(ProgramError::VariableInQuotes { name: name.clone(), span, protocol }.into());
        }
        return;
    }
    let Some(slot) = names.known(name, span) else {
        errors.push(names.undefined(name, span));
        return;
    };
    match reference.form {
        VariableForm::Raw => {
            templates.simple(TemplatePart::Raw(slot));
            templates.parameter(slot);
        }
        VariableForm::Literal => {
            templates.simple(TemplatePart::Literal(slot));
            templates.parameter(slot);
        }
        VariableForm::Identifier => {
            templates.simple(TemplatePart::Identifier(slot));
            if target.extended().is_some() {
                errors.push(ProgramError::IdentifierParameter { name: name.clone(), span }.into());
            }
        }
    }
}

fn as_written(reference: &VariableRef) -> String {
    let name = &reference.name.text;
    match reference.form {
        VariableForm::Raw => format!(":{name}"),
        VariableForm::Literal => format!(":'{name}'"),
        VariableForm::Identifier => format!(":\"{name}\""),
    }
}

/// Statements that are not planned have no parameters.
const UTILITIES: [&str; 17] = [
    "alter",
    "analyze",
    "begin",
    "checkpoint",
    "create",
    "deallocate",
    "discard",
    "do",
    "drop",
    "grant",
    "listen",
    "lock",
    "notify",
    "set",
    "truncate",
    "vacuum",
    "savepoint",
];

fn check_parameters(sql: &Sql, span: Span, target: &Target<'_>, count: usize, errors: &mut Vec<Error>) {
    let limit = if target.dialect == Dialect::Pgbench { PGBENCH_PARAMETERS } else { usize::from(u16::MAX) };
    if count > limit {
        errors.push(ProgramError::TooManyParameters { count, limit, span }.into());
    }
    if target.dialect == Dialect::Pgbench || count == 0 {
        return;
    }
    let Some(SqlPart::Text(text)) = sql.parts.first() else { return };
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty()).unwrap_or("");
    let is_utility = UTILITIES.iter().any(|utility| word.eq_ignore_ascii_case(utility));
    // `create table … as select` and `do` bodies are utilities too: their parameters are refused by the server alike
    let parameter = sql.parts.iter().find_map(|part| match part {
        SqlPart::Variable(reference) if reference.place == SqlPlace::Plain => Some(reference.name.span),
        _ => None,
    });
    if let (true, Some(span)) = (is_utility, parameter) {
        errors.push(ProgramError::UtilityParameter { word: word.to_ascii_lowercase(), span }.into());
    }
}

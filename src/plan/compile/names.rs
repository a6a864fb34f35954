//! The variables of all scripts, numbered.

use std::collections::HashMap;

use super::ProgramError;
use super::expression::Resolve;
use crate::eval::{Text, Value};
use crate::id::SlotId;
use crate::plan::{Error, SlotInitial, SlotPlan, VarPlan};
use crate::script::Dialect;
use crate::source::Span;
use crate::suggest;

/// The most variables that a plan has; a `SlotId` holds 16 bits.
const LIMIT: usize = u16::MAX as usize;

/// Variables with their slots, and what may define those that nothing has defined yet.
pub(super) struct Names {
    slots: Vec<SlotPlan>,
    by_name: HashMap<String, SlotId>,
    /// What every `\gset` and `\aset` may define.
    stores: Vec<Reach>,
    dialect: Dialect,
}

/// The names that one `\gset` may define.
struct Reach {
    prefix: String,
    /// In lower case.
    statement: Option<String>,
}

impl Reach {
    /// Only the server knows a statement's columns. Their names stand in its text, though, or come out of a `*`;
    /// a slip of the pen stands nowhere.
    fn reaches(&self, name: &str) -> bool {
        let Some(column) = name.strip_prefix(self.prefix.as_str()).filter(|column| !column.is_empty()) else {
            return false;
        };
        let Some(statement) = &self.statement else { return true };
        let mut words = statement.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        statement.contains('*') || words.any(|word| word == column.to_lowercase())
    }
}

impl Names {
    /// The automatic variables and those of the scenario.
    pub(super) fn new(vars: &[VarPlan], dialect: Dialect) -> Self {
        let mut names = Self { slots: Vec::new(), by_name: HashMap::new(), stores: Vec::new(), dialect };
        for var in vars {
            names.add(&var.name, SlotInitial::Constant(var.value.clone()));
        }
        for (name, initial) in [
            ("client_id", SlotInitial::ClientId),
            ("default_seed", SlotInitial::DefaultSeed),
            ("random_seed", SlotInitial::RandomSeed),
        ] {
            if !names.by_name.contains_key(name) {
                names.add(name, initial);
            }
        }
        if dialect == Dialect::Extended {
            names.add("ROW_COUNT", SlotInitial::Constant(Value::Integer(0)));
        }
        names
    }

    fn add(&mut self, name: &str, initial: SlotInitial) -> SlotId {
        let id = SlotId::from_index(self.slots.len());
        self.slots.push(SlotPlan { name: name.to_owned(), initial });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// A name that something assigns: `\set`, `\setshell`, the counter of a `\repeat`.
    pub(super) fn assign(&mut self, name: &str, span: Span, errors: &mut Vec<Error>) -> Option<SlotId> {
        if let Some(id) = self.by_name.get(name) {
            return Some(*id);
        }
        if self.slots.len() >= LIMIT {
            errors.push(ProgramError::TooManyVariables { limit: LIMIT, span }.into());
            return None;
        }
        Some(self.add(name, SlotInitial::Undefined))
    }

    /// A `\gset` or `\aset` with this prefix stands behind a statement of this text in some script; without a text,
    /// it may define any name.
    pub(super) fn store(&mut self, prefix: &str, statement: Option<&str>) {
        self.stores.push(Reach { prefix: prefix.to_owned(), statement: statement.map(str::to_lowercase) });
    }

    /// The slot of a name, where one is known or a `\gset` may define it; in pgbench's dialect, always.
    pub(super) fn known(&mut self, name: &str) -> Option<SlotId> {
        if let Some(id) = self.by_name.get(name) {
            return Some(*id);
        }
        let reachable = self.dialect == Dialect::Pgbench || self.stores.iter().any(|store| store.reaches(name));
        (reachable && self.slots.len() < LIMIT).then(|| self.add(name, SlotInitial::Undefined))
    }

    /// Whether something certainly defines the name.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Reports a name that nothing defines.
    pub(super) fn undefined(&self, name: &str, span: Span) -> Error {
        let nearest = suggest::nearest(name, self.by_name.keys().map(String::as_str)).map(str::to_owned);
        ProgramError::UndefinedVariable { name: name.to_owned(), span, nearest }.into()
    }

    /// The names that a store with this prefix can reach, as column name and slot.
    pub(super) fn reached_by(&self, prefix: &str) -> Vec<(Box<str>, SlotId)> {
        let columns = self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let column = slot.name.strip_prefix(prefix)?;
            (!column.is_empty()).then(|| (column.into(), SlotId::from_index(index)))
        });
        columns.collect()
    }

    /// All slots.
    pub(super) fn into_slots(self) -> Vec<SlotPlan> {
        self.slots
    }
}

impl Resolve for Names {
    fn variable(&mut self, name: &str, span: Span, errors: &mut Vec<Error>) -> Option<SlotId> {
        let slot = self.known(name);
        if slot.is_none() {
            errors.push(self.undefined(name, span));
        }
        slot
    }

    fn default_seed(&mut self) -> SlotId {
        match self.by_name.get("default_seed") {
            Some(id) => *id,
            None => self.add("default_seed", SlotInitial::DefaultSeed),
        }
    }

    fn extensions(&self) -> bool {
        self.dialect == Dialect::Extended
    }
}

/// A value from the command line or a scenario, as variables hold it: text until an expression needs more.
pub(crate) fn text_value(text: &str) -> Value {
    Value::Text(Text(text.as_bytes().to_vec()))
}

//! The variables of all scripts, numbered.

use std::collections::HashMap;

use super::ProgramError;
use super::expression::Resolve;
use super::feeds::FeedDraft;
use crate::eval::{Text, Value};
use crate::id::{FeedId, SlotId};
use crate::plan::{Error, FeedVariable, SlotInitial, SlotPlan, VarPlan};
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
    /// What every `\feed` may define.
    feeds: Vec<(FeedId, FeedReach)>,
    /// Names that nothing but a feed may define whose columns the server knows.
    fed: Vec<FeedVariable>,
    dialect: Dialect,
}

/// The names that a feed defines: its columns, or those that its query may have.
enum FeedReach {
    Columns(Vec<String>),
    Query(Reach),
    /// It has faults of its own, and may define anything.
    Unknown,
}

impl FeedReach {
    fn reaches(&self, name: &str) -> bool {
        match self {
            Self::Columns(columns) => columns.iter().any(|column| column == name),
            Self::Query(reach) => reach.reaches(name),
            Self::Unknown => true,
        }
    }
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
        let mut names = Self {
            slots: Vec::new(),
            by_name: HashMap::new(),
            stores: Vec::new(),
            feeds: Vec::new(),
            fed: Vec::new(),
            dialect,
        };
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

    /// A script takes rows from a feed.
    pub(super) fn feed(&mut self, id: FeedId, feed: &FeedDraft) {
        if self.feeds.iter().any(|(known, _)| *known == id) {
            return;
        }
        let reach = match feed.query() {
            Some(query) => FeedReach::Query(Reach { prefix: String::new(), statement: Some(query.to_lowercase()) }),
            None if feed.columns().is_empty() => FeedReach::Unknown,
            None => FeedReach::Columns(feed.columns().to_vec()),
        };
        self.feeds.push((id, reach));
    }

    /// The slot of a name, where one is known or a `\gset` or a `\feed` may define it; in pgbench's dialect, always.
    pub(super) fn known(&mut self, name: &str, span: Span) -> Option<SlotId> {
        if let Some(id) = self.by_name.get(name) {
            return Some(*id);
        }
        let stored = self.dialect == Dialect::Pgbench || self.stores.iter().any(|store| store.reaches(name));
        let feeds: Vec<&(FeedId, FeedReach)> = self.feeds.iter().filter(|(_, reach)| reach.reaches(name)).collect();
        if (!stored && feeds.is_empty()) || self.slots.len() >= LIMIT {
            return None;
        }
        if !stored && feeds.iter().all(|(_, reach)| matches!(reach, FeedReach::Query(_))) {
            let feeds = feeds.iter().map(|(id, _)| *id).collect();
            self.fed.push(FeedVariable { name: name.to_owned(), feeds, span });
        }
        Some(self.add(name, SlotInitial::Undefined))
    }

    /// Whether something certainly defines the name.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        let column = |(_, reach): &(FeedId, FeedReach)| matches!(reach, FeedReach::Columns(_)) && reach.reaches(name);
        self.by_name.contains_key(name) || self.feeds.iter().any(column)
    }

    /// Reports a name that nothing defines.
    pub(super) fn undefined(&self, name: &str, span: Span) -> Error {
        let columns = self.feeds.iter().flat_map(|(_, reach)| match reach {
            FeedReach::Columns(columns) => columns.as_slice(),
            FeedReach::Query(_) | FeedReach::Unknown => &[],
        });
        let known = self.by_name.keys().chain(columns).map(String::as_str);
        let nearest = suggest::nearest(name, known).map(str::to_owned);
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

    /// All slots, and the names that only a feed of the server's may define.
    pub(super) fn into_slots(self) -> (Vec<SlotPlan>, Vec<FeedVariable>) {
        (self.slots, self.fed)
    }
}

impl Resolve for Names {
    fn variable(&mut self, name: &str, span: Span, errors: &mut Vec<Error>) -> Option<SlotId> {
        let slot = self.known(name, span);
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
    Value::Text(Text::from(text))
}

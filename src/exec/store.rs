//! `\gset` and `\aset`: columns into variables.

use std::sync::Arc;

use super::failure::{Failure, Fault, Outcome};
use super::listener::Listener;
use crate::eval::{Text, Value};
use crate::id::{SlotId, StatementId};
use crate::name::is_name;
use crate::pg;
use crate::plan::program::StorePlan;

/// Which variable each column of a statement goes to, as found when it was last described.
#[derive(Default)]
struct Mapping {
    /// The description that it was made from; empty: none yet.
    description: Vec<u8>,
    slots: Vec<Option<SlotId>>,
}

/// The mappings of all statements, shared by the clients of a worker: names are looked up once, not once a row.
pub(super) struct Stores {
    mappings: Box<[Mapping]>,
}

impl Stores {
    /// For so many statements.
    pub(super) fn new(statements: usize) -> Self {
        Self { mappings: (0..statements).map(|_| Mapping::default()).collect() }
    }

    /// Puts a row's values into the variables.
    pub(super) fn store(
        &mut self,
        statement: StatementId,
        plan: &StorePlan,
        result: &StoredRow,
        slots: &mut [Option<Value>],
    ) -> Outcome<()> {
        let mapping = &mut self.mappings[statement.index()];
        if mapping.description != result.description {
            mapping.slots.clear();
            for name in pg::columns(&result.description) {
                mapping.slots.push(slot_of(name, plan)?);
            }
            mapping.description.clone_from(&result.description);
        }
        for (slot, value) in mapping.slots.iter().zip(pg::values(&result.row)) {
            if let Some(slot) = slot {
                assign_text(&mut slots[slot.index()], value.unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// The variable of a column; `None` where nothing refers to it.
fn slot_of(column: &[u8], plan: &StorePlan) -> Outcome<Option<SlotId>> {
    if !is_name(plan.prefix.bytes().chain(column.iter().copied())) {
        let name = format!("{}{}", plan.prefix, String::from_utf8_lossy(column));
        let word = if plan.all { "aset" } else { "gset" };
        let column = String::from_utf8_lossy(column).into();
        return Err(Failure::client(Fault::Column(column), format!("{word}: invalid variable name: \"{name}\"")));
    }
    Ok(plan.columns.iter().find(|(name, _)| name.as_bytes() == column).map(|(_, slot)| *slot))
}

/// Text into a variable, in the room that it has.
fn assign_text(slot: &mut Option<Value>, bytes: &[u8]) {
    if let Some(Value::Text(text)) = slot {
        text.0.clear();
        text.0.extend_from_slice(bytes);
    } else {
        *slot = Some(Value::Text(Text::from(bytes)));
    }
}

/// The last row of a result, kept until it is known whether it is wanted.
#[derive(Default)]
pub(super) struct StoredRow {
    description: Vec<u8>,
    row: Vec<u8>,
    /// Rows of the result so far.
    pub(super) rows: u64,
    /// Which result of its statement it is, from 0.
    pub(super) number: u32,
    complete: bool,
    /// Hears of every row, where somebody wants to.
    heard: Option<Arc<dyn Listener>>,
}

impl StoredRow {
    /// Nothing yet.
    pub(super) fn new(heard: Option<Arc<dyn Listener>>) -> Self {
        Self { heard, ..Self::default() }
    }

    /// A result begins.
    pub(super) fn begin(&mut self, description: &[u8]) {
        self.description.clear();
        self.description.extend_from_slice(description);
        self.rows = 0;
        self.complete = false;
    }

    /// The result of that number ends. One that had no columns, as of an `update`, has no description before.
    pub(super) fn complete(&mut self, number: u32) {
        if self.complete {
            self.clear();
        }
        self.complete = true;
        self.number = number;
    }

    /// Nothing is stored yet.
    pub(super) fn clear(&mut self) {
        self.begin(&[]);
    }

    /// One more row.
    pub(super) fn row(&mut self, row: &[u8]) {
        self.row.clear();
        self.row.extend_from_slice(row);
        self.rows += 1;
        if let Some(listener) = &self.heard {
            listener.row(&self.description, row);
        }
    }
}

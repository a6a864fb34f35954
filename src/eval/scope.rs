//! What an expression can see while it is evaluated.

use super::error::Error;
use super::random::Generator;
use super::text;
use super::value::{Text, Value};
use crate::id::SlotId;

/// The surroundings of an evaluation: one client in one transaction.
pub struct Scope<'a> {
    /// The client's variables, indexed by `SlotId`; none: undefined.
    pub slots: &'a [Option<Value>],
    /// The client's generator.
    pub random: &'a mut Generator,
    /// The client's number.
    pub client: u32,
    /// The number of the client's transaction.
    pub iteration: u64,
    /// The wall clock, in microseconds since 1970.
    pub now_us: &'a dyn Fn() -> i64,
    /// Takes what `debug(…)` shows.
    pub debug: &'a mut dyn FnMut(&Value),
    /// As pgbench: a text that is no value is an error wherever it is read, not only where a number or a condition is
    /// needed.
    pub strict_text: bool,
}

impl Scope<'_> {
    /// The variable as it is.
    #[inline]
    pub(super) fn raw(&self, slot: SlotId) -> Result<&Value, Error> {
        match self.slots.get(slot.index()) {
            Some(Some(value)) => Ok(value),
            _ => Err(Error::UndefinedVariable(slot)),
        }
    }

    /// The variable with a text turned into the value that it spells; a text that spells none stays a text.
    #[inline]
    pub(super) fn read(&self, slot: SlotId) -> Result<Value, Error> {
        match self.raw(slot)? {
            Value::Text(text) => self.read_text(slot, text),
            value => Ok(value.clone()),
        }
    }

    /// The variable with a text turned into the value that it spells.
    #[inline]
    pub(super) fn read_typed(&self, slot: SlotId) -> Result<Value, Error> {
        match self.raw(slot)? {
            Value::Text(Text(bytes)) => Value::parse_text(bytes).map_err(|error| error.of_variable(slot)),
            value => Ok(value.clone()),
        }
    }

    fn read_text(&self, slot: SlotId, text: &Text) -> Result<Value, Error> {
        text::parse(&text.0).or_else(|misfit| {
            if self.strict_text { Err(misfit.error(&text.0).of_variable(slot)) } else { Ok(Value::Text(text.clone())) }
        })
    }
}

//! Which errors there were.

use std::collections::HashMap;
use std::time::Duration;

use super::{FailureClass, SqlState};
use crate::id::{CommandId, ScriptId};

/// The most kinds of error that are kept apart; one worker of a run against a server gone mad stays small.
const MOST_KINDS: usize = 1000;

/// What makes two errors the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorKind {
    /// Its class.
    pub class: FailureClass,
    /// Its SQLSTATE.
    pub sqlstate: SqlState,
    /// The script.
    pub script: ScriptId,
    /// The command that failed; `None` where no command ran.
    pub command: Option<CommandId>,
}

/// What is kept of the errors of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEntry {
    /// How many.
    pub count: u64,
    /// The first one's message.
    pub message: String,
    /// When the first came, from the phase's start.
    pub first: Duration,
    /// When the last came.
    pub last: Duration,
}

/// Every failed try, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorLog {
    entries: HashMap<ErrorKind, ErrorEntry>,
    dropped: u64,
}

impl ErrorLog {
    /// Counts an error; its message is copied where it is the first of its kind.
    pub fn record(&mut self, kind: ErrorKind, message: &str, at: Duration) {
        if let Some(entry) = self.entries.get_mut(&kind) {
            entry.count += 1;
            entry.last = entry.last.max(at);
        } else {
            self.insert(kind, || ErrorEntry { count: 1, message: message.to_owned(), first: at, last: at });
        }
    }

    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self { entries, dropped } = other;
        for (kind, theirs) in entries {
            if let Some(ours) = self.entries.get_mut(kind) {
                let ErrorEntry { count, message, first, last } = theirs;
                ours.count += count;
                if *first < ours.first {
                    ours.first = *first;
                    ours.message.clone_from(message);
                }
                ours.last = ours.last.max(*last);
            } else {
                self.insert(*kind, || theirs.clone());
            }
        }
        self.dropped += dropped;
    }

    /// The kinds, most frequent first; equal ones in the order of their kinds.
    pub fn entries(&self) -> std::vec::IntoIter<(ErrorKind, &ErrorEntry)> {
        let mut entries: Vec<_> = self.entries.iter().map(|(kind, entry)| (*kind, entry)).collect();
        entries.sort_by(|(a, x), (b, y)| y.count.cmp(&x.count).then(a.cmp(b)));
        entries.into_iter()
    }

    /// Errors of kinds that found no place.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether there was no error.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn insert(&mut self, kind: ErrorKind, entry: impl FnOnce() -> ErrorEntry) {
        if self.entries.len() < MOST_KINDS {
            self.entries.insert(kind, entry());
        } else {
            self.dropped += entry().count;
        }
    }
}

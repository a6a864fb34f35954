//! How transactions ended.

use super::FailureClass;

/// How many transactions ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Successful ones.
    pub transactions: u64,
    /// Ended with an error after all tries, by class in the order of [`FailureClass::ALL`].
    pub failed: [u64; FailureClass::ALL.len()],
    /// Not started because already too late.
    pub skipped: u64,
    /// Successful, over the latency limit.
    pub late: u64,
    /// Needed more than one try, whatever came of it.
    pub retried: u64,
    /// Tries after the first, of all transactions.
    pub retries: u64,
    /// Cut off at the end.
    pub unfinished: u64,
}

impl Counters {
    /// Failed ones of all classes.
    pub fn failed(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// Failed ones of one class.
    pub fn failed_of(&self, class: FailureClass) -> u64 {
        self.failed[class as usize]
    }

    /// Successful, failed and skipped ones: what percentages are of.
    pub fn total(&self) -> u64 {
        self.transactions + self.failed() + self.skipped
    }

    /// Takes in `other`.
    pub fn merge(&mut self, other: &Self) {
        let Self { transactions, failed, skipped, late, retried, retries, unfinished } = other;
        self.transactions += transactions;
        for (ours, theirs) in self.failed.iter_mut().zip(failed) {
            *ours += theirs;
        }
        self.skipped += skipped;
        self.late += late;
        self.retried += retried;
        self.retries += retries;
        self.unfinished += unfinished;
    }

    /// What has been counted since `earlier`, a former state of the same counters.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let Self { transactions, failed, skipped, late, retried, retries, unfinished } = earlier;
        let mut difference = *self;
        difference.transactions -= transactions;
        for (ours, theirs) in difference.failed.iter_mut().zip(failed) {
            *ours -= theirs;
        }
        difference.skipped -= skipped;
        difference.late -= late;
        difference.retried -= retried;
        difference.retries -= retries;
        difference.unfinished -= unfinished;
        difference
    }
}

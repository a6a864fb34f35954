//! `--random-seed`.

use std::time::{SystemTime, UNIX_EPOCH};

use super::numbers;

/// Where the seed of all randomness comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seed {
    /// The clock.
    Time,
    /// The system's randomness.
    Rand,
    /// The user.
    Number(u64),
}

impl Seed {
    /// Reads what a user writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "time" => Some(Self::Time),
            "rand" => Some(Self::Rand),
            _ => numbers::whole_unsigned(text).map(Self::Number),
        }
    }

    /// The seed itself.
    pub(super) fn draw(self) -> u64 {
        match self {
            Self::Time => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
            }
            Self::Rand => rand::random(),
            Self::Number(seed) => seed,
        }
    }
}

//! The one place where time is read.

use std::time::{Duration, Instant, SystemTime};

/// Reads the monotonic clock and, for logs and reports, the wall clock.
///
/// Durations are always differences of [`Clock::now`]; the wall clock names moments, it never measures.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
    origin_wall: SystemTime,
}

impl Clock {
    /// A clock whose wall time is pinned to the monotonic clock here and now, so that a step of the system's
    /// clock during a run can't tear the two apart.
    #[expect(clippy::new_without_default, reason = "a clock is started, not defaulted")]
    pub fn new() -> Self {
        Self { origin: Instant::now(), origin_wall: SystemTime::now() }
    }

    /// Now, on the monotonic clock. Nanosecond resolution, about 20 ns a call on Linux.
    #[inline]
    pub fn now(&self) -> Instant {
        Instant::now()
    }

    /// The wall-clock time of a moment of the monotonic clock.
    pub fn wall(&self, at: Instant) -> SystemTime {
        match at.checked_duration_since(self.origin) {
            Some(after) => self.origin_wall + after,
            None => self.origin_wall - self.origin.duration_since(at),
        }
    }

    /// Time since the clock was made.
    pub fn elapsed(&self) -> Duration {
        self.origin.elapsed()
    }
}

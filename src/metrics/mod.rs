//! What was observed: histograms, counters, time line.
//!
//! A worker owns one [`Recorder`] per phase; nothing is shared while it measures. At the end of a phase recorders
//! merge into one [`PhaseMetrics`], which the report reads.

pub mod failure;
pub mod recorder;

pub use failure::{FailureClass, SqlState};

//! What was observed: histograms, counters, time line.
//!
//! A worker owns one [`Recorder`] per phase; nothing is shared while it measures. At the end of a phase recorders
//! merge into one [`PhaseMetrics`], which the report reads.

pub mod counters;
pub mod errors;
pub mod failure;
pub mod histogram;
pub mod outage;
pub mod own;
pub mod phase;
pub mod recorder;
pub mod run;
pub mod timeline;

pub use counters::Counters;
pub use errors::{ErrorEntry, ErrorKind, ErrorLog};
pub use failure::{FailureClass, SqlState};
pub use histogram::Histogram;
pub use outage::{ClientOutage, Outage};
pub use own::{OwnMetric, OwnPoint};
pub use phase::{CommandMetrics, PhaseMetrics, ScriptMetrics};
pub use recorder::{Acquisition, Detail, FailureEvent, Recorder, TransactionTimes};
pub use run::{Arrivals, Ending, PhaseRun, RunMetrics, Search, Trial};
pub use timeline::{Sample, Spread, Timeline};

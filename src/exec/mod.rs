//! Runs a plan: workers, clients, pools, pacing, retries, stopping.
//!
//! [`run_phase`] starts one thread per worker, waits until all their sessions are open, starts the clock, and gathers
//! what they recorded. Between two statements of a client there is no lock, no allocation and no look-up by name.

mod alarm;
mod answer;
mod asker;
mod client;
mod control;
mod crew;
mod deal;
mod draw;
mod error;
mod failure;
mod feed;
mod interpreter;
mod listener;
mod log;
mod muster;
mod outage;
mod phase;
mod pipeline;
mod pool;
mod schedule;
mod session;
mod shared;
mod shell;
mod shutdown;
mod statement;
mod stop_rule;
mod store;
mod tell;
mod timer;
mod transaction;
mod untyped;
mod worker;

pub use asker::Asker;
pub use error::Error;
pub use failure::{ClientEnd, Fault};
pub use listener::{Listener, Silence, Step, TryDecided, TryFailed, Wants};
pub use log::{TransactionEnd, TransactionLog, TransactionLogs, TransactionOutcome};
pub use phase::{Execution, Observer, run_phase};
pub use shutdown::StopStage;
pub use untyped::untyped_parameter;

//! One [`Report`] of a run; text and JSON are pure functions of it.

pub mod block;
pub mod build;
pub mod claims;
pub mod csv;
pub mod curve;
pub mod distribution;
pub mod error;
pub mod facts;
pub mod find;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod matrix;
pub mod metric;
pub mod model;
pub mod own;
pub mod pgbench;
pub mod phase;
pub mod published;
pub mod published_yaml;
pub mod quantity;
pub mod text;
pub mod warnings;

pub use distribution::Distribution;
pub use error::Error;
pub use facts::{RunFacts, StepFacts};
pub use metric::{Figure, Unit};
pub use model::{Environment, HostFacts, Report, ServerFacts};

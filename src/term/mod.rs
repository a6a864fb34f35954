//! The terminal: styles, tables, progress.

mod painter;
pub mod progress;
pub mod spark;
pub mod style;
pub mod table;
mod view;
pub mod wrap;
mod writer;

pub use progress::{Progress, Tick};
pub use spark::sparkline;
pub use style::{ColorChoice, Style, Tone};
pub use table::{Cell, Column, Table};
pub use writer::Size;

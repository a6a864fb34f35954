//! The terminal: styles, tables, progress.

pub mod progress;
pub mod style;
pub mod table;
pub mod wrap;

pub use progress::{Progress, Tick};
pub use style::{ColorChoice, Style, Tone};
pub use table::{Cell, Column, Table};

//! Why a command did nothing.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::SourceMap;

use super::exit::Exit;

/// What is shown before the program ends.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// What is wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub(crate) sources: SourceMap,
    /// How the program ends.
    pub(crate) exit: Exit,
}

impl Refusal {
    /// Diagnostics of which errors mean that nothing was measured; warnings alone leave everything fine.
    pub(crate) fn new(diagnostics: Vec<Diagnostic>, sources: SourceMap) -> Self {
        let errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
        Self { diagnostics, sources, exit: if errors { Exit::NothingMeasured } else { Exit::Fine } }
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(vec![diagnostic], SourceMap::default())
    }
}

/// The refusal of something that a later version does.
pub(crate) fn not_yet(what: &str) -> Diagnostic {
    Diagnostic::error("usage::not_yet", format!("{what} is not supported yet")).help("leave it out")
}

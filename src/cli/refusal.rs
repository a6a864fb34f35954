//! Why a command did nothing.

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// What is shown before the program ends with exit code 1.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    /// What is wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub(crate) sources: SourceMap,
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], sources: SourceMap::default() }
    }
}

/// The refusal of something that a later version does.
pub(crate) fn not_yet(what: &str) -> Diagnostic {
    Diagnostic::error("usage::not_yet", format!("{what} is not supported yet")).help("leave it out")
}

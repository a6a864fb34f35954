//! What can be wrong with a scenario as a whole.

use super::compile::ProgramError;
use crate::diagnostic::Diagnostic;

/// Why a scenario does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A script can't be compiled.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl Error {
    /// The error as it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Program(error) => error.diagnostic(),
        }
    }
}

//! What can be wrong with a scenario as a whole.

use super::compile::{ProgramError, ScenarioError};
use crate::diagnostic::Diagnostic;

/// Why a scenario does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A script can't be compiled.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The scenario makes no sense.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A script, SQL or an expression does not parse; its places are those of the file that it stands in.
    #[error("{}", .0.message)]
    Script(Box<Diagnostic>),
}

impl Error {
    /// Takes back the proposal of a name that could not have been meant.
    pub(super) fn forget_nearest(&mut self, unlikely: &str) {
        if let Self::Program(ProgramError::UndefinedVariable { nearest, .. }) = self
            && nearest.as_deref() == Some(unlikely)
        {
            *nearest = None;
        }
    }

    /// The error as it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Program(error) => error.diagnostic(),
            Self::Scenario(error) => error.diagnostic(),
            Self::Script(diagnostic) => (**diagnostic).clone(),
        }
    }
}

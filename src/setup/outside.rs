//! What steps need that neither the plan nor the server has: files, commands, and the server's process.

use std::future::Future;
use std::io::Read;
use std::path::Path;
use std::pin::Pin;

use crate::diagnostic::Diagnostic;
use crate::plan::step::CopyPlan;

/// A file of rows that is open.
pub struct RowFile {
    /// Its bytes.
    pub reader: Box<dyn Read>,
    /// How many there are.
    pub bytes: u64,
}

/// A restart that is under way.
pub type Restarting<'a> = Pin<Box<dyn Future<Output = Result<(), Diagnostic>> + 'a>>;

/// Whoever runs steps hands this in.
pub trait Outside {
    /// Opens the file of a `copy` step.
    fn open(&self, copy: &CopyPlan) -> Result<RowFile, Diagnostic>;

    /// The folder that shell commands run in; none: they are not allowed.
    fn shell_folder(&self) -> Option<&Path>;

    /// Stops the server and starts it again at the same place; none: it is not ours.
    fn restart(&self) -> Option<Restarting<'_>>;
}

/// No files, no commands, and a server that is somebody else's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl Outside for Nothing {
    fn open(&self, copy: &CopyPlan) -> Result<RowFile, Diagnostic> {
        Err(Diagnostic::error("files::not_found", format!("there is no file `{}`", copy.csv)))
    }

    fn shell_folder(&self) -> Option<&Path> {
        None
    }

    fn restart(&self) -> Option<Restarting<'_>> {
        None
    }
}

//! What the command line waits with.

use tokio::runtime::{Builder, Runtime};

use crate::diagnostic::Diagnostic;

/// A runtime on this thread.
pub(crate) fn runtime() -> Result<Runtime, Diagnostic> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Diagnostic::error("run::runtime", error.to_string()))
}

//! What the steps of a run need besides the server: the scenario's files, its commands, and the server's process.

use std::path::Path;

use crate::cli::files::Files;
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::plan::step::CopyPlan;
use crate::setup::{self, Outside, Restarting, RowFile};

use super::Args;
use super::place::Place;

/// It, for one run.
#[derive(Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) place: &'a Place,
    pub(super) files: Files,
    pub(super) allow_shell: bool,
}

/// The commands of a plan that its user has not allowed.
pub(super) fn not_allowed(args: &Args, plan: &Plan) -> Vec<Diagnostic> {
    let commands = if args.allow_shell { Vec::new() } else { plan.shell_commands() };
    commands.into_iter().map(|span| setup::Error::ShellNotAllowed { span }.diagnostic()).collect()
}

impl Outside for Surroundings<'_> {
    fn open(&self, copy: &CopyPlan) -> Result<RowFile, Diagnostic> {
        let opened = self.files.open(&copy.csv).map_err(|error| error.diagnostic(Some(copy.span)))?;
        let (file, bytes) = opened;
        Ok(RowFile { reader: Box::new(file), bytes })
    }

    fn shell_folder(&self) -> Option<&Path> {
        self.allow_shell.then(|| self.files.folder())
    }

    fn restart(&self) -> Option<Restarting<'_>> {
        let server = self.place.embedded.as_ref()?;
        Some(Box::pin(async { server.restart().await.map_err(|error| error.diagnostic()) }))
    }
}

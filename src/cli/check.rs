//! `reprise check`: all errors of scenarios and scripts at once, without a server.

use std::path::PathBuf;

use super::define::Define;

/// Find the errors of scenarios and scripts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenarios (.yaml) and scripts
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Set a variable of the scenario
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    pub(crate) define: Vec<Define>,
    /// Take this profile of the scenario
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

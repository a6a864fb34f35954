//! `reprise plan`: what a run would do.

use std::path::PathBuf;

use super::define::Define;

/// Show what a run would do
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A scenario (.yaml) or a script
    #[arg(value_name = "SCENARIO")]
    pub(crate) file: PathBuf,
    /// Set a variable of the scenario
    #[arg(short = 'D', long, value_name = "NAME=VALUE")]
    pub(crate) define: Vec<Define>,
    /// Take this profile of the scenario
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

//! `reprise report`: a kept run in any form.

use std::io::Write;
use std::path::PathBuf;

use super::color::ColorChoice;
use super::exit::Exit;
use super::format::Format;
use super::kept;
use super::refusal::Refusal;

/// Show a run that was kept
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A run: its folder, the run.json in it, or `last`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// What standard output shows
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

/// Prints it. What the run came to was said by its own exit code.
pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut impl Write) -> Result<Exit, Refusal> {
    let report = kept::read(&args.run)?;
    let _ = out.write_all(args.format.render(&report, color).as_bytes());
    Ok(Exit::Fine)
}

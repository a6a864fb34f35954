//! `reprise schema`: the JSON Schema of scenarios, for editors.

use std::io::Write;

use super::exit::Exit;
use crate::scenario::json_schema;

/// Print the JSON Schema of scenarios, for editors
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Prints it.
pub(crate) fn run(_args: &Args, out: &mut impl Write) -> Exit {
    let _ = out.write_all(text().as_bytes());
    Exit::Fine
}

/// The schema as it stands in a file.
pub(super) fn text() -> String {
    format!("{:#}\n", json_schema())
}

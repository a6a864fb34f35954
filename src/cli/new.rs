//! `reprise new`: a scenario to begin with.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::files::write_new;
use super::refusal::Refusal;
use super::schema;

/// Write a starter scenario
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The scenario's name; it goes to NAME.yaml
    #[arg(value_parser = name)]
    name: String,
}

const STARTER: &str = include_str!("starter.yaml");

/// The schema that the starter's first line names.
const SCHEMA: &str = "reprise.schema.json";

fn name(text: &str) -> Result<String, String> {
    let allowed = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    if text.chars().all(allowed) && text.starts_with(|c: char| c.is_ascii_lowercase()) {
        Ok(text.to_owned())
    } else {
        Err("a name consists of a-z, 0-9 and _, and begins with a letter".to_owned())
    }
}

/// Writes the file, unless there is one.
pub(crate) fn run(args: &Args, out: &mut impl Write) -> Result<Exit, Refusal> {
    let path = PathBuf::from(format!("{}.yaml", args.name));
    write_new(&path, &STARTER.replace("NAME", &args.name))?;
    // one for all scenarios of a folder
    if !Path::new(SCHEMA).exists() {
        write_new(Path::new(SCHEMA), &schema::text())?;
        let _ = writeln!(out, "wrote {SCHEMA}, by which editors complete and check scenarios");
    }
    let _ = writeln!(out, "wrote {0}; try `reprise check {0}` and `reprise run {0}`", path.display());
    Ok(Exit::Fine)
}

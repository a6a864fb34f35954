//! `reprise new`: a scenario to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::diagnostic::Diagnostic;

use super::exit::Exit;
use super::refusal::Refusal;

/// Write a starter scenario
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The scenario's name; it goes to NAME.yaml
    #[arg(value_parser = name)]
    name: String,
}

const STARTER: &str = include_str!("starter.yaml");

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
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(STARTER.replace("NAME", &args.name).as_bytes()));
    match written {
        Ok(()) => {
            let _ = writeln!(out, "wrote {0}; try `reprise check {0}` and `reprise run {0}`", path.display());
            Ok(Exit::Fine)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Diagnostic::error("files::exists", format!("there is a file `{}` already", path.display()))
                .help("choose another name, or remove it")
                .into())
        }
        Err(error) => {
            Err(Diagnostic::error("files::not_written", format!("can't write `{}`: {error}", path.display()))
                .help("check the folder's permissions and its free space")
                .into())
        }
    }
}

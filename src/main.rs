//! The `reprise` program: see `reprise --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    reprise::cli::main(std::env::args_os().collect())
}

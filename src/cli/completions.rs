//! `reprise completions`: what a shell needs to complete a command line.

use std::io::Write;

use super::exit::Exit;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

/// Prints them.
pub(crate) fn run(args: &Args, out: &mut impl Write) -> Exit {
    clap_complete::generate(args.shell, &mut super::command(), "reprise", out);
    Exit::Fine
}

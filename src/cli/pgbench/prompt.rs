//! Asking for a secret on the terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;

use nix::sys::termios::{self, LocalFlags, SetArg};

/// Shows `question` and reads a line that is not shown; without a terminal, from standard input.
pub(super) fn secret(question: &str) -> io::Result<String> {
    if let Ok(terminal) = OpenOptions::new().read(true).write(true).open("/dev/tty") {
        return ask(question, &terminal, &mut BufReader::new(&terminal), &mut &terminal);
    }
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    ask(question, &input, &mut BufReader::new(&input), &mut io::stderr())
}

fn ask(question: &str, terminal: &File, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<String> {
    output.write_all(question.as_bytes())?;
    output.flush()?;
    // what is no terminal shows nothing anyway
    let shown = termios::tcgetattr(terminal).ok();
    if let Some(shown) = &shown {
        let mut hidden = shown.clone();
        hidden.local_flags.remove(LocalFlags::ECHO);
        termios::tcsetattr(terminal, SetArg::TCSAFLUSH, &hidden)?;
    }
    let mut line = String::new();
    let read = input.read_line(&mut line);
    if let Some(shown) = &shown {
        termios::tcsetattr(terminal, SetArg::TCSAFLUSH, shown)?;
    }
    output.write_all(b"\n")?;
    read?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

//! The program to be tested.

use std::ffi::OsStr;
use std::process::{Command, Output};

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none: a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// `reprise` with these arguments, in an environment that names no server, no color and no seed.
pub fn reprise<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PG") {
            command.env_remove(name);
        }
    }
    command.env_remove("NO_COLOR").args(args);
    command
}

/// The same command with every signal at its default: what runs the tests may ignore some, as `nohup` does, and a program
/// inherits that.
pub fn with_default_signals(command: &Command) -> Command {
    let mut through = Command::new("env");
    through.arg("--default-signal").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => through.env(name, value),
            None => through.env_remove(name),
        };
    }
    through
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ended {
    command.output().expect("the program starts").into()
}

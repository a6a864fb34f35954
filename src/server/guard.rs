//! The process that cleans up after an embedded server, whatever becomes of reprise.
//!
//! It is this program again, in a session of its own, so that neither Ctrl-C nor the end of a terminal reaches it. It
//! holds the read end of a pipe whose write end nobody has but reprise. What there is to clean up is told through the
//! pipe; when the pipe ends, because reprise is done, has crashed or was killed, the guard does it.

mod duties;

use std::io::{self, BufRead, BufReader, PipeWriter, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use nix::sys::signal::SigSet;

use super::Error;
use super::child::forget_servers;
use duties::Duties;
pub(super) use duties::{Ending, FAST, ask_to_stop};

/// The hidden subcommand that a guard is started with: `reprise __guard`.
pub const SUBCOMMAND: &str = "__guard";

/// What the guard says once no signal of the terminal reaches it.
const READY: &str = "ready";

/// The pause between two looks at a process that is ending.
const POLL: Duration = Duration::from_millis(5);

/// The guard's own main function: waits until its standard input ends, then cleans up.
pub fn main() -> ExitCode {
    // A process that leads a group already can't lead a session; then its own group must do.
    let _ = nix::unistd::setsid();
    // Whoever ends all processes of a service by SIGTERM means the server too, and that is the guard's work.
    let _ = SigSet::all().thread_block();
    let mut output = io::stdout();
    if writeln!(output, "{READY}").and_then(|()| output.flush()).is_err() {
        return ExitCode::FAILURE;
    }
    let mut duties = Duties::default();
    let mut input = BufReader::new(io::stdin());
    let mut record = Vec::new();
    // A record without its end was cut off by the end of reprise: what it speaks of did not happen yet.
    while input.read_until(0, &mut record).is_ok_and(|_| record.pop() == Some(0)) {
        duties.note(&record);
        record.clear();
    }
    if duties.carry_out().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The guard as reprise sees it.
#[derive(Debug)]
pub(super) struct Guard {
    process: Child,
    /// The only write end; closed by dropping it.
    pipe: Option<PipeWriter>,
    duties: Duties,
}

impl Guard {
    /// Starts one and waits until it is out of the terminal's reach.
    pub(super) fn start() -> Result<Self, Error> {
        let what = "could not start the process that cleans up after the embedded server";
        let program = std::env::current_exe().map_err(Error::io(what))?;
        // Both ends are closed on exec, so that no other child keeps the pipe open.
        let (reader, writer) = io::pipe().map_err(Error::io(what))?;
        let mut command = Command::new(program);
        forget_servers(&mut command);
        let mut process = command
            .arg(SUBCOMMAND)
            .current_dir("/")
            .stdin(reader)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Error::io(what))?;
        let is_ready = process.stdout.as_mut().is_some_and(is_ready);
        let guard = Self { process, pipe: Some(writer), duties: Duties::default() };
        // Dropping it ends and reaps it.
        if is_ready { Ok(guard) } else { Err(Error::Guard) }
    }

    /// Has it remove a folder at the end.
    pub(super) fn removes(&mut self, folder: &Path) -> Result<(), Error> {
        self.tell(&duties::removes(folder))
    }

    /// Has it end a process and its group.
    pub(super) fn ends(&mut self, pid: u32, ending: Ending) -> Result<(), Error> {
        self.tell(&duties::ends(pid, ending))
    }

    /// Tells it that the process has ended and was waited for, so its number may belong to another one soon.
    pub(super) fn ended(&mut self, pid: u32) -> Result<(), Error> {
        self.tell(&duties::ended(pid))
    }

    fn tell(&mut self, record: &[u8]) -> Result<(), Error> {
        self.duties.note(record);
        let Some(pipe) = &mut self.pipe else { return Err(Error::Guard) };
        pipe.write_all(&[record, &[0]].concat()).map_err(|_| Error::Guard)
    }

    /// Lets it clean up and waits until that is done. `child` is the server, which only we can reap.
    pub(super) fn finish(&mut self, mut child: Option<&mut Child>) -> Result<(), Error> {
        if self.pipe.take().is_none() {
            return Ok(());
        }
        let status = loop {
            if let Some(child) = &mut child {
                let _ = child.try_wait();
            }
            match self.process.try_wait().map_err(Error::io("could not wait for the guard"))? {
                Some(status) => break status,
                None => std::thread::sleep(POLL),
            }
        };
        // A guard that was killed itself has left its work to us.
        let done = if status.success() { Ok(()) } else { self.duties.carry_out() };
        if let Some(child) = child {
            let _ = child.wait();
        }
        done.map_err(|folder| Error::LeftBehind { folder })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.finish(None);
    }
}

fn is_ready(output: &mut impl Read) -> bool {
    // The first line, unless the program prints something of its own before, as a test's executable does.
    BufReader::with_capacity(64, output).lines().map_while(Result::ok).any(|line| line.ends_with(READY))
}

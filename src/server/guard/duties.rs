//! What there is to clean up, and how it is done.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::POLL;

/// How a process is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Ending {
    /// With its group, at once.
    Kill,
    /// A server whose data is thrown away: immediate shutdown, which frees its shared memory and writes nothing.
    Immediate,
    /// A server whose data stays: fast shutdown, with a checkpoint.
    Fast,
}

/// How long a server gets for an immediate shutdown. It gives its children five seconds and then kills them.
const IMMEDIATE: Duration = Duration::from_secs(10);
/// How long a server gets for a fast shutdown: the checkpoint may have much to write.
pub(in crate::server) const FAST: Duration = Duration::from_secs(120);
/// How long processes that are ending may still put files into a folder that is being removed.
const REMOVAL: Duration = Duration::from_secs(5);

/// Everything that must be gone at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Duties {
    processes: Vec<(i32, Ending)>,
    folders: Vec<PathBuf>,
}

/// The record: remove this folder.
pub(super) fn removes(folder: &Path) -> Vec<u8> {
    [b"f", folder.as_os_str().as_bytes()].concat()
}

/// The record: end this process.
pub(super) fn ends(pid: u32, ending: Ending) -> Vec<u8> {
    let kind = match ending {
        Ending::Kill => 'k',
        Ending::Immediate => 'i',
        Ending::Fast => 's',
    };
    format!("{kind}{pid}").into_bytes()
}

/// The record: this process has ended.
pub(super) fn ended(pid: u32) -> Vec<u8> {
    format!("e{pid}").into_bytes()
}

impl Duties {
    /// Takes a record in. One that makes no sense is passed over: there is nobody to tell.
    pub(super) fn note(&mut self, record: &[u8]) {
        let Some((&kind, rest)) = record.split_first() else { return };
        let ending = match kind {
            b'f' => return self.folders.push(PathBuf::from(OsStr::from_bytes(rest))),
            b'k' => Some(Ending::Kill),
            b'i' => Some(Ending::Immediate),
            b's' => Some(Ending::Fast),
            _ => None,
        };
        let pid = std::str::from_utf8(rest).ok().and_then(|pid| pid.parse().ok()).filter(|&pid: &i32| pid > 1);
        match (pid, ending) {
            (Some(pid), Some(ending)) => self.processes.push((pid, ending)),
            (Some(pid), None) if kind == b'e' => self.processes.retain(|(other, _)| *other != pid),
            _ => {}
        }
    }

    /// Ends the processes, then removes the folders; the first that stays is the error.
    pub(super) fn carry_out(&self) -> Result<(), PathBuf> {
        for &(pid, ending) in self.processes.iter().rev() {
            end(Pid::from_raw(pid), ending, &self.folders);
        }
        self.folders.iter().try_for_each(|folder| remove(folder))
    }
}

fn end(pid: Pid, ending: Ending, folders: &[PathBuf]) {
    match ending {
        Ending::Kill => {
            let _ = killpg(pid, Signal::SIGKILL);
            return;
        }
        Ending::Fast if ask(pid, Signal::SIGINT, FAST) => return,
        Ending::Immediate | Ending::Fast if ask(pid, Signal::SIGQUIT, IMMEDIATE) => return,
        Ending::Immediate | Ending::Fast => {}
    }
    let segments: Vec<String> = folders.iter().filter_map(|folder| shared_memory(folder)).collect();
    ask(pid, Signal::SIGKILL, IMMEDIATE);
    // A server that was killed frees nothing by itself.
    for segment in segments {
        let _ = Command::new("ipcrm").args(["-m", &segment]).stdin(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Asks a server for a fast shutdown.
pub(in crate::server) fn ask_to_stop(pid: u32) {
    if let Ok(pid) = i32::try_from(pid) {
        // what is gone needs no signal
        let _ = kill(Pid::from_raw(pid), Signal::SIGINT);
    }
}

/// Sends a signal and waits for the end. A process that was stopped (SIGSTOP) has to go on to receive it.
fn ask(pid: Pid, signal: Signal, limit: Duration) -> bool {
    let begin = Instant::now();
    let _ = kill(pid, signal);
    let _ = kill(pid, Signal::SIGCONT);
    while !is_gone(pid) {
        if begin.elapsed() > limit {
            return false;
        }
        std::thread::sleep(POLL);
    }
    true
}

/// Whether a process has ended, though its parent may not have asked how yet.
fn is_gone(pid: Pid) -> bool {
    if kill(pid, None) == Err(Errno::ESRCH) {
        return true;
    }
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the command's name, which is in parentheses and may itself have some.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']))
}

/// The identifier of the System V segment of the cluster in `folder`: the second figure of `postmaster.pid`'s
/// seventh line.
fn shared_memory(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("data/postmaster.pid")).ok()?;
    text.lines().nth(6)?.split_whitespace().nth(1).map(str::to_owned)
}

fn remove(folder: &Path) -> Result<(), PathBuf> {
    let begin = Instant::now();
    loop {
        match fs::remove_dir_all(folder) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => return Ok(()),
            Err(_) if begin.elapsed() > REMOVAL => return Err(folder.to_owned()),
            Err(_) => std::thread::sleep(POLL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were_told() {
        let mut duties = Duties::default();
        for record in
            [removes(Path::new("/tmp/a b\n")), ends(4711, Ending::Kill), ends(4712, Ending::Fast), ended(4711)]
        {
            duties.note(&record);
        }
        let expected = Duties { processes: vec![(4712, Ending::Fast)], folders: vec!["/tmp/a b\n".into()] };
        assert_eq!(duties, expected);
    }

    #[test]
    fn no_record_makes_it_signal_everybody() {
        let mut duties = Duties::default();
        for record in ["k0", "k1", "k-1", "i", "sx", "", "k99999999999"] {
            duties.note(record.as_bytes());
        }
        assert_eq!(duties, Duties::default());
    }

    #[test]
    fn a_folder_that_is_gone_is_no_failure() {
        assert_eq!(remove(Path::new("/nonexistent/reprise")), Ok(()));
    }
}

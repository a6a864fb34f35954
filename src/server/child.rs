//! Running the server's programs.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use std::os::unix::process::CommandExt;

use super::Error;
use super::account::Account;
use super::guard::{Ending, Guard};

/// The pause between two looks at a process.
pub(super) const POLL: Duration = Duration::from_millis(10);

/// A command for one of the server's programs: as the server's user, in a process group of its own so that Ctrl-C
/// in the terminal doesn't reach it, without the environment variables that would change what it does.
pub(super) fn command(program: &Path, account: Account, folder: &Path) -> Command {
    let mut command = Command::new(program);
    forget_servers(&mut command);
    account.run(&mut command);
    command.current_dir(folder).stdin(Stdio::null()).process_group(0);
    command
}

/// Takes out of its environment what names servers and, maybe, a password: nothing that a child needs to know.
pub(super) fn forget_servers(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("PG")) {
            command.env_remove(name);
        }
    }
}

/// Starts it; from then on the guard ends it.
pub(super) fn spawn(command: &mut Command, guard: &mut Guard, ending: Ending) -> Result<Child, Error> {
    let what = format!("could not run `{}` as the server's user", Path::new(command.get_program()).display());
    let mut child = command.spawn().map_err(Error::io(what))?;
    if let Err(error) = guard.ends(child.id(), ending) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(error);
    }
    Ok(child)
}

/// Runs a program to its end. Dropped before, it is killed.
pub(super) async fn run(command: &mut Command, guard: &mut Guard) -> Result<ExitStatus, Error> {
    let mut running = Running { child: spawn(command, guard, Ending::Kill)? };
    let pid = running.child.id();
    loop {
        if let Some(status) = running.child.try_wait().map_err(Error::io("could not wait for a program"))? {
            guard.ended(pid)?;
            return Ok(status);
        }
        tokio::time::sleep(POLL).await;
    }
}

struct Running {
    child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its own children end with it: they are killed by the guard, which knows the group.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

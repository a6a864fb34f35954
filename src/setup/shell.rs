//! Commands of the shell, which whoever runs the scenario has allowed.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};

use super::step::Run;
use super::{Error, StatementResult};
use crate::plan::StepPlan;

/// How long a command gets to end by itself once somebody has asked to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of its output that are kept, from the end.
const KEPT: usize = 16 * 1024;

/// Lines of its output that are shown.
const SHOWN: usize = 20;

/// Runs the command with `sh`, with the server's place in its environment.
pub(super) async fn shell(run: &Run<'_>, step: &StepPlan, command: &str) -> Result<Vec<StatementResult>, Error> {
    let folder = run.outside.shell_folder().ok_or(Error::ShellNotAllowed { span: step.span })?;
    let (target, _) = run.admin.origin();
    let failed = |status: String, output: &str| Error::Shell {
        step: step.name.clone(),
        status,
        output: shown(output, target.variables()),
        span: step.span,
    };
    let mut process = Command::new("sh");
    process
        .arg("-c")
        .arg(command)
        .current_dir(folder)
        .envs(target.variables().iter().map(|(name, value)| (name, value)));
    for (name, _) in std::env::vars_os() {
        let known = |name: &str| target.variables().iter().any(|(known, _)| *known == name);
        if name.to_str().is_some_and(|name| name.starts_with("PG") && !known(name)) {
            process.env_remove(name);
        }
    }
    let begin = run.now();
    let mut job = Job::begin(process).map_err(|error| failed(format!("could not be started: {error}"), ""))?;
    let ended = tokio::select! {
        ended = job.end() => Some(ended),
        () = run.cancel.asked() => None,
    };
    let Some(ended) = ended else {
        job.signal(Signal::SIGTERM);
        let _ = tokio::time::timeout(PATIENCE, job.end()).await;
        return Err(Error::Cancelled);
    };
    let output = String::from_utf8_lossy(&job.output).into_owned();
    match ended {
        Ok(status) if status.success() => {
            job.group = None;
            Ok(vec![StatementResult { elapsed: run.now() - begin, rows: 0 }])
        }
        Ok(status) => Err(failed(format!("ended with {status}"), &output)),
        Err(error) => Err(failed(format!("could not be waited for: {error}"), &output)),
    }
}

/// A command in a process group of its own, which is ended with it unless the command did well.
struct Job {
    child: Child,
    receiver: Receiver,
    output: Vec<u8>,
    group: Option<Pid>,
}

impl Job {
    fn begin(mut process: Command) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        process.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).process_group(0).kill_on_drop(true);
        let child = process.spawn()?;
        let group = child.id().and_then(|pid| i32::try_from(pid).ok()).map(Pid::from_raw);
        Ok(Self { child, receiver: Receiver::from_owned_fd(reader.into())?, output: Vec::new(), group })
    }

    /// Takes in its output until it has ended. A process that it leaves behind may still hold the pipe: what that one
    /// writes is not waited for.
    async fn end(&mut self) -> io::Result<ExitStatus> {
        let mut chunk = [0; 4096];
        let mut open = true;
        let status = loop {
            tokio::select! {
                status = self.child.wait() => break status,
                read = self.receiver.read(&mut chunk), if open => match read {
                    Ok(0) | Err(_) => open = false,
                    Ok(count) => self.keep(&chunk[..count]),
                },
            }
        };
        while let Ok(count @ 1..) = self.receiver.try_read(&mut chunk) {
            self.keep(&chunk[..count]);
        }
        status
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        let beyond = self.output.len().saturating_sub(KEPT);
        self.output.drain(..beyond);
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // it may be gone already
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

/// The last lines of an output, without the password that it was given.
fn shown(output: &str, variables: &[(&'static str, String)]) -> String {
    let secret = variables.iter().find(|(name, value)| *name == "PGPASSWORD" && !value.is_empty());
    let output = secret.map_or_else(|| output.to_owned(), |(_, secret)| output.replace(secret, "…"));
    let lines: Vec<&str> = output.trim_end().lines().collect();
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn the_end_of_an_output_is_shown_without_the_password() {
        let lines: String = (0..30).map(|n: u32| n.to_string() + " secret\n").collect();
        let text = shown(&lines, &[("PGUSER", "u".into()), ("PGPASSWORD", "secret".into())]);
        assert!(text.starts_with("10 …\n") && text.ends_with("29 …"), "{text}");
    }
}

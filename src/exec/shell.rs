//! `\shell` and `\setshell`: a command run by `sh`. Other clients of the worker go on meanwhile.

use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::process::{ChildStdout, Command};

use super::client::Client;
use super::failure::{Failure, Fault, Outcome};
use super::listener::Step;
use crate::eval::Value;
use crate::id::SlotId;
use crate::plan::program::ShellWord;

/// pgbench's longest command.
const LONGEST_COMMAND: usize = 254;
/// What pgbench reads of a command's output, unless a line ends before.
const LONGEST_RESULT: usize = 63;

impl Client {
    /// Runs the words, and stores the integer that they print.
    pub(super) async fn shell(&mut self, words: &[ShellWord], store: Option<SlotId>) -> Outcome<()> {
        let name = self.shell_name(words);
        let fault = |what: &str| Failure::client(Fault::Execution, format!("{name}: {what}"));
        let text = self.shell_text(&name, words)?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(text).kill_on_drop(true);
        let Some(slot) = store else {
            let done = command.status().await;
            let succeeded = done.is_ok_and(|status| status.success());
            return if succeeded { Ok(()) } else { Err(fault("could not launch shell command")) };
        };
        let child = command.stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|_| fault("could not launch shell command"))?;
        let mut line = Vec::new();
        if let Some(output) = child.stdout.take() {
            // where it can't be read there is no result
            line = first_line(output).await.unwrap_or_default();
        }
        // as in pgbench: what it prints counts, and not how it ends
        let _ = child.wait().await;
        if line.is_empty() {
            return Err(fault("could not read result of shell command"));
        }
        let Some(value) = integer(&line) else {
            let shown = String::from_utf8_lossy(&line);
            return Err(fault(&format!("shell command must return an integer (not \"{shown}\")")));
        };
        self.slots[slot.index()] = Some(Value::Integer(value));
        Ok(())
    }

    /// The first word as it was written.
    fn shell_name(&self, words: &[ShellWord]) -> String {
        match words.first() {
            Some(ShellWord::Text(text)) => text.to_string(),
            Some(ShellWord::Slot(slot)) => format!(":{}", self.shared.plan.slots[slot.index()].name),
            None => String::new(),
        }
    }

    fn shell_text(&self, name: &str, words: &[ShellWord]) -> Outcome<String> {
        let mut text = String::new();
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            match word {
                ShellWord::Text(word) => text.push_str(word),
                ShellWord::Slot(slot) => {
                    let variable = &self.shared.plan.slots[slot.index()].name;
                    let Some(value) = &self.slots[slot.index()] else {
                        let message = format!("{name}: undefined variable \":{variable}\"");
                        return Err(Failure::client(Fault::Execution, message));
                    };
                    let mut bytes = Vec::new();
                    value.write_sql(&mut bytes);
                    let value = String::from_utf8_lossy(&bytes);
                    if self.shared.wants.steps {
                        let step = Step::ShellWord { command: name, name: variable, value: &value };
                        self.shared.listener.step(self.number, step);
                    }
                    text.push_str(&value);
                }
            }
        }
        if text.len() > LONGEST_COMMAND {
            return Err(Failure::client(Fault::Execution, format!("{name}: shell command is too long")));
        }
        Ok(text)
    }
}

/// The first line with its end, as far as it is read; what comes behind it is not waited for.
async fn first_line(output: ChildStdout) -> std::io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut output = output.take(LONGEST_RESULT as u64);
    let mut byte = [0];
    while !line.ends_with(b"\n") && output.read(&mut byte).await? > 0 {
        line.push(byte[0]);
    }
    Ok(line)
}

/// A C `int` as `strtol` reads it, with blanks on both sides.
#[expect(clippy::cast_possible_truncation, reason = "an `int` takes the lower half of a longer number")]
fn integer(line: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(line).ok()?.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(i64::from(text.parse().unwrap_or(beyond) as i32))
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn a_result_is_read_as_a_c_int() {
        assert_eq!(integer(b" 12 \n"), Some(12));
        assert_eq!(integer(b"-3"), Some(-3));
        assert_eq!(integer(b"4294967297\n"), Some(1));
        assert_eq!(integer(b"99999999999999999999\n"), Some(-1));
        assert_eq!(integer(b"one\n"), None);
        assert_eq!(integer(b"7x\n"), None);
        assert_eq!(integer(b"\n"), None);
    }
}

//! What a run tells on standard error while it goes on, in pgbench's lines. Each is one write, so that lines of several
//! threads don't mix.

use std::io::{self, Write};
use std::sync::Arc;

use super::wording;
use crate::eval::Value;
use crate::exec::{Listener, Step, TryDecided, TryFailed, Wants};
use crate::id::{ClientId, CommandId};
use crate::pg::ServerError;
use crate::plan::Plan;

/// Tells what the command line asks for.
pub(super) struct Teller {
    pub(super) program: String,
    pub(super) plan: Arc<Plan>,
    /// `--verbose-errors`
    pub(super) tries: bool,
    /// `--debug`
    pub(super) steps: bool,
}

impl Teller {
    fn tell(&self, text: &str) {
        write(&format!("{}: {text}\n", self.program));
    }

    fn max_tries(&self) -> u32 {
        self.plan.phases.first().map_or(1, |phase| phase.load.max_tries)
    }

    /// A meta-command with the arguments that pgbench shows of it.
    fn command(&self, command: CommandId) -> String {
        let plan = &self.plan.commands[command.index()];
        let mut words = plan.display.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        // a backslash may stand apart from its word
        let name = if first == "\\" { words.next().unwrap_or_default() } else { &first[1.min(first.len())..] };
        let shown = match plan.word {
            "set" => 1,
            "if" | "elif" => 0,
            _ => usize::MAX,
        };
        words.take(shown).fold(format!("\\{name}"), |text, word| text + " " + word)
    }
}

impl Listener for Teller {
    fn wants(&self) -> Wants {
        Wants { notices: true, tries: self.tries, steps: self.steps, results: false }
    }

    fn debug(&self, command: CommandId, value: &Value) {
        let plan = &self.plan.commands[command.index()];
        write(&format!("debug(script={},command={}): {}\n", plan.script.0, plan.number + 1, value.typed()));
    }

    fn notice(&self, notice: &ServerError) {
        write(&wording::notice(notice));
    }

    fn try_failed(&self, failed: &TryFailed<'_>) {
        let TryFailed { client, script, command, message } = failed;
        let number = command.map_or(0, |command| self.plan.commands[command.index()].number);
        let place = format!("in command {number} (SQL) of script {}", script.0);
        self.tell(&format!("client {} got an error {place}; {message}", client.0));
    }

    fn try_decided(&self, decided: &TryDecided) {
        let TryDecided { client, again, tries, used } = decided;
        let what = if *again { "repeats the transaction after the error" } else { "ends the failed transaction" };
        let most = match self.max_tries() {
            0 => String::new(),
            most => format!("/{most}"),
        };
        let used = used
            .map_or_else(String::new, |used| format!(", {:.3}% of the maximum time of tries was used", used * 100.0));
        self.tell(&format!("client {} {what} (try {tries}{most}{used})", client.0));
    }

    fn step(&self, client: ClientId, step: Step<'_>) {
        let client = client.0;
        let text = match step {
            Step::Script(script) => {
                format!("client {client} executing script \"{}\"", self.plan.scripts[script.index()].description)
            }
            Step::Command(command) => format!("client {client} executing {}", self.command(command)),
            Step::Preparing(name) => format!("client {client} preparing {name}"),
            Step::Sending(text) => format!("client {client} sending {text}"),
            Step::Receiving => format!("client {client} receiving"),
            Step::PipelineEnding(syncs) => format!("client {client} pipeline ending, ongoing syncs: {syncs}"),
            Step::ShellWord { command, name, value } => {
                format!("{command}: shell parameter name: \":{name}\", value: \"{value}\"")
            }
        };
        self.tell(&text);
    }
}

fn write(text: &str) {
    // nobody is left to be told where standard error is closed
    let _ = io::stderr().write_all(text.as_bytes());
}

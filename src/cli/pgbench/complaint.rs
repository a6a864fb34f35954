//! A script's fault in pgbench's words.

use crate::script::PgbenchMessage;
use crate::source::SourceMap;

/// The message without the program's name; `name` is the script's description.
pub(super) fn render(message: &PgbenchMessage, name: &str, sources: &SourceMap) -> String {
    match message {
        PgbenchMessage::Syntax { text, more, command, at, echo, caret } => {
            let (line, _) = sources.line_column(*at);
            let more = more.as_ref().map_or_else(String::new, |more| format!(" ({more})"));
            let command = command.as_ref().map_or_else(String::new, |command| format!(" in command \"{command}\""));
            let echo = echo.map_or_else(String::new, |span| format!("\n{}", sources.slice(span)));
            let caret = caret.map_or_else(String::new, |column| format!("\n{}^ error found here", " ".repeat(column)));
            format!("{name}:{line}: {text}{more}{command}{echo}{caret}")
        }
        PgbenchMessage::Condition { command, text } => {
            format!("condition error in script \"{name}\" command {command}: {text}")
        }
        PgbenchMessage::Empty => format!("empty command list for script \"{name}\""),
    }
}

//! AST → text that parses to the same AST.

use std::fmt::Write as _;

use super::ast::{
    Command, CommandKind, Script, SleepAmount, SleepUnit, Sql, SqlPart, Store, StoreKind, VariableForm, VariableRef,
    Word,
};
use super::depth::Depth;
use super::parser;
use super::piece::PieceKind;
use super::print_expression::print_expression;

/// Writes a script out.
pub fn print(script: &Script) -> String {
    let mut printer = Printer::default();
    for command in &script.commands {
        printer.command(command);
    }
    // a byte order mark is refused only where it is the first thing
    if printer.out.starts_with('\u{feff}') {
        printer.out.insert(0, '\n');
    }
    printer.out
}

#[derive(Default)]
struct Printer {
    out: String,
    depth: Depth,
    /// The last command is SQL that nothing has ended yet.
    open: bool,
}

impl Printer {
    fn command(&mut self, command: &Command) {
        if let Some(label) = &command.label {
            self.line(&format!("\\label {}", label.text));
        }
        match &command.kind {
            CommandKind::Sql(sql) => self.sql(sql),
            kind => self.line(&print_meta(kind)),
        }
    }

    /// A meta-command, which ends what stands before it.
    fn line(&mut self, line: &str) {
        self.depth.advance(&PieceKind::MetaCommand(Vec::new()));
        self.open = false;
        self.out.push_str(line);
        // a backslash at the end would go on in the next line
        self.out.push_str(if line.ends_with('\\') && line.len() > 1 { " \n" } else { "\n" });
    }

    fn sql(&mut self, sql: &Sql) {
        if self.open {
            self.line("\\");
        }
        let text = print_sql(sql);
        self.open = true;
        for piece in parser::parse_script(&text) {
            let ends = self.depth.advance(&piece.kind);
            if ends && piece.bytes.end == text.len() {
                self.open = false;
            } else if ends || matches!(piece.kind, PieceKind::TestVariable) {
                self.out.push('\\');
            }
            self.out.push_str(&text[piece.bytes]);
        }
        if let Some(store) = &sql.store {
            self.line(&print_store(store));
        } else if !self.open {
            self.out.push('\n');
        }
    }
}

/// The text of a SQL command with its references as they were written.
fn print_sql(sql: &Sql) -> String {
    let mut text = String::new();
    for part in &sql.parts {
        match part {
            SqlPart::Text(part) => text.push_str(part),
            SqlPart::Variable(VariableRef { name, form, .. }) => {
                let quote = match form {
                    VariableForm::Raw => "",
                    VariableForm::Literal => "'",
                    VariableForm::Identifier => "\"",
                };
                text.extend([":", quote, &name.text, quote]);
            }
        }
    }
    for colon in sql.escaped_colons.iter().rev() {
        text.insert(*colon, '\\');
    }
    text
}

fn print_store(store: &Store) -> String {
    let command = match store.kind {
        StoreKind::Gset => "\\gset",
        StoreKind::Aset => "\\aset",
    };
    if store.prefix.is_empty() { command.to_owned() } else { format!("{command} {}", store.prefix) }
}

fn print_meta(kind: &CommandKind) -> String {
    match kind {
        CommandKind::Sql(sql) => print_sql(sql),
        CommandKind::Set { name, value } => format!("\\set {} {}", name.text, print_expression(value)),
        CommandKind::SetShell { name, words } => format!("\\setshell {}{}", name.text, print_words(words)),
        CommandKind::Shell { words } => format!("\\shell{}", print_words(words)),
        CommandKind::Sleep { amount, unit } => {
            let amount = match amount {
                SleepAmount::Constant(number) => number.to_string(),
                SleepAmount::Variable(name) => format!(":{}", name.text),
            };
            let unit = match unit {
                SleepUnit::Microseconds => "us",
                SleepUnit::Milliseconds => "ms",
                SleepUnit::Seconds => "s",
            };
            format!("\\sleep {amount} {unit}")
        }
        CommandKind::If(condition) => format!("\\if {}", print_expression(condition)),
        CommandKind::Elif(condition) => format!("\\elif {}", print_expression(condition)),
        CommandKind::Else => "\\else".to_owned(),
        CommandKind::Endif => "\\endif".to_owned(),
        CommandKind::StartPipeline => "\\startpipeline".to_owned(),
        CommandKind::SyncPipeline => "\\syncpipeline".to_owned(),
        CommandKind::EndPipeline => "\\endpipeline".to_owned(),
        CommandKind::Feed(name) => format!("\\feed {}", name.text),
        CommandKind::Repeat { count, counter } => {
            let counter = counter.as_ref().map_or_else(String::new, |name| format!(" as {}", name.text));
            format!("\\repeat {}{counter}", print_expression(count))
        }
        CommandKind::EndRepeat => "\\endrepeat".to_owned(),
        CommandKind::Assert { condition, text } => {
            let text = text.as_ref().map_or_else(String::new, |text| format!(" '{}'", text.replace('\'', "''")));
            format!("\\assert {}{text}", print_expression(condition))
        }
    }
}

fn print_words(words: &[Word]) -> String {
    words.iter().fold(String::new(), |mut line, word| {
        // writing to a string can't fail
        let _ = match word {
            Word::Text(text) if text.starts_with(':') => write!(line, " :{text}"),
            Word::Text(text) => write!(line, " {text}"),
            Word::Variable(name) => write!(line, " :{}", name.text),
        };
        line
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Dialect, Script, parse};
    use super::print;
    use crate::source::SourceId;

    const PIECES: &[&str] = &[
        "select ",
        "1",
        " ",
        "\n",
        ";",
        ";",
        "(",
        ")",
        "'",
        "''",
        "\"",
        "E'",
        "\\'",
        "\\;",
        "\\:",
        "$$",
        "$a$",
        "$1 ",
        "-- c\n",
        "/*",
        "*/",
        ":x",
        "::",
        ":'x'",
        ":\"x\"",
        "begin ",
        "end ",
        "create function f ",
        "\r\n",
        "\\\n",
        "\\set q 1 + :x * (2 - 3)\n",
        "\\set s 'a''b' || -:x\n",
        "\\if not :x is null\n",
        "\\else\n",
        "\\endif\n",
        "\\gset\n",
        "\\aset p_\n",
        "\\label l\n",
        "\\repeat 3 as i\n",
        "\\endrepeat\n",
        "\\shell a ::b :c \\\n d\n",
        "\\sleep -5 us\n",
        "\\assert true 'no'\n",
        "\\startpipeline\n",
    ];

    /// What a script says, without where it says it.
    fn meaning(script: &Script) -> String {
        let text = format!("{:?}", script.commands.iter().map(|c| (&c.kind, &c.label)).collect::<Vec<_>>());
        let mut parts = text.split("Span {");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| all + part.split_once('}').map_or("", |(_, rest)| rest))
    }

    proptest! {
        #[test]
        fn what_is_printed_says_the_same(picks in prop::collection::vec(prop::sample::select(PIECES), 1..14)) {
            let text = picks.concat();
            for dialect in [Dialect::Pgbench, Dialect::Extended] {
                let Ok(script) = parse(SourceId(0), &text, dialect) else { continue };
                let printed = print(&script);
                let again = parse(SourceId(0), &printed, dialect);
                prop_assert!(again.is_ok(), "{printed:?} {again:?}");
                prop_assert_eq!(meaning(&again.unwrap()), meaning(&script), "{:?}", printed);
            }
        }
    }
}

//! The scripts of a command line, read and parsed where it names them.

use std::fs::File;
use std::io::{self, Read};

use super::builtin::{self, Builtin};
use super::complaint;
use super::numbers;
use super::options::ScriptArg;
use crate::script::ast::{CommandKind, SqlPart, VariableForm};
use crate::script::{self, Dialect};
use crate::source::SourceMap;

/// pgbench's limits: of scripts, and of the parameters of one statement.
const MOST_SCRIPTS: usize = 128;
const MOST_PARAMETERS: usize = 255;

/// All scripts so far.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    args: Vec<ScriptArg>,
}

impl Scripts {
    /// `-b NAME[@W]`
    pub(super) fn add_builtin(&mut self, value: &str) -> Result<(), String> {
        let (name, weight) = weighted(value)?;
        self.add(builtin_script(name)?, weight)
    }

    /// `-f FILE[@W]`
    pub(super) fn add_file(&mut self, value: &str) -> Result<(), String> {
        let (path, weight) = weighted(value)?;
        let text = read(path)?;
        self.parse(path, &text, false, weight)
    }

    /// One of pgbench's own.
    pub(super) fn add(&mut self, builtin: &Builtin, weight: u32) -> Result<(), String> {
        self.parse(builtin.description, builtin.text, true, weight)
    }

    fn parse(&mut self, description: &str, text: &str, builtin: bool, weight: u32) -> Result<(), String> {
        let mut sources = SourceMap::default();
        let id = sources.add(description, text);
        let script = script::parse(id, text, Dialect::Pgbench).map_err(|errors| {
            let first = script::pgbench_message(&errors);
            first.map_or_else(String::new, |message| complaint::render(&message, description, &sources))
        })?;
        if self.args.len() >= MOST_SCRIPTS {
            return Err(format!("at most {MOST_SCRIPTS} SQL scripts are allowed"));
        }
        let (description, text) = (description.to_owned(), text.to_owned());
        self.args.push(ScriptArg { description, builtin, script, text, weight });
        Ok(())
    }

    /// All of them, once the command line is read; where there is none, a run takes pgbench's first one.
    pub(super) fn finish(mut self, initialize: bool, protocol: &str) -> Result<Vec<ScriptArg>, String> {
        if self.args.is_empty() && !initialize {
            self.add(&builtin::ALL[0], 1)?;
        }
        if protocol != "simple" {
            self.args.iter().try_for_each(check_parameters)?;
        }
        if self.args.iter().all(|script| script.weight == 0) && !initialize {
            return Err("total script weight must not be zero".to_owned());
        }
        Ok(self.args)
    }
}

/// What pgbench runs where nothing is said.
pub(crate) fn default_script() -> Option<ScriptArg> {
    Scripts::default().finish(false, "simple").ok()?.pop()
}

/// The builtin script that `name` begins.
pub(super) fn builtin_script(name: &str) -> Result<&'static Builtin, String> {
    let matching: Vec<&Builtin> = builtin::ALL.iter().filter(|b| b.name.starts_with(name)).collect();
    let list = builtin::list();
    match matching[..] {
        [] => Err(format!("no builtin script found for name \"{name}\"\n{list}\n")),
        [found] => Ok(found),
        _ => {
            let number = matching.len();
            Err(format!("ambiguous builtin name: {number} builtin scripts found for prefix \"{name}\"\n{list}\n"))
        }
    }
}

fn weighted(value: &str) -> Result<(&str, u32), String> {
    let Some(at) = value.rfind('@') else { return Ok((value, 1)) };
    let (name, text) = value.split_at(at);
    let weight = numbers::whole_integer(&text[1..]).ok_or_else(|| format!("invalid weight specification: {text}"))?;
    match u32::try_from(weight).ok().filter(|w| i32::try_from(*w).is_ok()) {
        Some(weight) => Ok((name, weight)),
        None => Err(format!("weight specification out of range (0 .. {}): {weight}", i32::MAX)),
    }
}

/// A script ends at its first NUL byte.
fn read(path: &str) -> Result<String, String> {
    let said = |error: &io::Error| {
        let text = error.to_string();
        text.split(" (os error").next().unwrap_or(&text).to_owned()
    };
    let mut bytes = Vec::new();
    let done = if path == "-" {
        io::stdin().read_to_end(&mut bytes)
    } else {
        let mut file = File::open(path).map_err(|error| format!("could not open file \"{path}\": {}", said(&error)))?;
        file.read_to_end(&mut bytes)
    };
    done.map_err(|error| format!("could not read file \"{path}\": {}", said(&error)))?;
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    String::from_utf8(bytes).map_err(|_| {
        format!("could not read file \"{path}\": it is not text in UTF-8\nhint: Convert it with \"iconv -t UTF-8\".")
    })
}

fn check_parameters(arg: &ScriptArg) -> Result<(), String> {
    for command in &arg.script.commands {
        let CommandKind::Sql(sql) = &command.kind else { continue };
        let count = sql.parts.iter().filter(|part| matches!(part, SqlPart::Variable(_))).count();
        if count > MOST_PARAMETERS {
            let text: String = sql.parts.iter().map(as_written).collect();
            return Err(format!("statement has too many arguments (maximum is {MOST_PARAMETERS}): {text}"));
        }
    }
    Ok(())
}

fn as_written(part: &SqlPart) -> String {
    match part {
        SqlPart::Text(text) => text.clone(),
        SqlPart::Variable(reference) => {
            let name = &reference.name.text;
            match reference.form {
                VariableForm::Raw => format!(":{name}"),
                VariableForm::Literal => format!(":'{name}'"),
                VariableForm::Identifier => format!(":\"{name}\""),
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! `reprise check --server`: each statement of each script is prepared on a server, and none is executed.

use std::fmt::Write as _;

use crate::diagnostic::Diagnostic;
use crate::exec::untyped_parameter;
use crate::id::{ScriptId, SlotId};
use crate::pg::{Admin, Error, OpenOptions, ServerError, Target};
use crate::plan::phase::Protocol;
use crate::plan::program::TemplatePart;
use crate::plan::{LoadPlan, PhasePlan, Plan, Program, SlotInitial, StatementPlan};
use crate::source::{SourceMap, Span};
use crate::term::table::shorten;

/// How much of a statement is shown beside its types.
const SHOWN: usize = 60;

/// Prepares the statements of a plan: the types of their parameters as text, and what the server has against them.
pub(super) async fn prepare(
    plan: &Plan,
    target: &Target,
    sources: &SourceMap,
) -> Result<(String, Vec<Diagnostic>), Diagnostic> {
    let failed = |error: Error| error.diagnostic();
    let (mut out, mut faults) = (String::new(), Vec::new());
    for (index, script) in plan.scripts.iter().enumerate() {
        let load = first_phase(plan, ScriptId::from_index(index)).map(|phase| &phase.load);
        // a session of its own: what is set for one script is seen by no other
        let admin = Admin::open(target, &OpenOptions::default()).await.map_err(failed)?;
        for sql in load.iter().flat_map(|load| settings(load)) {
            admin.query(&sql).await.map_err(failed)?;
        }
        let simple = load.is_some_and(|load| load.protocol == Protocol::Simple);
        let _ = writeln!(out, "  {}", script.name);
        for statement in plan.statements.iter().filter(|statement| is_of(plan, script, statement)) {
            let Some(sent) = sent(plan, statement, simple) else {
                unprepared(plan, statement, sources, &mut out);
                continue;
            };
            match admin.parameter_types(&sent.text).await {
                Ok(types) => describe(plan, statement, &sent, &types, sources, &mut out),
                Err(Error::Server(error)) => match untyped_parameter(&error, &sent.parameters, plan) {
                    // in the text that is sent then, a value has the type of its literal
                    Some(_) if simple => unprepared(plan, statement, sources, &mut out),
                    advice => faults.push(fault(plan, statement, &sent.text, &error, advice, sources)),
                },
                Err(error) => return Err(failed(error)),
            }
        }
        admin.close().await;
    }
    Ok((out, faults))
}

/// What a session is set to before names are looked up in it. Other statements of `on_connect` may do anything, and a
/// check does nothing.
fn settings(load: &LoadPlan) -> impl Iterator<Item = String> {
    let quote = |text: &str| text.replace('\'', "''");
    let settings = load.session.settings.iter();
    let settings =
        settings.map(move |(name, value)| format!("select set_config('{}', '{}', false)", quote(name), quote(value)));
    let is_setting = |sql: &&String| sql.trim_start().get(..4).is_some_and(|word| word.eq_ignore_ascii_case("set "));
    settings.chain(load.session.on_connect.iter().filter(is_setting).cloned())
}

fn first_phase(plan: &Plan, script: ScriptId) -> Option<&PhasePlan> {
    let has = |phase: &&PhasePlan| phase.load.mix.entries.iter().any(|(other, _)| *other == script);
    plan.phases.iter().find(has).or(plan.phases.first())
}

fn is_of(plan: &Plan, script: &Program, statement: &StatementPlan) -> bool {
    script.commands.contains(&statement.command.0) && plan.commands.len() > statement.command.index()
}

fn span(plan: &Plan, statement: &StatementPlan) -> Span {
    plan.commands[statement.command.index()].span
}

/// A statement as it is prepared.
struct Sent {
    text: String,
    parameters: Vec<SlotId>,
}

/// The text that is prepared. In the simple protocol variables are put into the text: those that have their value already
/// as there, the others as parameters; none where a name or several statements are made of them.
fn sent(plan: &Plan, statement: &StatementPlan, simple: bool) -> Option<Sent> {
    if !simple {
        return Some(Sent { text: statement.extended.to_string(), parameters: statement.parameters.to_vec() });
    }
    let mut sent = Sent { text: String::new(), parameters: Vec::new() };
    let constant = |slot: SlotId| match &plan.slots[slot.index()].initial {
        SlotInitial::Constant(value) => Some(value.to_string()),
        _ => None,
    };
    for part in &statement.simple {
        match part {
            TemplatePart::Text(text) => sent.text.push_str(text),
            TemplatePart::Raw(slot) | TemplatePart::Literal(slot) => {
                if let (TemplatePart::Raw(_), Some(value)) = (part, constant(*slot)) {
                    sent.text.push_str(&value);
                } else {
                    sent.parameters.push(*slot);
                    let _ = write!(sent.text, "${}", sent.parameters.len());
                }
            }
            TemplatePart::Identifier(slot) => {
                let _ = write!(sent.text, "\"{}\"", constant(*slot)?.replace('"', "\"\""));
            }
        }
    }
    (!sent.text.trim_end().trim_end_matches(';').contains(';')).then_some(sent)
}

/// A line for a statement that has parameters.
fn describe(
    plan: &Plan,
    statement: &StatementPlan,
    sent: &Sent,
    types: &[String],
    sources: &SourceMap,
    out: &mut String,
) {
    if types.is_empty() {
        return;
    }
    let (line, _) = sources.line_column(span(plan, statement));
    let mut shown: Vec<String> = Vec::new();
    for (slot, kind) in sent.parameters.iter().zip(types) {
        let text = format!(":{} {kind}", plan.slots[slot.index()].name);
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    let first = sources.slice(span(plan, statement)).trim().lines().next().unwrap_or_default();
    let first = shorten(first.trim_end_matches(';'), SHOWN);
    let _ = writeln!(out, "    line {line}: {} in `{first}`", shown.join(", "));
}

/// A line for a statement that can only be looked at when it runs.
fn unprepared(plan: &Plan, statement: &StatementPlan, sources: &SourceMap, out: &mut String) {
    let line = sources.line_column(span(plan, statement)).0;
    let _ = writeln!(out, "    line {line}: can't be prepared before its variables have values");
}

/// What the server says, at the place in the script that it means, with what to do about it where that is known.
fn fault(
    plan: &Plan,
    statement: &StatementPlan,
    sent: &str,
    error: &ServerError,
    advice: Option<String>,
    sources: &SourceMap,
) -> Diagnostic {
    let whole = span(plan, statement);
    let at = error.position.and_then(|position| place(sources.slice(whole), sent, position));
    let label = at.map_or(whole, |at| Span { start: whole.start + at.0, end: whole.start + at.1, ..whole });
    let help = match &error.sqlstate {
        b"42P01" | b"3F000" => {
            Some("where set-up makes it, make it first: `reprise run SCENARIO --only setup --server …`".to_owned())
        }
        _ => advice,
    };
    let help = error.hint.clone().or(help);
    let diagnostic = Diagnostic::error("check::refused", error.message.clone()).label(label, "the server refuses this");
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// Where in `written` the word stands that begins at a position of `sent`, in characters from 1. The two are the same but
/// for `:name`, which is `$1` there, and for what YAML takes away at a line's beginning; `None` where they differ more.
fn place(written: &str, sent: &str, position: u32) -> Option<(u32, u32)> {
    let target = usize::try_from(position).ok()?.checked_sub(1)?;
    let target = sent.char_indices().nth(target).map_or(sent.len(), |(at, _)| at);
    let (mut at, mut from) = (0, 0);
    while from < target {
        let (rest, source) = (&sent[from..], &written[at..]);
        let (next, other) = (rest.chars().next()?, source.chars().next()?);
        if next == other && !(next == '$' || other == ':') {
            from += next.len_utf8();
            at += other.len_utf8();
        } else if next == '$' && other == ':' && !source.starts_with("::") {
            from += 1 + digits(&rest[1..]);
            at += reference(source);
        } else if next == other {
            from += 1;
            at += 1;
        } else if next.is_whitespace() {
            from += next.len_utf8();
        } else if other.is_whitespace() {
            at += other.len_utf8();
        } else {
            return None;
        }
    }
    let source = &written[at..];
    let source = source.trim_start_matches(|c: char| c.is_whitespace() && !sent[from..].starts_with(c));
    let start = written.len() - source.len();
    let length = if source.starts_with(':') { reference(source) } else { word(source) };
    Some((u32::try_from(start).ok()?, u32::try_from(start + length.max(1).min(source.len())).ok()?))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The length of `:name`, `:'name'` or `:"name"`.
fn reference(text: &str) -> usize {
    let rest = &text[1..];
    match rest.chars().next() {
        Some(quote @ ('\'' | '"')) => rest[1..].find(quote).map_or(text.len(), |end| end + 3),
        _ => 1 + word(rest),
    }
}

fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_position_of_the_server_is_found_in_what_was_written() {
        let found = |written: &str, sent: &str, word: &str| {
            let position = sent[..sent.find(word).unwrap()].chars().count() + 1;
            let (start, end) = place(written, sent, u32::try_from(position).unwrap()).unwrap();
            written[start as usize..end as usize].to_owned()
        };
        let sent = "select $1::int, ä, nosuch\n  from t where a = $2 and b";
        let written = "select :a::int, ä, nosuch\n      from t where a = :'long_name' and b";
        assert_eq!(found(written, sent, "nosuch"), "nosuch");
        assert_eq!(found(written, sent, "t where"), "t");
        assert_eq!(found(written, sent, "$1"), ":a");
        assert_eq!(found(written, sent, "$2"), ":'long_name'");
        assert_eq!(found("select x", "select x", "x"), "x");
        assert_eq!(place("select 1", "update t", 8), None);
        assert_eq!(place("select 1", "select 1", 9), Some((8, 8)));
    }
}

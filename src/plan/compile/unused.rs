//! What a scenario says and nothing takes up: no error, but hardly what was meant.

use super::CompileInputs;
use super::scripts::BUILTINS;
use crate::diagnostic::Diagnostic;
use crate::name;
use crate::scenario::{Node, NodeKind, PhaseItem, PhaseSpec, Scalar, Scenario};

/// Variables that have a meaning of their own, whoever reads them.
const TAKEN: [&str; 3] = ["client_id", "default_seed", "random_seed"];

/// Variables, feeds and scripts that nothing names, and an end of `load` that no phase takes. What only a profile takes
/// up counts as taken.
pub(super) fn note_unused(scenario: &Scenario, inputs: &CompileInputs<'_>) -> Vec<Diagnostic> {
    let texts = Texts::of(scenario, inputs);
    let mut found = Vec::new();
    for (name, _) in scenario.vars.0.iter().filter(|(name, _)| !TAKEN.contains(&name.text.as_str())) {
        if !texts.read(&name.text) {
            let help = format!("take it out, or write `:{}` where it is meant", name.text);
            found.push(unused("variable", name, "never read", help));
        }
    }
    for (name, _) in &scenario.feeds.0 {
        if !texts.feed(&name.text) {
            let help = format!("take it out, or write `\\feed {}` in a script", name.text);
            found.push(unused("feed", name, "no script takes its rows", help));
        }
    }
    let without_mix = phases(scenario).next().is_none() || phases(scenario).any(|phase| phase.load.mix.is_none());
    if scenario.load.mix.is_some() || !without_mix {
        let mixes = mixes(&scenario.root);
        let is_taken = |name: &Scalar| mixes.iter().flat_map(|mix| mix.entries()).any(|(key, _)| key.text == name.text);
        for (name, _) in scenario.scripts.0.iter().filter(|(name, _)| !is_taken(name)) {
            let help = format!("take it out, or give it a weight: `mix: {{{}: 1}}`", name.text);
            found.push(unused("script", name, "in no mix", help));
        }
    }
    found.extend(unused_end(scenario));
    found.sort_by_key(Diagnostic::position);
    found
}

/// `load: {duration: …}` where each phase says itself when it ends.
fn unused_end(scenario: &Scenario) -> Option<Diagnostic> {
    let (key, value) = scenario.load.ends().next()?;
    let ends = |phase: &PhaseSpec| phase.load.ends().next().is_some();
    if phases(scenario).next().is_none() || !phases(scenario).all(ends) {
        return None;
    }
    let message = format!("no phase takes `{key}` of `load`");
    let warning = Diagnostic::warning("plan::unused", message).label(value.span, "each phase has an end of its own");
    Some(warning.help("take it out, or leave a phase without an end of its own"))
}

fn phases(scenario: &Scenario) -> impl Iterator<Item = &PhaseSpec> {
    scenario.phases.iter().filter_map(|item| match item {
        PhaseItem::Phase(phase) => Some(&**phase),
        PhaseItem::Step(_) => None,
    })
}

fn unused(what: &str, name: &Scalar, why: &str, help: String) -> Diagnostic {
    let message = format!("nothing uses {what} `{}`", name.text);
    Diagnostic::warning("plan::unused", message).label(name.span, why).help(help)
}

/// Every mix of the document, profiles included.
fn mixes(node: &Node) -> Vec<&Node> {
    let of_entries = node.entries().iter().flat_map(|(key, value)| {
        let own = (key.text == "mix").then_some(value);
        own.into_iter().chain(mixes(value))
    });
    of_entries.chain(node.items().iter().flat_map(mixes)).collect()
}

/// All that may name something.
struct Texts<'s, 'f> {
    /// The values of the document.
    values: Vec<&'s str>,
    /// The files that it names, and the builtin scripts.
    files: Vec<&'f str>,
}

impl<'s, 'f> Texts<'s, 'f> {
    fn of(scenario: &'s Scenario, inputs: &CompileInputs<'f>) -> Self {
        let mut texts = Self { values: Vec::new(), files: Vec::new() };
        values(&scenario.root, &mut texts.values);
        texts.files.extend(scenario.files().iter().filter_map(|file| Some((inputs.texts)(&file.text)?.1)));
        texts.files.extend(BUILTINS.iter().map(|builtin| builtin.text));
        texts
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.values.iter().chain(&self.files).copied()
    }

    /// Whether `:name`, `:'name'` or `:"name"` stands somewhere.
    fn read(&self, name: &str) -> bool {
        self.iter().any(|text| {
            text.match_indices(name).any(|(at, _)| {
                let before = text[..at].trim_end_matches(['\'', '"']);
                before.ends_with(':') && ends_name(&text[at + name.len()..])
            })
        })
    }

    /// Whether `\feed name` stands somewhere.
    fn feed(&self, name: &str) -> bool {
        let behind = self.iter().flat_map(|text| text.split("\\feed").skip(1));
        behind.map(str::trim_start).any(|rest| rest.strip_prefix(name).is_some_and(ends_name))
    }
}

/// Whether a name that stands before this text ends there.
fn ends_name(rest: &str) -> bool {
    !rest.bytes().next().is_some_and(name::goes_on)
}

fn values<'a>(node: &'a Node, texts: &mut Vec<&'a str>) {
    match &node.kind {
        NodeKind::Scalar(scalar) => texts.push(&scalar.text),
        NodeKind::List(items) => items.iter().for_each(|item| values(item, texts)),
        NodeKind::Map { entries, .. } => entries.iter().for_each(|(_, value)| values(value, texts)),
        NodeKind::Null => {}
    }
}

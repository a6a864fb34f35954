//! Profiles: a document laid over another, by key and by name.

use super::node::{Node, NodeKind, Scalar};
use super::read::{Faults, Read};
use super::{Error, Scenario};
use crate::suggest::nearest;

/// One key that a profile changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The key's path, such as `vars.tasks` or `phases.steady.duration`.
    pub key: String,
    /// What the scenario says; absent where the profile added the key.
    pub before: Option<String>,
    /// What holds now; `skipped` where the profile leaves it out.
    pub after: String,
}

/// Keys of which one replaces the others.
const ALTERNATIVES: [&[&str]; 4] = [
    &["default", "query"],
    &["duration", "transactions", "transactions_per_client"],
    &["file", "sql", "builtin"],
    &["uniform", "exponential", "normal"],
];

impl Scenario {
    /// The scenario with a profile laid over it, and what that changed.
    pub fn with_profile(&self, name: &str) -> Result<(Self, Vec<Change>), Vec<Error>> {
        let Some(profile) = self.profiles.get(name) else {
            let known: Vec<String> = self.profiles.names().map(str::to_owned).collect();
            let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
            let span =
                self.root.entries().iter().find(|(k, _)| k.text == "profiles").map_or(self.root.span, |(k, _)| k.span);
            return Err(vec![Error::UnknownProfile { name: name.to_owned(), known, nearest: near, span }]);
        };
        let mut overlay = Overlay::default();
        let root = overlay.lay("", &self.root, profile);
        let Overlay { changes, mut errors } = overlay;
        self.note_unknown_vars(profile, &mut errors);
        let scenario = Self::read(&root, "a scenario", &mut errors);
        if let Some(scenario) = &scenario {
            scenario.note_files_outside(&mut errors);
        }
        let errors = errors.errors();
        match scenario {
            Some(scenario) if errors.is_empty() => Ok((scenario, changes)),
            _ => Err(errors),
        }
    }

    /// Notes variables that the profile sets and the scenario does not have: whatever reads them would read nothing.
    fn note_unknown_vars(&self, profile: &Node, errors: &mut Faults) {
        for (name, _) in profile.get("vars").map_or(&[][..], Node::entries) {
            if self.vars.get(&name.text).is_none() {
                let known: Vec<String> = self.vars.names().map(str::to_owned).collect();
                let near = nearest(&name.text, self.vars.names()).map(str::to_owned);
                let (name, span) = (name.text.clone(), name.span);
                errors.push(Error::UnknownVariable { name, known, nearest: near, span });
            }
        }
    }

    /// Notes the faults of every profile; those of the scenario itself are known already.
    pub(super) fn note_profile_faults(&self, errors: &mut Faults) {
        for name in self.profiles.names() {
            for error in self.with_profile(name).err().into_iter().flatten() {
                if !errors.has(&error) {
                    errors.push(error);
                }
            }
        }
    }
}

#[derive(Default)]
struct Overlay {
    changes: Vec<Change>,
    errors: Faults,
}

impl Overlay {
    fn lay(&mut self, path: &str, base: &Node, over: &Node) -> Node {
        match (&base.kind, &over.kind) {
            (NodeKind::Map { entries, flow }, NodeKind::Map { entries: over_entries, .. }) => {
                let kind = NodeKind::Map { entries: self.lay_map(path, entries, over_entries), flow: *flow };
                Node { span: base.span, kind }
            }
            (NodeKind::List(items), NodeKind::List(over_items))
                if over_items.iter().all(|item| name_of(item).is_some()) && !over_items.is_empty() =>
            {
                Node { span: base.span, kind: NodeKind::List(self.lay_list(path, items, over_items)) }
            }
            // `vars: {n: 5}` over `{default: 9, min: 1}`: a new value, the same limits
            (NodeKind::Map { entries, flow }, NodeKind::Scalar(_)) if base.get("default").is_some() => {
                let lay = |(key, value): &(Scalar, Node)| {
                    (key.clone(), if key.text == "default" { over.clone() } else { value.clone() })
                };
                self.changed(path, base.get("default"), over);
                Node {
                    span: base.span,
                    kind: NodeKind::Map { entries: entries.iter().map(lay).collect(), flow: *flow },
                }
            }
            _ => {
                self.changed(path, Some(base), over);
                over.clone()
            }
        }
    }

    fn lay_map(&mut self, path: &str, base: &[(Scalar, Node)], over: &[(Scalar, Node)]) -> Vec<(Scalar, Node)> {
        let mut laid = base.to_vec();
        for (key, value) in over {
            for others in ALTERNATIVES.iter().filter(|keys| keys.contains(&key.text.as_str())) {
                let written = |k: &Scalar| over.iter().any(|(o, _)| o.text == k.text);
                laid.retain(|(k, _)| !others.contains(&k.text.as_str()) || k.text == key.text || written(k));
            }
            let path = join(path, &key.text);
            if let Some((k, slot)) = laid.iter_mut().find(|(k, _)| k.text == key.text) {
                *slot = self.lay(&path, slot, value);
                k.span = key.span;
            } else {
                self.changed(&path, None, value);
                laid.push((key.clone(), value.clone()));
            }
        }
        laid
    }

    fn lay_list(&mut self, path: &str, base: &[Node], over: &[Node]) -> Vec<Node> {
        let mut laid = base.to_vec();
        for item in over {
            let Some(name) = name_of(item) else { continue };
            let at = laid.iter().position(|other| name_of(other).is_some_and(|n| n.text == name.text));
            let path = join(path, &name.text);
            match (at, skips(item)) {
                (Some(at), true) => {
                    laid.remove(at);
                    self.changes.push(Change {
                        key: path,
                        before: Some("run".to_owned()),
                        after: "skipped".to_owned(),
                    });
                }
                (Some(at), false) => laid[at] = self.lay(&path, &laid[at].clone(), item),
                (None, true) => {
                    let names: Vec<&str> = base.iter().filter_map(name_of).map(|n| n.text.as_str()).collect();
                    let near = nearest(&name.text, names).map(str::to_owned);
                    self.errors.push(Error::NothingToSkip { name: name.text.clone(), span: name.span, nearest: near });
                }
                (None, false) => {
                    if let Some(first) = base.iter().filter_map(name_of).find(|first| is_slip(&name.text, &first.text))
                    {
                        let (name, span, first_span) = (name.text.clone(), name.span, first.span);
                        self.errors.push(Error::NearlyTheSame { name, span, first: first.text.clone(), first_span });
                    }
                    self.changed(&path, None, item);
                    laid.push(item.clone());
                }
            }
        }
        laid
    }

    fn changed(&mut self, path: &str, before: Option<&Node>, after: &Node) {
        let before = before.map(text_of);
        let after = text_of(after);
        if before.as_ref() != Some(&after) {
            self.changes.push(Change { key: path.to_owned(), before, after });
        }
    }
}

/// What a list's item goes by: its name, else the table that it fills.
fn name_of(item: &Node) -> Option<&Scalar> {
    ["name", "fill", "copy"].iter().find_map(|key| item.get(key)).and_then(Node::as_scalar)
}

/// Whether a new name is most likely a misspelt one. `read_2` beside `read_1` is not.
fn is_slip(name: &str, known: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    nearest(name, [known]).is_some() && letters(name) != letters(known)
}

fn skips(item: &Node) -> bool {
    item.get("skip").and_then(Node::as_scalar).is_some_and(|word| word.text == "true")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value in one line; passwords are left out.
fn text_of(node: &Node) -> String {
    match &node.kind {
        NodeKind::Null => String::new(),
        NodeKind::Scalar(scalar) => scalar.text.trim().to_owned(),
        NodeKind::List(items) => format!("[{}]", items.iter().map(text_of).collect::<Vec<_>>().join(", ")),
        NodeKind::Map { entries, .. } => {
            let shown = |(key, value): &(Scalar, Node)| match key.text.as_str() {
                "password" => "password: …".to_owned(),
                key => format!("{key}: {}", text_of(value)),
            };
            format!("{{{}}}", entries.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
    }
}

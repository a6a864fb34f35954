//! The right form of a value that was written in a wrong one.

use super::node::{Node, NodeKind, Scalar};

/// What was meant, as it has to be written; `None` where that can't be told. `section` is what errors call the place.
pub(super) fn form(section: &str, node: &Node) -> Option<String> {
    let value = match &node.kind {
        NodeKind::Scalar(scalar) => scalar.text.trim(),
        NodeKind::List(items) => return form_of_list(section, items),
        NodeKind::Null | NodeKind::Map { .. } => return None,
    };
    Some(match section {
        "`normal`" => format!("`normal: {{mean: {value}, stddev: …}}`"),
        "`exponential`" => format!("`exponential: {{mean: {value}}}`"),
        "`zipfian`" => format!("`zipfian: {{range: {value}, s: 1.1}}`"),
        "`choice`" => format!("`choice: [{value}]`, or with weights `choice: {{{value}: 1}}`"),
        "`mix`" => format!("`mix: {{{value}: 1}}`"),
        "`skip`" => {
            "`skip: true` beside a `name`, in a list; a variable that a profile sets is not varied by `matrix`".into()
        }
        _ => return None,
    })
}

/// `[1, 9]` where a range stands.
fn form_of_list(section: &str, items: &[Node]) -> Option<String> {
    let ends: Option<Vec<&Scalar>> = items.iter().map(Node::as_scalar).collect();
    let [low, high] = ends?[..] else { return None };
    match section {
        "`uniform`" | "`permute`" | "`words`" | "`clients`" | "`rate`" | "`rows`" => {
            Some(format!("`{}: {}..{}`", section.trim_matches('`'), low.text.trim(), high.text.trim()))
        }
        _ => None,
    }
}

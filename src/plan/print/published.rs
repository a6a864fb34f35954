//! What others reported.

use super::{line, table};
use crate::plan::Plan;

pub(super) fn print(plan: &Plan, out: &mut String) {
    let Some(published) = &plan.published else { return };
    line(out, 0, "");
    line(out, 0, &format!("published: {}", published.title));
    let mut rows = Vec::new();
    rows.extend(published.url.iter().map(|url| ("url", url.clone())));
    rows.extend(published.date.iter().map(|date| ("date", date.clone())));
    rows.extend(published.notes.iter().map(|note| ("note", note.clone())));
    table(out, &rows);
    for system in &published.systems {
        let version = system.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let pairs = |pairs: &[(String, String)]| {
            pairs.iter().flat_map(|(key, value)| [", ", key.as_str(), " ", value.as_str()]).collect::<String>()
        };
        let (hardware, settings) = (pairs(&system.hardware), pairs(&system.settings));
        let at = pairs(&system.at);
        line(out, 2, &format!("{}{version}{hardware}{settings}{at}", system.name));
        let results: Vec<(&str, String)> =
            system.results.iter().map(|result| (result.metric.text.as_str(), result.text.clone())).collect();
        let mut text = String::new();
        table(&mut text, &results);
        text.lines().for_each(|row| line(out, 2, row));
    }
    for claim in &published.claims {
        line(out, 2, &format!("claim {}", claim.text));
    }
}

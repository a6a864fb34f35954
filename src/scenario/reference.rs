//! The reference page of the language, which has a row for each key: what editors show beside a key stands there, and
//! nowhere else.

use std::fmt::Write as _;

/// The page.
const PAGE: &str = include_str!("../../docs/reference/scenario.md");

/// Each section, the heading that its rows stand below, and the words that its rows begin with.
const PLACES: [(&str, &str, &str); 26] = [
    ("a scenario", "Top level", ""),
    ("a variable", "`vars`", ""),
    ("`server`", "`server`", ""),
    ("a step", "Steps", ""),
    ("`wait`", "Steps", "wait "),
    ("`pgbench`", "`pgbench`", ""),
    ("a column", "Columns", ""),
    ("`zipfian`", "Columns", "zipfian "),
    ("`exponential`", "Columns", "exponential "),
    ("`normal`", "Columns", "normal "),
    ("a script", "`scripts`", ""),
    ("`load`", "`load`, also in a phase", ""),
    ("`session`", "`load`, also in a phase", "session "),
    ("a distribution", "Values", "pause "),
    ("`exponential` of a pause", "Values", "exponential "),
    ("`normal` of a pause", "Values", "normal "),
    ("a phase", "`phases`", ""),
    ("a phase", "`load`, also in a phase", ""),
    ("a background load", "`background`", ""),
    ("a background load", "`load`, also in a phase", ""),
    ("a feed", "`feeds`", ""),
    ("a metric", "`metrics`", "metric "),
    ("`report`", "`report`", ""),
    ("`published`", "`published`", ""),
    ("a published system", "`published`", "system "),
    ("a profile", "`profiles`", ""),
];

/// What the page says about a key of a section; empty where it says nothing.
pub(super) fn describe(section: &str, key: &str) -> String {
    let places = PLACES.iter().filter(|(known, _, _)| *known == section);
    let mut text = String::new();
    for (_, heading, lead) in places {
        for row in rows(heading).filter(|row| row.is_of(lead, key)) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&row.text());
        }
        if !text.is_empty() {
            break;
        }
    }
    text
}

/// A row of a table, with the heads of its columns.
struct Row<'a> {
    heads: Vec<&'a str>,
    cells: Vec<&'a str>,
}

/// The rows below a heading.
fn rows(heading: &str) -> impl Iterator<Item = Row<'static>> {
    let mut below = PAGE.lines().skip_while(move |line| title(line) != Some(heading));
    let level = below.next().map_or(0, level);
    let mut heads = Vec::new();
    below.take_while(move |line| title(line).is_none() || self::level(line) > level).filter_map(move |line| {
        let cells = cells(line).filter(|cells| !cells[0].is_empty())?;
        if cells.first().is_some_and(|cell| !cell.contains('`')) {
            heads = cells;
            return None;
        }
        Some(Row { heads: heads.clone(), cells })
    })
}

fn level(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b'#').count()
}

fn title(line: &str) -> Option<&str> {
    line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with("##"))
}

/// The cells of a line of a table; `\|` is a bar within one.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix("| ")?.trim_end().strip_suffix('|')?;
    Some(inner.split(" | ").map(str::trim).collect())
}

impl Row<'_> {
    fn is_of(&self, lead: &str, key: &str) -> bool {
        let Some((before, keys)) = self.cells[0].split_once('`') else { return false };
        before == lead && keys.split('`').step_by(2).any(|known| known == key)
    }

    /// Its meaning, then what it takes and what holds without it.
    fn text(&self) -> String {
        let mut text = String::new();
        let cell = |names: &[&str]| {
            let at = self.heads.iter().position(|head| names.contains(head))?;
            self.cells.get(at).map(|cell| plain(cell)).filter(|cell| !cell.is_empty())
        };
        text.push_str(&cell(&["meaning", "notes"]).unwrap_or_default());
        let taken = cell(&["type", "written"]);
        for (label, cell) in [("Takes", taken), ("Default", cell(&["default"])), ("Example", cell(&["example"]))] {
            if let Some(cell) = cell {
                let gap = if text.is_empty() { "" } else { ". " };
                let _ = write!(text, "{gap}{label}: {cell}");
            }
        }
        text
    }
}

/// A cell without what only makes sense on the page.
fn plain(cell: &str) -> String {
    let cell = cell.replace("\\|", "|");
    cell.split("; ").filter(|part| !matches!(*part, "**later**" | "see below")).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::{PAGE, PLACES, describe, title};

    #[test]
    fn every_place_is_on_the_page() {
        for (section, heading, _) in PLACES {
            assert!(PAGE.lines().any(|line| title(line) == Some(heading)), "{section}: {heading}");
        }
    }

    #[test]
    fn a_row_becomes_a_sentence() {
        let text = describe("a phase", "measure");
        assert_eq!(
            text,
            "whether its figures count. Takes: `true`, `false`. Default: `true`. Example: `measure: false`"
        );
        assert!(describe("a phase", "clients").starts_with("a range is a ramp"));
        assert_eq!(describe("a phase", "nosuch"), "");
    }
}

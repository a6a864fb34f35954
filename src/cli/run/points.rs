//! Where the points of a matrix are kept: a folder each, and an index of them, `matrix.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use openssl::sha::sha256;

use crate::cli::kept::FILE;
use crate::plan::Plan;
use crate::report::matrix::{MatrixReport, PointReport};
use crate::report::{Report, json};

use super::keep;

/// The index of the points.
const INDEX: &str = "matrix.json";
/// The longest folder name that is made of a point's values.
const LONGEST: usize = 80;

/// The folder of a matrix.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// What is there from an earlier run.
    earlier: Vec<PointReport>,
}

impl Folder {
    /// Opens a folder, in which an earlier run may have left points.
    pub(super) fn open(path: PathBuf) -> Self {
        let index = fs::read_to_string(path.join(INDEX)).ok();
        let earlier = index.and_then(|text| MatrixReport::parse(&text).ok());
        Self { path, earlier: earlier.map(|matrix| matrix.points).unwrap_or_default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The run of a point that an earlier run has finished, and the name of its folder.
    pub(super) fn finished(&self, hash: &str) -> Option<(Report, String)> {
        let known = self.earlier.iter().find(|point| point.hash == hash && point.is_complete())?;
        let folder = known.folder.clone().filter(|folder| !folder.contains(['/', '\\']) && folder != "..")?;
        let text = fs::read_to_string(self.path.join(&folder).join(FILE)).ok()?;
        Some((json::parse(&text).ok()?, folder))
    }

    /// Keeps a point's run; the name of its folder.
    pub(super) fn keep(&self, at: &BTreeMap<String, String>, vars: &[String], report: &Report) -> io::Result<String> {
        let plain = name_of(at, vars);
        let mut name = plain.clone();
        let mut number = 1;
        // what an earlier run left under this name is of another point, or of one that is run again
        while self.is_others(&name, at) {
            number += 1;
            name = format!("{plain}-{number}");
        }
        keep::write(report, &self.path.join(&name))?;
        Ok(name)
    }

    /// Whether a folder holds a point with other values.
    fn is_others(&self, name: &str, at: &BTreeMap<String, String>) -> bool {
        let text = fs::read_to_string(self.path.join(name).join(FILE));
        let Some(report) = text.ok().and_then(|text| json::parse(&text).ok()) else { return false };
        let value = |name: &String| report.scenario.vars.iter().find(|var| var.name == *name).map(|var| &var.value);
        at.iter().any(|(name, here)| value(name) != Some(here))
    }

    /// Writes the index, whole or not at all.
    pub(super) fn write_index(&self, matrix: &MatrixReport) -> io::Result<()> {
        keep::write_whole(&self.path, INDEX, &matrix.to_json())
    }
}

/// `clients=10,protocol=simple`, with what a folder's name had better not have left out.
fn name_of(at: &BTreeMap<String, String>, vars: &[String]) -> String {
    let plain = |value: &str| -> String {
        value.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect()
    };
    let part = |var: &String| Some(format!("{var}={}", plain(at.get(var)?)));
    let mut name = vars.iter().filter_map(part).collect::<Vec<_>>().join(",");
    name.truncate(LONGEST);
    name
}

/// What a plan does on a server, as a hash. Where its parts were written is not in it, nor is any password.
pub(super) fn hash(plan: &Plan, server: &str) -> String {
    let text = without_spans(&format!("{server}\n{plan:?}"));
    sha256(text.as_bytes()).iter().take(16).fold(String::new(), |mut hash, byte| {
        // writing to a string can't fail
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

/// The text of a plan without the places of its parts, which change with every comment.
fn without_spans(text: &str) -> String {
    const SPAN: &str = "Span { ";
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(SPAN) {
        kept.push_str(&rest[..at]);
        rest = &rest[at + SPAN.len()..];
        rest = rest.find('}').map_or("", |end| &rest[end + 1..]);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_left_out_of_a_hash() {
        let text = |at: u32| format!("a {:?} b {:?}", span(at), span(at + 1));
        assert_eq!(without_spans(&text(1)), without_spans(&text(500)));
        assert_eq!(without_spans(&text(1)), "a  b ");
    }

    fn span(at: u32) -> crate::source::Span {
        crate::source::Span { start: at, end: at + 1, ..crate::source::Span::default() }
    }

    #[test]
    fn a_folder_is_named_after_the_values() {
        let at = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let vars = ["size", "how"].map(str::to_owned);
        assert_eq!(name_of(&at(&[("how", "a/b c"), ("size", "1.5")]), &vars), "size=1.5,how=a-b-c");
        assert_eq!(name_of(&at(&[("size", &"9".repeat(200))]), &vars).len(), LONGEST);
    }
}

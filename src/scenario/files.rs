//! The files that a scenario names.

use std::path::{Component, Path};

use super::node::Scalar;
use super::phase::PhaseItem;
use super::read::Faults;
use super::step::StepSpec;
use super::{Error, Scenario};

impl Scenario {
    /// Every text that the scenario names, in order; each path is relative to the scenario's folder.
    pub fn files(&self) -> Vec<&Scalar> {
        let of_steps = self.steps().filter_map(|step| step.file.as_ref());
        let of_feeds = self.feeds.0.iter().filter_map(|(_, feed)| feed.csv.as_ref());
        let of_scripts = self.scripts.0.iter().filter_map(|(_, script)| script.file.as_ref());
        of_steps.chain(of_feeds).chain(of_scripts).collect()
    }

    /// Every file of rows, which are sent to the server as they are read.
    pub fn copied_files(&self) -> Vec<&Scalar> {
        self.steps().filter_map(|step| step.csv.as_ref()).collect()
    }

    fn steps(&self) -> impl Iterator<Item = &StepSpec> {
        let between = self.phases.iter().filter_map(|item| match item {
            PhaseItem::Step(step) => Some(&**step),
            PhaseItem::Phase(_) => None,
        });
        self.setup.iter().chain(between).chain(&self.teardown)
    }

    /// Notes every file that lies outside of the scenario's folder.
    pub(super) fn note_files_outside(&self, errors: &mut Faults) {
        let files = self.files().into_iter().chain(self.copied_files());
        for file in files.filter(|file| !stays_within(&file.text)) {
            errors.push(Error::OutsideFolder { path: file.text.clone(), span: file.span });
        }
    }
}

/// Whether a relative path never climbs above its start.
fn stays_within(path: &str) -> bool {
    let mut depth = 0_usize;
    Path::new(path).components().all(|component| match component {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir => depth.checked_sub(1).map(|left| depth = left).is_some(),
        Component::RootDir | Component::Prefix(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::stays_within;

    #[test]
    fn a_path_may_wander_but_not_leave() {
        assert!(stays_within("sql/a.sql") && stays_within("./sql/../a.sql"));
        assert!(!stays_within("../a.sql") && !stays_within("/etc/passwd") && !stays_within("sql/../../a.sql"));
    }
}

//! Why a kept run can't be read.

use super::model::SCHEMA_VERSION;

/// Why a kept run can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file ends before the report does.
    #[error("the report ends in the middle, at line {0}")]
    Truncated(usize),
    /// It is no report.
    #[error("this is not a report of `reprise`: it has no `schema_version`")]
    NotAReport,
    /// A later version of this program wrote it.
    #[error("the report has format version {found}, and this `reprise` knows versions up to {SCHEMA_VERSION}")]
    Newer {
        /// The version that it has.
        found: u64,
    },
    /// It is not what its version says it is.
    #[error("the report is damaged: {0}")]
    Damaged(String),
}

impl Error {
    /// A stable name for it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Truncated(_) => "report::truncated",
            Self::NotAReport => "report::not_a_report",
            Self::Newer { .. } => "report::newer_format",
            Self::Damaged(_) => "report::damaged",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Truncated(_) => "the disk was full or the copy was cut off; take the file from where it was written",
            Self::NotAReport => "give a run's folder, or the run.json in it",
            Self::Newer { .. } => "read it with the `reprise` that wrote it, or a later one",
            Self::Damaged(_) => "run.json is not meant to be edited; run the scenario again",
        }
    }
}

//! What somebody else measured with the same workload.

use super::claim::ClaimPlan;
use super::metric::MetricRef;

/// A publication's figures.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedPlan {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: Option<String>,
    /// When it appeared, as written.
    pub date: Option<String>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// The systems it measured.
    pub systems: Vec<PublishedSystem>,
    /// What it says about their figures.
    pub claims: Vec<ClaimPlan>,
}

/// One system of a publication.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSystem {
    /// What the publication calls it.
    pub name: String,
    /// The server's version.
    pub version: Option<String>,
    /// Hardware, key by key (`cpus`, `memory`, `note`).
    pub hardware: Vec<(String, String)>,
    /// Settings of the server.
    pub settings: Vec<(String, String)>,
    /// The point of the matrix that it belongs to.
    pub at: Vec<(String, String)>,
    /// Its figures.
    pub results: Vec<PublishedResult>,
}

/// A published figure.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedResult {
    /// Which.
    pub metric: MetricRef,
    /// Its value: seconds for durations, a part of 1 for percents, a plain number else.
    pub value: f64,
    /// As written.
    pub text: String,
}

//! The points of a matrix beside each other: the format of `matrix.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::claims::ClaimReport;
use super::curve::Curves;
use super::metric;
use super::model::{Outcome, SCHEMA_VERSION};
use super::{Error, Report, json};
use crate::plan::MetricRef;
use crate::plan::metric::{Metric, Stat};

/// A run for every combination of some variables' values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatrixReport {
    /// The format's version; that of run.json.
    pub schema_version: u32,
    /// The version of the program that wrote it.
    pub reprise_version: String,
    /// The scenario's name.
    pub scenario: String,
    /// Its description.
    pub description: Option<String>,
    /// The variables that were varied, in the scenario's order.
    pub vars: Vec<String>,
    /// How many points there are to run.
    pub of: usize,
    /// Whether it was stopped before its last point.
    pub interrupted: bool,
    /// The points that were run, in order.
    pub points: Vec<PointReport>,
    /// What a publication says about them, and whether it is so here.
    #[serde(default)]
    pub claims: Vec<ClaimReport>,
}

/// A threshold over all points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleReport<'a> {
    /// The rule, as written.
    pub rule: &'a str,
    /// How many points met it.
    pub met: usize,
    /// The points that did not.
    pub not_met: Vec<String>,
}

/// One point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointReport {
    /// The values of the variables there.
    pub at: BTreeMap<String, String>,
    /// What was run, as a hash: the same hash, the same run.
    pub hash: String,
    /// The folder of its run.json, below that of the matrix; none where nothing could be kept.
    pub folder: Option<String>,
    /// Whether it was there from an earlier run, and was not run again.
    pub taken: bool,
    /// How it ended; none where it did not come to its phases.
    pub outcome: Option<Outcome>,
    /// Why it did not.
    pub error: Option<String>,
    /// The thresholds that were not met.
    pub not_met: Vec<String>,
    /// Those that were.
    #[serde(default)]
    pub met: Vec<String>,
    /// Successful transactions of the measured phases.
    pub transactions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Successful ones a second.
    pub tps: Option<f64>,
    /// Their mean latency.
    pub latency_avg_us: Option<f64>,
    /// The latency that 95 % did not exceed.
    pub latency_p95_us: Option<f64>,
    /// The latency that 99 % did not exceed.
    pub latency_p99_us: Option<f64>,
}

impl MatrixReport {
    /// One without points yet.
    pub fn new(version: &str, scenario: &str, description: Option<&str>, vars: Vec<String>, of: usize) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            reprise_version: version.to_owned(),
            scenario: scenario.to_owned(),
            description: description.map(str::to_owned),
            vars,
            of,
            interrupted: false,
            points: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// What a point is called: `clients = 10, protocol = simple`.
    pub fn name_of(&self, at: &BTreeMap<String, String>) -> String {
        let value = |var: &String| Some(format!("{var} = {}", at.get(var)?));
        self.vars.iter().filter_map(value).collect::<Vec<_>>().join(", ")
    }

    /// Throughput over the first variable that has numbers, with a line for each combination of the others; none where no
    /// variable has two of them.
    pub fn curves(&self) -> Option<Curves> {
        let numbers = |var: &&String| {
            let values: Option<Vec<f64>> = self.points.iter().map(|point| point.at.get(*var)?.parse().ok()).collect();
            values.is_some_and(|values| values.iter().any(|value| value.total_cmp(&values[0]).is_ne()))
        };
        let over = self.vars.iter().find(numbers)?;
        let mut curves = Curves::new(over, "tps");
        for point in &self.points {
            let others: BTreeMap<_, _> = point.at.clone().into_iter().filter(|(name, _)| name != over).collect();
            let at = point.at.get(over)?.parse().ok()?;
            curves.add(&self.name_of(&others), at, point.tps);
        }
        Some(curves)
    }

    /// Each threshold in its order, with the points that met it and those that did not.
    pub fn rules(&self) -> Vec<RuleReport<'_>> {
        let mut rules: Vec<RuleReport<'_>> = Vec::new();
        for point in &self.points {
            for (texts, met) in [(&point.met, true), (&point.not_met, false)] {
                for text in texts {
                    let at = rules.iter().position(|rule| rule.rule == *text).unwrap_or_else(|| {
                        rules.push(RuleReport { rule: text, met: 0, not_met: Vec::new() });
                        rules.len() - 1
                    });
                    if met { rules[at].met += 1 } else { rules[at].not_met.push(self.name_of(&point.at)) }
                }
            }
        }
        rules
    }

    /// As one JSON document that ends with a line feed.
    #[expect(clippy::missing_panics_doc, reason = "all keys are strings, and no writer is involved")]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a report is plain data");
        text.push('\n');
        text
    }

    /// The matrix that `text` holds.
    pub fn parse(text: &str) -> Result<Self, Error> {
        json::parse_versioned(text)
    }
}

impl PointReport {
    /// A point whose run is in `folder`.
    pub fn measured(at: BTreeMap<String, String>, hash: String, folder: Option<String>, report: &Report) -> Self {
        let figure = |metric, stat| {
            metric::resolve(report, &MetricRef::of_all_phases("", metric, stat)).map(|figure| figure.value)
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts are whole and not negative"
        )]
        let count = |metric| figure(metric, None).unwrap_or(0.0) as u64;
        let rules = |met| {
            let rules = report.thresholds.iter().filter(|rule| rule.met == met);
            rules.map(|rule| rule.rule.clone()).collect()
        };
        let latency = |stat| figure(Metric::Latency, Some(stat)).map(|seconds| (seconds * 1e9).round() / 1e3);
        Self {
            at,
            hash,
            folder,
            taken: false,
            outcome: Some(report.verdict.outcome),
            error: None,
            not_met: rules(false),
            met: rules(true),
            transactions: count(Metric::Transactions),
            failed: count(Metric::Failed(None)),
            tps: figure(Metric::Tps, None),
            latency_avg_us: latency(Stat::Avg),
            latency_p95_us: latency(Stat::Percentile(95.0)),
            latency_p99_us: latency(Stat::Percentile(99.0)),
        }
    }

    /// A point that did not come to its phases.
    pub fn failed(at: BTreeMap<String, String>, hash: String, error: String) -> Self {
        Self {
            at,
            hash,
            folder: None,
            taken: false,
            outcome: None,
            error: Some(error),
            not_met: Vec::new(),
            met: Vec::new(),
            transactions: 0,
            failed: 0,
            tps: None,
            latency_avg_us: None,
            latency_p95_us: None,
            latency_p99_us: None,
        }
    }

    /// Whether it was measured to its end.
    pub fn is_complete(&self) -> bool {
        self.outcome == Some(Outcome::Complete)
    }
}

//! A search for the highest rate that keeps a rule.

use serde::{Deserialize, Serialize};

use super::Report;
use super::curve::Curves;
use super::metric::{self, Unit};
use super::quantity::rate;
use crate::metrics::{Search, Trial};
use crate::plan::PhasePlan;

/// What a phase with `find` found. The figures of the phase are those of the trial at the rate that was found, or at the
/// lowest rate where none was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindReport {
    /// What had to be kept: `latency.p99 < 50ms`.
    pub rule: String,
    /// The lowest and the highest rate of the range, in starts a second.
    pub range: (f64, f64),
    /// The highest rate that was tried and kept the rule; none: not even the lowest did.
    pub found: Option<f64>,
    /// What the figure of the rule is in.
    pub unit: Unit,
    /// The trials in order.
    pub trials: Vec<TrialReport>,
}

/// One trial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrialReport {
    /// Starts a second, all replicas together.
    pub rate: f64,
    /// Successful transactions a second.
    pub tps: Option<f64>,
    /// The figure of the rule; none: it could not be told.
    pub measured: Option<f64>,
    /// Whether nearly all of its starts were begun.
    pub reached: bool,
    /// Whether the rule was kept, and the rate reached.
    pub kept: bool,
}

impl FindReport {
    /// What the rule is about: `latency.p99`.
    pub fn figure(&self) -> &str {
        self.rule.split(['<', '>', '=']).next().unwrap_or_default().trim()
    }

    /// The figure of the rule over the rate.
    pub fn curves(&self) -> Curves {
        let mut curves = Curves::new("rate", self.figure());
        for trial in &self.trials {
            curves.add("", trial.rate, trial.measured);
        }
        curves
    }
}

pub(super) fn build(phase: &PhasePlan, search: &Search) -> Option<FindReport> {
    let rule = phase.find.as_ref()?;
    let range = phase.load.arrivals?.rate;
    let all = f64::from(phase.load.replicas);
    let trial = |&Trial { rate, figure, tps, reached, kept }: &Trial| TrialReport {
        rate,
        tps,
        measured: figure,
        reached,
        kept,
    };
    let kept = search.trials.iter().filter(|trial| trial.kept).map(|trial| trial.rate);
    Some(FindReport {
        rule: rule.text.clone(),
        range: (range.from * all, range.to * all),
        found: kept.reduce(f64::max),
        unit: metric::unit(&rule.metric),
        trials: search.trials.iter().map(trial).collect(),
    })
}

/// What a search leaves open, with the name of its phase.
pub(super) fn warnings(report: &Report) -> impl Iterator<Item = String> {
    let searched = report.phases.iter().filter_map(|phase| Some((phase, phase.find.as_ref()?)));
    searched.filter_map(|(phase, find)| match find.found {
        None => {
            let lowest = find.trials.first()?.rate;
            Some(format!("phase {}: not even {}/s keeps {}", phase.name, rate(lowest), find.rule))
        }
        Some(found) if found >= find.range.1 => Some(format!(
            "phase {}: even the highest rate of the range, {}/s, keeps {}; it may go further",
            phase.name,
            rate(found),
            find.rule
        )),
        Some(_) => None,
    })
}

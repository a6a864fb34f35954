//! What a publication says, held against what was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Report;
use super::metric::{self, Unit};
use super::published::same;
use crate::plan::ClaimPlan;
use crate::plan::claim::{ClaimedError, Expected, PointFigure, Says};
use crate::plan::metric::{Metric, MetricRef};

/// A claim and what became of it. It decides no exit code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimReport {
    /// As written: `tps = 1946 +- 10%`.
    pub rule: String,
    /// The point of the matrix where it was judged, as far as the claim leaves that open; empty in a run of its own.
    pub at: BTreeMap<String, String>,
    /// What its figures are in.
    pub unit: Unit,
    /// What the figure is compared with: the published value, or so many times the other figure as it was measured. None
    /// where that is missing, and where an error is claimed, of which one is enough.
    pub expected: Option<f64>,
    /// The figure; where an error is claimed, how many tries failed with it.
    pub measured: Option<f64>,
    /// Measured by expected.
    pub ratio: Option<f64>,
    /// Whether the run bears it out.
    pub verdict: ClaimVerdict,
    /// Why it can't be compared.
    pub reason: Option<String>,
}

/// What becomes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// It is so here, too.
    Reproduced,
    /// It is not so here.
    NotReproduced,
    /// This run can't tell.
    NotComparable,
}

impl ClaimReport {
    /// The claim with the point where it was judged: `tps = 1946 +- 10%, at clients = 10`.
    pub fn name(&self) -> String {
        let at: Vec<String> = self.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if at.is_empty() { self.rule.clone() } else { format!("{}, at {}", self.rule, at.join(", ")) }
    }
}

impl ClaimVerdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::NotComparable => "not comparable",
        }
    }
}

/// Claims and the runs that they are held against.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    runs: Vec<Run>,
}

/// What one run says about the claims.
#[derive(Debug, Clone)]
struct Run {
    vars: BTreeMap<String, String>,
    /// The claims as they read with the variables of this run, each with its figures.
    claims: Vec<(ClaimPlan, Vec<Seen>)>,
}

/// A figure of a claim in one run.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    value: Option<f64>,
    /// Why it can't be compared.
    doubt: Option<String>,
}

impl Claims {
    /// The claims about one run, without those about other points of its matrix.
    pub(super) fn of_run(claims: &[ClaimPlan], report: &Report) -> Vec<ClaimReport> {
        let elsewhere = |(name, value): &(String, String)| {
            let vars = &report.scenario.vars;
            vars.iter().any(|var| var.origin == "matrix" && var.name == *name && !same(&var.value, value))
        };
        let here = |claim: &&ClaimPlan| !claim.figures().any(|figure| figure.at.iter().any(elsewhere));
        let claims: Vec<ClaimPlan> = claims.iter().filter(here).cloned().collect();
        let mut held = Self::default();
        held.take(&claims, report);
        held.judge(&[])
    }

    /// Takes in a run, with the claims as its plan has them.
    pub fn take(&mut self, claims: &[ClaimPlan], report: &Report) {
        let vars = report.scenario.vars.iter().map(|var| (var.name.clone(), var.value.clone()));
        let see = |claim: &ClaimPlan| {
            let seen = claim.figures().map(|figure| see(claim, figure, report)).collect();
            (claim.clone(), seen)
        };
        self.runs.push(Run { vars: vars.collect(), claims: claims.iter().map(see).collect() });
    }

    /// What becomes of each claim; one that leaves some of the `varied` variables open is judged at each of their
    /// combinations.
    pub fn judge(&self, varied: &[String]) -> Vec<ClaimReport> {
        let claims = self.runs.first().map_or(0, |run| run.claims.len());
        (0..claims).flat_map(|number| self.judge_one(number, varied)).collect()
    }

    fn judge_one(&self, number: usize, varied: &[String]) -> Vec<ClaimReport> {
        let mut groups: Vec<(BTreeMap<String, String>, Vec<&Run>)> = Vec::new();
        for run in &self.runs {
            let (claim, _) = &run.claims[number];
            let open = varied.iter().filter(|name| !claim.figure.at.iter().any(|(fixed, _)| fixed == *name));
            let at = open.filter_map(|name| Some((name.clone(), run.vars.get(name)?.clone()))).collect();
            match groups.iter_mut().find(|(known, _)| *known == at) {
                Some((_, runs)) => runs.push(run),
                None => groups.push((at, vec![run])),
            }
        }
        groups.into_iter().map(|(at, runs)| judge_at(number, at, &runs)).collect()
    }
}

/// Judges a claim by runs that differ in nothing but what the claim itself says.
fn judge_at(number: usize, at: BTreeMap<String, String>, runs: &[&Run]) -> ClaimReport {
    let here = |place: usize| {
        let of_run = |run: &&Run| {
            let (claim, seen) = &run.claims[number];
            let figure = claim.figures().nth(place)?;
            let fits = |(name, value): &(String, String)| run.vars.get(name).is_some_and(|here| same(here, value));
            figure.at.iter().all(fits).then(|| seen[place].clone())
        };
        runs.iter().find_map(of_run)
    };
    let (claim, _) = &runs[0].claims[number];
    let seen = |(place, figure): (usize, &PointFigure)| {
        here(place).unwrap_or_else(|| Seen { value: None, doubt: Some(format!("{} was not run", point(figure))) })
    };
    let seen: Vec<Seen> = claim.figures().enumerate().map(seen).collect();
    let measured = seen[0].value;
    let expected = match &claim.says {
        Says::Stands(_, Expected::Value(value)) => Some(*value),
        Says::Stands(_, Expected::Figure(factor, _)) => seen[1].value.map(|value| factor * value),
        Says::FailsWith(_) => None,
    };
    let doubt = seen.iter().find_map(|seen| seen.doubt.clone());
    let holds = match (&claim.says, measured, expected) {
        (Says::Stands(relation, _), Some(measured), Some(expected)) => relation.holds(measured, expected),
        (Says::FailsWith(_), Some(measured), _) => measured > 0.0,
        _ => false,
    };
    ClaimReport {
        rule: claim.text.clone(),
        at,
        unit: metric::unit(&claim.figure.metric),
        expected,
        measured,
        ratio: measured.zip(expected).filter(|(_, expected)| *expected != 0.0).map(|(one, other)| one / other),
        verdict: match (&doubt, holds) {
            (Some(_), _) => ClaimVerdict::NotComparable,
            (None, true) => ClaimVerdict::Reproduced,
            (None, false) => ClaimVerdict::NotReproduced,
        },
        reason: doubt,
    }
}

/// `clients = 100, protocol = simple`
fn point(figure: &PointFigure) -> String {
    figure.at.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// A figure of a claim in a run.
fn see(claim: &ClaimPlan, figure: &PointFigure, report: &Report) -> Seen {
    let metric = &figure.metric;
    let value = match &claim.says {
        Says::FailsWith(error) => count_errors(report, metric, error),
        Says::Stands(..) => metric::resolve(report, metric).map(|figure| figure.value),
    };
    let changed = || {
        let changes = changes(report, figure);
        (!changes.is_empty()).then(|| changes.join(", and "))
    };
    let missing = || value.is_none().then(|| metric::why_missing(report, metric));
    let cut = || {
        // an error that came before the end came all the same
        let came = matches!(claim.says, Says::FailsWith(_)) && value.is_some_and(|count| count > 0.0);
        ended_early(report, metric).filter(|_| !came)
    };
    Seen { value, doubt: changed().or_else(missing).or_else(cut) }
}

/// How many tries failed with an error; none where no phase of the figure began.
fn count_errors(report: &Report, metric: &MetricRef, error: &ClaimedError) -> Option<f64> {
    let phases = metric::phases_of(report, metric);
    let is_meant = |seen: &&super::phase::ErrorReport| {
        metric.script.as_ref().is_none_or(|script| seen.script == *script)
            && match error {
                ClaimedError::Sqlstate(state) => seen.sqlstate.as_ref() == Some(state),
                ClaimedError::Message(words) => seen.message.to_lowercase().contains(&words.to_lowercase()),
            }
    };
    let count: u64 = phases.iter().flat_map(|phase| &phase.errors).filter(is_meant).map(|seen| seen.count).sum();
    (!phases.is_empty()).then_some(count as f64)
}

/// A phase of the figure that did not end as planned.
fn ended_early(report: &Report, metric: &MetricRef) -> Option<String> {
    let phases = metric::phases_of(report, metric);
    let cut = phases.into_iter().find(|phase| phase.ending != "complete")?;
    let how = match cut.ending.as_str() {
        "server_lost" => "lost its server",
        "stopped" => "was stopped by its own rule",
        "aborted" => "was aborted",
        _ => "was interrupted",
    };
    Some(format!("phase {} {how}", cut.name))
}

/// What the profile and `-D` have changed of what a figure depends on.
fn changes(report: &Report, figure: &PointFigure) -> Vec<String> {
    let scenario = &report.scenario;
    let mut changes = Vec::new();
    if let Some(profile) = &scenario.profile {
        let varied = |key: &str| {
            let var = key.strip_prefix("vars.").and_then(|name| scenario.vars.iter().find(|var| name == var.name));
            var.is_some_and(|var| var.origin == "matrix")
        };
        let keys = profile.changes.iter().map(|change| change.key.as_str());
        let keys: Vec<&str> = keys.filter(|key| matters(key, &figure.metric) && !varied(key)).collect();
        if !keys.is_empty() {
            changes.push(format!("profile {} changes {}", profile.name, keys.join(", ")));
        }
    }
    let set = scenario.vars.iter().filter(|var| var.origin == "command_line" && !same(&var.value, &var.default));
    let free = set.filter(|var| !figure.at.iter().any(|(name, _)| *name == var.name));
    changes.extend(free.map(|var| format!("-D sets {} to {}", var.name, var.value)));
    changes
}

/// Whether a figure depends on a key of the scenario.
fn matters(key: &str, metric: &MetricRef) -> bool {
    let mut parts = key.split('.');
    let counts = matches!(
        metric.metric,
        Metric::Transactions
            | Metric::Failed(_)
            | Metric::Skipped
            | Metric::Late
            | Metric::Retries
            | Metric::Unfinished
            | Metric::Own(_)
    );
    match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        ("matrix" | "report" | "thresholds" | "published" | "name" | "description" | "teardown", ..) => false,
        // how long it goes on changes how many there are, and neither rates nor latencies
        ("load", Some("duration"), _) => counts && !metric.share,
        ("phases", Some(phase), what) => {
            metric.phase.as_ref().is_none_or(|of| of == phase)
                && (what != Some("duration") || (counts && !metric.share))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::matters;
    use crate::plan::MetricRef;
    use crate::plan::metric::Metric;

    #[test]
    fn a_shorter_phase_changes_counts_and_no_rate() {
        let tps = MetricRef::of_all_phases("tps", Metric::Tps, None);
        let transactions = MetricRef::of_all_phases("transactions", Metric::Transactions, None);
        assert!(!matters("load.duration", &tps) && matters("load.duration", &transactions));
        assert!(!matters("phases.steady.duration", &tps) && matters("phases.steady.clients", &tps));
        assert!(matters("vars.rows", &tps) && !matters("matrix.clients", &tps));
        let steady = MetricRef { phase: Some("steady".to_owned()), ..tps };
        assert!(!matters("phases.peak.clients", &steady) && matters("phases.steady", &steady));
    }
}

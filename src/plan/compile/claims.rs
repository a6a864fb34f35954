//! `claims` of a publication: `FIGURE[@VAR=VALUE,…] OPERATOR EXPECTED`.

use std::time::Duration;

use super::ScenarioError;
use super::condition::sqlstate;
use super::metric::{MetricNames, note_bound, resolve_metric};
use super::quantity::part;
use super::scenario_error::Kind;
use super::threshold::{COMPARISONS, check_sense, figure_value, find_outside};
use super::values::Values;
use crate::plan::claim::{ClaimPlan, ClaimedError, Expected, PointFigure, Relation, Says};
use crate::plan::metric::{Metric, MetricRef};
use crate::plan::threshold::Comparison;
use crate::plan::{MatrixPlan, PhasePlan};
use crate::scenario::Scalar;
use crate::suggest::nearest;

/// What stands between a figure and what is said of it; longer ones before their beginnings.
const OPERATORS: [&str; 7] = ["<=", ">=", "<", ">", "=", "~", " with "];
/// What stands before a tolerance.
const TOLERANCES: [&str; 2] = ["+-", "±"];

/// What claims may be about.
pub(super) struct ClaimScope<'a> {
    pub(super) names: &'a MetricNames,
    pub(super) phases: &'a [PhasePlan],
    /// The variables of the matrix as the scenario has it, which `-D` and profiles may have taken out of `matrix`.
    pub(super) varied: Vec<&'a str>,
    pub(super) matrix: &'a MatrixPlan,
    /// Whether a profile was laid over the scenario, which may run other points than the claims are about.
    pub(super) is_profiled: bool,
}

/// Compiles the claims; those with faults are left out, and the faults noted.
pub(super) fn compile_claims(
    claims: &[Scalar],
    scope: &ClaimScope<'_>,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> Vec<ClaimPlan> {
    // what a claim says of a phase that the profile leaves out is understood, and can't be compared
    let mut names = scope.names.clone();
    names.phases.append(&mut names.skipped);
    let compiler = Compiler { scope, names: &names };
    let plans: Vec<ClaimPlan> = claims.iter().filter_map(|claim| compiler.compile(claim, values)).collect();
    for figure in plans.iter().flat_map(ClaimPlan::figures) {
        note_bound(&figure.metric, bounds);
    }
    plans
}

struct Compiler<'a> {
    scope: &'a ClaimScope<'a>,
    /// The scope's names and the phases that the profile leaves out.
    names: &'a MetricNames,
}

impl Compiler<'_> {
    fn compile(&self, claim: &Scalar, values: &mut Values<'_>) -> Option<ClaimPlan> {
        let Some((at, operator)) = find_outside(&claim.text, &OPERATORS) else {
            let help = "write a figure and what it is: `tps = 1946 +- 10%`, `latency.avg ~ 10ms`, `steady.tps > \
                        1.5 * warm.tps`, `failed with 40001`";
            values.invalid(claim, "a claim", "a statement about a figure", Some(help.to_owned()));
            return None;
        };
        let mut figure = self.figure(&part(claim, 0..at), values)?;
        let said = part(claim, at + operator.len()..claim.text.len());
        let says = match operator {
            " with " => Says::FailsWith(claimed_error(&figure.metric, &said, values)?),
            operator => self.stands(&mut figure, operator, &said, values)?,
        };
        let text = values.text(claim)?;
        let claim_plan = ClaimPlan { text, figure, says };
        self.check(&claim_plan, claim, values).then_some(claim_plan)
    }

    /// `FIGURE[@VAR=VALUE,…]`
    fn figure(&self, written: &Scalar, values: &mut Values<'_>) -> Option<PointFigure> {
        let (name, point) = match written.text.find('@') {
            Some(at) => (part(written, 0..at), Some(part(written, at + 1..written.text.len()))),
            None => (written.clone(), None),
        };
        let mut metric = resolve_metric(&name, self.names, values)?;
        written.text.clone_into(&mut metric.text);
        let at = match point {
            Some(point) => self.point(&point, values)?,
            None => Vec::new(),
        };
        Some(PointFigure { metric, at })
    }

    /// `VAR=VALUE,…`
    fn point(&self, written: &Scalar, values: &mut Values<'_>) -> Option<Vec<(String, String)>> {
        let mut at = Vec::new();
        let mut from = 0;
        for pair in written.text.split(',') {
            let (start, end) = (from, from + pair.len());
            from = end + 1;
            let Some(equals) = pair.find('=').filter(|equals| *equals > 0 && equals + 1 < pair.len()) else {
                let help = "name variables with their values: `tps@clients=100,protocol=simple`";
                values.invalid(
                    &part(written, start..end),
                    "a point",
                    "a variable and its value",
                    Some(help.to_owned()),
                );
                return None;
            };
            let name = part(written, start..start + equals);
            let value = part(written, start + equals + 1..end);
            let known: Vec<String> = values.vars.iter().map(|var| var.name.clone()).collect();
            if !known.contains(&name.text) {
                values.unknown(Kind::Variable, &name, &known.iter().map(String::as_str).collect::<Vec<_>>());
                return None;
            }
            let text = values.text(&value)?;
            self.check_value(&name.text, &value, &text, values)?;
            at.push((name.text, text));
        }
        Some(at)
    }

    /// Whether the matrix goes to a value; where a profile or `-D` has a say, whatever it leaves out is no mistake.
    fn check_value(&self, name: &str, written: &Scalar, text: &str, values: &mut Values<'_>) -> Option<()> {
        let axis = self.scope.matrix.axes.iter().find(|axis| axis.name == name);
        let Some(axis) = axis.filter(|axis| !self.scope.is_profiled && !axis.values.iter().any(|known| known == text))
        else {
            return Some(());
        };
        let known = axis.values.iter().map(String::as_str);
        let help = nearest(text, known.clone()).map(|near| format!("did you mean `{near}`?"));
        let list = || format!("it has {}", known.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "));
        let what = format!("`{name}` of the matrix");
        values.invalid(written, &what, "one of its values", Some(help.unwrap_or_else(list)));
        None
    }

    /// What follows an operator.
    fn stands(&self, figure: &mut PointFigure, operator: &str, said: &Scalar, values: &mut Values<'_>) -> Option<Says> {
        let tolerance = find_outside(&said.text, &TOLERANCES);
        let (expected, tolerance) = match tolerance {
            Some((at, sign)) => (part(said, 0..at), Some(part(said, at + sign.len()..said.text.len()))),
            None => (said.clone(), None),
        };
        let compares = COMPARISONS.iter().find(|(word, _)| *word == operator).map(|(_, comparison)| *comparison);
        let expected_text = &expected;
        let expected = match other_figure(expected_text) {
            Some(written) => {
                let factor = part(expected_text, 0..expected_text.text.len() - written.text.len());
                Expected::Figure(factor_of(&factor, values)?, self.figure(&written, values)?)
            }
            None => Expected::Value(figure_value(&mut figure.metric, expected_text, values)?),
        };
        let relation = match (compares, tolerance) {
            (Some(Comparison::Equal), Some(tolerance)) => tolerance_of(&figure.metric, &tolerance, values)?,
            (_, Some(_)) => {
                let help = Some(format!("write `= {} +- …`, or take it out", expected_text.text));
                values.invalid(said, &format!("`{operator}`"), "a value without a tolerance", help);
                return None;
            }
            (Some(Comparison::Equal), None) if !is_exact(&figure.metric) => {
                let what = format!("`{}` is never exactly the same", figure.metric.text);
                let help =
                    format!("say how near: `= {0} +- 10%`, or the order of magnitude: `~ {0}`", expected_text.text);
                values.fault(ScenarioError::Missing { what, span: said.span, help });
                return None;
            }
            (Some(comparison), None) => Relation::Compares(comparison),
            (None, None) => Relation::About,
        };
        Some(Says::Stands(relation, expected))
    }

    /// Whether a claim could be decided by some run; what can't is noted.
    fn check(&self, claim: &ClaimPlan, written: &Scalar, values: &mut Values<'_>) -> bool {
        let errors = values.errors.len();
        let skipped =
            |metric: &MetricRef| metric.phase.as_ref().is_some_and(|phase| self.scope.names.skipped.contains(phase));
        for figure in claim.figures().filter(|figure| !skipped(&figure.metric)) {
            check_sense(&figure.metric, written, self.scope.names, self.scope.phases, values);
        }
        if let Says::Stands(_, Expected::Figure(_, other)) = &claim.says {
            self.check_pair(&claim.figure, other, written, values);
        }
        values.errors.len() == errors
    }

    /// Two figures are compared where they are alike and their points differ in known variables alone.
    fn check_pair(&self, one: &PointFigure, other: &PointFigure, written: &Scalar, values: &mut Values<'_>) {
        let mut misfit = |help: String| values.invalid(written, "a claim", "figures that can be compared", Some(help));
        if !one.metric.is_like(&other.metric) {
            misfit("compare durations with durations, rates with rates, counts with counts".to_owned());
        }
        let has = |figure: &PointFigure, name: &str| figure.at.iter().any(|(known, _)| known == name);
        let sides = [(one, other), (other, one)];
        let lacking = sides
            .into_iter()
            .find_map(|(this, that)| this.at.iter().find(|(name, _)| !has(that, name)).map(|(name, _)| (that, name)));
        if let Some((figure, name)) = lacking {
            misfit(format!("say at which `{name}` `{}` is meant, too", figure.metric.text));
        }
        let differs = |(name, value): &&(String, String)| {
            other.at.iter().any(|(known, there)| known == name && there != value)
                && !self.scope.varied.contains(&name.as_str())
        };
        if let Some((name, _)) = one.at.iter().find(differs) {
            misfit(format!("a run has one value of `{name}`; let the `matrix` vary it"));
        }
    }
}

/// `40001`, `serialization_failure`, `'deadlock detected'`
fn claimed_error(metric: &MetricRef, said: &Scalar, values: &mut Values<'_>) -> Option<ClaimedError> {
    if metric.metric != Metric::Failed(None) || metric.label.is_some() {
        let reason = "only `failed` is said to be with an error".to_owned();
        let help = Some("write `failed with 40001`, or a phase and a script before it".to_owned());
        values.fault(ScenarioError::InvalidMetric { text: metric.text.clone(), reason, span: said.span, help });
        return None;
    }
    let text = &said.text;
    let quoted = ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    if let Some(message) = quoted.filter(|message| !message.trim().is_empty()) {
        return Some(ClaimedError::Message(message.to_owned()));
    }
    let Some(state) = sqlstate(text) else {
        let help =
            "write a SQLSTATE or its name, `40001` or `serialization_failure`, or words of the message in quotes";
        values.invalid(said, "an error", "a SQLSTATE, its name, or words in quotes", Some(help.to_owned()));
        return None;
    };
    Some(ClaimedError::Sqlstate(String::from_utf8_lossy(&state).into_owned()))
}

/// The figure that stands where a value could, without the factor before it.
fn other_figure(said: &Scalar) -> Option<Scalar> {
    let is_figure = |text: &str| {
        let name = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !text[name..].starts_with('(')
    };
    let begins = said.text.rfind('*').map_or(0, |at| at + 1);
    let figure = part(said, begins..said.text.len());
    is_figure(&figure.text).then_some(figure)
}

/// `3 *`, `150% *`, or nothing: once.
fn factor_of(written: &Scalar, values: &mut Values<'_>) -> Option<f64> {
    let Some(factor) = written.text.trim_end().strip_suffix('*') else { return Some(1.0) };
    let percent = factor.trim_end().strip_suffix('%');
    let number = values.number(&part(written, 0..percent.unwrap_or(factor).len()), "a factor")?;
    let factor = if percent.is_some() { number / 100.0 } else { number };
    if factor <= 0.0 {
        values.out_of_range(written, "a factor", &number, "has to be above 0".to_owned());
        return None;
    }
    Some(factor)
}

/// `10%`, of what is expected, or so much in the figure's unit.
fn tolerance_of(metric: &MetricRef, written: &Scalar, values: &mut Values<'_>) -> Option<Relation> {
    let Some(percent) = written.text.trim_end().strip_suffix('%') else {
        return figure_value(&mut metric.clone(), written, values).map(Relation::Within);
    };
    let percent = values.number(&part(written, 0..percent.len()), "a tolerance")?;
    if percent < 0.0 {
        values.out_of_range(written, "a tolerance", &written.text, "is never below 0".to_owned());
    }
    Some(Relation::WithinPart(percent / 100.0))
}

/// Whether a figure is a number that may come out the same again.
fn is_exact(metric: &MetricRef) -> bool {
    !metric.is_duration() && !metric.share && metric.metric != Metric::Tps
}

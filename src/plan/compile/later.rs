//! Sections that this version checks and can't run yet.

use std::time::Duration;

use super::load::compile_load;
use super::metric::MetricNames;
use super::scenario_error::Kind;
use super::threshold::compile_rule;
use super::values::Values;
use super::{CompileInputs, ScenarioError};
use crate::scenario::{BackgroundSpec, FeedSpec, PhaseItem, Scalar, Scenario};

/// What the sections are checked against.
pub(super) struct Surroundings<'a, 'b> {
    pub(super) scripts: &'a [&'a str],
    pub(super) names: &'a MetricNames,
    pub(super) inputs: &'a CompileInputs<'b>,
}

/// Checks every such section, takes the bounds that its rules name, and notes that it can't be run.
pub(super) fn check_later(
    scenario: &Scenario,
    around: &Surroundings<'_, '_>,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) {
    for (name, feed) in &scenario.feeds.0 {
        check_feed(name, feed, around, values);
    }
    for (name, background) in &scenario.background.0 {
        check_background(name, background, around, values);
    }
    if let Some(reset) = &scenario.reset {
        values.later("`reset`", reset.span);
    }
    for item in &scenario.phases {
        let PhaseItem::Phase(phase) = item else { continue };
        if let Some(rule) = &phase.stop_if {
            compile_rule(rule, "`stop_if`", around.names, bounds, values);
            values.later("`stop_if`", rule.span);
        }
    }
}

fn check_feed(name: &Scalar, feed: &FeedSpec, around: &Surroundings<'_, '_>, values: &mut Values<'_>) {
    match (&feed.query, &feed.csv) {
        (Some(query), Some(csv)) => {
            values.contradiction(("query", query.span), ("csv", csv.span), "a feed has one source".to_owned());
        }
        (None, None) if feed.faulty => {}
        (None, None) => {
            let what = format!("feed `{}` has no rows", name.text);
            let help = "give it one of `query` and `csv`".to_owned();
            values.fault(ScenarioError::Missing { what, span: feed.span, help });
        }
        (None, Some(csv)) if (around.inputs.texts)(&csv.text).is_none() => {
            values.fault(ScenarioError::MissingFile { path: csv.text.clone(), span: csv.span });
        }
        _ => {}
    }
    values.later("a feed", name.span);
}

fn check_background(name: &Scalar, spec: &BackgroundSpec, around: &Surroundings<'_, '_>, values: &mut Values<'_>) {
    compile_load(&spec.load, around.scripts, around.inputs.cores, values);
    let phases: Vec<&str> = around.names.phases.iter().map(String::as_str).collect();
    for phase in spec.phases.iter().flatten() {
        if !phases.contains(&phase.text.as_str()) {
            values.unknown(Kind::Phase, phase, &phases);
        }
    }
    if let Some((key, scalar)) = spec.load.ends().next() {
        let help = "it runs as long as the phases that it stands beside".to_owned();
        values.needs(key, "a phase", scalar.span, help);
    }
    values.later("a background load", name.span);
}

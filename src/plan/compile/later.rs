//! Sections that this version checks and can't run yet.

use std::time::Duration;

use super::load::compile_load;
use super::metric::MetricNames;
use super::scenario_error::Kind;
use super::threshold::check_rule;
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
    for (name, metric) in &scenario.metrics.0 {
        if let (Some(at), Some(every)) = (&metric.at, &metric.every) {
            let help = "a metric is taken once or again and again".to_owned();
            values.contradiction(("at", at.span), ("every", every.span), help);
        }
        metric.every.as_ref().map(|every| values.duration(every, "`every`"));
        values.later("a metric of the scenario's own", name.span);
    }
    for (name, _) in &scenario.matrix.0 {
        let vars: Vec<&str> = scenario.vars.names().collect();
        if !vars.contains(&name.text.as_str()) {
            values.unknown(Kind::Variable, name, &vars);
        }
        values.later("a matrix", name.span);
    }
    for item in &scenario.phases {
        let PhaseItem::Phase(phase) = item else { continue };
        for (key, rule) in [("`stop_if`", &phase.stop_if), ("`find`", &phase.find)] {
            let Some(rule) = rule else { continue };
            check_rule(rule, key, around.names, bounds, values);
            values.later(key, rule.span);
        }
        if let (Some(find), None) = (&phase.find, scenario.load.with(&phase.load).rate) {
            let help = "give the range to search: `rate: 100/s..20000/s`".to_owned();
            values.needs("find", "a rate", find.span, help);
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

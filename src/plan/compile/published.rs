//! `published`: names of figures are resolved, their values understood.

use std::time::Duration;

use super::claims::{ClaimScope, compile_claims};
use super::metric::{MetricNames, note_bound, resolve_metric};
use super::server::compile_settings;
use super::threshold::figure_value;
use super::values::Values;
use crate::plan::PublishedPlan;
use crate::plan::published::{PublishedResult, PublishedSystem};
use crate::scenario::{PublishedSpec, Scalar, SystemSpec};

pub(super) fn compile_published(
    spec: &PublishedSpec,
    scope: &ClaimScope<'_>,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> PublishedPlan {
    PublishedPlan {
        title: spec.title.as_ref().map(plain).unwrap_or_default(),
        url: spec.url.as_ref().map(plain),
        date: spec.date.as_ref().map(plain),
        notes: spec.notes.iter().map(plain).collect(),
        systems: spec.systems.iter().map(|system| compile_system(system, scope.names, bounds, values)).collect(),
        claims: compile_claims(&spec.claims, scope, bounds, values),
    }
}

fn compile_system(
    spec: &SystemSpec,
    names: &MetricNames,
    bounds: &mut Vec<Duration>,
    values: &mut Values<'_>,
) -> PublishedSystem {
    let mut results = Vec::new();
    for (name, value) in spec.results.0.iter().filter(|(name, _)| !names.is_of_skipped(name)) {
        let Some(mut metric) = resolve_metric(name, names, values) else { continue };
        note_bound(&metric, bounds);
        let Some(number) = figure_value(&mut metric, value, values) else { continue };
        results.push(PublishedResult { metric, value: number, text: plain(value) });
    }
    PublishedSystem {
        name: spec.name.as_ref().map(plain).unwrap_or_default(),
        version: spec.version.as_ref().map(plain),
        hardware: spec.hardware.0.iter().map(|(key, value)| (key.text.clone(), plain(value))).collect(),
        settings: compile_settings(&spec.settings, values),
        at: compile_settings(&spec.at, values),
        results,
    }
}

fn plain(scalar: &Scalar) -> String {
    scalar.text.trim().to_owned()
}

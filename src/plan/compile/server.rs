//! `server`, `seed` and `report`.

use std::time::Duration;

use super::values::Values;
use crate::plan::{AuthPlan, ReportPlan, ServerPlan};
use crate::scenario::{Named, ReportSpec, Scalar, ServerSpec};

pub(super) fn compile_server(spec: &ServerSpec, values: &mut Values<'_>) -> ServerPlan {
    let version = |scalar: &Option<Scalar>, what, values: &mut Values<'_>| {
        scalar.as_ref().and_then(|scalar| values.count(scalar, what, 8..=u32::MAX))
    };
    ServerPlan {
        version: version(&spec.version, "`version`", values),
        min_version: version(&spec.min_version, "`min_version`", values),
        extensions: spec.extensions.iter().filter_map(|name| values.text(name)).collect(),
        settings: compile_settings(&spec.settings, values),
        auth: match spec.auth.as_ref().and_then(|auth| values.text(auth)).as_deref() {
            Some("scram-sha-256") => AuthPlan::ScramSha256,
            _ => AuthPlan::Trust,
        },
    }
}

/// Settings of PostgreSQL, as text.
pub(super) fn compile_settings(settings: &Named<Scalar>, values: &mut Values<'_>) -> Vec<(String, String)> {
    settings.0.iter().filter_map(|(name, value)| Some((name.text.clone(), values.text(value)?))).collect()
}

/// The seed; `random` takes the one that was drawn.
pub(super) fn compile_seed(seed: Option<&Scalar>, drawn: u64, values: &mut Values<'_>) -> u64 {
    match seed {
        None => 1,
        Some(seed) if seed.text == "random" => drawn,
        // pgbench's seeds have all 64 bits, an expression's number has one of them for the sign
        Some(seed) => seed.text.parse().ok().or_else(|| values.whole(seed, "`seed`", 0)).unwrap_or(1),
    }
}

pub(super) fn compile_report(spec: &ReportSpec, values: &mut Values<'_>) -> ReportPlan {
    ReportPlan {
        pgbench: match &spec.pgbench {
            None => 18,
            Some(version) if version.text == "9.6" => 9,
            Some(version) => values.count(version, "`pgbench`", 9..=u32::MAX).unwrap_or(18),
        },
        progress: spec
            .progress
            .as_ref()
            .and_then(|every| values.positive_duration(every, "`progress`"))
            .unwrap_or(Duration::from_secs(10)),
        percentiles: spec.percentiles.iter().filter_map(|percent| compile_percentile(percent, values)).collect(),
        bounds: Vec::new(),
    }
}

fn compile_percentile(percent: &Scalar, values: &mut Values<'_>) -> Option<String> {
    let text = values.text(percent)?;
    if text.parse::<f64>().is_ok_and(|percent| percent > 0.0 && percent <= 100.0) {
        return Some(text);
    }
    let help = Some("numbers above 0 and at most 100: `[50, 99.9]`".to_owned());
    values.invalid(percent, "`percentiles`", "a percentile", help);
    None
}

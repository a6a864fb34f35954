//! `background`: loads beside the phases.

use super::ScenarioError;
use super::load::compile_load;
use super::scenario_error::Kind;
use super::values::Values;
use crate::id::PhaseId;
use crate::plan::phase::{LoadPlan, StopPlan};
use crate::plan::{BackgroundPlan, PhasePlan};
use crate::scenario::{BackgroundSpec, Scalar, Scenario};

/// Threads of a load beside the phases, unless it says otherwise: what is measured keeps the machine's cores.
const THREADS: usize = 1;

/// Compiles all loads that stand beside these phases.
pub(super) fn compile_backgrounds(
    scenario: &Scenario,
    scripts: &[&str],
    phases: &[PhasePlan],
    values: &mut Values<'_>,
) -> Vec<BackgroundPlan> {
    let compile = |(name, spec): &(Scalar, BackgroundSpec)| {
        if spec.load.mix.is_none() && !spec.load.faulty {
            let what = format!("background `{}` runs no script", name.text);
            let help = "say which, and how often: `mix: {SCRIPT: 1}`".to_owned();
            values.fault(ScenarioError::Missing { what, span: name.span, help });
        }
        if let Some((key, scalar)) = spec.load.ends().next() {
            let help = "it runs as long as the phases that it stands beside".to_owned();
            values.needs(key, "a phase", scalar.span, help);
        }
        let load = compile_load(&spec.load, scripts, THREADS, values);
        let beside = beside(spec, phases, values);
        check_ramps(spec, &load, &beside, phases, values);
        BackgroundPlan { name: name.text.clone(), load, phases: beside, span: name.span }
    };
    scenario.background.0.iter().map(compile).collect()
}

/// The phases that it names; without any, all.
fn beside(spec: &BackgroundSpec, phases: &[PhasePlan], values: &mut Values<'_>) -> Vec<PhaseId> {
    let Some(named) = &spec.phases else { return phases.iter().map(|phase| phase.id).collect() };
    let known: Vec<&str> = phases.iter().map(|phase| phase.name.as_str()).collect();
    let mut beside = Vec::new();
    for name in named {
        match phases.iter().find(|phase| phase.name == name.text) {
            Some(phase) => beside.push(phase.id),
            None => values.unknown(Kind::Phase, name, &known),
        }
    }
    beside
}

/// A ramp goes over the length of the phase.
fn check_ramps(
    spec: &BackgroundSpec,
    load: &LoadPlan,
    beside: &[PhaseId],
    phases: &[PhasePlan],
    values: &mut Values<'_>,
) {
    let lasts = |id: &PhaseId| matches!(phases[id.index()].stop, StopPlan::Duration(_));
    let Some(endless) = beside.iter().find(|id| !lasts(id)) else { return };
    let rate_ramps = load.arrivals.is_some_and(|arrivals| !arrivals.rate.is_flat());
    let ramps = [("clients", &spec.load.clients, !load.clients.is_flat()), ("rate", &spec.load.rate, rate_ramps)];
    for (key, scalar, ramps) in ramps {
        if let (true, Some(scalar)) = (ramps, scalar) {
            let phase = &phases[endless.index()].name;
            let help = format!("a ramp goes over a phase's `duration`, and `{phase}` has none");
            values.needs(key, "a duration to ramp over", scalar.span, help);
        }
    }
}

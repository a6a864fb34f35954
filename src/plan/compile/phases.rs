//! `phases`: each with its load and when it ends.

use super::ScenarioError;
use super::load::compile_load;
use super::steps::Steps;
use super::values::Values;
use crate::id::PhaseId;
use crate::plan::phase::{LoadPlan, PhaseKind, StopPlan};
use crate::plan::{PhasePlan, StepPlan};
use crate::scenario::{LoadSpec, PhaseItem, PhaseSpec, Scenario};
use crate::source::Span;

/// The phases, and the steps between them with the index of the phase that each comes before.
pub(super) struct Phases {
    pub(super) phases: Vec<PhasePlan>,
    pub(super) interludes: Vec<(usize, StepPlan)>,
}

/// Compiles all phases; a scenario without any has one that is its load.
pub(super) fn compile_phases(
    scenario: &Scenario,
    scripts: &[&str],
    cores: usize,
    steps: &Steps<'_, '_>,
    values: &mut Values<'_>,
) -> Phases {
    let mut all = Phases { phases: Vec::new(), interludes: Vec::new() };
    let mut names: Vec<(String, Span)> = Vec::new();
    for item in &scenario.phases {
        match item {
            PhaseItem::Step(step) => {
                all.interludes.extend(steps.compile(step, values).map(|step| (all.phases.len(), step)));
            }
            PhaseItem::Phase(spec) => {
                let id = PhaseId::from_index(all.phases.len());
                let phase = compile_phase(spec, id, &scenario.load, scripts, cores, values);
                let span = spec.name.as_ref().map_or(spec.span, |name| name.span);
                if let Some((_, first)) = names.iter().find(|(name, _)| *name == phase.name) {
                    let (name, first) = (phase.name.clone(), *first);
                    values.fault(ScenarioError::NameTwice { name, kinds: "phases", span, first });
                }
                names.push((phase.name.clone(), span));
                all.phases.push(phase);
            }
        }
    }
    if all.phases.is_empty() {
        let spec = PhaseSpec {
            span: scenario.root.get("load").map_or(scenario.root.span, |load| load.span),
            faulty: false,
            name: None,
            measure: None,
            stop_if: None,
            find: None,
            load: LoadSpec::default(),
        };
        let mut phase = compile_phase(&spec, PhaseId(0), &scenario.load, scripts, cores, values);
        "main".clone_into(&mut phase.name);
        all.phases.push(phase);
    }
    all
}

fn compile_phase(
    spec: &PhaseSpec,
    id: PhaseId,
    base: &LoadSpec,
    scripts: &[&str],
    cores: usize,
    values: &mut Values<'_>,
) -> PhasePlan {
    let name = spec.name.as_ref().map_or_else(|| format!("phase_{}", id.index() + 1), |name| name.text.clone());
    let written = base.with(&spec.load);
    let load = compile_load(&written, scripts, cores, values);
    let stop = compile_stop(&name, spec.span, &written, spec.faulty || written.faulty, values);
    if let Some(stop) = stop {
        check_stop(stop, &written, &load, values);
    }
    let measure = spec.measure.as_ref().and_then(|word| values.word(word, "`measure`", &["true", "false"]));
    PhasePlan {
        id,
        name,
        kind: if measure == Some("false") { PhaseKind::Warmup } else { PhaseKind::Measure },
        load,
        stop: stop.unwrap_or(StopPlan::Transactions(0)),
        // the names of figures are known once all phases are
        stop_if: None,
        find: None,
        span: spec.name.as_ref().map_or(spec.span, |name| name.span),
    }
}

fn compile_stop(name: &str, span: Span, load: &LoadSpec, faulty: bool, values: &mut Values<'_>) -> Option<StopPlan> {
    let ends: Vec<_> = load.ends().collect();
    match ends[..] {
        [] if faulty => None,
        [] => {
            let (why, help) =
                ("nothing says when".to_owned(), "add `duration`, `transactions` or `transactions_per_client`");
            values.fault(ScenarioError::NeverEnds { name: name.to_owned(), span, why, help: help.to_owned() });
            None
        }
        [("duration", scalar)] => values.positive_duration(scalar, "`duration`").map(StopPlan::Duration),
        [("transactions", scalar)] => values.whole(scalar, "`transactions`", 1).map(StopPlan::Transactions),
        [(_, scalar)] => values.whole(scalar, "`transactions_per_client`", 1).map(StopPlan::TransactionsPerClient),
        [(first, at), (second, other), ..] => {
            let help = "a phase ends by one of `duration`, `transactions` and `transactions_per_client`".to_owned();
            values.contradiction((first, at.span), (second, other.span), help);
            None
        }
    }
}

/// What an end rule excludes.
fn check_stop(stop: StopPlan, written: &LoadSpec, load: &LoadPlan, values: &mut Values<'_>) {
    if matches!(stop, StopPlan::Duration(_)) {
        return;
    }
    let rate = load.arrivals.map(|arrivals| arrivals.rate);
    let ramps = [
        ("clients", &written.clients, !load.clients.is_flat()),
        ("rate", &written.rate, rate.is_some_and(|rate| !rate.is_flat())),
    ];
    for (key, scalar, ramps) in ramps {
        if let (true, Some(scalar)) = (ramps, scalar) {
            let help = "a ramp goes from its start to its end over the phase's `duration`".to_owned();
            values.needs(key, "a duration to ramp over", scalar.span, help);
        }
    }
    if let (0, Some(tries), None) = (load.max_tries, &written.max_tries, load.latency_limit) {
        let help = "0 means without limit; `duration` or `latency_limit` bounds it".to_owned();
        values.needs("max_tries", "a bound of another kind when it is 0", tries.span, help);
    }
}

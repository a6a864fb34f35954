//! A scenario and its files → plan.

use super::CompileInputs;
use super::backgrounds::compile_backgrounds;
use super::claims::ClaimScope;
use super::feeds::{compile_feeds, finish_feeds};
use super::find::compile_finds;
use super::matrix::compile_matrix;
use super::metric::MetricNames;
use super::own::compile_own;
use super::phases::compile_phases;
use super::program::compile_scripts;
use super::published::compile_published;
use super::reset::compile_reset;
use super::scripts::{Parsed, parse_scripts};
use super::server::{compile_report, compile_seed, compile_server};
use super::steps::Steps;
use super::stop_if::compile_stop_rules;
use super::threshold::compile_thresholds;
use super::unused::note_unused;
use super::values::Values;
use super::vars::{compile_queries, compile_vars, is_var};
use crate::eval::{Algorithm, Value};
use crate::id::ScriptId;
use crate::plan::phase::{LoadPlan, Protocol};
use crate::plan::step::StepKind;
use crate::plan::{Error, Plan, ProfilePlan, StepPlan, Streams, VarOrigin, VarPlan};
use crate::scenario::{Node, PhaseItem, Scenario, StepSpec};
use crate::script::Dialect;

/// Compiles a scenario, or says everything that is wrong with it.
pub fn compile(scenario: &Scenario, inputs: &CompileInputs<'_>) -> Result<Plan, Vec<Error>> {
    let mut values = Values::new(inputs.environment);
    compile_vars(scenario, inputs, &mut values);
    let matrix = compile_matrix(scenario, inputs, &mut values);
    let metrics = compile_own(scenario, &mut values);
    let seed = compile_seed(scenario.seed.as_ref(), inputs.random_seed, &mut values);
    let known = ["per_client", "pgbench", "pgbench_14"];
    let streams = scenario.streams.as_ref().and_then(|word| values.word(word, "`streams`", &known));
    let queries = compile_queries(&scenario.vars, &mut values);
    let server = compile_server(&scenario.server, &mut values);
    let mut report = compile_report(&scenario.report, &mut values);
    let steps = Steps { inputs };
    let setup = steps.compile_all(&scenario.setup, &mut values);
    let teardown = steps.compile_all(&scenario.teardown, &mut values);
    // a script with faults of its own is no unknown one
    let written = scenario.root.get("scripts").map_or(&[][..], Node::entries);
    let unread = written.iter().map(|(name, _)| name.text.as_str()).filter(|name| scenario.scripts.get(name).is_none());
    let script_names: Vec<&str> = scenario.scripts.names().chain(unread).collect();
    let parsed = parse_scripts(scenario, inputs, &mut values);
    let mut phases = compile_phases(scenario, &script_names, inputs.cores, &steps, &mut values);
    let backgrounds = compile_backgrounds(scenario, &script_names, &phases.phases, &mut values);
    let feeds = compile_feeds(scenario, inputs, &mut values);
    let loads: Vec<&LoadPlan> = (phases.phases.iter().map(|phase| &phase.load))
        .chain(backgrounds.iter().map(|background| &background.load))
        .collect();
    let sent_in = |script: &Parsed| {
        let id = script_names.iter().position(|name| *name == script.name).map(ScriptId::from_index);
        protocols(&loads, id)
    };
    let scripts: Vec<_> = parsed.iter().map(|script| script.input(sent_in(script))).collect();
    let reset = compile_reset(scenario, &setup, &phases.phases, &mut values);
    let vars = std::mem::take(&mut values.vars);
    let known = with_scale(&vars, &setup);
    let compiled = compile_scripts(&scripts, &known, Dialect::Extended, &feeds, &mut values.errors);
    values.vars = vars;

    let labels = compiled
        .commands
        .iter()
        .filter_map(|command| Some((compiled.scripts[command.script.index()].name.clone(), command.label.clone()?)));
    let names = MetricNames {
        phases: phases.phases.iter().map(|phase| phase.name.clone()).collect(),
        backgrounds: scenario.background.names().map(str::to_owned).collect(),
        skipped: skipped_phases(inputs.profile.as_ref()),
        scripts: script_names.iter().map(|&name| name.to_owned()).collect(),
        labels: labels.collect(),
        steps: all_steps(scenario).filter_map(|step| step.name.as_ref()).map(|name| name.text.clone()).collect(),
        own: scenario.metrics.names().map(str::to_owned).collect(),
        curves: curves(scenario),
    };
    compile_stop_rules(scenario, &names, &mut phases.phases, &mut values);
    compile_finds(scenario, &names, &mut phases.phases, &mut report.bounds, &mut values);
    let thresholds = compile_thresholds(&scenario.thresholds, &names, &phases.phases, &mut report.bounds, &mut values);
    let scope = ClaimScope {
        names: &names,
        phases: &phases.phases,
        varied: scenario.matrix.names().collect(),
        matrix: &matrix,
        is_profiled: inputs.profile.is_some(),
    };
    let published = scenario.published.as_ref();
    let published = published.map(|spec| compile_published(spec, &scope, &mut report.bounds, &mut values));

    let Values { vars, mut errors, mut warnings, .. } = values;
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.diagnostic().position());
        return Err(errors);
    }
    warnings.extend(note_unused(scenario, inputs));
    warnings.sort_by_key(crate::diagnostic::Diagnostic::position);
    Ok(Plan {
        name: scenario.name.as_ref().map_or_else(|| inputs.name.to_owned(), |name| name.text.clone()),
        description: scenario.description.as_ref().map(|text| text.text.trim().to_owned()),
        seed,
        algorithm: if streams == Some("pgbench_14") { Algorithm::Rand48 } else { Algorithm::default() },
        streams: if streams.is_some_and(|word| word != "per_client") { Streams::PerThread } else { Streams::PerClient },
        server,
        vars,
        queries,
        profile: inputs.profile.clone().map(|profile| without_defines(profile, inputs.defines)),
        setup,
        feeds: finish_feeds(feeds, &compiled.slots),
        fed: compiled.fed,
        phases: phases.phases,
        backgrounds,
        interludes: phases.interludes,
        reset,
        slots: compiled.slots,
        scripts: compiled.scripts,
        commands: compiled.commands,
        statements: compiled.statements,
        teardown,
        metrics,
        matrix,
        thresholds,
        report,
        published,
        warnings,
    })
}

/// Metrics that are taken again and again.
fn curves(scenario: &Scenario) -> Vec<String> {
    let taken_again = scenario.metrics.0.iter().filter(|(_, spec)| spec.every.is_some());
    taken_again.map(|(name, _)| name.text.clone()).collect()
}

/// The phases that a profile leaves out.
fn skipped_phases(profile: Option<&ProfilePlan>) -> Vec<String> {
    let changes = profile.into_iter().flat_map(|profile| &profile.changes);
    let skipped = changes.filter(|change| change.after == "skipped");
    skipped.filter_map(|change| change.key.strip_prefix("phases.").map(str::to_owned)).collect()
}

/// The steps that a run does: those of set-up, and those that stand between phases.
fn all_steps(scenario: &Scenario) -> impl Iterator<Item = &StepSpec> {
    let between = scenario.phases.iter().filter_map(|item| match item {
        PhaseItem::Step(step) => Some(&**step),
        PhaseItem::Phase(_) => None,
    });
    scenario.setup.iter().chain(between)
}

/// A profile without the variables that `-D` sets after it.
fn without_defines(mut profile: ProfilePlan, defines: &[(String, String)]) -> ProfilePlan {
    let is_set = |key: &str| defines.iter().any(|(name, _)| is_var(key, name));
    profile.changes.retain(|change| !is_set(&change.key));
    profile
}

/// The variables of scripts: those of the scenario, and `scale` as pgbench finds it on the tables that a step made.
fn with_scale(vars: &[VarPlan], setup: &[StepPlan]) -> Vec<VarPlan> {
    let scale = |step: &StepPlan| match &step.kind {
        StepKind::Pgbench(init) if init.rows() > 0 => Some(init.scale),
        _ => None,
    };
    let mut vars = vars.to_vec();
    if let Some(scale) = setup.iter().rev().find_map(scale).filter(|_| vars.iter().all(|var| var.name != "scale")) {
        let value = Value::Integer(scale.into());
        let (default, origin) = (value.clone(), VarOrigin::Default);
        vars.push(VarPlan { name: "scale".to_owned(), value, default, origin, description: None });
    }
    vars
}

/// The protocols that a script has to be fit for: those of the loads that run it, or of all where none does.
fn protocols(loads: &[&LoadPlan], script: Option<ScriptId>) -> Vec<Protocol> {
    let runs = |load: &&&LoadPlan| load.mix.entries.iter().any(|(id, weight)| Some(*id) == script && *weight > 0);
    let mut protocols: Vec<Protocol> = loads.iter().filter(runs).map(|load| load.protocol).collect();
    if protocols.is_empty() {
        protocols.extend(loads.iter().map(|load| load.protocol));
    }
    protocols.dedup();
    protocols
}

//! The step `pgbench`.

use super::ScenarioError;
use super::values::Values;
use crate::plan::InitPlan;
use crate::plan::initialization::{InitStep, PartitionMethod};
use crate::scenario::{InitSpec, Scalar};

/// The largest number that pgbench takes anywhere.
const MOST: u32 = i32::MAX.unsigned_abs();

/// More sessions than that have never made rows come faster.
const MOST_JOBS: u32 = 100;

/// Compiles the step; `None` where it has faults, which are noted.
pub(super) fn compile_initialization(spec: &InitSpec, values: &mut Values<'_>) -> Option<InitPlan> {
    let faults = values.errors.len();
    let default = InitPlan::default();
    let mut number = |scalar: &Option<Scalar>, what, range, default| match scalar {
        Some(scalar) => values.count(scalar, what, range).unwrap_or(default),
        None => default,
    };
    let mut plan = InitPlan {
        scale: number(&spec.scale, "`scale`", 1..=MOST, default.scale),
        fillfactor: number(&spec.fillfactor, "`fillfactor`", 10..=100, default.fillfactor),
        partitions: number(&spec.partitions, "`partitions`", 0..=MOST, default.partitions),
        jobs: number(&spec.jobs, "`jobs`", 1..=MOST_JOBS, default.jobs),
        ..default
    };
    if let Some(letters) = &spec.init_steps {
        plan.steps = steps(letters, values).unwrap_or_default();
    }
    if is_true(spec.foreign_keys.as_ref(), "`foreign_keys`", values) && !plan.steps.contains(&InitStep::ForeignKeys) {
        plan.steps.push(InitStep::ForeignKeys);
    }
    plan.unlogged_tables = is_true(spec.unlogged_tables.as_ref(), "`unlogged_tables`", values);
    if let Some(method) = &spec.partition_method {
        if values.word(method, "`partition_method`", &["range", "hash"]) == Some("hash") {
            plan.partition_method = PartitionMethod::Hash;
        }
        if plan.partitions == 0 && values.errors.len() == faults {
            let help = "say how many: `partitions: 8`".to_owned();
            values.needs("partition_method", "`partitions` above 0", method.span, help);
        }
    }
    plan.tablespace = spec.tablespace.as_ref().and_then(|name| values.text(name));
    plan.index_tablespace = spec.index_tablespace.as_ref().and_then(|name| values.text(name));
    (values.errors.len() == faults).then_some(plan)
}

fn is_true(scalar: Option<&Scalar>, what: &str, values: &mut Values<'_>) -> bool {
    scalar.and_then(|scalar| values.word(scalar, what, &["true", "false"])) == Some("true")
}

fn steps(letters: &Scalar, values: &mut Values<'_>) -> Option<Vec<InitStep>> {
    let text = values.text(letters)?;
    let known = || InitStep::ALL.map(|step| format!("`{}` {}", step.letter(), step.name())).join(", ");
    match InitStep::of_letters(&text) {
        Ok(steps) if !steps.is_empty() => return Some(steps),
        Ok(_) => values.invalid(letters, "`init_steps`", "at least one letter", Some(known())),
        Err(letter) => {
            let span = letters.text.find(letter).map(|at| letters.place(at..at + letter.len_utf8()));
            values.fault(ScenarioError::InvalidValue {
                what: "`init_steps`".to_owned(),
                expected: "a letter of a step",
                text: letter.to_string(),
                span: span.unwrap_or(letters.span),
                help: Some(known()),
            });
        }
    }
    None
}

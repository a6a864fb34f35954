//! `matrix`: which variables take which values, one combination a run.

use super::CompileInputs;
use super::ScenarioError;
use super::names::text_value;
use super::scenario_error::Kind;
use super::values::Values;
use super::vars::{check_min, is_var, written_text};
use crate::plan::matrix::{MatrixAxis, MatrixPlan};
use crate::plan::{VarOrigin, VarPlan};
use crate::scenario::{Scalar, Scenario};

/// The values that a point gives to its variables, where this is the compilation of a point.
pub(super) fn value_at<'a>(scenario: &'a Scenario, inputs: &CompileInputs<'_>, name: &str) -> Option<&'a Scalar> {
    let (_, index) = inputs.point.iter().find(|(axis, _)| axis == name)?;
    scenario.matrix.get(name)?.get(*index)
}

/// The matrix without the variables that `-D` or a profile sets; empty for one of its points.
pub(super) fn compile_matrix(scenario: &Scenario, inputs: &CompileInputs<'_>, values: &mut Values<'_>) -> MatrixPlan {
    let mut matrix = MatrixPlan::default();
    for (name, list) in &scenario.matrix.0 {
        let vars: Vec<&str> = scenario.vars.names().collect();
        if !vars.contains(&name.text.as_str()) {
            values.unknown(Kind::Variable, name, &vars);
            continue;
        }
        if let Some(query) = scenario.vars.get(&name.text).and_then(|var| var.query.as_ref()) {
            let help = "give it a value in `vars`; the matrix varies that".to_owned();
            values.contradiction(("query", query.span), ("matrix", name.span), help);
            continue;
        }
        if list.is_empty() {
            let (what, help) =
                (format!("`{}` has no values to vary over", name.text), "list some: `[10, 50]`".to_owned());
            values.fault(ScenarioError::Missing { what, span: name.span, help });
            continue;
        }
        let mut texts: Vec<String> = Vec::with_capacity(list.len());
        for value in list {
            let Some(text) = written_text(value, &name.text, values) else { continue };
            if texts.contains(&text) {
                let help = Some("list each value once".to_owned());
                values.invalid(value, &format!("`{}` of the matrix", name.text), "values that differ", help);
            }
            if let Some(min) = scenario.vars.get(&name.text).and_then(|var| var.min.as_ref()) {
                check_min(name, &text_value(&text), value.span, min, values);
            }
            texts.push(text);
        }
        if !is_fixed(&name.text, inputs, &values.vars) {
            matrix.axes.push(MatrixAxis { name: name.text.clone(), values: texts });
        }
    }
    let points = matrix.points();
    if points > MatrixPlan::MOST_POINTS
        && let Some((first, _)) = scenario.matrix.0.first()
    {
        let bound = format!("may be at most {}; fix some of its variables with `-D`", MatrixPlan::MOST_POINTS);
        values.out_of_range(first, "the number of points of the matrix", &points, bound);
    }
    matrix
}

/// Whether something more particular than the matrix has said what a variable is.
fn is_fixed(name: &str, inputs: &CompileInputs<'_>, vars: &[VarPlan]) -> bool {
    let var = vars.iter().find(|var| var.name == name);
    let varied_by_profile = inputs.profile.as_ref().is_some_and(|profile| {
        profile.changes.iter().any(|change| change.key == "matrix" || change.key == format!("matrix.{name}"))
    });
    let set_by_profile =
        inputs.profile.as_ref().is_some_and(|profile| profile.changes.iter().any(|change| is_var(&change.key, name)));
    match var.map(|var| var.origin) {
        Some(VarOrigin::CommandLine | VarOrigin::Point) => true,
        _ => set_by_profile && !varied_by_profile,
    }
}

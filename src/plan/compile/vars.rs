//! `vars`: each variable gets its value, from `-D`, a profile or the scenario.

use super::CompileInputs;
use super::ScenarioError;
use super::matrix::value_at;
use super::names::text_value;
use super::sql::split_one;
use super::values::{Values, references, show};
use crate::eval::Value;
use crate::plan::{VarOrigin, VarPlan, VarQuery};
use crate::scenario::{Named, Node, Scalar, Scenario, VarSpec};
use crate::source::Span;
use crate::suggest::nearest;

/// Resolves all variables; a variable may be computed from others, in any order.
pub(super) fn compile_vars(scenario: &Scenario, inputs: &CompileInputs<'_>, values: &mut Values<'_>) {
    let (defines, profile) = (inputs.defines, inputs.profile.as_ref());
    for (name, _) in defines.iter().filter(|(name, _)| scenario.vars.get(name).is_none()) {
        let nearest = nearest(name, scenario.vars.names()).map(str::to_owned);
        values.fault(ScenarioError::UnknownDefine { name: name.clone(), nearest });
    }
    let written = scenario.root.get("vars").map_or(&[][..], Node::entries);
    let unread = written.iter().filter(|(name, _)| scenario.vars.get(&name.text).is_none());
    values.broken.extend(unread.map(|(name, _)| name.text.clone()));
    for (name, spec) in in_order(scenario, inputs, values) {
        let given = defines.iter().rev().find(|(key, _)| *key == name.text);
        let default = match (&spec.default, &spec.query) {
            (Some(default), None) => written_value(default, &name.text, values),
            (default, Some(query)) => {
                if let Some(default) = default {
                    let help = "a variable has a value or asks for it; `-D` sets it anyway".to_owned();
                    values.contradiction(("default", default.span), ("query", query.span), help);
                }
                if given.is_none() {
                    values.asked.push(name.text.clone());
                }
                text_value(query.text.trim())
            }
            (None, None) => continue,
        };
        let change = profile.into_iter().flat_map(|p| &p.changes).find(|change| is_var(&change.key, &name.text));
        let point = value_at(scenario, inputs, &name.text);
        let (value, origin) = match (given, point) {
            (Some((_, text)), _) => (text_value(text), VarOrigin::CommandLine),
            (None, Some(point)) => (written_value(point, &name.text, values), VarOrigin::Point),
            (None, None) if spec.query.is_some() => (Value::Null, VarOrigin::Query),
            (None, None) if change.is_some() => (default.clone(), VarOrigin::Profile),
            (None, None) => (default.clone(), VarOrigin::Default),
        };
        let default = change.and_then(|change| change.before.as_deref()).map_or(default, text_value);
        let description = spec.description.as_ref().map(|text| text.text.trim().to_owned());
        values.vars.push(VarPlan { name: name.text.clone(), value: value.clone(), default, origin, description });
        match (&spec.min, point.filter(|_| given.is_none()).or(spec.default.as_ref())) {
            (Some(min), Some(written)) => check_min(name, &value, written.span, min, values),
            (Some(min), None) => {
                let help = "remove it: what the server says is taken as it is".to_owned();
                values.needs("min", "`default`", min.span, help);
            }
            (None, _) => {}
        }
    }
    for name in values.broken.clone() {
        if values.var(&name).is_none() {
            let (value, default) = (Value::Null, Value::Null);
            values.vars.push(VarPlan { name, value, default, origin: VarOrigin::Default, description: None });
        }
    }
    // in the order of the scenario, not of the computation
    values.vars.sort_by_key(|var| scenario.vars.names().position(|name| name == var.name));
}

/// What the server is asked for the variables that `-D` does not set.
pub(super) fn compile_queries(vars: &Named<VarSpec>, values: &mut Values<'_>) -> Vec<VarQuery> {
    let mut queries = Vec::new();
    for (name, spec) in &vars.0 {
        let Some(query) = spec.query.as_ref().filter(|_| values.asked.contains(&name.text)) else { continue };
        let statement = split_one(query, "`query`", values);
        queries.extend(statement.map(|statement| VarQuery { name: name.text.clone(), statement }));
    }
    queries
}

/// The variables such that each comes after those that it is computed from.
fn in_order<'a>(
    scenario: &'a Scenario,
    inputs: &CompileInputs<'_>,
    values: &mut Values<'_>,
) -> Vec<(&'a Scalar, &'a VarSpec)> {
    let mut waiting: Vec<&'a (Scalar, VarSpec)> = scenario.vars.0.iter().collect();
    let mut ordered: Vec<(&Scalar, &VarSpec)> = Vec::new();
    while !waiting.is_empty() {
        let names: Vec<&str> = waiting.iter().map(|(name, _)| name.text.as_str()).collect();
        let needs = |(name, spec): &(Scalar, VarSpec)| {
            let texts = [spec.default.as_ref(), value_at(scenario, inputs, &name.text)];
            texts.into_iter().flatten().any(|Scalar { text, .. }| {
                references(text).into_iter().any(|r| names.contains(&&text[r.start + 1..r.end]))
            })
        };
        let (blocked, ready): (Vec<_>, Vec<_>) = waiting.iter().copied().partition(|var| needs(var));
        if ready.is_empty() {
            let span = blocked[0].1.default.as_ref().map_or(blocked[0].0.span, |default| default.span);
            values.broken.extend(names.iter().map(|&name| name.to_owned()));
            values.fault(ScenarioError::CircularVariables { names: names.join(", "), span });
            return ordered;
        }
        ordered.extend(ready.into_iter().map(|(name, spec)| (name, spec)));
        waiting = blocked;
    }
    ordered
}

/// Whether the path of a key is that of a variable's value.
pub(super) fn is_var(key: &str, name: &str) -> bool {
    key.strip_prefix("vars.").is_some_and(|key| key.strip_suffix(".default").unwrap_or(key) == name)
}

/// The value as the scenario writes it: computed where it names other variables, else the text as it is.
fn written_value(scalar: &Scalar, name: &str, values: &mut Values<'_>) -> Value {
    if references(&scalar.text).is_empty() {
        return text_value(scalar.text.trim());
    }
    values.value(scalar, &format!("`{name}`")).unwrap_or_else(|| {
        values.broken.push(name.to_owned());
        Value::Null
    })
}

/// The same as text.
pub(super) fn written_text(scalar: &Scalar, name: &str, values: &mut Values<'_>) -> Option<String> {
    if references(&scalar.text).is_empty() {
        return Some(scalar.text.trim().to_owned());
    }
    values.value(scalar, &format!("`{name}`")).map(|value| show(&value))
}

/// Notes a value that is below the least that its variable may have.
pub(super) fn check_min(name: &Scalar, value: &Value, span: Span, min: &Scalar, values: &mut Values<'_>) {
    let Some(bound) = values.number(min, "`min`") else { return };
    if values.var(&name.text).is_none() {
        return;
    }
    let (what, text) = (format!("`{}`", name.text), show(value));
    match value.to_double() {
        Ok(number) if number >= bound => {}
        Ok(_) => {
            let bound = format!("has to be at least {}", min.text);
            values.fault(ScenarioError::OutOfRange { what, value: text, bound, span });
        }
        Err(_) => {
            values.fault(ScenarioError::InvalidValue { what, expected: "a number", text, span, help: None });
        }
    }
}

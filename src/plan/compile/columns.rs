//! Columns of a `fill`.

use super::ScenarioError;
use super::ambiguity::is_ambiguous;
use super::distributions::{compile_exponential, compile_normal, compile_permute, compile_uniform, compile_zipfian};
use super::pattern::parse_pattern;
use super::quantity::{meant_range, split_range};
use super::references::References;
use super::scenario_error::Kind;
use super::values::Values;
use crate::diagnostic::Diagnostic;
use crate::name;
use crate::plan::fill::ColumnPlan;
use crate::scenario::{ColumnSpec, GENERATORS, Named, Node, NodeKind, OPTIONS, Scalar};

/// The most words that one value may have.
const MOST_WORDS: u32 = 1000;

/// Members of an object: names and values are arguments of one function.
const MOST_MEMBERS: usize = 50;

/// What the columns of a fill have in common.
pub(super) struct Columns<'v, 'a> {
    pub(super) references: References,
    pub(super) values: &'v mut Values<'a>,
}

impl Columns<'_, '_> {
    /// Compiles all columns; `None` where one has faults, which are noted.
    pub(super) fn compile(&mut self, columns: &Named<ColumnSpec>) -> Option<Vec<(String, ColumnPlan)>> {
        let compiled: Vec<Option<(String, ColumnPlan)>> =
            columns.0.iter().map(|(name, spec)| Some((name.text.clone(), self.column(name, spec)?))).collect();
        for (_, spec) in &columns.0 {
            self.note_other_column(spec, columns);
        }
        compiled.into_iter().collect()
    }

    /// Warns of SQL that seems to read another column of the same row, which is not there yet. A query may well have
    /// columns of such names.
    fn note_other_column(&mut self, spec: &ColumnSpec, columns: &Named<ColumnSpec>) {
        let [("sql", _, node)] = &spec.generators[..] else { return };
        let Some(sql) = node.as_scalar().filter(|sql| !sql.text.to_lowercase().contains("select")) else { return };
        let Some((name, _)) = columns.0.iter().find(|(name, _)| reads(&sql.text, &name.text)) else { return };
        let message = format!("a column's SQL can't read `{}`, another column of its row", name.text);
        let help = "it is made of the row's number `i` and variables; what depends on another column is computed by a \
                    step behind the fill: `sql: update …`";
        self.values
            .warn(Diagnostic::warning("plan::other_column", message).label(sql.span, "not there yet").help(help));
    }

    fn column(&mut self, name: &Scalar, spec: &ColumnSpec) -> Option<ColumnPlan> {
        let values = &mut *self.values;
        if let Some(word) = &spec.word {
            return compile_word(word, values);
        }
        let (key, node) = match &spec.generators[..] {
            [(key, _, node)] => (*key, node),
            [] if spec.faulty => return None,
            [] => {
                let generators = GENERATORS.map(|key| format!("`{key}`")).join(", ");
                let help = format!("one of {generators}, or one of the words `series` and `uuid`");
                let what = format!("nothing says what makes the values of `{}`", name.text);
                values.fault(ScenarioError::Missing { what, span: spec.span, help });
                return None;
            }
            [(first, at, _), (second, other, _), ..] => {
                let help = "a column's values are made in one way".to_owned();
                values.contradiction((first, *at), (second, *other), help);
                return None;
            }
        };
        check_options(key, spec, values)?;
        let nulls = match spec.option("null_frac") {
            Some(fraction) => Some(compile_fraction(fraction, values)?),
            None => None,
        };
        let plan = self.generator(key, node, spec)?;
        Some(match nulls {
            Some(fraction) if fraction > 0.0 => ColumnPlan::Nulls { fraction, of: Box::new(plan) },
            _ => plan,
        })
    }

    fn generator(&mut self, key: &str, node: &Node, spec: &ColumnSpec) -> Option<ColumnPlan> {
        let values = &mut *self.values;
        match (key, &node.kind) {
            ("uniform", NodeKind::Scalar(range)) => compile_uniform(range, spec, values),
            ("normal", _) => compile_normal(node, spec, values),
            ("exponential", _) => compile_exponential(node, spec, values),
            ("zipfian", _) => compile_zipfian(node, values),
            ("permute", NodeKind::Scalar(range)) => compile_permute(range, values),
            ("choice", _) => compile_choice(node, values),
            ("words", NodeKind::Scalar(count)) => compile_words(count, values),
            ("pattern", NodeKind::Scalar(text)) => compile_pattern(text, spec, values),
            ("sql", NodeKind::Scalar(sql)) => compile_sql(sql, values),
            ("references", NodeKind::Scalar(column)) => self.references.column(column, spec, values),
            ("json", _) => {
                let members = spec.members.0.len();
                if members > MOST_MEMBERS {
                    let scalar = Scalar { text: String::new(), span: node.span, lines: Vec::new() };
                    let bound = format!("{MOST_MEMBERS} are the most that PostgreSQL's functions take");
                    values.out_of_range(&scalar, "the number of members", &members, bound);
                    return None;
                }
                Some(ColumnPlan::Json(self.compile(&spec.members)?))
            }
            // what is of another shape has been noted when it was read
            _ => None,
        }
    }
}

/// Whether a name stands in SQL as a column would: outside of strings, no function, type or field of another row.
fn reads(sql: &str, name: &str) -> bool {
    // what is left of a string is one quote
    let sql = sql.split('\'').step_by(2).collect::<Vec<_>>().join("'");
    sql.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&sql[..at], &sql[at + name.len()..]);
        let alone =
            !before.bytes().next_back().is_some_and(name::goes_on) && !behind.bytes().next().is_some_and(name::goes_on);
        let (before, behind) = (before.trim_end(), behind.trim_start());
        alone
            && !before.ends_with([':', '.', '"'])
            && !before.to_lowercase().ends_with(" as")
            && !behind.starts_with(['(', '\'', '.', '"'])
            && !behind.to_lowercase().starts_with("from ")
    })
}

fn compile_word(word: &Scalar, values: &mut Values<'_>) -> Option<ColumnPlan> {
    match word.text.as_str() {
        "series" => Some(ColumnPlan::Series),
        "uuid" => Some(ColumnPlan::Uuid),
        number if number.parse::<f64>().is_ok() => {
            let help = format!("a value that is always the same is SQL: `{{sql: {number}}}`");
            values.invalid(word, "a column", "what makes its values", Some(help));
            None
        }
        _ => {
            let known = ["series", "uuid", "{uniform: 1..9}", "{choice: [a, b]}", "{sql: i % 10}"];
            values.unknown(Kind::Generator, word, &known);
            None
        }
    }
}

/// Options belong to some generators.
fn check_options(key: &str, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<()> {
    let mut fine = true;
    for (option, scalar) in &spec.options {
        let owners = OPTIONS.iter().find(|(known, _)| known == option).map_or(&[][..], |(_, owners)| *owners);
        if !owners.is_empty() && !owners.contains(&key) {
            let owners = owners.iter().map(|owner| format!("`{owner}`")).collect::<Vec<_>>().join(" or ");
            values.needs(option, &owners, scalar.span, format!("remove `{option}`, or let {owners} make the values"));
            fine = false;
        }
    }
    fine.then_some(())
}

fn compile_fraction(scalar: &Scalar, values: &mut Values<'_>) -> Option<f64> {
    let fraction = values.number(scalar, "`null_frac`")?;
    if !(0.0..=1.0).contains(&fraction) {
        values.out_of_range(scalar, "`null_frac`", &fraction, "lies between 0 and 1".to_owned());
        return None;
    }
    Some(fraction)
}

fn compile_choice(node: &Node, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let mut choices = Vec::new();
    for item in node.items() {
        let item = item.as_scalar()?;
        if node.items().len() == 1 && split_range(item).is_some() {
            let help = format!("write `{{uniform: {}}}` for any value of the range", item.text.trim());
            values.invalid(item, "`choice`", "values one by one", Some(help));
            return None;
        }
        choices.push((values.text(item)?, 1.0));
    }
    for (value, weight) in node.entries() {
        let scalar = weight.as_scalar()?;
        choices.push((value.text.clone(), values.weight(scalar, &value.text)?));
    }
    if choices.iter().all(|(_, weight)| *weight <= 0.0) {
        values.fault(ScenarioError::ZeroWeights { span: node.span });
        return None;
    }
    Some(ColumnPlan::Choice(choices))
}

fn compile_words(scalar: &Scalar, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let Some((low, high)) = split_range(scalar) else {
        if let Some(help) = meant_range(&scalar.text) {
            values.invalid(scalar, "`words`", "a number or a range of them", Some(help));
            return None;
        }
        let count = values.count(scalar, "`words`", 0..=MOST_WORDS)?;
        return Some(ColumnPlan::Words { low: count, high: count });
    };
    let (low, high) = (values.count(&low, "`words`", 0..=MOST_WORDS), values.count(&high, "`words`", 0..=MOST_WORDS));
    let (low, high) = (low?, high?);
    values.ordered(&low, &high, scalar, "`words`")?;
    Some(ColumnPlan::Words { low, high })
}

fn compile_pattern(scalar: &Scalar, spec: &ColumnSpec, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let unique = match spec.option("unique") {
        Some(unique) => values.word(unique, "`unique`", &["true", "false"])? == "true",
        None => false,
    };
    let pattern = match parse_pattern(&scalar.text) {
        Ok(pattern) => pattern,
        Err(found) => {
            let (reason, help) = (found.reason, found.help);
            values.fault(ScenarioError::Pattern { reason, help, span: scalar.place(found.at) });
            return None;
        }
    };
    if unique && is_ambiguous(&pattern) {
        let reason = "can make one text in two ways".to_owned();
        let help = "only different texts are unique: let the ways differ in some character".to_owned();
        values.fault(ScenarioError::Pattern { reason, help, span: scalar.span });
        return None;
    }
    Some(ColumnPlan::Pattern { pattern, unique })
}

/// A SQL expression of the row's number `i`, with the scenario's variables put in.
fn compile_sql(sql: &Scalar, values: &mut Values<'_>) -> Option<ColumnPlan> {
    let statements = super::sql::split_sql(sql.span.source, &sql.text, Some(sql), values)?;
    let [statement] = &statements[..] else {
        values.invalid(sql, "`sql`", "one SQL expression", None);
        return None;
    };
    Some(ColumnPlan::Sql(statement.sql.clone()))
}

#[cfg(test)]
mod tests {
    use super::reads;

    #[test]
    fn a_column_is_told_from_what_only_looks_like_one() {
        for sql in ["arrived + interval '2 hours'", "i + arrived", "coalesce(arrived, now())", "-arrived::int"] {
            assert!(reads(sql, "arrived"), "{sql}");
        }
        for sql in ["'arrived'", "arrived_at + 1", "arrived(i)", "i::arrived", "cast(i as arrived)", "x.arrived"] {
            assert!(!reads(sql, "arrived"), "{sql}");
        }
        assert!(!reads("date '2024-01-01' + i::int", "date") && !reads("extract(year from now())", "year"));
    }
}

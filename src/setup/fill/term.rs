//! SQL expressions over a row's number, and the layers of subqueries that give names to parts of them.

use std::fmt::Write as _;

/// A SQL expression that may stand anywhere without parentheses around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) sql: String,
    /// How many layers have to be below it: those that name what it is made of.
    level: usize,
}

/// The level of what stands in the outermost query alone.
const OUTERMOST: usize = usize::MAX;

impl Term {
    /// An expression that is made of nothing.
    pub(super) fn constant(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), level: 0 }
    }

    /// An expression of these parts.
    pub(super) fn of(sql: impl Into<String>, parts: &[&Self]) -> Self {
        Self { sql: sql.into(), level: parts.iter().map(|part| part.level).max().unwrap_or(0) }
    }

    /// A column of a joined table.
    pub(super) fn joined(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), level: OUTERMOST }
    }

    /// Another expression of the same parts.
    pub(super) fn map(&self, sql: impl FnOnce(&str) -> String) -> Self {
        Self { sql: sql(&self.sql), level: self.level }
    }
}

/// Names for expressions that are used more than once, so that each is computed once for a row.
#[derive(Debug, Default)]
pub(super) struct Layers {
    /// Of each layer, names and expressions.
    levels: Vec<Vec<(String, String)>>,
    names: usize,
}

impl Layers {
    /// Gives a name to an expression, unless it is one.
    pub(super) fn bind(&mut self, term: Term) -> Term {
        let Term { sql, level } = term;
        if level == OUTERMOST || sql.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Term { sql, level };
        }
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        let known = self.levels[level].iter().find(|(_, expression)| *expression == sql).map(|(name, _)| name.clone());
        let name = known.unwrap_or_else(|| {
            self.names += 1;
            let name = format!("v{}", self.names);
            self.levels[level].push((name.clone(), sql));
            name
        });
        Term { sql: name, level: level + 1 }
    }

    /// The layers over a query: what a FROM clause is made of.
    ///
    /// PostgreSQL would put a subquery's expressions in wherever they are used, and compute them as often; with
    /// `offset 0` it does not.
    pub(super) fn over(&self, base: &str) -> String {
        let mut sql = format!("({base}) as s");
        for level in &self.levels {
            let mut layer = "(select *".to_owned();
            for (name, expression) in level {
                // writing to a string can't fail
                let _ = write!(layer, ", {expression} as {name}");
            }
            let _ = write!(layer, "\n  from {sql} offset 0) as s");
            sql = layer;
        }
        sql
    }
}

/// One text after another, put together in halves: PostgreSQL copies both sides of each `||`.
pub(super) fn concatenated(parts: &[Term]) -> Term {
    match parts {
        [] => Term::constant("''"),
        [one] => one.clone(),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            let (left, right) = (concatenated(left), concatenated(right));
            Term::of(format!("({} || {})", left.sql, right.sql), &[&left, &right])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_once_and_below_what_uses_it() {
        let mut layers = Layers::default();
        let row = Term::constant("i");
        let one = layers.bind(row.map(|i| format!("f({i})")));
        let same = layers.bind(row.map(|i| format!("f({i})")));
        let two = layers.bind(Term::of(format!("g({}, {})", one.sql, row.sql), &[&one, &row]));
        assert_eq!((one.sql.as_str(), &one, two.sql.as_str()), ("v1", &same, "v2"));
        assert_eq!(layers.bind(two.clone()), two);
        insta::assert_snapshot!(layers.over("select 1 as i"), @r"
        (select *, g(v1, i) as v2
          from (select *, f(i) as v1
          from (select 1 as i) as s offset 0) as s offset 0) as s
        ");
    }
}

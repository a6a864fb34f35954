//! The tables that steps have made so far, and which of their rows are known.

use std::sync::Arc;

use crate::plan::setup_sql::names;
use crate::plan::step::{SetupStatement, StepKind};
use crate::plan::{FillPlan, StepPlan, initialization};
use crate::scenario::{Scalar, StepSpec};
use crate::source::Span;

/// What earlier steps leave for the columns of a fill.
#[derive(Debug, Default)]
pub(super) struct Tables {
    made: Vec<Made>,
    expected: Vec<(String, Span)>,
    /// Whether all that comes may have been changed by what runs between.
    settled: bool,
}

#[derive(Debug)]
struct Made {
    name: String,
    by: By,
}

/// What is known of a table's rows.
#[derive(Debug, Clone)]
pub(super) enum By {
    /// They are as this fill made them.
    Fill(Arc<FillPlan>),
    /// They are there.
    Others,
    /// The step that makes them has faults.
    Faulty,
}

impl Tables {
    /// The fills of a list of steps that is about to be compiled.
    pub(super) fn expect(&mut self, specs: &[StepSpec]) {
        let fills = specs.iter().filter_map(|spec| spec.fill.as_ref());
        self.expected = fills.map(|table| (known_as(&table.text), table.span)).collect();
    }

    /// A list of steps has ended: what follows runs later, and finds what happened in between.
    pub(super) fn settle(&mut self) {
        self.settled = true;
        self.made.iter_mut().for_each(Made::touch);
    }

    /// What is known of a table; none where nothing has filled it.
    pub(super) fn find(&self, table: &str) -> Option<By> {
        let name = known_as(table);
        self.made.iter().find(|made| made.name == name).map(|made| made.by.clone())
    }

    /// Where a table is filled that nothing has filled yet.
    pub(super) fn filled_later(&self, table: &str) -> Option<Span> {
        let name = known_as(table);
        self.expected.iter().find(|(expected, _)| *expected == name).map(|(_, span)| *span)
    }

    /// The tables that have rows.
    pub(super) fn names(&self) -> Vec<String> {
        self.made.iter().map(|made| made.name.clone()).collect()
    }

    /// A step was compiled, or has faults.
    pub(super) fn note(&mut self, spec: &StepSpec, plan: Option<&StepPlan>) {
        if let Some(table) = &spec.fill {
            let by = match plan.map(|plan| &plan.kind) {
                Some(StepKind::Fill(fill)) => By::Fill(fill.clone()),
                _ => By::Faulty,
            };
            let name = if let By::Fill(fill) = &by { known_as(&fill.table) } else { known_as(&table.text) };
            self.add(name, by);
        }
        if let Some(Scalar { text, .. }) = &spec.copy {
            self.add(known_as(text), By::Others);
        }
        if spec.pgbench.is_some() {
            for table in initialization::TABLES {
                self.add(table.to_owned(), By::Others);
            }
        }
        if spec.shell.is_some() {
            self.made.iter_mut().for_each(Made::touch);
        }
        if let Some(StepKind::Sql(statements)) = plan.map(|plan| &plan.kind) {
            for statement in statements {
                self.note_statement(statement);
            }
        }
    }

    fn add(&mut self, name: String, mut by: By) {
        if self.settled && matches!(by, By::Fill(_)) {
            by = By::Others;
        }
        match self.made.iter_mut().find(|made| made.name == name) {
            // rows of two origins
            Some(made) => made.by = if matches!(by, By::Faulty) { by } else { By::Others },
            None => self.made.push(Made { name, by }),
        }
    }

    /// What a statement of the author's may do to the rows of tables.
    fn note_statement(&mut self, statement: &SetupStatement) {
        let words = names(&statement.sql);
        let mut verbs = words.iter().map(String::as_str);
        let harmless = match verbs.next() {
            Some(
                "create" | "vacuum" | "analyze" | "comment" | "grant" | "revoke" | "set" | "reset" | "reindex"
                | "cluster" | "checkpoint" | "begin" | "commit" | "show",
            ) => true,
            Some("alter") => !words.iter().any(|word| matches!(word.as_str(), "type" | "drop" | "rename" | "default")),
            _ => false,
        };
        if let Some(target) = target(&words) {
            self.add(target, By::Others);
        }
        if !harmless {
            // a function may change what it does not name
            let names_its_tables =
                matches!(words.first().map(String::as_str), Some("insert" | "update" | "delete" | "truncate" | "copy"));
            for made in &mut self.made {
                let last = made.name.rsplit('.').next().unwrap_or_default();
                if !names_its_tables || words.iter().any(|word| known_as(word).rsplit('.').next() == Some(last)) {
                    made.touch();
                }
            }
        }
    }
}

impl Made {
    fn touch(&mut self) {
        if matches!(self.by, By::Fill(_)) {
            self.by = By::Others;
        }
    }
}

/// A table's name as it is compared: in lower case unless it is quoted, without the usual schema.
pub(super) fn known_as(table: &str) -> String {
    let name = if table.contains('"') { table.replace('"', "") } else { table.trim().to_lowercase() };
    name.strip_prefix("public.").map_or(name.clone(), str::to_owned)
}

fn starts_query(word: &str) -> bool {
    matches!(word, "select" | "table" | "values" | "with" | "execute")
}

/// The table that a statement gives rows to.
fn target(words: &[String]) -> Option<String> {
    let find = |after: &[&str]| {
        let at =
            words.windows(after.len()).position(|window| window.iter().zip(after).all(|(word, one)| word == one))?;
        words.get(at + after.len()).map(|name| known_as(name))
    };
    let name = match words.first()?.as_str() {
        "insert" | "with" | "merge" => find(&["insert", "into"])?,
        "copy" => find(&["copy"])?,
        "select" => find(&["into"])?,
        "create" if words.windows(2).any(|pair| pair[0] == "as" && starts_query(&pair[1])) => {
            find(&["table", "if", "not", "exists"]).or_else(|| find(&["view"])).or_else(|| find(&["table"]))?
        }
        _ => return None,
    };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Tables {
        filled("shop.Orders")
    }

    fn filled(table: &str) -> Tables {
        let fill = FillPlan {
            table: table.to_owned(),
            rows: crate::plan::fill::RowsPlan::Count(1),
            columns: Vec::new(),
            references: Vec::new(),
            workers: 1,
        };
        let mut tables = Tables::default();
        tables.add(known_as(&fill.table), By::Fill(Arc::new(fill)));
        tables
    }

    #[test]
    fn only_what_may_change_rows_makes_them_be_read() {
        let after = |sql: &str| {
            let mut tables = tables();
            tables.note_statement(&SetupStatement::new(sql, Span::default()));
            matches!(tables.find("shop.orders"), Some(By::Fill(_)))
        };
        for sql in [
            "create index on shop.orders (id)",
            "vacuum analyze",
            "alter table shop.orders add primary key (id)",
            "-- update orders\ninsert into others values (1)",
        ] {
            assert!(after(sql), "{sql}");
        }
        for sql in [
            "update shop.orders set id = 1",
            "delete from orders",
            "truncate \"orders\"",
            "alter table orders alter id type text",
            "do $$ begin end $$",
            "select f()",
            "call p()",
            "with x as (delete from y returning *) select 1",
        ] {
            assert!(!after(sql), "{sql}");
        }
    }

    #[test]
    fn statements_give_rows_to_tables() {
        for (sql, table) in [
            ("INSERT INTO public.Skus (a) select 1", "skus"),
            ("copy skus from '/x'", "skus"),
            ("create table skus as select 1", "skus"),
            ("create unlogged table if not exists skus as table x", "skus"),
            ("select * into skus from x", "skus"),
        ] {
            let mut tables = Tables::default();
            tables.note_statement(&SetupStatement::new(sql, Span::default()));
            assert!(tables.find(table).is_some(), "{sql}");
        }
        let mut tables = Tables::default();
        let schema = "create table skus (id int generated always as identity)";
        tables.note_statement(&SetupStatement::new(schema, Span::default()));
        assert!(tables.find("skus").is_none());
    }

    #[test]
    fn a_quoted_name_is_found_in_what_changes_its_rows() {
        for (sql, is_touched) in [
            ("update \"Orders\" set total = 0", true),
            ("update /* not Orders */ other set total = 0", false),
            ("delete from shop . \"Orders\"", true),
        ] {
            let mut tables = filled("\"Orders\"");
            tables.note_statement(&SetupStatement::new(sql, Span::default()));
            assert_eq!(matches!(tables.find("\"Orders\""), Some(By::Others)), is_touched, "{sql}");
        }
    }
}

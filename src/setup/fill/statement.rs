//! The INSERT that makes a range of a table's rows.

use std::fmt::Write as _;
use std::ops::Range;

use super::column::value;
use super::draws::Draws;
use super::term::{Layers, Term};
use super::zipfian::zipfian;
use crate::plan::FillPlan;
use crate::plan::fill::{ColumnPlan, Draw, RowsPlan};
use crate::setup::column::{TableColumn, identifier};

/// What is known about the tables of a fill.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The columns of tables, by the tables' names as they are written.
    pub(super) columns: Vec<(String, Vec<TableColumn>)>,
    /// The rows of tables that fills have made.
    pub(super) rows: Vec<(String, u64)>,
    /// Of each of the fill's references, how many rows the table has, where they are read.
    pub(super) read: Vec<Option<u64>>,
}

impl Known {
    fn column(&self, table: &str, name: &str) -> Option<&TableColumn> {
        let (_, columns) = self.columns.iter().find(|(known, _)| known == table)?;
        columns.iter().find(|column| column.name == name)
    }

    /// The rows that a fill has made or will make.
    pub(super) fn rows(&self, fill: &FillPlan) -> u64 {
        let known = self.rows.iter().find(|(table, _)| *table == fill.table);
        known.map(|(_, rows)| *rows).or(fill.most_rows()).unwrap_or(1)
    }
}

/// The rows of one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    /// How many rows it makes.
    pub(super) rows: u64,
    pub(super) range: ChunkRange,
}

/// Which rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChunkRange {
    /// By their own numbers; the first row is 1.
    Rows(Range<u64>),
    /// By the numbers of the rows that they are made for.
    Parents {
        /// Those numbers.
        parents: Range<u64>,
        /// Rows that were made for earlier ones.
        before: u64,
    },
}

/// The statement of a chunk.
pub(super) fn statement(plan: &FillPlan, seed: u64, chunk: &ChunkRange, known: &Known) -> String {
    let mut builder = Builder::new(plan, seed, known);
    let names: Vec<String> = plan.columns.iter().map(|(name, _)| identifier(name)).collect();
    let always = |name: &str| known.column(&plan.table, name).is_some_and(|column| column.identity_always);
    let overriding = plan.columns.iter().any(|(name, _)| always(name));
    let values: Vec<String> = plan.columns.iter().map(|(name, column)| builder.own(name, column).sql).collect();
    let mut sql = format!("insert into {}", plan.table);
    // all defaults: a row has to have something to select
    if !names.is_empty() {
        // writing to a string can't fail
        let _ = write!(sql, " ({})", names.join(", "));
    }
    if overriding {
        sql.push_str(" overriding system value");
    }
    sql.push_str("\nselect");
    for (n, value) in values.iter().enumerate() {
        let _ = write!(sql, "{}\n  {value}", if n == 0 { "" } else { "," });
    }
    let _ = write!(sql, "\nfrom {}", builder.layers.over(&rows(plan, seed, chunk)));
    for (reference, number) in &builder.joins {
        // an outer join can't be turned round, so that rows keep their order
        let _ = write!(sql, "\nleft join {} as r{reference} on r{reference}.n = {number}", rows_table(*reference));
    }
    sql
}

/// The query of the rows' numbers.
fn rows(plan: &FillPlan, seed: u64, chunk: &ChunkRange) -> String {
    // a series in the list of columns is given row by row, one in FROM is stored first
    match chunk {
        ChunkRange::Rows(rows) => {
            format!("select generate_series({}::bigint, {}::bigint) as i", rows.start, rows.end.saturating_sub(1))
        }
        ChunkRange::Parents { parents, before } => format!(
            "select {before} + row_number() over () as i, parent from (select parent, generate_series(1, {}) \
             from (select generate_series({}::bigint, {}::bigint) as parent) as p) as p",
            rows_for(plan, seed),
            parents.start,
            parents.end.saturating_sub(1)
        ),
    }
}

/// How many rows are made for the row `parent`.
pub(super) fn rows_for(plan: &FillPlan, seed: u64) -> String {
    let RowsPlan::Per { low, high, .. } = plan.rows else { return "1".to_owned() };
    let draws = Draws::new(seed, &plan.table, "\u{1}rows", Term::constant("parent"));
    draws.below("", &(high - low + 1).to_string()).map(|more| format!("{low} + {more}")).sql
}

/// The temporary table of the numbered rows of a reference.
pub(super) fn rows_table(reference: usize) -> String {
    format!("pg_temp.reprise_rows_{reference}")
}

/// A row of a table whose values are computed.
struct Instance<'a> {
    fill: &'a FillPlan,
    number: Term,
    /// Of each of its references, where its values are found, once one was needed.
    found: Vec<Option<Found>>,
}

/// Where the values of a row are found.
#[derive(Clone, Copy)]
enum Found {
    /// Computed, as this instance.
    Computed(usize),
    /// Read, from the numbered rows of this reference.
    Read(usize),
}

/// Puts a statement together.
pub(super) struct Builder<'a> {
    seed: u64,
    known: &'a Known,
    layers: Layers,
    instances: Vec<Instance<'a>>,
    /// The references whose rows are read, each with the number of the row.
    joins: Vec<(usize, String)>,
}

impl<'a> Builder<'a> {
    fn new(plan: &'a FillPlan, seed: u64, known: &'a Known) -> Self {
        let mut builder = Self { seed, known, layers: Layers::default(), instances: Vec::new(), joins: Vec::new() };
        builder.instance(plan, Term::constant("i"));
        builder
    }

    pub(super) fn layers(&mut self) -> &mut Layers {
        &mut self.layers
    }

    fn instance(&mut self, fill: &'a FillPlan, number: Term) -> usize {
        self.instances.push(Instance { fill, number, found: vec![None; fill.references.len()] });
        self.instances.len() - 1
    }

    /// A column of the table that is filled.
    fn own(&mut self, name: &str, column: &ColumnPlan) -> Term {
        self.column(0, name, column)
    }

    fn column(&mut self, instance: usize, name: &str, column: &ColumnPlan) -> Term {
        let Instance { fill, number, .. } = &self.instances[instance];
        let draws = Draws::new(self.seed, &fill.table, name, number.clone());
        let kind = self.known.column(&fill.table, name).map(|known| known.type_name.as_str());
        value(column, &draws, kind, instance, self)
    }

    /// The value of a column of the row that a reference of an instance draws.
    pub(super) fn reference(&mut self, instance: usize, reference: usize, column: &str) -> Term {
        let found = match self.instances[instance].found[reference] {
            Some(found) => found,
            None => self.find(instance, reference),
        };
        self.instances[instance].found[reference] = Some(found);
        let other = match found {
            Found::Read(read) => {
                let columns = &self.instances[instance].fill.references[reference].columns;
                let at = columns.iter().position(|known| known == column).unwrap_or_default();
                return Term::joined(format!("r{read}.c{at}"));
            }
            Found::Computed(other) => other,
        };
        let fill = self.instances[other].fill;
        let Some(plan) = fill.column(column) else { return Term::constant("null") };
        let term = self.column(other, column, plan);
        let term = match self.known.column(&fill.table, column) {
            // what the other table has made of the value
            Some(known) if !matches!((plan, known.type_name.as_str()), (_, "bigint" | "text" | "uuid")) => {
                term.map(|value| format!("({value}::{})", known.declared_type))
            }
            _ => term,
        };
        if self.instances[instance].fill.references[reference].draw == Draw::Earlier {
            let number = self.instances[other].number.clone();
            return Term::of(
                format!("(case when {} is not null then {} end)", number.sql, term.sql),
                &[&number, &term],
            );
        }
        term
    }

    /// Draws the row of a reference.
    fn find(&mut self, instance: usize, reference: usize) -> Found {
        let Instance { fill, number, .. } = &self.instances[instance];
        let (fill, own) = (*fill, number.clone());
        let plan = &fill.references[reference];
        let read = if instance == 0 { self.known.read.get(reference).copied().flatten() } else { None };
        let count = match (&plan.made_by, read) {
            (_, Some(count)) => count,
            (Some(made_by), None) => self.known.rows(made_by),
            (None, None) => 1,
        };
        let name = format!("{}\u{1}{}", plan.table, plan.alias.as_deref().unwrap_or_default());
        let draws = Draws::new(self.seed, &fill.table, &name, own.clone());
        let drawn = match plan.draw {
            Draw::Parent => match fill.rows {
                RowsPlan::Per { low, high, .. } if low == high => {
                    own.map(|own| format!("(({own} - 1) / {} + 1)", low.max(1)))
                }
                _ => Term::constant("parent"),
            },
            Draw::Uniform => draws.below("", &count.max(1).to_string()).map(|below| format!("(1 + {below})")),
            Draw::Zipfian(s) => zipfian(&draws, "", count.max(1), s, &mut self.layers),
            Draw::Earlier => {
                let below = draws.below("", &format!("({} - 1)", own.sql));
                Term::of(format!("(case when {} > 1 then 1 + {} end)", own.sql, below.sql), &[&own, &below])
            }
        };
        let drawn = self.layers.bind(drawn);
        if plan.draw == Draw::Earlier {
            return Found::Computed(self.instance(fill, drawn));
        }
        match &plan.made_by {
            Some(made_by) if read.is_none() && plan.columns.iter().all(|column| made_by.derives(column)) => {
                Found::Computed(self.instance(made_by, drawn))
            }
            _ => {
                self.joins.push((reference, drawn.sql));
                Found::Read(reference)
            }
        }
    }
}

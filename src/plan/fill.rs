//! Tables that are filled with rows made in the server.

use std::sync::Arc;

use super::pattern::Pattern;

/// A table to be filled.
#[derive(Debug, Clone, PartialEq)]
pub struct FillPlan {
    /// The table, as written (it may be qualified).
    pub table: String,
    /// How many rows.
    pub rows: RowsPlan,
    /// Columns with what makes their values; others take their defaults.
    pub columns: Vec<(String, ColumnPlan)>,
    /// The rows of other tables that the columns refer to; columns name them by their index.
    pub references: Vec<ReferencePlan>,
    /// Sessions that the rows come from.
    pub workers: u32,
}

/// How many rows a table gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsPlan {
    /// So many.
    Count(u64),
    /// For each row of another table so many, each number alike, both ends included.
    Per {
        /// The other table, an index of `references`.
        parent: usize,
        /// Fewest.
        low: u64,
        /// Most.
        high: u64,
    },
}

/// One row of another table that each new row refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferencePlan {
    /// The other table, as written.
    pub table: String,
    /// What tells it from another row of the same table.
    pub alias: Option<String>,
    /// Which row.
    pub draw: Draw,
    /// The fill that made the table's rows, where nothing has touched them since: a value of theirs is known from its
    /// row's number. Otherwise the rows are read.
    pub made_by: Option<Arc<FillPlan>>,
    /// The columns that are referred to, each once.
    pub columns: Vec<String>,
}

/// Which row of another table a new row refers to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draw {
    /// The one that it is made for.
    Parent,
    /// Each alike.
    Uniform,
    /// Row `k` in proportion to `k^-s`.
    Zipfian(f64),
    /// Each of the earlier rows of the same table alike; the first row has none.
    Earlier,
}

/// What makes a column's values.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnPlan {
    /// The row's number, from 1.
    Series,
    /// Whole numbers in a range, both ends included, each alike.
    UniformInteger {
        /// Smallest.
        low: i64,
        /// Largest.
        high: i64,
    },
    /// Numbers in a range with so many digits after the point.
    UniformNumber {
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
        /// Digits kept.
        round: Option<u32>,
    },
    /// Days or moments in a range, both ends included; the text is PostgreSQL's.
    UniformTime {
        /// Earliest, such as `2024-01-01` or `2024-01-01 12:00:00`.
        low: String,
        /// Latest.
        high: String,
    },
    /// Numbers with the normal distribution.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        stddev: f64,
        /// What is done to the numbers that come.
        bounds: Bounds,
    },
    /// Numbers with the exponential distribution, from 0.
    Exponential {
        /// Mean.
        mean: f64,
        /// What is done to the numbers that come.
        bounds: Bounds,
    },
    /// Whole numbers in a range; the `k`th of them in proportion to `k^-s`.
    Zipfian {
        /// The most frequent.
        low: i64,
        /// The rarest.
        high: i64,
        /// The exponent.
        s: f64,
    },
    /// The whole numbers of a range, each at most once, shuffled.
    Permute {
        /// Smallest.
        low: i64,
        /// Largest.
        high: i64,
    },
    /// One of these, with a chance in proportion to its weight.
    Choice(Vec<(String, f64)>),
    /// So many words, each number alike.
    Words {
        /// Fewest.
        low: u32,
        /// Most.
        high: u32,
    },
    /// Text that a pattern describes.
    Pattern {
        /// The pattern.
        pattern: Pattern,
        /// Whether no text comes twice.
        unique: bool,
    },
    /// A random UUID (version 4).
    Uuid,
    /// An object with these members.
    Json(Vec<(String, ColumnPlan)>),
    /// A column of a row of another table.
    Reference {
        /// The row, an index of the fill's `references`.
        row: usize,
        /// The column.
        column: String,
    },
    /// A SQL expression; `i` in it is the row's number.
    Sql(String),
    /// Null in a part of the rows.
    Nulls {
        /// Their share, 0 to 1.
        fraction: f64,
        /// What makes the other values.
        of: Box<ColumnPlan>,
    },
}

/// What is done to a drawn number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bounds {
    /// Smaller ones become this.
    pub min: Option<f64>,
    /// Larger ones become this.
    pub max: Option<f64>,
    /// Digits kept after the point.
    pub round: Option<u32>,
}

impl FillPlan {
    /// How many rows it makes at the most; none where the server alone knows how many rows the other table has.
    pub fn most_rows(&self) -> Option<u64> {
        match self.rows {
            RowsPlan::Count(count) => Some(count),
            RowsPlan::Per { parent, high, .. } => {
                self.references[parent].made_by.as_ref()?.most_rows()?.checked_mul(high)
            }
        }
    }

    /// What makes a column's values.
    pub fn column(&self, name: &str) -> Option<&ColumnPlan> {
        self.columns.iter().find(|(column, _)| column == name).map(|(_, plan)| plan)
    }

    /// Whether a column's value is known from its row's number alone.
    pub fn derives(&self, column: &str) -> bool {
        self.column(column).is_some_and(|plan| self.derives_column(plan))
    }

    fn derives_column(&self, plan: &ColumnPlan) -> bool {
        match plan {
            // what an expression of the author's gives may change from call to call
            ColumnPlan::Sql(_) => false,
            ColumnPlan::Json(members) => members.iter().all(|(_, member)| self.derives_column(member)),
            ColumnPlan::Nulls { of, .. } => self.derives_column(of),
            ColumnPlan::Reference { row, column } => {
                let reference = &self.references[*row];
                let known = reference.made_by.as_ref().is_some_and(|fill| fill.derives(column));
                // with a varying number of rows for each, nothing says for which one a row was made
                let parent = matches!(self.rows, RowsPlan::Per { low, high, .. } if low != high);
                known && !(reference.draw == Draw::Parent && parent)
            }
            _ => true,
        }
    }
}

impl ColumnPlan {
    /// For how many rows it has values, where each value comes at most once.
    pub fn different_values(&self) -> Option<u64> {
        match self {
            Self::Permute { low, high } => Some(high.abs_diff(*low) + 1),
            Self::Pattern { pattern, unique: true } => Some(pattern.indexed()),
            Self::Nulls { of, .. } => of.different_values(),
            Self::Json(members) => members.iter().filter_map(|(_, member)| member.different_values()).min(),
            _ => None,
        }
    }
}

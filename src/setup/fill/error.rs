//! Why a table can't be filled.

use crate::setup::error::list;

/// Why a table can't be filled, apart from what the server says to its statements.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FillError {
    /// The server is too old for rows made in it.
    #[error("table `{table}` can't be filled on PostgreSQL {}: `fill` needs 11", version / 10_000)]
    Version {
        /// The table.
        table: String,
        /// The server's version as a number.
        version: u32,
    },
    /// Rows are to refer to a table that has none.
    #[error("table `{table}` has no rows to refer to")]
    NoRows {
        /// The table.
        table: String,
    },
    /// Rows are to refer to a column that is not there.
    #[error("table `{table}` has no column `{column}`")]
    UnknownColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The columns that it has; none where there is no such table.
        columns: Vec<String>,
    },
    /// Values that come once each are fewer than the rows.
    #[error("`{column}` makes {values} different values, and `{table}` gets {rows} rows")]
    TooFewValues {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Different values.
        values: u64,
        /// Rows.
        rows: u64,
    },
}

impl FillError {
    pub(in crate::setup) fn code(&self) -> &'static str {
        match self {
            Self::Version { .. } => "setup::fill_version",
            Self::NoRows { .. } => "setup::no_rows",
            Self::UnknownColumn { .. } => "setup::unknown_column",
            Self::TooFewValues { .. } => "setup::too_few_values",
        }
    }

    pub(in crate::setup) fn help(&self) -> String {
        match self {
            Self::Version { .. } => "fill it by a statement of your own under `sql`".to_owned(),
            Self::NoRows { table } => format!("give `{table}` rows by a step before this one"),
            Self::UnknownColumn { table, columns, .. } if columns.is_empty() => {
                format!("no step has made table `{table}`")
            }
            Self::UnknownColumn { columns, .. } => format!("it has {}", list(columns)),
            Self::TooFewValues { .. } => "let it have more, or the table fewer rows".to_owned(),
        }
    }
}

//! Columns as the catalog knows them, and how names and values are written in SQL.

/// What the catalog says about a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its type, without length.
    pub type_name: String,
    /// Its type with length, as it was declared.
    pub declared_type: String,
    /// Whether it is `generated always as identity`.
    pub identity_always: bool,
}

/// A text as a literal that reads the same whatever `standard_conforming_strings` says.
pub(super) fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if text.contains('\\') { format!(" E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

/// A name as a quoted identifier.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

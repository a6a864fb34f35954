//! The values that variables hold and expressions give.

/// A value of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// SQL's null.
    Null,
    /// true or false.
    Boolean(bool),
    /// A 64-bit integer.
    Integer(i64),
    /// An IEEE double.
    Double(f64),
    /// Bytes as they came: from `-D`, from the server, from a string expression.
    Text(Text),
}

/// The bytes of a text value; they need not be valid UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(pub Vec<u8>);

//! The values that variables hold and expressions give.

use std::fmt;

use super::double;
use super::error::Error;
use super::room::Room;
use super::text;

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
pub struct Text(pub Room);

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        let mut room = Room::new();
        room.extend_from_slice(bytes);
        Self(room)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl Value {
    /// Appends the form that the value has in a statement: a double as C's `%.15g`, a text as its bytes.
    pub fn write_sql(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"NULL"),
            Self::Boolean(true) => out.extend_from_slice(b"true"),
            Self::Boolean(false) => out.extend_from_slice(b"false"),
            Self::Integer(value) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
            Self::Double(value) => double::write_general(*value, out),
            Self::Text(Text(bytes)) => out.extend_from_slice(bytes),
        }
    }

    /// The value that a text stands for in an expression: null, a boolean, an integer or a double.
    pub fn parse_text(text: &[u8]) -> Result<Self, Error> {
        text::parse(text).map_err(|misfit| misfit.error(text))
    }

    /// The value as an integer; doubles are rounded, a half to the even neighbor.
    #[inline]
    pub fn to_integer(&self) -> Result<i64, Error> {
        match self {
            Self::Integer(value) => Ok(*value),
            Self::Double(value) => double_to_integer(*value),
            Self::Text(Text(bytes)) => Self::parse_text(bytes)?.to_integer(),
            Self::Null | Self::Boolean(_) => Err(self.cannot_coerce("int")),
        }
    }

    /// The value as a double.
    #[inline]
    pub fn to_double(&self) -> Result<f64, Error> {
        match self {
            Self::Double(value) => Ok(*value),
            Self::Integer(value) => Ok(*value as f64),
            Self::Text(Text(bytes)) => Self::parse_text(bytes)?.to_double(),
            Self::Null | Self::Boolean(_) => Err(self.cannot_coerce("double")),
        }
    }

    /// The value as a boolean, which only booleans are.
    #[inline]
    pub fn to_boolean(&self) -> Result<bool, Error> {
        match self {
            Self::Boolean(value) => Ok(*value),
            Self::Text(Text(bytes)) => Self::parse_text(bytes)?.to_boolean(),
            Self::Null | Self::Integer(_) | Self::Double(_) => Err(self.cannot_coerce("boolean")),
        }
    }

    /// Whether the value holds as a condition: true, or a number other than zero.
    #[inline]
    pub fn to_condition(&self) -> Result<bool, Error> {
        match self {
            Self::Null => Ok(false),
            Self::Boolean(value) => Ok(*value),
            Self::Integer(value) => Ok(*value != 0),
            Self::Double(value) => Ok(*value != 0.0),
            Self::Text(Text(bytes)) => Self::parse_text(bytes)?.to_condition(),
        }
    }

    /// What the language calls the value's type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "boolean",
            Self::Integer(_) => "int",
            Self::Double(_) => "double",
            Self::Text(_) => "text",
        }
    }

    /// Shows the type before the value, as `debug` does: `int 6`, `double 0.5`, `null`.
    pub fn typed(&self) -> Typed<'_> {
        Typed(self)
    }

    #[cold]
    fn cannot_coerce(&self, to: &'static str) -> Error {
        Error::CannotCoerce { from: self.type_name(), to }
    }
}

/// Shows a value's type and the value.
#[derive(Debug, Clone, Copy)]
pub struct Typed<'a>(&'a Value);

impl fmt::Display for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            value => write!(f, "{} {value}", value.type_name()),
        }
    }
}

/// The form that the value has in a statement; bytes that are no UTF-8 are replaced.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sql = Vec::new();
        self.write_sql(&mut sql);
        f.write_str(&String::from_utf8_lossy(&sql))
    }
}

fn double_to_integer(value: f64) -> Result<i64, Error> {
    /// 2^63, the first double beyond every integer.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;

    let rounded = value.round_ties_even();
    if (-LIMIT..LIMIT).contains(&rounded) {
        #[expect(clippy::cast_possible_truncation, reason = "an integer in range")]
        return Ok(rounded as i64);
    }
    Err(Error::DoubleToIntOverflow(rounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_doubles() {
        for (double, integer) in [(2.5, 2), (3.5, 4), (-2.5, -2), (-0.4, 0), (-9_223_372_036_854_775_808.0, i64::MIN)] {
            assert_eq!(Value::Double(double).to_integer(), Ok(integer));
        }
        for double in [9_223_372_036_854_775_808.0, -1e19, f64::INFINITY] {
            assert_eq!(Value::Double(double).to_integer(), Err(Error::DoubleToIntOverflow(double)));
        }
        assert!(Value::Double(f64::NAN).to_integer().is_err());
    }

    #[test]
    fn conditions() {
        assert_eq!(Value::Null.to_condition(), Ok(false));
        assert_eq!(Value::Double(f64::NAN).to_condition(), Ok(true));
        assert_eq!(Value::Integer(0).to_condition(), Ok(false));
        assert_eq!(Value::Text("off".into()).to_condition(), Ok(false));
        assert_eq!(Value::Text("bla".into()).to_condition(), Err(Error::MalformedText("bla".into())));
    }

    #[test]
    fn shown_with_type() {
        assert_eq!(Value::Integer(6).typed().to_string(), "int 6");
        assert_eq!(Value::Double(f64::NEG_INFINITY).typed().to_string(), "double -Infinity");
        assert_eq!(Value::Boolean(true).typed().to_string(), "boolean true");
        assert_eq!(Value::Null.typed().to_string(), "null");
        assert_eq!(Value::Null.to_string(), "NULL");
    }
}

//! What the server says in an `ErrorResponse` or a `NoticeResponse`.

use std::fmt;

/// An error or a notice of the server, field by field.
///
/// The fields are those of the [manual](https://www.postgresql.org/docs/current/protocol-error-fields.html).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerError {
    /// `ERROR`, `FATAL`, `PANIC`, `WARNING`, `NOTICE` …; never localized where the server is 9.6 or newer.
    pub severity: String,
    /// The SQLSTATE; `.....` where the server sent none.
    pub sqlstate: [u8; 5],
    /// The primary message.
    pub message: String,
    /// A second message with more detail.
    pub detail: Option<String>,
    /// What the server suggests to do.
    pub hint: Option<String>,
    /// Where in the statement, in characters counted from 1.
    pub position: Option<u32>,
    /// Where in an internally made statement, in characters counted from 1.
    pub internal_position: Option<u32>,
    /// The text of the internally made statement that failed.
    pub internal_query: Option<String>,
    /// The call stack of functions, one a line.
    pub context: Option<String>,
    /// The schema of the object that the error is about.
    pub schema: Option<String>,
    /// Its table.
    pub table: Option<String>,
    /// Its column.
    pub column: Option<String>,
    /// The constraint that was violated.
    pub constraint: Option<String>,
}

impl ServerError {
    /// Reads the body of an `ErrorResponse` or a `NoticeResponse`: a type byte and a zero-ended text, repeated.
    ///
    /// Unknown fields are skipped, as the protocol asks; a text that isn't UTF-8 (a message sent before the encoding
    /// is agreed on) loses the bytes that aren't.
    pub fn from_fields(mut body: &[u8]) -> Self {
        let mut error = Self { sqlstate: *b".....", ..Self::default() };
        let mut severity_localized = None;
        while let [field, rest @ ..] = body {
            if *field == 0 {
                break;
            }
            let end = memchr::memchr(0, rest).unwrap_or(rest.len());
            let text = || String::from_utf8_lossy(&rest[..end]).into_owned();
            match field {
                b'S' => severity_localized = Some(text()),
                b'V' => error.severity = text(),
                b'C' => error.sqlstate = rest[..end].try_into().unwrap_or(*b"....."),
                b'M' => error.message = text(),
                b'D' => error.detail = Some(text()),
                b'H' => error.hint = Some(text()),
                b'P' => error.position = text().parse().ok(),
                b'p' => error.internal_position = text().parse().ok(),
                b'q' => error.internal_query = Some(text()),
                b'W' => error.context = Some(text()),
                b's' => error.schema = Some(text()),
                b't' => error.table = Some(text()),
                b'c' => error.column = Some(text()),
                b'n' => error.constraint = Some(text()),
                _ => {}
            }
            body = rest.get(end + 1..).unwrap_or(&[]);
        }
        if error.severity.is_empty() {
            error.severity = severity_localized.unwrap_or_else(|| "ERROR".to_owned());
        }
        error
    }

    /// The SQLSTATE as text.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.sqlstate).unwrap_or(".....")
    }

    /// Whether the session ended with it.
    pub fn is_fatal(&self) -> bool {
        self.severity == "FATAL" || self.severity == "PANIC"
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.message)
    }
}

impl std::error::Error for ServerError {}

impl From<&tokio_postgres::error::DbError> for ServerError {
    fn from(error: &tokio_postgres::error::DbError) -> Self {
        use tokio_postgres::error::ErrorPosition;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (position, internal_position, internal_query) = match error.position() {
            Some(ErrorPosition::Original(at)) => (Some(*at), None, None),
            Some(ErrorPosition::Internal { position, query }) => (None, Some(*position), Some(query.clone())),
            None => (None, None, None),
        };
        Self {
            severity: error.parsed_severity().map_or_else(|| error.severity().to_owned(), |s| s.to_string()),
            sqlstate: error.code().code().as_bytes().try_into().unwrap_or(*b"....."),
            message: error.message().to_owned(),
            detail: owned(error.detail()),
            hint: owned(error.hint()),
            position,
            internal_position,
            internal_query,
            context: owned(error.where_()),
            schema: owned(error.schema()),
            table: owned(error.table()),
            column: owned(error.column()),
            constraint: owned(error.constraint()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServerError;

    #[test]
    fn the_fields_of_an_error_response_are_read_and_unknown_ones_skipped() {
        let error = ServerError::from_fields(
            b"SFEHLER\0VERROR\0C42P01\0Mrelation \"x\" does not exist\0P15\0Fparse_relation.c\0?new\0Hlook\0\0",
        );
        assert_eq!(error.severity, "ERROR");
        assert_eq!(error.code(), "42P01");
        assert_eq!(error.position, Some(15));
        assert_eq!(error.hint.as_deref(), Some("look"));
        assert_eq!(error.to_string(), "ERROR: relation \"x\" does not exist");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(body: Vec<u8>) {
            ServerError::from_fields(&body);
        }
    }
}

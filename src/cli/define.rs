//! `-D NAME=VALUE`.

/// One variable given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Define {
    /// Its name.
    pub(crate) name: String,
    /// Its value as written.
    pub(crate) value: String,
}

impl std::str::FromStr for Define {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self { name: name.to_owned(), value: value.to_owned() }),
            _ => Err("it takes the form name=value".to_owned()),
        }
    }
}

//! `host=… port=…`: the keyword/value form of a connection string.

use std::iter::Peekable;
use std::str::Chars;

use super::Invalid;

/// The options in the order in which they stand; names are not checked.
///
/// Values are ended by white space or quoted with `'`; a backslash takes the next character as it is, inside quotes
/// and outside.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, Invalid> {
    let mut options = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        skip_space(&mut chars);
        if chars.peek().is_none() {
            return Ok(options);
        }
        let mut name = String::new();
        while let Some(c) = chars.next_if(|c| *c != '=' && !c.is_ascii_whitespace()) {
            name.push(c);
        }
        skip_space(&mut chars);
        if chars.next() != Some('=') || name.is_empty() {
            // the text isn't shown: it may be the rest of an unquoted password
            return Err(Invalid::Syntax("missing `=` behind the name of an option"));
        }
        skip_space(&mut chars);
        let value = if chars.next_if_eq(&'\'').is_some() { quoted(&mut chars)? } else { bare(&mut chars) };
        options.push((name, value));
    }
}

fn skip_space(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(char::is_ascii_whitespace).is_some() {}
}

fn bare(chars: &mut Peekable<Chars<'_>>) -> String {
    let mut value = String::new();
    while let Some(c) = chars.next_if(|c| !c.is_ascii_whitespace()) {
        if c == '\\' { value.extend(chars.next()) } else { value.push(c) }
    }
    value
}

fn quoted(chars: &mut Peekable<Chars<'_>>) -> Result<String, Invalid> {
    let mut value = String::new();
    loop {
        match chars.next() {
            None => return Err(Invalid::Syntax("unterminated quoted value")),
            Some('\'') => return Ok(value),
            Some('\\') => value.extend(chars.next()),
            Some(c) => value.push(c),
        }
    }
}

/// `value` so that [`parse`] reads it back.
#[cfg(test)]
fn quote(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::{parse, quote};

    fn pairs(options: &[(&str, &str)]) -> Vec<(String, String)> {
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn spaces_quotes_and_backslashes_are_read_as_libpq_reads_them() {
        let text = r"host = localhost port=5432 password='it\'s \\ here' options=-c\ a=b user=''";
        let expected = pairs(&[
            ("host", "localhost"),
            ("port", "5432"),
            ("password", r"it's \ here"),
            ("options", "-c a=b"),
            ("user", ""),
        ]);
        assert_eq!(parse(text).unwrap(), expected);
        assert_eq!(parse("  ").unwrap(), []);
    }

    #[test]
    fn what_is_malformed_is_refused_and_not_repeated() {
        assert!(!parse("password=my secret").unwrap_err().to_string().contains("secret"));
        assert!(parse("user='x").is_err());
        assert!(parse("= x").is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_quoted_value_comes_back_whole(value: String) {
            let text = format!("password={}", quote(&value));
            proptest::prop_assert_eq!(parse(&text).unwrap(), vec![("password".to_owned(), value)]);
        }
    }
}

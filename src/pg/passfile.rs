//! The password file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::Password;

/// The lines of a password file, in its order.
#[derive(Debug, Clone, Default)]
pub(super) struct Passfile {
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    /// Host, port, database, user; `None` matches all.
    fields: [Option<String>; 4],
    password: Password,
}

impl Passfile {
    /// The file's lines; none where there is no file, or where others than its owner could read it, with a warning.
    pub(super) fn read(path: &Path) -> (Self, Option<String>) {
        let Ok(facts) = fs::metadata(path) else { return (Self::default(), None) };
        let ignored =
            |reason: &str| (Self::default(), Some(format!("password file `{}` is ignored: {reason}", path.display())));
        if !facts.is_file() {
            return ignored("it is not a plain file");
        }
        if facts.permissions().mode() & 0o077 != 0 {
            return ignored("others than its owner have access to it");
        }
        match fs::read(path) {
            Ok(text) => (Self::parse(&String::from_utf8_lossy(&text)), None),
            Err(_) => ignored("it can't be read"),
        }
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(Line::parse).collect();
        Self { lines }
    }

    /// The password of the first line that fits.
    pub(super) fn password(&self, host: &str, port: u16, database: &str, user: &str) -> Option<&Password> {
        let port = port.to_string();
        let wanted = [host, &port, database, user];
        let fits = |line: &&Line| {
            line.fields.iter().zip(wanted).all(|(field, wanted)| field.as_deref().is_none_or(|field| field == wanted))
        };
        self.lines.iter().find(fits).map(|line| &line.password)
    }
}

impl Line {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = Vec::with_capacity(4);
        let mut rest = line;
        while fields.len() < 4 {
            let (field, behind) = split_field(rest)?;
            fields.push((field != "*").then(|| unescape(field)));
            rest = behind;
        }
        let fields = fields.try_into().ok()?;
        // the password ends at a colon as well, as in libpq
        let password = split_field(rest).map_or(rest, |(password, _)| password);
        Some(Self { fields, password: Password::new(unescape(password)) })
    }
}

/// The text before the next colon that no backslash escapes, and what is behind it.
fn split_field(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            ':' if !escaped => return Some((&text[..at], &text[at + 1..])),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::Passfile;

    fn found(file: &str, host: &str, user: &str) -> Option<String> {
        Passfile::parse(file).password(host, 5432, "shop", user).map(|password| password.reveal().to_owned())
    }

    #[test]
    fn the_first_line_that_fits_gives_the_password() {
        let file = "# a:*:*:*:no\na:5432:shop:me:first\na:*:*:*:second\n*:5433:*:*:other port\n";
        assert_eq!(found(file, "a", "me").as_deref(), Some("first"));
        assert_eq!(found(file, "a", "you").as_deref(), Some("second"));
        assert_eq!(found(file, "b", "me"), None);
    }

    #[test]
    fn colons_and_backslashes_are_escaped() {
        let file = r"\:\:1:*:*:o\\k:p\:w\\d";
        assert_eq!(found(file, "::1", r"o\k").as_deref(), Some(r"p:w\d"));
    }

    #[test]
    fn a_star_matches_all_and_an_escaped_one_itself() {
        assert_eq!(found(r"\*:*:*:*:x", "a", "me"), None);
        assert_eq!(found(r"\*:*:*:*:x", "*", "me").as_deref(), Some("x"));
    }

    #[test]
    fn debug_shows_no_password() {
        assert!(!format!("{:?}", Passfile::parse("*:*:*:*:hidden")).contains("hidden"));
    }
}

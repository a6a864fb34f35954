//! A server's error in the lines that libpq makes of it, as psql and pgbench show them.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use super::ServerError;

/// The most columns that are shown of a statement's line.
const SHOWN: usize = 60;
/// What stays to the right of the place, where there is so much.
const RIGHT_OF_PLACE: usize = 10;

impl ServerError {
    /// The error in libpq's default verbosity, without a line end behind the last line. With the statement's text, its
    /// position is shown below the line.
    pub fn libpq_text(&self, statement: Option<&str>) -> String {
        let mut text = format!("{}:  {}", self.severity, self.message);
        let shown = match (self.position, self.internal_position) {
            (Some(position), _) => statement.ok_or(position).map(|sql| (sql, position)),
            (None, Some(position)) => self.internal_query.as_deref().ok_or(position).map(|sql| (sql, position)),
            (None, None) => Err(0),
        };
        match shown {
            Ok((sql, position)) => text.push_str(&excerpt(sql, position)),
            Err(0) => {}
            // writing to a string does not fail
            Err(position) => drop(write!(text, " at character {position}")),
        }
        let fields = [
            ("DETAIL", &self.detail),
            ("HINT", &self.hint),
            ("QUERY", &self.internal_query),
            ("CONTEXT", &self.context),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                let _ = write!(text, "\n{name}:  {value}");
            }
        }
        text
    }
}

/// The line of the statement that a position (in characters, from 1) is in, and a mark below; nothing where it lies
/// outside.
fn excerpt(sql: &str, position: u32) -> String {
    let characters: Vec<char> = sql.chars().collect();
    let Some(place) = (position as usize).checked_sub(1).filter(|place| *place <= characters.len()) else {
        return String::new();
    };
    let ends_line = |index: usize| matches!(characters[index], '\n' | '\r');
    let mut begin = (0..place).rev().find(|index| ends_line(*index)).map_or(0, |index| index + 1);
    let mut end = (place..characters.len()).find(|index| ends_line(*index)).unwrap_or(characters.len());
    // of a CR LF, one counts
    let breaks = (0..place).filter(|&index| ends_line(index));
    let number = 1 + breaks.filter(|&at| characters[at] == '\r' || at == 0 || characters[at - 1] != '\r').count();
    let width = |from: usize, to: usize| characters[from..to].iter().map(|c| columns(*c)).sum::<usize>();
    let (mut cut_left, mut cut_right) = ("", "");
    if width(begin, end) > SHOWN {
        if SHOWN >= width(begin, place) + RIGHT_OF_PLACE {
            while width(begin, end) > SHOWN {
                end -= 1;
            }
            cut_right = "...";
        } else {
            while width(place, end) > RIGHT_OF_PLACE {
                end -= 1;
                cut_right = "...";
            }
            while width(begin, end) > SHOWN {
                begin += 1;
                cut_left = "...";
            }
        }
    }
    let head = format!("LINE {number}: {cut_left}");
    let line: String = characters[begin..end].iter().map(|c| if *c == '\t' { ' ' } else { *c }).collect();
    let indent = head.len() + width(begin, place);
    format!("\n{head}{line}{cut_right}\n{:indent$}^", "")
}

/// How wide a character is shown; control characters take a column as libpq counts.
fn columns(c: char) -> usize {
    c.width().filter(|width| *width > 0).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(position: u32) -> ServerError {
        let (severity, message) = ("ERROR".to_owned(), "column \"nix\" does not exist".to_owned());
        ServerError { severity, message, position: Some(position), ..ServerError::default() }
    }

    #[test]
    fn the_place_is_marked_below_its_line() {
        insta::assert_snapshot!(error(16).libpq_text(Some("select 'äöü€', nix from t;")), @"
        ERROR:  column \"nix\" does not exist
        LINE 1: select 'äöü€', nix from t;
                               ^
        ");
        let sql = format!("select a,\r\n\tb, {}, nix\nfrom t", "a".repeat(75));
        insta::assert_snapshot!(error(16).libpq_text(Some(&sql)));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let sql = "select 1111111111111111111, 222222222222222222222, 33333333333333333, 444444444444444444444, nix, \
                   55555555555555555555555, 6666666666666666666666666 from t;";
        insta::assert_snapshot!(error(94).libpq_text(Some(sql)));
    }

    #[test]
    fn without_the_statement_the_position_is_a_number_and_further_fields_have_their_lines() {
        let mut error = error(7);
        error.detail = Some("d".to_owned());
        error.hint = Some("h".to_owned());
        error.context = Some("c".to_owned());
        insta::assert_snapshot!(error.libpq_text(None), @"
        ERROR:  column \"nix\" does not exist at character 7
        DETAIL:  d
        HINT:  h
        CONTEXT:  c
        ");
    }

    proptest::proptest! {
        #[test]
        fn no_position_makes_it_panic(sql: String, position: u32, near in 0_u32..40) {
            error(position).libpq_text(Some(&sql));
            error(near).libpq_text(Some(&sql));
        }
    }
}

//! Rows from a CSV file, as PostgreSQL's `COPY … WITH (FORMAT csv, HEADER)` reads it: an empty field is null, `""` an
//! empty text.

use std::ops::Range;

/// A file's rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Csv {
    /// The names in its first line.
    pub(super) columns: Vec<String>,
    /// The values; `None` is null.
    pub(super) rows: Vec<Vec<Option<String>>>,
}

/// What is wrong with a file, and where in its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) what: String,
    pub(super) at: Range<usize>,
}

/// Reads a text.
pub(super) fn parse(text: &str) -> Result<Csv, Fault> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } };
    let begin = reader.at;
    let Some(header) = reader.line()? else {
        return Err(Fault { what: "the file is empty".to_owned(), at: 0..text.len() });
    };
    let columns: Vec<String> = header.into_iter().map(Option::unwrap_or_default).collect();
    for (index, column) in columns.iter().enumerate() {
        let what = match () {
            () if column.is_empty() => "a column has no name".to_owned(),
            () if columns[..index].contains(column) => format!("two columns are named `{column}`"),
            () => continue,
        };
        return Err(Fault { what, at: reader.first_line(begin) });
    }
    let mut rows = Vec::new();
    let mut from = reader.at;
    while let Some(row) = reader.line()? {
        if row.len() != columns.len() {
            let what = format!("a row has {} values for {} columns", row.len(), columns.len());
            return Err(Fault { what, at: reader.first_line(from) });
        }
        rows.push(row);
        from = reader.at;
    }
    Ok(Csv { columns, rows })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// The place of a line's text.
    fn first_line(&self, from: usize) -> Range<usize> {
        from..from + self.text[from..].find(['\r', '\n']).unwrap_or(self.text.len() - from)
    }

    /// The fields up to the next line end outside of quotes; none at the text's end.
    fn line(&mut self) -> Result<Option<Vec<Option<String>>>, Fault> {
        if self.at == self.text.len() {
            return Ok(None);
        }
        let mut fields = Vec::new();
        loop {
            fields.push(self.field()?);
            let rest = &self.text[self.at..];
            if rest.starts_with(',') {
                self.at += 1;
                continue;
            }
            self.at += if rest.starts_with("\r\n") { 2 } else { rest.chars().next().map_or(0, char::len_utf8) };
            return Ok(Some(fields));
        }
    }

    fn field(&mut self) -> Result<Option<String>, Fault> {
        let begin = self.at;
        let mut value = String::new();
        let mut quoted = false;
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find([',', '"', '\r', '\n']).unwrap_or(rest.len());
            value.push_str(&rest[..plain]);
            self.at += plain;
            if !rest[plain..].starts_with('"') {
                return Ok((quoted || !value.is_empty()).then_some(value));
            }
            quoted = true;
            self.quoted(begin, &mut value)?;
        }
    }

    /// From a quote to the one that closes it; a doubled one stands for itself.
    fn quoted(&mut self, begin: usize, value: &mut String) -> Result<(), Fault> {
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = rest.find('"') else {
                return Err(Fault { what: "a quote is not closed".to_owned(), at: self.first_line(begin) });
            };
            value.push_str(&rest[..end]);
            self.at += end + 1;
            if !rest[end + 1..].starts_with('"') {
                return Ok(());
            }
            value.push('"');
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(fields: &[Option<&str>]) -> Vec<Option<String>> {
        fields.iter().map(|field| field.map(str::to_owned)).collect()
    }

    #[test]
    fn values_are_read_as_copy_reads_them() {
        let text = "\u{feff}id,note\r\n1,plain\r\n2,\"with, comma\nand \"\"quotes\"\"\"\r\n3,\n4,\"\"";
        let csv = parse(text).unwrap();
        assert_eq!(csv.columns, ["id", "note"]);
        let rows = [
            row(&[Some("1"), Some("plain")]),
            row(&[Some("2"), Some("with, comma\nand \"quotes\"")]),
            row(&[Some("3"), None]),
            row(&[Some("4"), Some("")]),
        ];
        assert_eq!(csv.rows, rows);
        assert_eq!(parse("a\n").unwrap().rows, Vec::<Vec<Option<String>>>::new());
        assert_eq!(parse("a\n\n").unwrap().rows, [row(&[None])]);
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let fault = |text: &str| {
            let Fault { what, at } = parse(text).unwrap_err();
            format!("{what}: {}", &text[at])
        };
        assert_eq!(fault("a,b\n1,2\n3\n"), "a row has 1 values for 2 columns: 3");
        assert_eq!(fault("a,b\n1,\"2\n3\n"), "a quote is not closed: \"2");
        assert_eq!(fault("a,a\n"), "two columns are named `a`: a,a");
        assert_eq!(fault("a,\n"), "a column has no name: a,");
        assert_eq!(fault(""), "the file is empty: ");
    }
}

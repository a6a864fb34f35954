//! Rows of a file of comma-separated values.

use std::io::{self, BufReader, Read};

use super::column::{TableColumn, identifier, literal};
use super::rows::Rows;
use super::step::Run;
use super::{Error, StatementResult, catalog};
use crate::pg;
use crate::plan::step::CopyPlan;

/// The longest first line, in bytes: 1600 columns of 63 bytes, each in quotes.
const LONGEST_HEADER: u64 = 128 * 1024;

/// What some programs begin UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Sends the rows in one COPY, in a transaction of its own.
///
/// The first line goes along and is passed over by the server, so that its errors have the numbers of the file's lines.
pub(super) async fn copy(run: &mut Run<'_>, plan: &CopyPlan) -> Result<Vec<StatementResult>, Error> {
    let opened = run.outside.open(plan).map_err(|fault| Error::Outside { span: plan.span, fault: Box::new(fault) })?;
    let bytes = opened.bytes;
    let mut reader = BufReader::new(opened.reader);
    let first = first_record(&mut reader).map_err(|error| Error::unreadable(plan, &error))?;
    let names = column_names(&first).map_err(|(reason, help)| header(plan, reason, help))?;
    if let Some(error) = unknown_name(plan, &names, &catalog::columns(run, &plan.table).await?) {
        return Err(error);
    }
    run.begin().await?;
    let columns: Vec<String> = names.iter().map(|name| identifier(name)).collect();
    let sql = format!("copy {} ({}) from stdin with (format csv, header)", plan.table, columns.join(", "));
    let (result, records) = {
        let run = &*run;
        let tell = |sent: u64| run.tell(|observer| observer.copied(sent, bytes));
        let mut rows = Rows::new((&first[..]).chain(reader), run.cancel, &tell);
        let result = run.copy_in(&sql, &mut rows).await?.map_err(|error| refused(plan, error))?;
        (result, rows.records.total().saturating_sub(1))
    };
    if result.rows != records {
        return Err(Error::RowCount { table: plan.table.clone(), wanted: records, made: result.rows });
    }
    for (name, column) in names.iter().zip(&columns) {
        set_sequence(run, plan, name, column).await?;
    }
    run.commit().await?;
    Ok(vec![result])
}

/// Lets the sequence of a column, if it has one, go on behind its largest value.
async fn set_sequence(run: &Run<'_>, plan: &CopyPlan, name: &str, column: &str) -> Result<(), Error> {
    let sequence = format!("pg_get_serial_sequence({}, {})", literal(&plan.table), literal(name));
    let found = run.query("could not look up a sequence", &format!("select {sequence}")).await?;
    if found.into_iter().flatten().flatten().next().is_some() {
        let sql = format!("select setval({sequence}, max({column})) from {} having max({column}) > 0", plan.table);
        run.execute("could not set a sequence", &sql).await?;
    }
    Ok(())
}

/// The first record with its line end, without a byte order mark.
fn first_record(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut record, mut quoted, mut byte) = (Vec::new(), false, [0]);
    while (record.len() as u64) < LONGEST_HEADER && reader.read(&mut byte)? > 0 {
        record.push(byte[0]);
        if record == BYTE_ORDER_MARK {
            record.clear();
        }
        match byte[0] {
            b'"' => quoted = !quoted,
            // of `\r\n` the second half is left to the rows, where an end that follows an end is none
            b'\n' | b'\r' if !quoted => break,
            _ => {}
        }
    }
    Ok(record)
}

/// The names in the first record; blanks around them are no part of them. What is wrong with it, and what to do.
fn column_names(record: &[u8]) -> Result<Vec<String>, (String, String)> {
    let help = || "the first line names the table's columns, as in `id,name,price`".to_owned();
    let text = std::str::from_utf8(record).map_err(|_| ("it is not text in UTF-8".to_owned(), help()))?;
    if text.len() as u64 >= LONGEST_HEADER {
        return Err(("it has no end".to_owned(), help()));
    }
    let mut names = Vec::new();
    let (mut name, mut quoted, mut bare) = (String::new(), false, true);
    let mut letters = text.trim_end_matches(['\r', '\n']).chars().chain([',']).peekable();
    let last = |letters: &mut std::iter::Peekable<_>| letters.peek().is_none();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                name.push('"');
            }
            '"' => {
                if bare && name.trim().is_empty() {
                    name.clear();
                }
                (quoted, bare) = (!quoted, false);
            }
            // blanks around quotes
            ' ' | '\t' if !quoted && !bare => {}
            ',' if !quoted || last(&mut letters) => {
                let found = if bare { name.trim() } else { &name };
                if found.is_empty() {
                    let what =
                        if names.is_empty() && text.trim().is_empty() { "it is empty" } else { "a name is missing" };
                    return Err((what.to_owned(), help()));
                }
                if names.iter().any(|other| other == found) {
                    return Err((format!("it names `{found}` twice"), "leave one of them out".to_owned()));
                }
                names.push(found.to_owned());
                (name, bare) = (String::new(), true);
            }
            _ => name.push(letter),
        }
    }
    Ok(names)
}

/// The error of a name that is no column. Of a table that is not there the server itself says so.
fn unknown_name(plan: &CopyPlan, names: &[String], known: &[TableColumn]) -> Option<Error> {
    let unknown = names.iter().find(|name| !known.is_empty() && known.iter().all(|column| column.name != **name));
    let unknown = unknown?;
    let columns: Vec<String> = known.iter().map(|column| format!("`{}`", column.name)).collect();
    let help = format!("its columns are {}", columns.join(", "));
    Some(header(plan, format!("table `{}` has no column `{unknown}`", plan.table), help))
}

fn header(plan: &CopyPlan, reason: String, help: String) -> Error {
    Error::Header { csv: plan.csv.clone(), reason, help, span: plan.span }
}

fn refused(plan: &CopyPlan, error: pg::Error) -> Error {
    let line = error.server_error().and_then(|server| server.context.as_deref()).and_then(line_of);
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    Error::Copy { place: format!("`{}`{line}", plan.csv), span: plan.span, error }
}

/// The line that a COPY failed in: `COPY skus, line 3, column price: "x"`, in any language.
fn line_of(context: &str) -> Option<u64> {
    let copy = context.lines().find(|line| line.starts_with("COPY "))?;
    let (_, behind) = copy.split_once(", ")?;
    let digits = behind.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{column_names, first_record, line_of};

    fn names(text: &str) -> Result<Vec<String>, String> {
        column_names(text.as_bytes()).map_err(|(reason, _)| reason)
    }

    #[test]
    fn the_first_line_names_columns() {
        assert_eq!(names("id, name , \"odd, \"\"one\"\"\" \n").unwrap(), ["id", "name", "odd, \"one\""]);
        assert_eq!(names("sku").unwrap(), ["sku"]);
        assert_eq!(names("a\r\n").unwrap(), ["a"]);
        assert_eq!(names("").unwrap_err(), "it is empty");
        assert_eq!(names("a,,b").unwrap_err(), "a name is missing");
        assert_eq!(names("a,b,a").unwrap_err(), "it names `a` twice");
        assert!(names("\"open").is_ok());
    }

    #[test]
    fn a_first_record_ends_outside_of_quotes() {
        let mut text = &b"\xef\xbb\xbfa,\"b\nc\"\n1,2\n"[..];
        assert_eq!(first_record(&mut text).unwrap(), b"a,\"b\nc\"\n");
        assert_eq!(text, b"1,2\n");
    }

    #[test]
    fn the_line_of_an_error_is_found_in_any_language() {
        assert_eq!(line_of("COPY skus, line 3, column price: \"x\""), Some(3));
        assert_eq!(line_of("PL/pgSQL function f() line 9 at RAISE\nCOPY t2, Zeile 12: »x«"), Some(12));
        assert_eq!(line_of("SQL function"), None);
        assert_eq!(line_of("COPY t"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_first_line_makes_it_panic(text: String) {
            let _ = names(&text);
            let _ = line_of(&text);
        }
    }
}

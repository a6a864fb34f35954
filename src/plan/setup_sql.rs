//! What set-up has to know about a statement before it sends it, by its first words.

use std::collections::BTreeSet;

/// The words at a statement's beginning, in lower case: enough to tell what it does and to which table.
fn words(sql: &str) -> Vec<String> {
    all_words(sql).take(12).collect()
}

/// The words of a statement without its signs; a qualified name is one word.
pub(crate) fn names(sql: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut joined = false;
    for word in all_words(sql) {
        let is_name = word.starts_with('"') || word.bytes().next().is_some_and(is_word);
        match names.last_mut() {
            Some(name) if joined && is_name => *name = format!("{name}.{word}"),
            _ if is_name => names.push(word.clone()),
            _ => {}
        }
        joined = word == ".";
    }
    names
}

/// Words and signs, without blanks and comments; words in lower case unless they are quoted.
fn all_words(sql: &str) -> impl Iterator<Item = String> {
    let mut rest = skip_blank(sql);
    std::iter::from_fn(move || {
        let end = match rest.as_bytes().first()? {
            b'"' => quoted_end(rest),
            b if is_word(*b) => rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len()),
            _ => rest.chars().next().map_or(rest.len(), char::len_utf8),
        };
        let word = &rest[..end];
        rest = skip_blank(&rest[end..]);
        Some(if word.starts_with('"') { word.to_owned() } else { word.to_lowercase() })
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// Behind the closing quote; a doubled one is part of the name.
fn quoted_end(text: &str) -> usize {
    let mut at = 1;
    while let Some(quote) = text[at..].find('"') {
        at += quote + 1;
        if !text[at..].starts_with('"') {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// Behind blanks and comments; block comments nest.
fn skip_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        if text.starts_with("--") {
            text = text.split_once('\n').map_or("", |(_, rest)| rest);
        } else if text.starts_with("/*") {
            let mut depth = 0;
            loop {
                if text.starts_with("/*") {
                    (depth, text) = (depth + 1, &text[2..]);
                } else if text.starts_with("*/") {
                    (depth, text) = (depth - 1, &text[2..]);
                } else {
                    text = &text[text.chars().next().map_or(0, char::len_utf8)..];
                }
                if depth == 0 || text.is_empty() {
                    break;
                }
            }
        } else {
            return text;
        }
    }
}

/// Whether it may share a transaction block with others: it is allowed there, ends none, and means the same there.
pub(crate) fn is_transactional(sql: &str) -> bool {
    let words = words(sql);
    let has = |word: &str| words.iter().any(|other| other == word);
    let starts =
        |start: &[&str]| words.len() >= start.len() && words.iter().zip(start).all(|(word, start)| word == start);
    match words.first().map(String::as_str) {
        Some("create") => {
            let alone = [["create", "database"], ["create", "tablespace"], ["create", "subscription"]];
            !has("concurrently") && !alone.iter().any(|start| starts(start))
        }
        Some("drop") => {
            let alone = [["drop", "database"], ["drop", "tablespace"], ["drop", "subscription"]];
            !has("concurrently") && !alone.iter().any(|start| starts(start))
        }
        // A new value of an enumeration can't be used before its transaction is over.
        Some("alter") => ["database", "system", "tablespace", "subscription", "type"]
            .iter()
            .all(|kind| !has(kind) || words[1] != *kind),
        Some(
            "insert" | "copy" | "update" | "delete" | "select" | "truncate" | "comment" | "grant" | "revoke"
            | "analyze" | "with",
        ) => true,
        _ => false,
    }
}

/// The setting that a `set` gives a value, for the session.
pub(crate) fn setting(sql: &str) -> Option<String> {
    let words = words(sql);
    let [set, name, is, ..] = &words[..] else { return None };
    (set == "set" && matches!(is.as_str(), "=" | "to")).then(|| name.clone())
}

/// What becomes of a statement where its tables are emptied and filled again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is sent again.
    Repeat,
    /// What it made is still there.
    Skip,
    /// It can't be sent again; what it is.
    Never(&'static str),
}

/// Whether a statement fills what is there. `made` has the tables of the statements before, and takes this one's.
pub(crate) fn again(sql: &str, made: &mut BTreeSet<String>) -> Again {
    const NEW_TABLE: &str = "select … into";
    let words = words(sql);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let has = |word: &str| {
        sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|other| other.eq_ignore_ascii_case(word))
    };
    match word(0) {
        "create" if (1..4).any(|at| matches!(word(at), "temp" | "temporary")) => Again::Never("a temporary table"),
        "create" => {
            let table = target(sql);
            let is_table = table.is_some();
            made.extend(table);
            // a view is made by a query too, but holds no rows; a default may be a query in parentheses
            if is_table && is_made_by_query(sql) { Again::Never("create table … as") } else { Again::Skip }
        }
        "drop" => match target(sql) {
            // what was there before the set-up is gone, what it made itself is still needed
            Some(table) if made.contains(&table) => Again::Never("drop table"),
            _ => Again::Skip,
        },
        "alter" if word(1) == "sequence" => Again::Repeat,
        "alter" | "comment" | "grant" | "revoke" | "security" | "import" | "reassign" => Again::Skip,
        "select" if has("into") => Again::Never(NEW_TABLE),
        "with" if has("into") && !has("insert") && !has("merge") => Again::Never(NEW_TABLE),
        "do" if has("create") || has("drop") => Again::Never("a `do` block that makes or drops something"),
        _ => Again::Repeat,
    }
}

/// Whether a `create table` is followed by a query: `as` outside of all parentheses and quotes, or `execute` behind it.
fn is_made_by_query(sql: &str) -> bool {
    let mut depth = 0_usize;
    let mut rest = skip_blank(sql);
    while let Some(first) = rest.bytes().next() {
        let end = match first {
            b'"' => quoted_end(rest),
            b'\'' => 1 + rest[1..].find('\'').map_or(rest.len() - 1, |at| at + 1),
            b if is_word(b) => rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len()),
            _ => rest.chars().next().map_or(rest.len(), char::len_utf8),
        };
        match &rest[..end] {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            word if depth == 0 && word.eq_ignore_ascii_case("as") => return true,
            _ => {}
        }
        rest = skip_blank(&rest[end..]);
    }
    false
}

/// The table that it makes, empties or removes, as written.
pub(crate) fn target(sql: &str) -> Option<String> {
    let words = words(sql);
    let mut words = words.iter().map(String::as_str).peekable();
    let verb = words.next()?;
    match verb {
        "create" => {
            while words.next_if(|word| matches!(*word, "unlogged" | "foreign")).is_some() {}
            words.next_if_eq(&"table")?;
        }
        "drop" => {
            words.next_if_eq(&"foreign");
            words.next_if_eq(&"table")?;
        }
        "truncate" => {
            words.next_if_eq(&"table");
        }
        _ => return None,
    }
    while words.next_if(|word| matches!(*word, "if" | "not" | "exists" | "only")).is_some() {}
    let mut name = words.next()?.to_owned();
    while words.next_if_eq(&".").is_some() {
        name = format!("{name}.{}", words.next()?);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_refuse_a_transaction_block_run_alone() {
        for sql in [
            "vacuum analyze",
            "-- now\nVACUUM",
            "/* a /* b */ */ create index concurrently on t (a)",
            "create unique index concurrently i on t (a)",
            "create database x",
            "alter system set work_mem = '1MB'",
            "alter type mood add value 'fine'",
            "reindex table t",
            "begin",
            "commit",
            "call p()",
            "do $$ begin commit; end $$",
            "checkpoint",
            "set work_mem = '1GB'",
            "",
        ] {
            assert!(!is_transactional(sql), "{sql}");
        }
        for sql in [
            "create table t (a int)",
            "INSERT into t values (1)",
            "alter table t add column type int",
            "create type x as enum ()",
        ] {
            assert!(is_transactional(sql), "{sql}");
        }
    }

    #[test]
    fn the_table_of_a_statement_is_found() {
        for (sql, table) in [
            ("create table t (a int)", Some("t")),
            ("CREATE UNLOGGED TABLE IF NOT EXISTS Shop . \"Or\"\"ders\" (a int)", Some("shop.\"Or\"\"ders\"")),
            ("-- x\ndrop table if exists a.b cascade", Some("a.b")),
            ("truncate only t", Some("t")),
            ("create temp table t (a int)", None),
            ("create index on t (a)", None),
            ("insert into t values (1)", None),
            ("create table", None),
        ] {
            assert_eq!(target(sql).as_deref(), table, "{sql}");
        }
    }

    #[test]
    fn the_setting_of_a_statement_is_found() {
        assert_eq!(setting("SET row_security = off;").as_deref(), Some("row_security"));
        assert_eq!(setting("set work_mem to '1MB'").as_deref(), Some("work_mem"));
        assert_eq!(setting("set local work_mem to '1MB'"), None);
        assert_eq!(setting("set role app"), None);
    }

    #[test]
    fn statements_that_fill_are_told_from_those_that_make() {
        let mut made = BTreeSet::new();
        let table = "create table t (a int generated always as identity, b text default 'x as y')";
        assert_eq!(again(table, &mut made), Again::Skip);
        for (sql, expected) in [
            ("insert into t select 1", Again::Repeat),
            ("with x as (select 1) insert into t table x", Again::Repeat),
            ("select setval('s', 5)", Again::Repeat),
            ("copy t from stdin", Again::Repeat),
            ("vacuum analyze", Again::Repeat),
            ("alter sequence s restart with 7", Again::Repeat),
            ("do $$ begin insert into t values (1); end $$", Again::Repeat),
            ("alter table t add primary key (a)", Again::Skip),
            ("create view v as select 1", Again::Skip),
            ("create materialized view v as select 1", Again::Skip),
            ("drop table if exists old", Again::Skip),
            ("create table u (a int) as select 1", Again::Never("create table … as")),
            ("create unlogged table u as table t", Again::Never("create table … as")),
            ("create temp table u (a int)", Again::Never("a temporary table")),
            ("select 1 into u", Again::Never("select … into")),
            ("drop table t", Again::Never("drop table")),
            ("do $$ begin create table x (); end $$", Again::Never("a `do` block that makes or drops something")),
        ] {
            assert_eq!(again(sql, &mut made), expected, "{sql}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(sql: String) {
            again(&sql, &mut BTreeSet::new());
            again(&format!("create table {sql}"), &mut BTreeSet::new());
            is_transactional(&sql);
            target(&sql);
        }

        #[test]
        fn comments_before_it_change_nothing(comment in "[a-z */]{0,20}") {
            let line = format!("-- {comment}\ncreate table t ()");
            proptest::prop_assert_eq!(target(&line), Some("t".to_owned()));
        }
    }
}

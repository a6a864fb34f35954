//! Pieces of scenarios that are written for a user.

use crate::plan::compile::references;

/// The nearest name that a scenario may have.
pub(crate) fn identifier(stem: &str) -> String {
    let name: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("script_{name}") }
}

/// A text as a value: plain where every reader of YAML takes it for that text or a number, else in quotes.
pub(crate) fn value(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let word = text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.'));
    let reserved = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let is_reserved = reserved.iter().any(|word| text.eq_ignore_ascii_case(word));
    let number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if number || word && text.chars().all(plain) && !is_reserved { text.to_owned() } else { quoted(text) }
}

/// A string of JSON is one of YAML, but for what YAML does not take as it is.
pub(crate) fn quoted(text: &str) -> String {
    let escaped = |c: char| if is_unprintable(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    serde_json::Value::from(text).to_string().chars().map(escaped).collect()
}

/// Whether YAML takes a character in its escaped form alone, or for the end of a line; JSON escapes those below a blank.
fn is_unprintable(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The value of a variable. Where a scenario would read names of variables in it, it is a string of an expression.
pub(crate) fn variable(text: &str) -> String {
    if references(text).is_empty() { value(text) } else { quoted(&format!("'{}'", text.replace('\'', "''"))) }
}

/// Lines below a key, or in quotes where lines would not keep them as they are; `indent` is the key's.
pub(crate) fn block(text: &str, indent: usize) -> String {
    let text = text.trim_end();
    if text.chars().any(|c| c < ' ' && c != '\n' && c != '\t' || is_unprintable(c)) {
        return quoted(text);
    }
    let explicit = if text.starts_with(char::is_whitespace) { "2" } else { "" };
    let lines = text.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("{:width$}{line}\n", "", width = indent + 2),
    });
    format!("|{explicit}\n{}", lines.collect::<String>().trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::{block, identifier, value, variable};
    use crate::plan::compile::{CompileInputs, compile, show_value};
    use crate::source::SourceId;

    #[test]
    fn a_value_is_plain_where_nobody_can_mistake_it() {
        for (text, expected) in [
            ("sql/Order-1.sql", "sql/Order-1.sql"),
            ("1e3", "1e3"),
            ("-5", "-5"),
            ("-a", "\"-a\""),
            ("No", "\"No\""),
            ("a: b", "\"a: b\""),
            ("", "\"\""),
        ] {
            assert_eq!(value(text), expected);
        }
        assert_eq!(variable("it's :x"), "\"'it''s :x'\"");
        assert_eq!(variable("12:30:x"), "\"12:30:x\"");
        assert_eq!(identifier("9 lives"), "script_9_lives");
    }

    #[test]
    fn a_block_keeps_its_lines() {
        assert_eq!(block("select 1;\n\nselect 2;\n", 4), "|\n      select 1;\n\n      select 2;");
        assert_eq!(block("  select 1;", 0), "|2\n    select 1;");
        assert_eq!(block("a\r\nb", 0), "\"a\\r\\nb\"");
    }

    /// The variable and the script that a scenario reads where these are written into it.
    fn read_back(text: &str, script: &str) -> (String, String) {
        let yaml = format!(
            "reprise: 1\nvars:\n  v: {}\nscripts:\n  s:\n    sql: {}\nload: {{transactions: 1}}\n",
            variable(text),
            block(script, 4)
        );
        let scenario = crate::scenario::parse(SourceId(0), &yaml).unwrap_or_else(|errors| panic!("{errors:?}\n{yaml}"));
        let script = scenario.scripts.get("s").and_then(|script| script.sql.clone()).unwrap().text;
        let inputs = CompileInputs {
            name: "test",
            defines: &[],
            profile: None,
            point: &[],
            texts: &|_| None,
            environment: &|_| None,
            cores: 1,
            random_seed: 1,
        };
        // whatever the script is, the variable is compiled
        let without_script = yaml.replace(&block(&script, 4), "select 1");
        let scenario = crate::scenario::parse(SourceId(0), &without_script).unwrap();
        let plan = compile(&scenario, &inputs).unwrap_or_else(|errors| panic!("{errors:?}\n{yaml}"));
        (show_value(&plan.vars[0].value), script)
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_back(text in "[^\0]*", script in "([a-z \t\n'\":#é\u{85}\u{2028}\u{feff}\\\\-]|\\PC)*") {
            proptest::prop_assume!(!text.contains(":v") && !script.trim().is_empty());
            let (value, read) = read_back(&text, &script);
            proptest::prop_assert_eq!(value.trim(), text.trim());
            proptest::prop_assert_eq!(read.trim_end(), script.trim_end());
        }
    }
}

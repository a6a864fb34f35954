//! Whatever a file holds: the parsers and the compiler answer with a result, in a time that grows with its size.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

#[path = "fuzz/input.rs"]
mod input;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use reprise::plan::compile::{CompileInputs, compile};
use reprise::plan::{Detail, print};
use reprise::scenario;
use reprise::script::{self, Dialect};
use reprise::source::{SourceId, SourceMap};

const DIALECTS: [Dialect; 2] = [Dialect::Pgbench, Dialect::Extended];

fn take_script(text: &str) {
    input::take_script(text, |_, _, _| ());
}

/// Parses a scenario whose files are all the same script, compiles it, and shows what is wrong with it.
fn take_scenario(text: &str) {
    let mut sources = SourceMap::default();
    let id = sources.add("fuzz.yaml", text);
    let script = "\\set id random(1, 10)\nselect :id;\n";
    let file = sources.add("fuzz.sql", script);
    let (scenario, errors) = scenario::parse_partly(id, text);
    for error in &errors {
        let _ = error.diagnostic();
    }
    let Some(scenario) = scenario else { return };
    let inputs = CompileInputs {
        name: "fuzz",
        defines: &[],
        profile: None,
        point: &[],
        texts: &|_| Some((file, script)),
        environment: &|_| Some("x".to_owned()),
        cores: 4,
        random_seed: 1,
    };
    match compile(&scenario, &inputs) {
        Ok(plan) => drop(print(&plan, Detail::Programs)),
        Err(errors) => {
            for error in errors {
                for label in error.diagnostic().labels {
                    let _ = sources.slice(label.span);
                }
            }
        }
    }
}

fn files(folders: &[&str], extension: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for folder in folders {
        read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), extension, &mut texts);
    }
    assert!(texts.len() > 3);
    texts
}

fn read_folder(folder: &Path, extension: &str, texts: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_folder(&path, extension, texts);
        } else if path.extension().is_some_and(|e| e == extension) {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
}

/// What is done to a text: a stretch of it goes, and something else comes.
#[derive(Debug, Clone)]
struct Cut {
    at: prop::sample::Index,
    length: usize,
    instead: String,
}

fn cuts() -> impl Strategy<Value = Vec<Cut>> {
    let signs = prop::sample::select(vec![
        "\\",
        "\\set",
        "\\if",
        "\\endif",
        "\\gset",
        ":",
        "::",
        ":'",
        "'",
        "\"",
        "$$",
        "$a$",
        "/*",
        "*/",
        "--",
        "(",
        ")",
        ";",
        "\n",
        "\r\n",
        "\0",
        "\t",
        "  ",
        "- ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "|",
        ">",
        "&a",
        "*a",
        "<<: ",
        "#",
        "é",
        "\u{feff}",
        "\u{1F600}",
        "9223372036854775808",
        "1e999",
        "-",
        "case",
        "end",
        "begin",
        "create function",
    ])
    .prop_map(str::to_owned);
    let instead = prop_oneof![signs, ".{0,4}", Just(String::new())];
    let cut = (any::<prop::sample::Index>(), 0_usize..12, instead);
    prop::collection::vec(cut.prop_map(|(at, length, instead)| Cut { at, length, instead }), 1..6)
}

fn apply(text: &str, cuts: &[Cut]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for cut in cuts {
        let at = cut.at.index(characters.len() + 1);
        let end = (at + cut.length).min(characters.len());
        characters.splice(at..end, cut.instead.chars());
    }
    characters.into_iter().collect()
}

#[test]
fn no_bytes_make_the_parsers_panic() {
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) }, |(bytes in bytes)| {
        let text = String::from_utf8_lossy(&bytes);
        take_script(&text);
        take_scenario(&text);
        for dialect in DIALECTS {
            let _ = script::parse_expression(SourceId(0), &text, 0, dialect);
        }
    });
}

#[test]
fn no_expression_makes_the_parser_panic() {
    let words = prop::sample::select(vec![
        "1",
        "1.5",
        ".5e1",
        "9223372036854775808",
        ":a",
        "'t'",
        "null",
        "true",
        "(",
        ")",
        ",",
        "+",
        "-",
        "*",
        "/",
        "%",
        "=",
        "<>",
        "<=",
        "<<",
        "&",
        "|",
        "||",
        "#",
        "~",
        "not",
        "and",
        "or",
        "is",
        "isnull",
        "case",
        "when",
        "then",
        "else",
        "end",
        "random",
        "abs",
        "permute",
        "if",
    ]);
    let words = prop::collection::vec(words, 0..20);
    proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) }, |(words in words)| {
        let text = words.join(" ");
        for dialect in DIALECTS {
            let _ = script::parse_expression(SourceId(0), &text, 0, dialect);
        }
        take_script(&format!("\\set x {text}\n\\if {text}\nselect :x;\n\\endif\n"));
    });
}

#[test]
fn no_change_of_a_script_makes_it_panic() {
    let texts = prop::sample::select(files(&["tests/script", "tests/conformance", "scenarios"], "sql"));
    proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) }, |(text in texts, cuts in cuts())| {
        take_script(&apply(&text, &cuts));
    });
}

#[test]
fn no_change_of_a_scenario_makes_it_panic() {
    let texts = prop::sample::select(files(&["tests/scenario", "scenarios"], "yaml"));
    proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) }, |(text in texts, cuts in cuts())| {
        take_scenario(&apply(&text, &cuts));
    });
}

#[test]
fn what_nests_too_deep_is_refused_and_does_not_overflow_the_stack() {
    let deep = scaled(100_000);
    let nested = [
        format!("{}1{}", "(".repeat(deep), ")".repeat(deep)),
        "(".repeat(deep),
        ")".repeat(deep),
        format!("{}1", "-".repeat(deep)),
        format!("{}1", "not ".repeat(deep)),
        format!("1{}", " + 1".repeat(deep)),
        format!("1{}", " = 1".repeat(deep)),
        "case when ".repeat(deep),
        format!("{}1{}", "abs(".repeat(deep), ")".repeat(deep)),
    ];
    for text in nested {
        for dialect in DIALECTS {
            assert!(script::parse_expression(SourceId(0), &text, 0, dialect).is_err(), "{}", &text[..20]);
        }
        take_script(&format!("\\set x {text}\nselect 1;\n"));
    }
    let mut blocks = String::new();
    for _ in 0..deep {
        blocks.push_str("\\if true\n");
    }
    take_script(&blocks);
    take_script(&"\\endif\n".repeat(deep));
    take_script(&"\\nosuch\n".repeat(deep));
    take_script(&format!("{blocks}select 1;\n{}", "\\endif\n".repeat(deep)));
    take_script(&format!("select {}1{};", "(".repeat(deep), ")".repeat(deep)));
    take_script(&format!("select 1 {}{};", "/* ".repeat(deep), "*/ ".repeat(deep)));
    take_script(&"'".repeat(deep));
    take_script(&"$a$".repeat(deep));
    for text in ["[".repeat(deep), "{a: ".repeat(deep), "- ".repeat(deep), "a:\n ".repeat(deep)] {
        take_scenario(&text);
    }
    let mut aliases = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        writeln!(aliases, "a{level}: &a{level} [{}]", before.trim_end_matches(", ")).unwrap();
    }
    take_scenario(&aliases);
}

/// Ten megabytes are more than anybody writes, and a generated script may come near.
#[test]
fn a_large_script_is_read() {
    let command =
        "\\set id random(1, 100000 * :scale)\nupdate accounts set balance = balance + :id where id = :id; -- one\n";
    let count = scaled(10_000_000) / command.len();
    let text = command.repeat(count);
    let begun = Instant::now();
    let script = script::parse(SourceId(0), &text, Dialect::Pgbench).unwrap();
    assert_eq!(script.commands.len(), 2 * count);
    // a second where nothing else runs
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// So much in an optimized build; without optimization, what takes as long.
fn scaled(size: usize) -> usize {
    if cfg!(debug_assertions) { size / 50 } else { size }
}

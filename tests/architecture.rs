//! The house rules that a compiler does not know: who may import whom, how long a file may be, who may print, and
//! which words have no place here.
#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test that can not go on ends")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a module may use of the crate, and which external crates it must never name.
struct Rule {
    modules: &'static [&'static str],
    may_use: &'static [&'static str],
    never: &'static [&'static str],
}

/// The table of imports. A module that is not in it has no right to exist.
const RULES: &[Rule] = &[
    Rule { modules: &["clock", "id", "name", "source", "suggest"], may_use: &[], never: &["tokio", "serde"] },
    Rule { modules: &["diagnostic"], may_use: &["source"], never: &["miette"] },
    Rule { modules: &["eval"], may_use: &["id", "source", "diagnostic"], never: &["tokio", "serde"] },
    Rule { modules: &["script"], may_use: &["name", "source", "suggest", "diagnostic"], never: &["tokio"] },
    Rule { modules: &["scenario"], may_use: &["name", "source", "suggest", "diagnostic"], never: &["tokio"] },
    Rule {
        modules: &["plan"],
        may_use: &["id", "name", "source", "suggest", "diagnostic", "script", "scenario", "eval"],
        never: &["tokio", "serde"],
    },
    Rule { modules: &["pg"], may_use: &["clock", "diagnostic"], never: &["hdrhistogram"] },
    Rule { modules: &["metrics"], may_use: &["id"], never: &["tokio"] },
    Rule { modules: &["stats"], may_use: &[], never: &["tokio", "serde"] },
    Rule {
        modules: &["exec"],
        may_use: &["clock", "id", "name", "source", "diagnostic", "plan", "eval", "pg", "metrics"],
        never: &["serde"],
    },
    Rule { modules: &["report"], may_use: &["id", "plan", "metrics", "stats", "term"], never: &["tokio"] },
    Rule { modules: &["setup"], may_use: &["plan", "pg", "id", "source", "diagnostic", "clock"], never: &[] },
    Rule { modules: &["server"], may_use: &["pg", "clock", "diagnostic"], never: &[] },
    Rule { modules: &["term"], may_use: &[], never: &["tokio"] },
    Rule {
        modules: &["cli"],
        may_use: &[
            "clock",
            "id",
            "name",
            "source",
            "suggest",
            "diagnostic",
            "eval",
            "script",
            "scenario",
            "plan",
            "pg",
            "metrics",
            "stats",
            "exec",
            "report",
            "setup",
            "server",
            "term",
        ],
        never: &[],
    },
];

/// External crates that have one seam: the paths below `src/` that may name them.
const SEAMS: &[(&str, &[&str])] = &[
    ("pest", &["script/parser"]),
    ("pest_derive", &["script/parser"]),
    ("serde_saphyr", &["scenario/yaml.rs"]),
    ("postgres_protocol", &["pg/"]),
    ("clap", &["cli/"]),
    ("clap_complete", &["cli/"]),
    ("miette", &["cli/"]),
    ("hdrhistogram", &["metrics/"]),
    ("ureq", &["server/download/"]),
    ("tar", &["server/download/"]),
    ("flate2", &["server/download/"]),
];

/// The most lines of a file that are not tests.
const MOST_LINES: usize = 400;

struct File {
    /// Relative to `src/`, with slashes.
    path: String,
    /// Everything before the tests, without comment lines.
    code: String,
    /// How many lines stand before the tests.
    lines: usize,
}

impl File {
    fn module(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "target" && name != ".git" && name != "reprise-runs" {
                walk(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

fn production(text: &str) -> &str {
    let mut at = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (n, line) in lines.iter().enumerate() {
        let starts_tests = line.starts_with("#[cfg(test)]")
            && lines[n + 1..].iter().find(|l| !l.starts_with("#[")).is_some_and(|l| l.starts_with("mod "));
        if starts_tests {
            return &text[..at];
        }
        at += line.len();
    }
    text
}

fn sources() -> Vec<File> {
    let src = root().join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    let mut files: Vec<File> = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs"))
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let kept = production(&text);
            let code: String =
                kept.lines().filter(|l| !l.trim_start().starts_with("//")).fold(String::new(), |mut code, line| {
                    code.push_str(line);
                    code.push('\n');
                    code
                });
            let path = path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
            File { path, code, lines: kept.lines().count() }
        })
        .filter(|file| !file.path.contains("/tests/"))
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!files.is_empty(), "no source found");
    files
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn leading_word(text: &str) -> &str {
    &text[..text.bytes().position(|b| !is_word(b)).unwrap_or(text.len())]
}

/// Every place where `name` stands as the first part of a path, such as `name::`, `use name;` or `#[name(`.
fn starts_of<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(name).filter_map(move |(at, _)| {
        let before = code[..at].bytes().next_back();
        let after = &code[at + name.len()..];
        let begins = before.is_none_or(|b| !is_word(b) && b != b':' && b != b'.' && b != b'"');
        (begins && !after.bytes().next().is_some_and(is_word)).then_some(after)
    })
}

/// The modules of the crate that a file names by `crate::…`, also in braces.
fn crate_imports(code: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for after in starts_of(code, "crate") {
        let Some(path) = after.strip_prefix("::") else { continue };
        let Some(group) = path.strip_prefix('{') else {
            found.insert(leading_word(path));
            continue;
        };
        let mut depth = 0;
        let mut expects_name = true;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => expects_name = true,
                c if depth == 0 && expects_name && !c.is_whitespace() => {
                    found.insert(leading_word(&group[at..]));
                    expects_name = false;
                }
                _ => {}
            }
        }
    }
    found
}

fn names_crate(code: &str, name: &str) -> bool {
    starts_of(code, name).any(|after| after.starts_with("::"))
        || code.contains(&format!("use {name};"))
        || code.contains(&format!("use {name} as "))
}

fn complain(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let mut faults = Vec::new();
    for file in sources().iter().filter(|f| f.path != "lib.rs" && f.path != "main.rs") {
        let Some(rule) = RULES.iter().find(|r| r.modules.contains(&file.module())) else {
            faults.push(format!("{}: `{}` is not in the table of modules", file.path, file.module()));
            continue;
        };
        for used in crate_imports(&file.code) {
            if used != file.module() && !rule.may_use.contains(&used) {
                faults.push(format!("{}: `{}` must not use `{used}`", file.path, file.module()));
            }
        }
        for name in rule.never {
            if names_crate(&file.code, name) {
                faults.push(format!("{}: `{}` must not use the crate `{name}`", file.path, file.module()));
            }
        }
    }
    complain(&faults);
}

#[test]
fn the_program_is_the_command_line_and_nothing_else() {
    let files = sources();
    let main = files.iter().find(|f| f.path == "main.rs").expect("src/main.rs");
    assert!(main.lines <= 25, "main.rs has {} lines", main.lines);
    for after in starts_of(&main.code, "reprise") {
        assert!(after.starts_with("::cli"), "main.rs uses more than `cli`");
    }
    if let Some(run) = files.iter().find(|f| f.path == "cli/run.rs") {
        assert!(run.lines <= 80, "cli/run.rs has {} lines; 80 are the limit", run.lines);
    }
}

#[test]
fn each_library_has_its_seam() {
    let mut faults = Vec::new();
    for file in sources() {
        for (name, allowed) in SEAMS {
            if names_crate(&file.code, name) && !allowed.iter().any(|prefix| file.path.starts_with(prefix)) {
                faults.push(format!("{}: the crate `{name}` stays in {}", file.path, allowed.join(", ")));
            }
        }
        if file.module() == "report" && file.code.contains("std::fs") {
            faults.push(format!("{}: a report is rendered, never written here", file.path));
        }
    }
    complain(&faults);
}

#[test]
fn no_file_is_too_long() {
    let long = |f: &File| (f.lines > MOST_LINES).then(|| format!("{}: {} lines before its tests", f.path, f.lines));
    complain(&sources().iter().filter_map(long).collect::<Vec<_>>());
}

#[test]
fn only_the_command_line_prints_and_exits() {
    const WAYS: &[&str] = &["println!", "print!", "eprintln!", "eprint!", "dbg!", "process::exit"];
    let mut faults = Vec::new();
    for file in sources().iter().filter(|f| f.module() != "cli" && f.path != "main.rs") {
        for way in WAYS {
            if file.code.contains(way) {
                faults.push(format!("{}: `{way}` belongs into cli/", file.path));
            }
        }
    }
    complain(&faults);
}

#[test]
fn nothing_speaks_of_where_or_how_it_was_written() {
    // in two parts each, so that this file does not hold them
    const WORDS: &[&str] = &[
        concat!("/wor", "k/"),
        concat!("/tmp/", "wt"),
        concat!("/tmp/", "anchors"),
        concat!("helper ", "session"),
        concat!("another ", "session wrote"),
        concat!("issue ", "#"),
        concat!("clau", "de"),
        concat!("anthro", "pic"),
        concat!("index", "-url"),
        concat!("FIX", "ME"),
        concat!("TO ", "BE IMPLEMENTED"),
    ];
    let mut paths = Vec::new();
    walk(root(), &mut paths);
    let mut faults = Vec::new();
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let lower = text.to_lowercase();
        for word in WORDS {
            if lower.contains(&word.to_lowercase()) {
                faults.push(format!("{}: `{word}`", path.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    complain(&faults);
}

#[test]
fn every_dependency_comes_from_the_public_registry() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let strange: Vec<String> = lock
        .lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .filter(|source| *source != "\"registry+https://github.com/rust-lang/crates.io-index\"")
        .map(str::to_owned)
        .collect();
    complain(&strange);
}

#[test]
fn the_readers_of_this_test_see_what_they_should() {
    let code = "use crate::plan::{Plan, Op};\nuse crate::{id::{A, B}, source};\nlet x = crate::pg::Error::A;\n";
    assert_eq!(crate_imports(code).into_iter().collect::<Vec<_>>(), ["id", "pg", "plan", "source"]);
    assert!(names_crate("use pest::Parser;", "pest"));
    assert!(names_crate("    let a = serde_saphyr::from_str(x);", "serde_saphyr"));
    assert!(!names_crate("use pest_derive::Parser;", "pest"));
    assert!(!names_crate("use tokio_postgres::Config;", "tokio"));
    assert!(!names_crate("let serde = 1; a.tokio::<u8>()", "tokio"));
    assert_eq!(production("fn a() {}\n#[cfg(test)]\nmod tests {\n"), "fn a() {}\n");
    assert_eq!(production("#[cfg(test)]\nuse x;\nfn a() {}\n"), "#[cfg(test)]\nuse x;\nfn a() {}\n");
}

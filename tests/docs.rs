//! The written word, held against the program.
#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test that can not go on ends")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use support::{reprise, run};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every page of the documentation.
fn pages() -> Vec<(String, String)> {
    let folders = ["docs", "grammar", "scenarios", "benches"];
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(|f| files(&root().join(f), "md")).collect();
    paths.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let named = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.strip_prefix(root()).unwrap().to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(named).collect()
}

/// The fenced blocks of one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside: Option<(bool, String)> = None;
    for line in text.lines() {
        match (&mut inside, line.strip_prefix("```")) {
            (None, Some(tag)) => inside = Some((tag.trim() == language, String::new())),
            (Some(_), Some("")) => found.extend(inside.take().filter(|(wanted, _)| *wanted).map(|(_, block)| block)),
            (Some((_, block)), _) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// Compares with a committed file, or writes it where `REPRISE_BLESS` is set.
fn golden(path: &str, actual: &str) {
    let path = root().join(path);
    if std::env::var_os("REPRISE_BLESS").is_some() {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(actual == expected, "{} is out of date; `just bless` writes it anew:\n{actual}", path.display());
}

fn complain(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_page_of_the_command_line_is_what_help_says() {
    let help = |args: &[&str]| {
        let ended = run(reprise(args.iter().copied().chain(["--help"])).env("COLUMNS", "80"));
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.err);
        let lines: Vec<&str> = ended.out.lines().map(str::trim_end).collect();
        let wide: Vec<&&str> = lines.iter().filter(|l| l.chars().count() > 80).collect();
        assert!(wide.is_empty(), "wider than 80 columns: {wide:#?}");
        lines.join("\n").trim_end().to_owned()
    };
    let mut page = String::from("# The command line\n\nWhat `--help` says, command by command.\n");
    page.push_str(&format!("\n## reprise\n\n```text\n{}\n```\n", help(&[])));
    for command in reprise::cli::command().get_subcommands().filter(|c| !c.is_hide_set()) {
        let name = command.get_name();
        page.push_str(&format!("\n## reprise {name}\n\n```text\n{}\n```\n", help(&[name])));
    }
    golden("docs/reference/cli.md", &page);
}

#[test]
fn the_page_of_errors_lists_every_code() {
    let page = fs::read_to_string(root().join("docs/reference/errors.md")).unwrap();
    let listed: BTreeSet<&str> =
        page.lines().filter_map(|l| l.strip_prefix("| `")?.split_once('`')).map(|(code, _)| code).collect();
    let mut used = BTreeSet::new();
    for path in files(&root().join("src"), "rs") {
        let text = fs::read_to_string(&path).unwrap();
        let production = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
        let code = |word: &str| {
            let (stage, name) = word.split_once("::")?;
            let plain = |part: &str| {
                !part.is_empty() && part.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit())
            };
            (plain(stage) && plain(name)).then(|| word.to_owned())
        };
        if !path.ends_with("tests.rs") {
            used.extend(production.split('"').filter_map(code));
        }
    }
    let empty = page.lines().filter(|line| line.starts_with("| `")).filter(|line| {
        // `\\|` is a bar inside a cell
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        cells.len() != 4 || cells.iter().any(|cell| cell.is_empty())
    });
    let empty: Vec<String> =
        empty.map(|line| format!("not four cells with code, meaning, message and remedy: {line}")).collect();
    let used: BTreeSet<&str> = used.iter().map(String::as_str).collect();
    let missing: Vec<String> = used.difference(&listed).map(|c| format!("not in errors.md: {c}")).collect();
    let stale: Vec<String> =
        listed.difference(&used).map(|c| format!("in errors.md, but nowhere in src/: {c}")).collect();
    complain(&[missing, stale, empty].concat());
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for (name, text) in pages() {
        let folder = root().join(&name).parent().unwrap().to_owned();
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                faults.push(format!("{name}: {target}"));
            }
        }
    }
    complain(&faults);
}

#[test]
fn commands_in_the_docs_are_commands() {
    let mut faults = Vec::new();
    for (name, text) in pages() {
        for block in blocks(&text, "console") {
            for line in block.lines().filter_map(|l| l.strip_prefix("$ ")) {
                let words: Vec<&str> = line.split_whitespace().collect();
                let args = match words.iter().position(|w| *w == "--") {
                    Some(at) if line.starts_with("cargo run ") => &words[at + 1..],
                    _ if words[0] == "reprise" => &words[1..],
                    _ => continue,
                };
                let line = std::iter::once("reprise").chain(args.iter().copied());
                if let Err(error) = reprise::cli::command().try_get_matches_from(line) {
                    faults.push(format!("{name}: {error}"));
                }
            }
        }
    }
    complain(&faults);
}

#[test]
fn scenarios_and_scripts_in_the_docs_pass_check() {
    let mut faults = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in pages() {
        for (language, file) in [("yaml", "page.yaml"), ("sql", "page.sql")] {
            for block in blocks(&text, language) {
                fs::write(folder.path().join(file), &block).unwrap();
                let ended = run(reprise(["check", file]).current_dir(folder.path()));
                if ended.code != Some(0) {
                    faults.push(format!("{name}:\n{block}\n{}{}", ended.out, ended.err));
                }
            }
        }
    }
    complain(&faults);
}

#[test]
fn every_scenario_passes_check() {
    let mut paths = files(&root().join("scenarios"), "yaml");
    assert!(!paths.is_empty());
    // scripts of scenarios use their variables; those of pgbench stand alone
    paths.extend(files(&root().join("scenarios/pgbench"), "sql"));
    for path in paths {
        let ended = run(reprise(["check"]).arg(&path));
        assert_eq!(ended.code, Some(0), "{}: {}{}", path.display(), ended.out, ended.err);
    }
}

#[test]
fn the_starter_of_new_passes_check() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(reprise(["new", "shop"]).current_dir(folder.path())).code, Some(0));
    let ended = run(reprise(["check", "shop.yaml"]).current_dir(folder.path()));
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
}

#[test]
fn the_page_of_the_language_names_every_rule() {
    let page = fs::read_to_string(root().join("grammar/README.md")).unwrap();
    let mut faults = Vec::new();
    for file in ["script.pest", "expression.pest"] {
        let grammar = fs::read_to_string(root().join("grammar").join(file)).unwrap();
        for line in grammar.lines() {
            let Some((rule, definition)) = line.split_once('=') else { continue };
            let rule = rule.trim();
            let names_one = !rule.is_empty() && rule.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
            if names_one && definition.contains('{') && !page.contains(&format!("`{rule}`")) {
                faults.push(format!("{file}: `{rule}`"));
            }
        }
    }
    complain(&faults);
}

//! The written word, held against the program.
#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test that can not go on ends")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use reprise::eval::{Expr, Function, Generator, Scope, Value, evaluate};
use reprise::plan::program::OpKind;
use reprise::plan::{SlotInitial, compile};
use reprise::source::SourceId;
use serde_json::Value as Json;
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

/// Lines on which a value in braces begins with a colon outside of quotes, which readers of YAML 1.1 refuse.
fn bare_colons(yaml: &str) -> impl Iterator<Item = &str> {
    let count = |text: &str, c: char| text.matches(c).count();
    let in_braces = move |before: &str| count(before, '{') > count(before, '}') && count(before, '"') % 2 == 0;
    yaml.lines().filter(move |line| line.match_indices(": :").any(|(at, _)| in_braces(&line[..at])))
}

#[test]
fn every_scenario_is_read_by_other_readers_of_yaml() {
    let scenarios = files(&root().join("scenarios"), "yaml").into_iter();
    let scenarios = scenarios.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()));
    let of_page = |(name, text): (String, String)| {
        blocks(&text, "yaml").into_iter().map(move |block| (name.clone(), block)).collect::<Vec<_>>()
    };
    let mut faults = Vec::new();
    for (name, yaml) in scenarios.chain(pages().into_iter().flat_map(of_page)) {
        faults.extend(bare_colons(&yaml).map(|line| format!("{name}: {line}")));
    }
    complain(&faults);
    let bare = "load: {clients: :n}\nclients: :n\nload: {clients: \":n\"}\nsql: {sql: \"select x: :n\"}\n";
    assert_eq!(bare_colons(bare).collect::<Vec<_>>(), ["load: {clients: :n}"]);
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

/// The expression of a script's only `\set`, and the values of the variables that the page's examples use.
fn expression(text: &str) -> (Expr, Vec<Option<Value>>) {
    let yaml = "reprise: 1\nvars: {x: 5, name: Ada}\nscripts: {a: {file: a.sql}}\nload: {transactions: 1}\n";
    let script = format!("\\set nothing null\n\\set result {text}\nselect 1;\n");
    let scenario = reprise::scenario::parse(SourceId(0), yaml).unwrap();
    let inputs = compile::CompileInputs {
        name: "page",
        defines: &[],
        point: &[],
        profile: None,
        texts: &|_| Some((SourceId(1), script.as_str())),
        environment: &|_| None,
        cores: 1,
        random_seed: 1,
    };
    let plan = compile::compile(&scenario, &inputs).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let value = |initial: &SlotInitial| match initial {
        SlotInitial::Constant(value) => Some(value.clone()),
        _ => None,
    };
    let mut slots: Vec<Option<Value>> = plan.slots.iter().map(|slot| value(&slot.initial)).collect();
    let mut found = None;
    for op in &plan.scripts[0].ops {
        let OpKind::Set(slot, expr) = &op.kind else { break };
        slots[slot.index()] = Some(Value::Null);
        found = Some(expr.clone());
    }
    (found.unwrap(), slots)
}

/// What an expression gives, with its type.
fn result(text: &str) -> String {
    let (expr, slots) = expression(text);
    let mut scope = Scope {
        slots: &slots,
        random: &mut Generator::from_seed(1),
        client: 3,
        iteration: 7,
        now_us: &|| 1_750_000_000_000_000,
        debug: &mut |_| (),
        strict_text: false,
    };
    evaluate(&expr, &mut scope).unwrap_or_else(|error| panic!("{text}: {error:?}")).typed().to_string()
}

/// The examples of a line: `expression` → `result`.
fn examples(line: &str) -> Vec<(&str, &str)> {
    let pieces: Vec<&str> = line.split('`').collect();
    let arrows = (1..pieces.len()).filter(|at| pieces[*at] == " → ");
    arrows.map(|at| (pieces[at - 1], *pieces.get(at + 1).unwrap())).collect()
}

#[test]
fn every_example_of_an_expression_gives_what_the_page_says() {
    let path = "docs/reference/expressions.md";
    let page = fs::read_to_string(root().join(path)).unwrap();
    let mut right = String::new();
    for line in page.lines() {
        let mut line = line.to_owned();
        for (text, said) in examples(&line.clone()) {
            let found = result(&text.replace("\\|", "|"));
            line = line.replace(&format!("`{text}` → `{said}`"), &format!("`{text}` → `{found}`"));
        }
        right.push_str(&line);
        right.push('\n');
    }
    golden(path, &right);
}

#[test]
fn every_function_and_operator_has_an_example_with_its_result() {
    let page = fs::read_to_string(root().join("docs/reference/expressions.md")).unwrap();
    let examples: Vec<String> = page.lines().flat_map(examples).map(|(text, _)| text.replace("\\|", "|")).collect();
    let calls = |name: &str| {
        examples.iter().any(|text| text.split('(').any(|before| before.rsplit([' ', '(']).next() == Some(name)))
    };
    let functions = Function::names(true).iter().filter(|name| !calls(name)).map(|name| format!("{name}(…)"));
    let grammar = fs::read_to_string(root().join("grammar/expression.pest")).unwrap();
    let signs = grammar.split("// ---- ").find(|part| part.starts_with("signs")).unwrap();
    let signs = signs.split('"').skip(1).step_by(2);
    let words = grammar.split("// ---- ").find(|part| part.starts_with("words")).unwrap();
    let words = words.split("^\"").skip(1).filter_map(|rest| rest.split('"').next());
    let used = |sign: &str| examples.iter().any(|text| text.contains(sign));
    let operators = signs.chain(words).filter(|sign| !used(sign)).map(str::to_owned);
    let missing: Vec<String> = functions.chain(operators).collect();
    complain(&missing);
}

/// The keys of a document by the section that each stands in, as the schema names it.
fn keys(schema: &Json, here: &Json, section: &str, value: &Json, found: &mut BTreeSet<(String, String)>) {
    if let Some(name) = here["$ref"].as_str().and_then(|at| at.strip_prefix("#/$defs/")) {
        // a part of a section, in a profile, has the same keys
        let section = name.trim_start_matches("part_of_");
        keys(schema, &schema["$defs"][name], section, value, found);
    }
    for other in here["anyOf"].as_array().into_iter().flatten() {
        keys(schema, other, section, value, found);
    }
    if let Some(condition) = here["if"]["anyOf"].as_array() {
        let kinds = condition.iter().filter_map(|kind| kind["required"][0].as_str());
        let branch = if kinds.into_iter().any(|kind| value.get(kind).is_some()) { "then" } else { "else" };
        keys(schema, &here[branch], section, value, found);
    }
    match value {
        Json::Array(items) => items.iter().for_each(|item| keys(schema, &here["items"], section, item, found)),
        Json::Object(members) => {
            for (key, member) in members {
                let property = &here["properties"][key];
                if property.is_object() {
                    found.insert((section.to_owned(), key.clone()));
                    keys(schema, property, section, member, found);
                } else {
                    keys(schema, &here["additionalProperties"], section, member, found);
                }
            }
        }
        _ => {}
    }
}

/// A key under the section that is shown for it: a phase and a background load have the keys of a load.
fn shown(schema: &Json, (section, key): (String, String)) -> (String, String) {
    let of_load = matches!(section.as_str(), "phase" | "background_load");
    let of_load = of_load && schema["$defs"]["load"]["properties"].get(&key).is_some();
    (if of_load { "load".to_owned() } else { section }, key)
}

/// Every key of every section.
fn all_keys(schema: &Json) -> BTreeSet<(String, String)> {
    let of = |section: &str, object: &Json| -> Vec<(String, String)> {
        let keys = object["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
        keys.map(|key| (section.to_owned(), key.clone())).collect()
    };
    let sections = schema["$defs"].as_object().unwrap().iter();
    let whole = sections.filter(|(name, _)| !name.starts_with("part_of_"));
    whole.flat_map(|(name, object)| of(name, object)).chain(of("scenario", schema)).collect()
}

#[test]
fn every_key_of_a_scenario_has_an_example_that_is_checked() {
    let schema = reprise::scenario::json_schema();
    let scenarios = files(&root().join("scenarios"), "yaml");
    let mut texts: Vec<String> = scenarios.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    // those of the pages pass `check` by another test
    texts.extend(
        pages()
            .iter()
            .filter(|(name, _)| name.starts_with("docs/reference"))
            .flat_map(|(_, text)| blocks(text, "yaml")),
    );
    let mut found = BTreeSet::new();
    for text in texts {
        let document: Json = serde_saphyr::from_str(&text).unwrap();
        keys(&schema, &schema, "scenario", &document, &mut found);
    }
    let shown_once = |keys: BTreeSet<(String, String)>| -> BTreeSet<(String, String)> {
        keys.into_iter().map(|key| shown(&schema, key)).collect()
    };
    let (all, found) = (shown_once(all_keys(&schema)), shown_once(found));
    let missing: Vec<String> =
        all.difference(&found).map(|(section, key)| format!("no example of `{key}` in {section}")).collect();
    complain(&missing);
}

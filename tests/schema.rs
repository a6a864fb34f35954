//! The schema that editors get: what `check` takes is valid by it, and what is misspelt is not.
#![expect(clippy::unwrap_used, reason = "a test's fixtures are there")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;
use support::{reprise, run};

/// Where the schema is kept for those who take it from the repository.
const FILE: &str = "docs/reference/scenario.schema.json";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&reprise::scenario::json_schema()).unwrap()
}

/// A YAML file as JSON has it; `None` where JSON has nothing like it, such as a key that stands there twice.
fn json(path: &Path) -> Option<Value> {
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).ok()
}

fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(scenarios(&path));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_committed_schema_is_what_the_program_prints() {
    let ended = run(&mut reprise(["schema"]));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let path = root().join(FILE);
    if std::env::var_os("REPRISE_BLESS").is_some() {
        fs::write(&path, &ended.out).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == ended.out, "`just bless` writes {FILE} anew");
}

#[test]
fn every_scenario_is_valid_by_the_schema() {
    let validator = validator();
    let folders = ["scenarios", "tests/scenario/accept", "tests/scenario/sample", "tests/scenario/large"];
    let mut faults = Vec::new();
    let mut seen = 0;
    for path in folders.iter().flat_map(|folder| scenarios(&root().join(folder))) {
        let document = json(&path).unwrap();
        faults.extend(
            validator
                .iter_errors(&document)
                .map(|error| format!("{}: {}: {error}", path.display(), error.instance_path())),
        );
        seen += 1;
    }
    assert!(faults.is_empty() && seen > 10, "{}", faults.join("\n"));
}

#[test]
fn a_scenario_with_a_wrong_key_or_type_is_not_valid() {
    let validator = validator();
    let mut seen = 0;
    for path in scenarios(&root().join("tests/scenario/reject")) {
        let errors = fs::read_to_string(path.with_extension("err")).unwrap();
        let told =
            ["scenario::unknown_key", "scenario::wrong_type", "scenario::missing_key", "scenario::invalid_choice"];
        let Some(document) = json(&path).filter(|_| told.iter().any(|code| errors.contains(code))) else { continue };
        assert!(!validator.is_valid(&document), "{} is valid", path.display());
        seen += 1;
    }
    assert!(seen >= 3, "{seen}");
}

#[test]
fn every_fault_of_shape_is_found_where_it_stands() {
    let validator = validator();
    let valid = |text: &str| {
        let text = format!("reprise: 1\nscripts: {{a: {{sql: select 1}}}}\nload: {{clients: 2}}\n{text}\n");
        validator.is_valid(&serde_saphyr::from_str::<Value>(&text).unwrap())
    };
    let cases = [
        ("phases: [{name: x, duration: 5s}]", "phases: [{name: x, durration: 5s}]"),
        ("phases: [{sql: checkpoint}]", "phases: [{sql: checkpoint, duration: 5s}]"),
        ("setup: [{wait: 5s}]", "setup: [{wait: {until: select true, tiemout: 5s}}]"),
        ("setup: [{wait: {until: select true}}]", "setup: [{wait: {timeout: 5s}}]"),
        ("setup: [{fill: t, columns: {a: series}}]", "setup: [{fill: t, columns: {a: serial}}]"),
        (
            "setup: [{fill: t, columns: {a: {json: {b: {json: {c: uuid}}}}}}]",
            "setup: [{fill: t, columns: {a: {json: {b: {jsn: {c: uuid}}}}}}]",
        ),
        ("report: {progress: 5s}", "report: [progress]"),
        ("reset: none", "reset: nothing"),
        ("reset: :how", "reset: null"),
        ("background: {b: {think: {uniform: 1s..2s}}}", "background: {b: {think: {unifrm: 1s..2s}}}"),
        ("profiles: {ci: {phases: [{name: x, skip: true}]}}", "profiles: {ci: {phases: [{name: x, skp: true}]}}"),
        ("profiles: {ci: {load: {clients: 1}}}", "profiles: {ci: {loda: {clients: 1}}}"),
        ("vars: {a: 1, b: {default: 1}}", "vars: {b: {defualt: 1}}"),
        ("published: {title: x}", "published: {url: x}"),
        ("phases: [{name: x, measure: false}]", "phases: [{name: x, measure: no such}]"),
    ];
    for (right, wrong) in cases {
        assert!(valid(right), "refused: {right}");
        assert!(!valid(wrong), "accepted: {wrong}");
    }
}

#[test]
fn every_key_has_a_description() {
    fn undescribed(value: &Value, path: &str, found: &mut Vec<String>) {
        let Value::Object(members) = value else { return };
        for (name, member) in members {
            let path = format!("{path}/{name}");
            if name == "properties" {
                for (key, property) in member.as_object().unwrap() {
                    if property["description"].as_str().is_none_or(str::is_empty) {
                        found.push(format!("{path}/{key}"));
                    }
                }
            }
            undescribed(member, &path, found);
        }
    }
    let mut found = Vec::new();
    undescribed(&reprise::scenario::json_schema(), "", &mut found);
    assert!(found.is_empty(), "without a row in docs/reference/scenario.md:\n{}", found.join("\n"));
}

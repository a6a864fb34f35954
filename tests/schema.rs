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

/// Where a quantity stands, in place of `_`, with what it may be there and what not.
const QUANTITIES: [(&str, &[&str], &[&str]); 12] = [
    (
        "load: {clients: 1, timeout: _}",
        &["5s", "1.5 min", "200us", "':d'", "':n s'", "2 * :n ms", "(1 + 2)h", "'pi() s'", "1e3ms", "':ö'", ".5s"],
        &["5m", "5", "0", "5 sec", "s", "soon", "5:30", "':n m'", "5S", "5s..6s", "[5s]", "true"],
    ),
    ("load: {clients: 1, grace: _}", &["0", "5s", "unlimited", "':d'"], &["5", "5m", "limitless"]),
    (
        "load: {clients: 1, think: _}",
        &["0", "5s", "{uniform: 1s..2s}", "{uniform: ':d..9s'}"],
        &["5m", "{uniform: 1..2}"],
    ),
    ("load: {clients: 1, think: {uniform: _}}", &["1ms..2s"], &["1s", "1m..2m", "1s..2m", "1s.."]),
    ("load: {clients: 1, think: {exponential: {mean: _}}}", &["1s", "':n s'"], &["1", "1m"]),
    (
        "load: {clients: _}",
        &[
            "5",
            "':n'",
            "50 * :n",
            "0..9",
            "':n..10 * :n'",
            "'5'",
            "'greatest(1, 2)'",
            "case when 1 > 2 then 1 else 2 end",
        ],
        &["0", "many", "5m", "10 users", "1,000", "5..", "1.5", "true", "50%", "1..many"],
    ),
    ("load: {clients: 1, max_tries: _}", &["1", "5", "':n'"], &["5s", "1..2", "-1"]),
    ("load: {clients: 1, connections: _}", &["5", "per_client", "':n'"], &["0", "per_clint", "5s"]),
    (
        "load: {clients: 1, rate: _}",
        &["5/s", "':n/min'", "':r'", "1/s..5 /h", "1.5/s"],
        &["5", "5/m", "5/second", "5 s", "/s"],
    ),
    (
        "load: {clients: 1}\nphases: [{name: p, duration: _}]",
        &["5s", "':d'"],
        &["0", "'0'", "0s", "0.0 min", "5m", "5"],
    ),
    (
        "setup: [{sql: create table o (id int)}, {fill: t, rows: 5, columns: {a: _}}]\nload: {clients: 1}",
        &[
            "series",
            "{uniform: 1..9, round: 2}",
            "{uniform: ':n..9'}",
            "{uniform: 2024-01-01..2025-01-01}",
            "{uniform: -5.5..-1e3 + 1001}",
            "{words: 1..2}",
            "{words: 3}",
            "{normal: {mean: -4, stddev: ':n'}, min: 1}",
            "{normal: {mean: -4, stddev: 1}, min: 1, max: 2.5}",
            "{zipfian: {range: 1..9, s: 1.1}}",
            "{permute: '1..:n'}",
            "{choice: {a: 1, b: 0.5}}",
            "{choice: [1, b]}",
            "{pattern: 'x[0-9]{9}', unique: true, null_frac: 0.5}",
        ],
        &[
            "{}",
            "{uniform: 1..9, words: 2}",
            "{uniform: 9}",
            "{uniform: 1-9}",
            "{uniform: low..high}",
            "{uniform: 1..9, min: 1}",
            "{uniform: 1..9, unique: true}",
            "{uniform: 1..9, null_frac: 20%}",
            "{uniform: 1..9, null_frac: 2}",
            "{uniform: 1..9, round: half}",
            "{words: few}",
            "{normal: {mean: 5s, stddev: 1}}",
            "{normal: {mean: inf, stddev: 1}}",
            "{normal: {mean: 5, stddev: -1}}",
            "{exponential: {mean: 5ms}}",
            "{permute: 9}",
            "{choice: {a: often}}",
            "{references: o}",
            "{uuid: true}",
        ],
    ),
    (
        "setup: [{wait: _}]\nload: {clients: 1}",
        &["5s", "{until: select true, timeout: 5s}"],
        &["5", "5m", "{until: select true, timeout: 5m}"],
    ),
];

#[test]
fn a_quantity_is_marked_where_check_refuses_it() {
    let validator = validator();
    let folder = tempfile::tempdir().unwrap();
    let mut faults = Vec::new();
    for (place, right, wrong) in QUANTITIES {
        let cases = right.iter().map(|text| (text, true)).chain(wrong.iter().map(|text| (text, false)));
        for (text, is_right) in cases {
            let yaml = format!(
                "reprise: 1\nvars: {{n: 5, d: 5s, ö: 5s, r: 5/s}}\nscripts: {{a: {{sql: select 1}}}}\n{}\n{}\n",
                place.replace(" _", &format!(" {text}")),
                if place.contains("phases") { "" } else { "phases: [{name: p, duration: 1s}]" },
            );
            let name = folder.path().join("quantity.yaml");
            fs::write(&name, &yaml).unwrap();
            let checked = run(reprise(["check"]).arg(&name));
            if (checked.code == Some(0)) != is_right {
                faults.push(format!("`check` on `{text}` in `{place}`: {}{}", checked.out, checked.err));
            }
            if validator.is_valid(&serde_saphyr::from_str::<Value>(&yaml).unwrap()) != is_right {
                faults.push(format!("the schema on `{text}` in `{place}`, which is {is_right}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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

//! Scenarios: what is accepted comes out as a plan, what is refused as labelled errors, all at once.
//!
//! Each case is a few files with one stem: `accept/*.yaml` with `.plan`, `reject/*.yaml` with `.err`.
//! `REPRISE_BLESS=1` rewrites the expected files.

#![expect(clippy::unwrap_used, reason = "a test's fixtures are there")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use reprise::diagnostic::Diagnostic;
use reprise::plan::compile::{CompileInputs, compile};
use reprise::plan::print::Around;
use reprise::plan::{Detail, Plan, ProfilePlan, print};
use reprise::scenario::{self, Scenario};
use reprise::source::{SourceId, SourceMap};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenario").join(name)
}

/// Reads, parses and compiles a scenario as the command line does.
fn compile_file(
    path: &Path,
    profile: Option<&str>,
    defines: &[(String, String)],
) -> (SourceMap, Result<Plan, Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    let text = fs::read_to_string(path).unwrap();
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    let source = sources.add(file, text.clone());
    let (scenario, errors) = scenario::parse_partly(source, &text);
    let mut diagnostics: Vec<Diagnostic> = errors.iter().map(scenario::Error::diagnostic).collect();
    let Some(mut scenario) = scenario else { return (sources, Err(diagnostics)) };
    let mut changes = None;
    if let Some(name) = profile {
        match scenario.with_profile(name) {
            Ok((merged, list)) => {
                changes = Some(ProfilePlan::new(name, list));
                scenario = merged;
            }
            Err(errors) => diagnostics.extend(errors.iter().map(scenario::Error::diagnostic)),
        }
    }
    let texts = read_files(&scenario, path.parent().unwrap(), &mut sources);
    let inputs = CompileInputs {
        name: &path.file_stem().unwrap().to_string_lossy(),
        defines,
        profile: changes,
        point: &[],
        texts: &|wanted| texts.iter().find(|(name, _, _)| name == wanted).map(|(_, id, text)| (*id, text.as_str())),
        environment: &|name| (name != "UNSET").then(|| format!("<{name}>")),
        cores: 8,
        random_seed: 7,
    };
    let plan = compile(&scenario, &inputs);
    let errors = plan.as_ref().err().into_iter().flatten();
    diagnostics.extend(errors.map(reprise::plan::Error::diagnostic));
    diagnostics.sort_by_key(Diagnostic::position);
    (sources, plan.ok().filter(|_| diagnostics.is_empty()).ok_or(diagnostics))
}

fn read_files(scenario: &Scenario, folder: &Path, sources: &mut SourceMap) -> Vec<(String, SourceId, String)> {
    let mut texts = Vec::new();
    // what lies outside of the folder is not read
    let inside = |name: &str| !name.starts_with('/') && !name.starts_with("..");
    for file in scenario.files().into_iter().filter(|file| inside(&file.text)) {
        let Ok(text) = fs::read_to_string(folder.join(&file.text)) else { continue };
        texts.push((file.text.clone(), sources.add(file.text.clone(), text.clone()), text));
    }
    texts
}

/// A diagnostic without colors: message, then each label under its line, then the help.
fn render(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        writeln!(out, "{}: {}", diagnostic.code, diagnostic.message).unwrap();
        for label in &diagnostic.labels {
            let source = sources.get(label.span.source).unwrap();
            let (line, column) = sources.line_column(label.span);
            let text = source.text.lines().nth(line - 1).unwrap_or("");
            let width = sources.slice(label.span).lines().next().unwrap_or("").chars().count().max(1);
            writeln!(out, "  {}:{line}:{column}", source.name).unwrap();
            writeln!(out, "    {text}").unwrap();
            writeln!(out, "    {}{} {}", " ".repeat(column - 1), "^".repeat(width), label.text).unwrap();
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "  help: {help}").unwrap();
        }
        out.push('\n');
    }
    out
}

/// Compares with the expected file, or rewrites it.
fn golden(path: &Path, found: &str) -> Result<(), String> {
    if env::var_os("REPRISE_BLESS").is_some() {
        fs::write(path, found).unwrap();
        return Ok(());
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == found { Ok(()) } else { Err(format!("{} differs; found:\n{found}", path.display())) }
}

fn cases(folder_name: &str) -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder(folder_name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "no cases in {folder_name}");
    cases
}

/// What a case asks for in its first line: `# profile: NAME`, `# -D name=value`.
fn asked(path: &Path) -> (Option<String>, Vec<(String, String)>) {
    let text = fs::read_to_string(path).unwrap();
    let mut asked = (None, Vec::new());
    for line in text.lines().take_while(|line| line.starts_with('#')) {
        if let Some(profile) = line.strip_prefix("# profile: ") {
            asked.0 = Some(profile.to_owned());
        }
        if let Some((name, value)) = line.strip_prefix("# -D ").and_then(|define| define.split_once('=')) {
            asked.1.push((name.to_owned(), value.to_owned()));
        }
    }
    asked
}

#[test]
fn what_makes_sense_becomes_a_plan() {
    let mut faults = Vec::new();
    for case in cases("accept") {
        let (profile, defines) = asked(&case);
        let (sources, plan) = compile_file(&case, profile.as_deref(), &defines);
        let plan = plan.unwrap_or_else(|errors| panic!("{}:\n{}", case.display(), render(&errors, &sources)));
        let found = format!("{}{}", print(&plan, Detail::Programs), render(&plan.warnings, &sources));
        faults.extend(golden(&case.with_extension("plan"), &found).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_makes_no_sense_is_refused_all_at_once() {
    let mut faults = Vec::new();
    for case in cases("reject") {
        let (profile, defines) = asked(&case);
        let (sources, plan) = compile_file(&case, profile.as_deref(), &defines);
        let Err(errors) = plan else { panic!("{} was accepted", case.display()) };
        faults.extend(golden(&case.with_extension("err"), &render(&errors, &sources)).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_sample_of_the_design_compiles() {
    let sample = folder("sample/shop.yaml");
    let mut found = String::new();
    for profile in [None, Some("ci"), Some("laptop")] {
        let (sources, plan) = compile_file(&sample, profile, &[]);
        let plan = plan.unwrap_or_else(|errors| panic!("{}", render(&errors, &sources)));
        if profile.is_none() {
            write!(found, "{}{}", print(&plan, Detail::Programs), render(&plan.warnings, &sources)).unwrap();
        }
    }
    golden(&sample.with_extension("plan"), &found).unwrap();
}

#[test]
fn the_page_of_a_plan_answers_what_a_reviewer_asks() {
    let mut faults = Vec::new();
    for name in ["accept/linux-vs-windows-2016", "accept/pgbench", "sample/shop"] {
        let case = folder(&format!("{name}.yaml"));
        let (sources, plan) = compile_file(&case, None, &[]);
        let plan = plan.unwrap_or_else(|errors| panic!("{}", render(&errors, &sources)));
        let files = sources.names().skip(1).map(str::to_owned).collect();
        let around = Around { files, connections: None, cpus: Some(8), memory: Some(16 << 30) };
        faults.extend(golden(&case.with_extension("page"), &print(&plan, Detail::Page(&around))).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

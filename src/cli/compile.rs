//! Files → plan, with all errors of all files at once.

use std::collections::HashMap;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::plan::compile::{self, CompileInputs};
use crate::plan::{Plan, ProfilePlan};
use crate::scenario::{self, Scenario};
use crate::source::{SourceId, SourceMap};

use super::bare::{self, BareArgs};
use super::define::Define;
use super::files::{self, Files};

/// What is to be compiled, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// A scenario or a script.
    pub(crate) file: &'a Path,
    /// The load of a script.
    pub(crate) bare: &'a BareArgs,
    /// `-D`.
    pub(crate) define: &'a [Define],
    /// `--profile`.
    pub(crate) profile: Option<&'a str>,
    /// Whether `${NAME}` may stand for anything, since nothing will be run.
    pub(crate) any_environment: bool,
}

/// Compiles it; every text that is read goes to `sources`.
pub(crate) fn compile(request: Request<'_>, sources: &mut SourceMap) -> Result<Plan, Vec<Diagnostic>> {
    let is_scenario = bare::is_scenario(request.file);
    let text = if is_scenario {
        files::read_named(request.file).map_err(|error| vec![error.diagnostic(None)])?
    } else {
        request.bare.scenario(request.file, request.define)
    };
    let name = if is_scenario { request.file.display().to_string() } else { "<command line>".to_owned() };
    if !is_scenario {
        // it is named on the command line, not in a text that its user could look at
        files::read_named(request.file).map_err(|error| vec![error.diagnostic(None)])?;
    }
    compile_text(&text, &name, request, sources)
}

/// Compiles the text of a scenario as if it stood in the file; diagnostics call it `name`.
pub(crate) fn compile_text(
    text: &str,
    name: &str,
    request: Request<'_>,
    sources: &mut SourceMap,
) -> Result<Plan, Vec<Diagnostic>> {
    let source = sources.add(name, text);
    let (scenario, errors) = scenario::parse_partly(source, text);
    let mut errors: Vec<Diagnostic> = errors.iter().map(scenario::Error::diagnostic).collect();
    let Some(mut scenario) = scenario else { return Err(errors) };
    let mut profile = None;
    if let Some(name) = request.profile {
        match scenario.with_profile(name) {
            Ok((with_profile, changes)) => {
                (scenario, profile) = (with_profile, Some(ProfilePlan::new(name, changes)));
            }
            // the scenario's own faults are known already
            Err(faults) => errors.extend(
                faults.iter().map(scenario::Error::diagnostic).filter(|d| !errors.contains(d)).collect::<Vec<_>>(),
            ),
        }
    }
    let (texts, unreadable) = read_files(&scenario, request.file, sources);
    let defines: Vec<(String, String)> = if bare::is_scenario(request.file) {
        request.define.iter().map(|d| (d.name.clone(), d.value.clone())).collect()
    } else {
        Vec::new()
    };
    let stem = request.file.file_stem().unwrap_or_default().to_string_lossy();
    let environment = |name: &str| match std::env::var(name) {
        Err(_) if request.any_environment => Some(format!("${{{name}}}")),
        value => value.ok(),
    };
    let inputs = CompileInputs {
        name: &stem,
        defines: &defines,
        profile,
        texts: &|name| texts.get(name).and_then(|id| Some((*id, sources.get(*id)?.text.as_str()))),
        environment: &environment,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        random_seed: rand::random(),
    };
    let compiled = compile::compile(&scenario, &inputs);
    errors.extend(unreadable);
    match compiled {
        Ok(plan) if errors.is_empty() => Ok(plan),
        Ok(_) => Err(errors),
        Err(faults) => {
            // what is known about a place already is better than what follows from it
            let known: Vec<_> = errors.iter().map(Diagnostic::position).collect();
            let faults = faults.iter().map(crate::plan::Error::diagnostic);
            errors.extend(faults.filter(|fault| !known.contains(&fault.position())));
            Err(errors)
        }
    }
}

/// The texts of all files that the scenario names, and what is wrong with the others.
fn read_files(
    scenario: &Scenario,
    path: &Path,
    sources: &mut SourceMap,
) -> (HashMap<String, SourceId>, Vec<Diagnostic>) {
    let files = Files::beside(path);
    let (mut texts, mut unreadable) = (HashMap::new(), Vec::new());
    for file in scenario.files() {
        if texts.contains_key(&file.text) {
            continue;
        }
        match files.read(&file.text) {
            Ok(text) => {
                let shown = path.with_file_name(&file.text).display().to_string();
                texts.insert(file.text.clone(), sources.add(shown, text));
            }
            Err(error) => unreadable.push(error.diagnostic(Some(file.span))),
        }
    }
    // rows are read when they are sent
    let rows = scenario.copied_files().into_iter();
    unreadable.extend(rows.filter_map(|file| Some(files.open(&file.text).err()?.diagnostic(Some(file.span)))));
    (texts, unreadable)
}

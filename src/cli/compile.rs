//! Files → plan, with all errors of all files at once.

use std::collections::HashMap;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::plan::compile::{self, CompileInputs};
use crate::plan::{MatrixPlan, Plan, ProfilePlan};
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
    let (text, name) = read(request)?;
    compile_text(&text, &name, request, sources)
}

/// Compiles it, and where no profile is asked for, with each of its profiles too, so that their faults are known.
pub(crate) fn check(request: Request<'_>, sources: &mut SourceMap) -> Result<Plan, Vec<Diagnostic>> {
    let (text, name) = read(request)?;
    let document = Document::read(&text, &name, sources)?;
    let mut texts = Texts::default();
    let plan = document.written(request, &mut texts, sources).compile_all(sources);
    let mut errors = plan.as_ref().err().cloned().unwrap_or_default();
    for profile in document.scenario.profiles.names().filter(|_| request.profile.is_none()) {
        let request = Request { profile: Some(profile), ..request };
        let found = document.written(request, &mut texts, sources).compile_all(sources).err().unwrap_or_default();
        for mut fault in found {
            if !errors.iter().any(|known| known.code == fault.code && known.labels == fault.labels) {
                fault.message = format!("{} (with `--profile {profile}`)", fault.message);
                errors.push(fault);
            }
        }
    }
    match plan {
        Ok(plan) if errors.is_empty() => Ok(plan),
        _ => Err(errors),
    }
}

/// Compiles every point of its matrix, in order.
pub(crate) fn compile_points(request: Request<'_>, sources: &mut SourceMap) -> Result<Vec<Plan>, Vec<Diagnostic>> {
    let (text, name) = read(request)?;
    let document = Document::read(&text, &name, sources)?;
    let scenario = document.written(request, &mut Texts::default(), sources);
    let matrix = scenario.compile(&[], sources)?.matrix;
    (0..matrix.points()).map(|number| scenario.compile(&matrix.point(number), sources)).collect()
}

/// The text of the scenario, and what diagnostics call it.
fn read(request: Request<'_>) -> Result<(String, String), Vec<Diagnostic>> {
    let text = files::read_named(request.file).map_err(|error| vec![error.diagnostic(None)])?;
    if bare::is_scenario(request.file) {
        return Ok((text, request.file.display().to_string()));
    }
    // a script is named on the command line, not in a text that its user could look at
    Ok((request.bare.scenario(request.file, request.define), "<command line>".to_owned()))
}

/// Compiles the text of a scenario as if it stood in the file; diagnostics call it `name`.
pub(crate) fn compile_text(
    text: &str,
    name: &str,
    request: Request<'_>,
    sources: &mut SourceMap,
) -> Result<Plan, Vec<Diagnostic>> {
    let document = Document::read(text, name, sources)?;
    document.written(request, &mut Texts::default(), sources).compile_all(sources)
}

/// Points such that each value of each variable is in one of them.
fn values_of(matrix: &MatrixPlan) -> Vec<Vec<(String, usize)>> {
    let most = matrix.axes.iter().map(|axis| axis.values.len()).max().unwrap_or(0);
    let point = |number: usize| {
        matrix.axes.iter().map(|axis| (axis.name.clone(), number.min(axis.values.len().saturating_sub(1)))).collect()
    };
    (0..most).map(point).collect()
}

/// A scenario as it was written, without any profile.
struct Document {
    scenario: Scenario,
    /// What is wrong with its text.
    errors: Vec<Diagnostic>,
}

impl Document {
    fn read(text: &str, name: &str, sources: &mut SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let source = sources.add(name, text);
        let (scenario, errors) = scenario::parse_partly(source, text);
        let errors: Vec<Diagnostic> = errors.iter().map(scenario::Error::diagnostic).collect();
        scenario.map(|scenario| Self { scenario, errors: errors.clone() }).ok_or(errors)
    }

    /// The scenario with the profile that is asked for, and its files.
    fn written<'a>(&self, request: Request<'a>, texts: &mut Texts, sources: &mut SourceMap) -> Written<'a> {
        let (mut scenario, mut errors, mut profile) = (self.scenario.clone(), self.errors.clone(), None);
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
        let unreadable = texts.read(&scenario, request.file, sources);
        Written { request, scenario, profile, texts: texts.0.clone(), drawn: rand::random(), errors, unreadable }
    }
}

/// A scenario with its profile and its files.
struct Written<'a> {
    request: Request<'a>,
    scenario: Scenario,
    profile: Option<ProfilePlan>,
    texts: HashMap<String, SourceId>,
    /// What `seed: random` takes, for all points of a matrix.
    drawn: u64,
    /// What is known to be wrong with it.
    errors: Vec<Diagnostic>,
    unreadable: Vec<Diagnostic>,
}

impl Written<'_> {
    /// Compiles the scenario as it is and, of a matrix, each value as well, so that its faults are known.
    fn compile_all(&self, sources: &SourceMap) -> Result<Plan, Vec<Diagnostic>> {
        let plan = self.compile(&[], sources)?;
        let mut errors: Vec<Diagnostic> = Vec::new();
        for point in values_of(&plan.matrix) {
            let faults = self.compile(&point, sources).err().into_iter().flatten();
            let fresh: Vec<_> = faults.filter(|fault| !errors.contains(fault)).collect();
            errors.extend(fresh);
        }
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    /// Compiles one point of the matrix, or with none the scenario as it is.
    fn compile(&self, point: &[(String, usize)], sources: &SourceMap) -> Result<Plan, Vec<Diagnostic>> {
        let request = self.request;
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
            profile: self.profile.clone(),
            point,
            texts: &|name| self.texts.get(name).and_then(|id| Some((*id, sources.get(*id)?.text.as_str()))),
            environment: &environment,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            random_seed: self.drawn,
        };
        let compiled = compile::compile(&self.scenario, &inputs);
        let mut errors = self.errors.clone();
        errors.extend(self.unreadable.iter().cloned());
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
}

/// The texts of all files that were read, by the names that scenarios have for them.
#[derive(Default)]
struct Texts(HashMap<String, SourceId>);

impl Texts {
    /// Reads the files that the scenario names; returns what is wrong with those that can't be read.
    fn read(&mut self, scenario: &Scenario, path: &Path, sources: &mut SourceMap) -> Vec<Diagnostic> {
        let files = Files::beside(path);
        let mut unreadable = Vec::new();
        for file in scenario.files() {
            if self.0.contains_key(&file.text) {
                continue;
            }
            match files.read(&file.text) {
                Ok(text) => {
                    let shown = path.with_file_name(&file.text).display().to_string();
                    self.0.insert(file.text.clone(), sources.add(shown, text));
                }
                Err(error) => unreadable.push(error.diagnostic(Some(file.span))),
            }
        }
        // rows are read when they are sent
        let rows = scenario.copied_files().into_iter();
        unreadable.extend(rows.filter_map(|file| Some(files.open(&file.text).err()?.diagnostic(Some(file.span)))));
        unreadable
    }
}

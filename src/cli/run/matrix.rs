//! A run for every combination of some variables' values.

use std::collections::BTreeMap;
use std::io::Write;

use super::args::Part;
use super::conduct::{Conductor, Outcome};
use super::perform::Fault;
use super::place::Place;
use super::points::{Folder, hash};
use super::{Args, keep, show};
use crate::cli::color::ColorChoice;
use crate::cli::compile::{Request, compile_points};
use crate::cli::exit::Exit;
use crate::cli::runtime::runtime;
use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::plan::{MatrixPlan, Plan};
use crate::report::Report;
use crate::report::build::rfc3339;
use crate::report::claims::Claims;
use crate::report::matrix::{MatrixReport, PointReport};
use crate::report::model::Outcome as Verdict;
use crate::setup::{self, Rounds};
use crate::source::SourceMap;

/// What a matrix is run with.
pub(super) struct Matrix<'a> {
    args: &'a Args,
    color: ColorChoice,
    plans: Vec<Plan>,
    plan: MatrixPlan,
    /// The fingerprint of each set-up, so that each may take another's place.
    fingerprints: Vec<String>,
    folder: Folder,
    report: MatrixReport,
    /// What a publication says, held against the points.
    claims: Claims,
    /// The reports of the points, as far as stdout shows them.
    reports: Vec<Report>,
}

/// Whether a scenario is run once for each point of its matrix.
pub(super) fn is_varied(args: &Args, plan: &Plan) -> bool {
    !plan.matrix.axes.is_empty() && !matches!(args.only, Some(Part::Setup | Part::Teardown))
}

/// Runs all points of a matrix.
pub(super) fn run(
    args: &Args,
    request: Request<'_>,
    plan: &Plan,
    color: ColorChoice,
    sources: &mut SourceMap,
    out: &mut impl Write,
) -> Result<Exit, (Vec<Diagnostic>, Exit)> {
    let refuse = |diagnostics| (diagnostics, Exit::NothingMeasured);
    if args.hold {
        let text = "`--hold` keeps one server, and the points of a matrix may need several";
        let help = "set its variables with `-D`, or run it with `--once`";
        return Err(refuse(vec![Diagnostic::error("usage::hold", text).help(help)]));
    }
    let mut plans = compile_points(request, sources).map_err(refuse)?;
    for one in &mut plans {
        one.seed = plan.seed;
    }
    let path = if let Some(path) = &args.out {
        path.clone()
    } else {
        let clock = Clock::new();
        let started = rfc3339(clock.wall(clock.now()));
        let made = keep::among_runs(&plan.name, &started, |_| Ok(()));
        made.map_err(|error| refuse(vec![keep::not_kept(None, &error)]))?
    };
    let vars = plan.matrix.axes.iter().map(|axis| axis.name.clone()).collect();
    let matrix = Matrix {
        args,
        color,
        fingerprints: plans.iter().map(setup::fingerprint).collect(),
        folder: Folder::open(path),
        report: MatrixReport::new(
            env!("CARGO_PKG_VERSION"),
            &plan.name,
            plan.description.as_deref(),
            vars,
            plans.len(),
        ),
        claims: Claims::default(),
        plan: plan.matrix.clone(),
        plans,
        reports: Vec::new(),
    };
    let runtime = runtime().map_err(|fault| refuse(vec![fault]))?;
    let matrix = runtime.block_on(matrix.conduct()).map_err(Fault::refusal)?;
    show::matrix(&matrix.report, &matrix.reports, args.format, color, out);
    show::kept(matrix.folder.path());
    Ok(matrix.exit())
}

impl Matrix<'_> {
    /// Goes through the points; one that can't be run is noted, and the next one tried.
    async fn conduct(mut self) -> Result<Self, Fault> {
        let mut conductor = Conductor::begin(self.plans[0].report.progress, self.color)?;
        let mut place: Option<Place> = None;
        let mut failed = None;
        for number in 0..self.plans.len() {
            let outcome = Box::pin(self.point(&mut conductor, &mut place, number)).await;
            match outcome {
                Ok(()) if conductor.is_stopped() => self.report.interrupted = true,
                Ok(()) => {}
                Err(Fault::Interrupted(_)) if !self.report.points.is_empty() => self.report.interrupted = true,
                Err(fault) => failed = Some(fault),
            }
            if self.report.interrupted || failed.is_some() {
                break;
            }
        }
        conductor.finish();
        let stopped = place.map_or(Ok(()), Place::finish);
        match failed {
            Some(fault) => Err(fault),
            None => stopped.map_err(Fault::Diagnostic).map(|()| self),
        }
    }

    /// Runs one point, unless an earlier run has.
    async fn point(
        &mut self,
        conductor: &mut Conductor,
        place: &mut Option<Place>,
        number: usize,
    ) -> Result<(), Fault> {
        let plan = &self.plans[number];
        let at = self.at(number);
        let server = Place::name(self.args.server(), &plan.server).map_err(Fault::Diagnostic)?;
        let hash = hash(plan, &server);
        let title = format!("point {} of {}: {}", number + 1, self.plans.len(), self.report.name_of(&at));
        if let Some((report, folder)) = self.folder.finished(&hash) {
            conductor.note(&format!("{title}: taken from {folder}"));
            let point = PointReport::measured(at, hash, Some(folder), &report);
            return self.push(number, PointReport { taken: true, ..point }, Some(report));
        }
        conductor.note(&title);
        match Box::pin(self.measure(conductor, place, plan.clone())).await {
            Ok(Outcome::Measured(report)) => {
                let kept = self.folder.keep(&at, &self.report.vars, &report);
                let folder = kept.map_err(|error| self.not_kept(&error))?;
                self.push(number, PointReport::measured(at, hash, Some(folder), &report), Some(*report))
            }
            // it has phases, so that they were run
            Ok(Outcome::Stepped(_) | Outcome::Once(..)) => Ok(()),
            // nothing was measured so far: what is wrong here is wrong everywhere
            Err(Fault::Diagnostic(diagnostic)) if self.report.points.is_empty() => Err(Fault::Diagnostic(diagnostic)),
            Err(Fault::Diagnostic(diagnostic)) => {
                conductor.note(&format!("{title}: {}", diagnostic.message));
                self.push(number, PointReport::failed(at, hash, diagnostic.message), None)
            }
            Err(interrupted) => Err(interrupted),
        }
    }

    /// Measures a point on a server that is as its plan wants it.
    async fn measure(
        &self,
        conductor: &mut Conductor,
        place: &mut Option<Place>,
        plan: Plan,
    ) -> Result<Outcome, Fault> {
        if let Some(other) = place.take_if(|place| !place.serves(&plan.server)) {
            other.finish().map_err(Fault::Diagnostic)?;
        }
        let place = match place {
            Some(place) => place,
            none => {
                conductor.rounds = Some(Rounds::new());
                none.insert(conductor.find(self.args, &plan.server).await?)
            }
        };
        Box::pin(conductor.run(self.args, plan, place, &self.fingerprints)).await
    }

    fn push(&mut self, number: usize, point: PointReport, report: Option<Report>) -> Result<(), Fault> {
        self.report.points.push(point);
        if let (Some(published), Some(report)) = (&self.plans[number].published, &report) {
            self.claims.take(&published.claims, report);
            self.report.claims = self.claims.judge(&self.report.vars);
        }
        if self.args.format.shows_points() {
            self.reports.extend(report);
        }
        self.folder.write_index(&self.report).map_err(|error| self.not_kept(&error))
    }

    fn not_kept(&self, error: &std::io::Error) -> Fault {
        Fault::Diagnostic(keep::not_kept(Some(self.folder.path()), error))
    }

    /// The values of a point.
    fn at(&self, number: usize) -> BTreeMap<String, String> {
        let vars = &self.plans[number].vars;
        let axes = self.plan.axes.iter();
        let value = |name: &str| vars.iter().find(|var| var.name == name).map(crate::plan::VarPlan::value_text);
        axes.filter_map(|axis| Some((axis.name.clone(), value(&axis.name)?))).collect()
    }

    fn exit(&self) -> Exit {
        let points = &self.report.points;
        let measured = |point: &&PointReport| !matches!(point.outcome, None | Some(Verdict::NothingMeasured));
        if !points.iter().any(|point| measured(&point)) {
            Exit::NothingMeasured
        } else if self.report.interrupted {
            Exit::Interrupted
        } else if points.iter().any(|point| !point.is_complete()) {
            Exit::Incomplete
        } else if points.iter().any(|point| !point.not_met.is_empty()) {
            Exit::ThresholdMissed
        } else {
            Exit::Fine
        }
    }
}

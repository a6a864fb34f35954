//! Prints what came of a run. A reader that went away changes nothing: the run is kept.

use std::io::{self, Write};
use std::path::Path;

use crate::cli::color::ColorChoice;
use crate::cli::diagnostic;
use crate::cli::exit::Exit;
use crate::cli::format::Format;
use crate::cli::width;
use crate::diagnostic::Diagnostic;
use crate::report::matrix::MatrixReport;
use crate::report::model::Outcome as Verdict;
use crate::report::{Report, StepFacts, quantity};
use crate::source::SourceMap;

/// What is worth knowing before a run begins.
pub(super) fn warnings(warnings: &[Diagnostic], sources: &SourceMap, color: ColorChoice) {
    if !warnings.is_empty() {
        let mut err = io::stderr().lock();
        let text = diagnostic::render(warnings, sources, width::width(), color.applies_to(&err));
        let _ = err.write_all(text.as_bytes());
    }
}

/// The report in one of its forms.
pub(super) fn report(report: &Report, format: Format, color: ColorChoice, out: &mut impl Write) {
    let text = format.render(report, color);
    let _ = out.write_all(text.as_bytes());
}

/// The points of a matrix; `reports` are theirs.
pub(super) fn matrix(
    matrix: &MatrixReport,
    reports: &[Report],
    format: Format,
    color: ColorChoice,
    out: &mut impl Write,
) {
    let text = format.render_matrix(matrix, reports, color);
    let _ = out.write_all(text.as_bytes());
}

/// Where it was kept.
pub(super) fn kept(folder: &Path) {
    let _ = writeln!(io::stderr(), "kept in {}", folder.display());
}

/// The steps of a run that had no phases.
pub(super) fn steps(steps: &[StepFacts], out: &mut impl Write) -> Exit {
    for step in steps {
        let took = if step.kept { "kept".to_owned() } else { quantity::duration(step.elapsed.as_nanos() as f64) };
        let _ = writeln!(out, "{}: {took}", step.name);
    }
    Exit::Fine
}

/// How the program ends after it.
pub(super) fn exit(report: &Report) -> Exit {
    match report.verdict.outcome {
        Verdict::Complete if report.thresholds.iter().any(|threshold| !threshold.met) => Exit::ThresholdMissed,
        Verdict::Complete => Exit::Fine,
        Verdict::NothingMeasured => Exit::NothingMeasured,
        Verdict::Incomplete => Exit::Incomplete,
        Verdict::Interrupted => Exit::Interrupted,
    }
}

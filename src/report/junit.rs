//! The thresholds in the XML of `JUnit`, for CI systems that show tests.

use std::fmt::Write as _;

use super::Report;
use super::model::Outcome;

/// One document: a suite for the run, a test for how it ended and one for each threshold.
pub fn render(report: &Report) -> String {
    render_all(&[(report.scenario.name.clone(), report)])
}

/// The same with a suite for each of several runs, each with its name.
pub fn render_all(runs: &[(String, &Report)]) -> String {
    let suites: String = runs.iter().map(|(name, report)| suite(name, report)).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"reprise\">\n{suites}</testsuites>\n")
}

fn suite(name: &str, report: &Report) -> String {
    let ended = match report.verdict.outcome {
        Outcome::Complete => None,
        _ => Some(report.verdict.text.clone()),
    };
    let mut cases = vec![("the run is complete".to_owned(), ended)];
    cases.extend(report.thresholds.iter().map(|rule| (rule.rule.clone(), (!rule.met).then(|| rule.found()))));
    let failures = cases.iter().filter(|(_, failure)| failure.is_some()).count();
    let seconds: f64 = report.phases.iter().map(|phase| phase.elapsed_us as f64 / 1e6).sum();
    let mut text = format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"{seconds:.3}\" \
         timestamp=\"{}\">\n",
        escaped(name),
        cases.len(),
        escaped(report.started.trim_end_matches('Z')),
    );
    for (case, failure) in cases {
        let head = format!("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", escaped(name), escaped(&case));
        let _ = match failure {
            None => writeln!(text, "{head}/>"),
            Some(message) => writeln!(text, "{head}><failure message=\"{}\"/></testcase>", escaped(&message)),
        };
    }
    text.push_str("  </testsuite>\n");
    text
}

/// Text in an attribute. Of control characters XML takes but three, and those only as references.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

//! The forms of a report.

use std::io;

use super::color::ColorChoice;
use super::width;
use crate::report::matrix::MatrixReport;
use crate::report::{Report, block, csv, json, junit, markdown, published_yaml, text};

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// The whole run, as run.json has it
    Json,
    /// For pull requests and posts
    Markdown,
    /// A figure a row, for `\copy` and spreadsheets
    Csv,
    /// The thresholds as tests, for CI systems
    Junit,
    /// YAML to paste into a scenario, as what was published
    Published,
    /// pgbench's block and nothing else
    Pgbench,
}

impl Format {
    /// A run in this form.
    pub(crate) fn render(self, report: &Report, color: ColorChoice) -> String {
        match self {
            Self::Text => text::render(report, width::width(), color.style(&io::stdout())),
            Self::Json => json::render(report),
            Self::Markdown => markdown::render(report),
            Self::Csv => csv::render(report),
            Self::Junit => junit::render(report),
            Self::Published => published_yaml::render(report),
            Self::Pgbench => block::render(report),
        }
    }

    /// Whether a matrix in this form has all of its points' reports in it, and not their figures alone.
    pub(crate) fn shows_points(self) -> bool {
        matches!(self, Self::Csv | Self::Junit | Self::Published | Self::Pgbench)
    }

    /// The points of a matrix in this form; `reports` are of those that were measured.
    pub(crate) fn render_matrix(self, matrix: &MatrixReport, reports: &[Report], color: ColorChoice) -> String {
        let measured = matrix.points.iter().filter(|point| point.outcome.is_some());
        let named: Vec<(String, &Report)> = measured.map(|point| matrix.name_of(&point.at)).zip(reports).collect();
        match self {
            Self::Text => text::matrix::render(matrix, width::width(), color.style(&io::stdout())),
            Self::Json => matrix.to_json(),
            Self::Markdown => markdown::render_matrix(matrix),
            Self::Csv => {
                let rows: String = named.iter().map(|(name, report)| csv::rows(report, name)).collect();
                format!("{}{rows}", csv::HEADER)
            }
            Self::Junit => junit::render_all(&named),
            Self::Published => {
                let named = named.iter().map(|(name, report)| format!("# {name}\n{}", published_yaml::render(report)));
                named.collect()
            }
            Self::Pgbench => {
                named.iter().map(|(name, report)| [name, block::render(report).as_str()].join("\n")).collect()
            }
        }
    }
}

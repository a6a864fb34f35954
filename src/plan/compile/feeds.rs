//! `feeds`: where scripts take rows from.

use std::sync::Arc;

use super::csv::{self, Csv};
use super::sql::split_sql;
use super::values::Values;
use super::{CompileInputs, ScenarioError};
use crate::id::SlotId;
use crate::plan::feed::{FeedOrder, FeedRows, FeedSource};
use crate::plan::step::SetupStatement;
use crate::plan::{FeedPlan, SlotPlan};
use crate::scenario::{FeedSpec, Scalar, Scenario};
use crate::source::Span;

/// A feed before it is known which variables scripts have.
pub(super) struct FeedDraft {
    pub(super) name: String,
    source: Source,
    order: FeedOrder,
    stops: bool,
    span: Span,
}

enum Source {
    Query(SetupStatement),
    Csv(Csv),
    /// It has faults of its own.
    Broken,
}

impl FeedDraft {
    /// The text of its query.
    pub(super) fn query(&self) -> Option<&str> {
        match &self.source {
            Source::Query(statement) => Some(&statement.sql),
            Source::Csv(_) | Source::Broken => None,
        }
    }

    /// The names of its columns, where they are known.
    pub(super) fn columns(&self) -> &[String] {
        match &self.source {
            Source::Query(_) | Source::Broken => &[],
            Source::Csv(csv) => &csv.columns,
        }
    }
}

/// Compiles all feeds, in the order of the scenario.
pub(super) fn compile_feeds(
    scenario: &Scenario,
    inputs: &CompileInputs<'_>,
    values: &mut Values<'_>,
) -> Vec<FeedDraft> {
    let compile = |(name, spec): &(Scalar, FeedSpec)| {
        let orders = ["sequential", "random", "per_client"];
        let order = match spec.order.as_ref().and_then(|word| values.word(word, "`order`", &orders)) {
            Some("random") => FeedOrder::Random,
            Some("per_client") => FeedOrder::PerClient,
            _ => FeedOrder::Sequential,
        };
        let at_end = spec.at_end.as_ref().and_then(|word| values.word(word, "`at_end`", &["restart", "stop"]));
        if let (Some(scalar), Some("stop"), FeedOrder::Random) = (&spec.at_end, at_end, order) {
            let help = "rows that are drawn have no end: remove it, or take another `order`".to_owned();
            values.needs("at_end: stop", "an `order` other than `random`", scalar.span, help);
        }
        let source = compile_source(name, spec, inputs, values).unwrap_or(Source::Broken);
        FeedDraft { name: name.text.clone(), source, order, stops: at_end == Some("stop"), span: name.span }
    };
    scenario.feeds.0.iter().map(compile).collect()
}

fn compile_source(
    name: &Scalar,
    spec: &FeedSpec,
    inputs: &CompileInputs<'_>,
    values: &mut Values<'_>,
) -> Option<Source> {
    match (&spec.query, &spec.csv) {
        // what is missing may be what was misspelt
        _ if spec.faulty => None,
        (Some(query), Some(csv)) => {
            values.contradiction(("query", query.span), ("csv", csv.span), "a feed has one source".to_owned());
            None
        }
        (None, None) => {
            let what = format!("feed `{}` has no rows", name.text);
            let help = "give it one of `query` and `csv`".to_owned();
            values.fault(ScenarioError::Missing { what, span: spec.span, help });
            None
        }
        (Some(query), None) => {
            let statements = split_sql(query.span.source, &query.text, Some(query), values)?;
            if let [one] = statements.as_slice() {
                return Some(Source::Query(one.clone()));
            }
            values.invalid(query, "`query`", "one statement", None);
            None
        }
        (None, Some(file)) => {
            let Some((source, text)) = (inputs.texts)(&file.text) else {
                values.fault(ScenarioError::MissingFile { path: file.text.clone(), span: file.span });
                return None;
            };
            match csv::parse(text) {
                Ok(csv) if csv.rows.is_empty() => {
                    let what = format!("feed `{}` has no rows", name.text);
                    let help = format!("`{}` has a line of names and nothing behind it", file.text);
                    values.fault(ScenarioError::Missing { what, span: file.span, help });
                    None
                }
                Ok(csv) => Some(Source::Csv(csv)),
                Err(fault) => {
                    let span = Span::new(source, fault.at);
                    values.fault(ScenarioError::InvalidCsv { path: file.text.clone(), reason: fault.what, span });
                    None
                }
            }
        }
    }
}

/// The feeds with the variables that they fill.
pub(super) fn finish_feeds(drafts: Vec<FeedDraft>, slots: &[SlotPlan]) -> Vec<FeedPlan> {
    let variables: Vec<(String, SlotId)> =
        slots.iter().enumerate().map(|(index, slot)| (slot.name.clone(), SlotId::from_index(index))).collect();
    let finish = |draft: FeedDraft| {
        let (source, wanted) = match draft.source {
            Source::Query(statement) => (FeedSource::Query(statement), variables.clone()),
            Source::Csv(csv) => {
                (FeedSource::Csv(Arc::new(FeedRows::new(&csv.columns, &csv.rows, &variables))), Vec::new())
            }
            // a scenario with faults makes no plan
            Source::Broken => (FeedSource::Csv(Arc::default()), Vec::new()),
        };
        FeedPlan { name: draft.name, source, order: draft.order, stops: draft.stops, wanted, span: draft.span }
    };
    drafts.into_iter().map(finish).collect()
}

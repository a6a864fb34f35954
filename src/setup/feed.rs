//! The rows of feeds, read before the phase that uses them.

use std::sync::Arc;

use super::step::Run;
use super::{Cancel, Error};
use crate::id::{FeedId, PhaseId};
use crate::pg::Admin;
use crate::plan::feed::{FeedRows, FeedSource};
use crate::plan::{FeedPlan, FeedVariable, Plan};

/// Reads feeds, and remembers their columns.
#[derive(Debug, Default)]
pub struct FeedReader {
    /// By feed: its columns, once it was read.
    columns: Vec<Option<Vec<String>>>,
}

impl FeedReader {
    /// The rows of the feeds that a phase uses, in the order of the plan's feeds; others come without any.
    ///
    /// # Errors
    /// When the server refuses a query, or a variable of the scripts is in no feed that could have it.
    pub async fn read(
        &mut self,
        plan: &Plan,
        phase: PhaseId,
        admin: &Admin,
        cancel: &Cancel,
    ) -> Result<Vec<Arc<FeedRows>>, Error> {
        self.columns.resize(plan.feeds.len(), None);
        let mut all = Vec::with_capacity(plan.feeds.len());
        for (number, (feed, columns)) in plan.feeds.iter().zip(&mut self.columns).enumerate() {
            all.push(match &feed.source {
                FeedSource::Csv(rows) => rows.clone(),
                FeedSource::Query(_) if !plan.needs_feed(phase, FeedId::from_index(number)) => Arc::default(),
                FeedSource::Query(question) => {
                    let mut observer = ();
                    let run = Run::new(admin, plan.seed, &mut observer, cancel);
                    let rows = run.rows(&feed.name, question).await?;
                    let found = FeedRows::new(&rows.columns, &rows.rows, &feed.wanted);
                    *columns = Some(rows.columns);
                    Arc::new(found)
                }
            });
        }
        match plan.fed.iter().find(|variable| self.is_missing(variable)) {
            Some(variable) => Err(self.no_column(variable, &plan.feeds)),
            None => Ok(all),
        }
    }

    /// Whether every feed that could fill the variable was read, and none does.
    fn is_missing(&self, variable: &FeedVariable) -> bool {
        let lacks = |columns: &Option<Vec<String>>| columns.as_ref().is_some_and(|c| !c.contains(&variable.name));
        variable.feeds.iter().all(|feed| self.columns.get(feed.index()).is_some_and(lacks))
    }

    fn no_column(&self, variable: &FeedVariable, feeds: &[FeedPlan]) -> Error {
        let of = |feed: &crate::id::FeedId| {
            let columns = self.columns.get(feed.index()).cloned().flatten().unwrap_or_default();
            let name = feeds.get(feed.index()).map_or("", |feed| feed.name.as_str());
            format!("feed `{name}` has {}", columns.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", "))
        };
        let there = variable.feeds.iter().map(of).collect::<Vec<_>>().join("; ");
        Error::NoColumn { variable: variable.name.clone(), there, span: variable.span }
    }
}

//! Further sessions beside the set-up's own.

use super::column::literal;
use super::refusal::refused;
use super::step::Run;
use super::{Error, StatementResult};
use crate::pg::Admin;
use crate::plan::step::SetupStatement;

/// What earlier steps have set for their session, such as a search path: it holds for further sessions too.
const SETTINGS: &str = "select name, setting from pg_settings where source = 'session' union all \
    select 'role', current_setting('role') where current_setting('role') <> 'none'";

/// The settings of the set-up's session.
pub(super) async fn settings(run: &Run<'_>) -> Result<Vec<(String, String)>, Error> {
    let rows = run.query("could not look up the session's settings", SETTINGS).await?;
    let pair = |row: Vec<Option<String>>| {
        let mut values = row.into_iter().flatten();
        Some((values.next()?, values.next()?))
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// Sessions like the set-up's own.
pub(super) async fn open(run: &Run<'_>, count: u32) -> Result<Vec<Admin>, Error> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let failed = |error| Error::Server { what: "could not open a further session".to_owned(), error };
    let sets: Vec<String> = settings(run)
        .await?
        .iter()
        .map(|(name, value)| format!("select set_config({}, {}, false)", literal(name), literal(value)))
        .collect();
    let (target, options) = run.admin.origin();
    let mut sessions = Vec::new();
    for _ in 0..count {
        let session = Admin::open(target, options).await.map_err(failed)?;
        if !sets.is_empty() {
            session.execute(&sets.join("; ")).await.map_err(failed)?;
        }
        sessions.push(session);
    }
    Ok(sessions)
}

impl Run<'_> {
    /// A statement that a step of the scenario's was turned into, in one of several sessions.
    pub(super) async fn scenario_in(
        &self,
        session: &Admin,
        step: &str,
        statement: &SetupStatement,
    ) -> Result<StatementResult, Error> {
        let begin = self.clock.now();
        let done = self.interruptible(session, session.execute(&statement.sql)).await?;
        let rows = done.map_err(|error| refused(step, statement, error))?;
        Ok(StatementResult { elapsed: self.clock.now() - begin, rows })
    }
}

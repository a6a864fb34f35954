//! Further sessions beside the set-up's own.

use super::Error;
use super::column::literal;
use super::step::Run;
use crate::pg::Admin;

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

//! What has to hold before a set-up touches anything.

use super::Error;
use super::column::{identifier, literal};
use super::step::Run;
use crate::plan::ServerPlan;

/// Refuses a server that is too old or lacks an extension.
pub(super) async fn check(run: &Run<'_>, server: &ServerPlan) -> Result<(), Error> {
    let found = run.version() / 10_000;
    if let Some(wanted) = server.min_version.filter(|&wanted| found < wanted) {
        return Err(Error::MinVersion { found, wanted });
    }
    if server.extensions.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = server.extensions.iter().map(|name| format!("({})", literal(name))).collect();
    let sql = format!(
        "select name from (values {}) as wanted (name) \
         where not exists (select from pg_available_extensions a where a.name = wanted.name)",
        names.join(", ")
    );
    let rows = run.query("could not look up the extensions", &sql).await?;
    let names: Vec<String> = rows.into_iter().flatten().flatten().collect();
    if names.is_empty() { Ok(()) } else { Err(Error::Extensions { names }) }
}

/// Creates the scenario's extensions where they are not yet.
pub(super) async fn create_extensions(run: &Run<'_>, server: &ServerPlan) -> Result<(), Error> {
    for name in &server.extensions {
        let sql = format!("create extension if not exists {} cascade", identifier(name));
        run.execute(&format!("could not create extension `{name}`"), &sql).await?;
    }
    Ok(())
}

//! Removing what a set-up made, and nothing else.

use std::collections::BTreeSet;

use super::catalog::Object;
use super::step::Run;
use super::{Error, catalog};

/// Why the server keeps objects: the first of its refusals in the last round.
#[derive(Debug)]
struct Refused {
    objects: Vec<Object>,
    reason: String,
}

/// Drops all of these objects, or none: others that depend on one are not touched.
pub(super) async fn drop_all(run: &Run<'_>, objects: &BTreeSet<Object>) -> Result<(), Error> {
    run.begin().await?;
    let error = match drop_what_can_be(run, objects).await {
        Ok(None) => return run.commit().await,
        Ok(Some(Refused { objects, reason })) => Error::Undroppable { objects, reason },
        Err(error) => error,
    };
    run.rollback().await;
    Err(error)
}

/// Drops objects in the running transaction.
///
/// Which depends on which isn't known: what fails is tried again after the others, as long as that helps. Tables go
/// together, since foreign keys may tie them in a circle.
async fn drop_what_can_be(run: &Run<'_>, objects: &BTreeSet<Object>) -> Result<Option<Refused>, Error> {
    let mut left: Vec<&Object> = objects.iter().collect();
    loop {
        let before = left.len();
        let tables: Vec<&str> = left.iter().filter_map(|object| object.strip_prefix("table ")).collect();
        if tables.len() > 1 && attempt(run, &format!("drop table if exists {}", tables.join(", "))).await?.is_none() {
            left.retain(|object| !object.starts_with("table "));
        }
        let (mut failed, mut refusal) = (Vec::new(), None);
        for object in left {
            let (kind, name) = catalog::kind_and_name(object);
            if let Some(error) = attempt(run, &format!("drop {kind} if exists {name}")).await? {
                failed.push(object);
                refusal = refusal.or(Some(error));
            }
        }
        match refusal {
            None => return Ok(None),
            Some(reason) if failed.len() == before => {
                return Ok(Some(Refused { objects: failed.into_iter().cloned().collect(), reason }));
            }
            Some(_) => left = failed,
        }
    }
}

/// Tries a statement; what the server has against it is no failure.
async fn attempt(run: &Run<'_>, sql: &str) -> Result<Option<String>, Error> {
    const WHAT: &str = "could not drop what an earlier set-up made";
    run.execute(WHAT, "savepoint reprise").await?;
    match run.execute(WHAT, sql).await {
        Ok(_) => run.execute(WHAT, "release reprise").await.map(|_| None),
        Err(error) => match error.server_error().filter(|server| !server.is_fatal()) {
            Some(server) => {
                run.execute(WHAT, "rollback to reprise").await?;
                Ok(Some(server.message.clone()))
            }
            None => Err(error),
        },
    }
}

/// After a failure: removes all that was not there before and gives the failure back, with what could not be removed.
/// `tables` are those that the steps name, for the case that the session is lost.
pub(super) async fn undo(run: &Run<'_>, before: &BTreeSet<Object>, tables: &BTreeSet<String>, cause: Error) -> Error {
    let removed = if cause.is_no_answer() { None } else { Some(remove_new(run, before).await) };
    let left = match removed {
        Some(Ok(None)) => return cause,
        Some(Ok(Some(Refused { objects, .. }))) => objects,
        Some(Err(_)) | None if tables.is_empty() => return cause,
        Some(Err(_)) | None => tables.iter().cloned().collect(),
    };
    Error::Left { cause: Box::new(cause), objects: left }
}

async fn remove_new(run: &Run<'_>, before: &BTreeSet<Object>) -> Result<Option<Refused>, Error> {
    let now = catalog::objects(run).await?;
    let made: BTreeSet<Object> = now.difference(before).cloned().collect();
    if made.is_empty() {
        return Ok(None);
    }
    run.begin().await?;
    let refused = drop_what_can_be(run, &made).await?;
    run.commit().await?;
    Ok(refused)
}

//! Removing what a set-up made, and nothing else.

use std::collections::BTreeSet;

use super::catalog::Object;
use super::step::Run;
use super::{Error, catalog};

/// Drops these objects without touching others that depend on them. What can't be dropped is the error.
///
/// Which depends on which isn't known: what fails is tried again after the others, as long as that helps. Tables go
/// together, since foreign keys may tie them in a circle.
pub(super) async fn drop_all(run: &Run<'_>, objects: &BTreeSet<Object>) -> Result<(), Error> {
    let mut left: Vec<&Object> = objects.iter().collect();
    loop {
        let before = left.len();
        let tables: Vec<&str> = left.iter().filter_map(|object| object.strip_prefix("table ")).collect();
        if tables.len() > 1 && attempt(run, &format!("drop table if exists {}", tables.join(", "))).await?.is_ok() {
            left.retain(|object| !object.starts_with("table "));
        }
        let mut failed = Vec::new();
        let mut reason = None;
        for object in left {
            if let Err(error) = attempt(run, &drop_sql(object)).await? {
                failed.push(object);
                reason = Some(error);
            }
        }
        let Some(reason) = reason else { return Ok(()) };
        if failed.len() == before {
            let reason = reason.server_error().map_or_else(|| reason.to_string(), |error| error.message.clone());
            return Err(Error::Undroppable { objects: failed.into_iter().cloned().collect(), reason });
        }
        left = failed;
    }
}

fn drop_sql(object: &str) -> String {
    let (kind, name) = match object.strip_prefix("materialized view ").or_else(|| object.strip_prefix("foreign table "))
    {
        Some(name) => object.split_at(object.len() - name.len()),
        None => object.split_once(' ').unwrap_or((object, "")),
    };
    format!("drop {} if exists {name}", kind.trim_end())
}

/// The inner error is the server's; one that ends the session is the outer one.
async fn attempt(run: &Run<'_>, sql: &str) -> Result<Result<(), Error>, Error> {
    match run.execute("could not drop what an earlier set-up made", sql).await {
        Ok(_) => Ok(Ok(())),
        Err(error) if error.server_error().is_some_and(|server| !server.is_fatal()) => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

/// After a failure: removes all that was not there before and gives the failure back, with what could not be removed.
pub(super) async fn undo(run: &Run<'_>, before: &BTreeSet<Object>, cause: Error) -> Error {
    let Ok(now) = catalog::objects(run).await else {
        let objects = vec!["what the steps before had made, since the session is lost".to_owned()];
        return Error::Left { cause: Box::new(cause), objects };
    };
    let made: BTreeSet<Object> = now.difference(before).cloned().collect();
    match drop_all(run, &made).await {
        Ok(()) => cause,
        Err(Error::Undroppable { objects, .. }) => Error::Left { cause: Box::new(cause), objects },
        Err(_) => Error::Left { cause: Box::new(cause), objects: made.into_iter().collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::drop_sql;

    #[test]
    fn every_kind_of_object_has_its_statement() {
        for (object, sql) in [
            ("table public.t", "drop table if exists public.t"),
            ("materialized view a.\"b c\"", "drop materialized view if exists a.\"b c\""),
            ("function a.f(integer, text)", "drop function if exists a.f(integer, text)"),
            ("schema s", "drop schema if exists s"),
        ] {
            assert_eq!(drop_sql(object), sql);
        }
    }
}

//! What a second session sees while a statement takes long: which lock it waits for, and whether the server is there.
//!
//! A statement of a set-up may take hours, so it has no limit of its own. A server that answers nobody has one.

use std::time::Duration;

use super::Error;
use crate::pg::{self, Admin};

/// A statement that takes less is left alone.
const PATIENCE: Duration = Duration::from_secs(3);

/// From one question to the next.
const EVERY: Duration = Duration::from_secs(1);

/// Questions without an answer, one after the other, that make a server one that does not answer.
const MISSES: u32 = 2;

/// What the second session found.
enum Seen {
    /// Why the statement waits, or nothing.
    Reason(Option<String>),
    /// The server answered, but would or could not say.
    Nothing,
    /// The server did not answer.
    Silence,
}

/// Looks after the statement of the backend `pid`, and tells each new lock that it waits for. Returns only where the
/// server does not answer any more.
pub(super) async fn attend(admin: &Admin, pid: i32, mut tell: impl FnMut(&str)) -> Error {
    let limit = admin.connect_limit();
    let (mut session, mut told, mut missed) = (None, None, 0);
    tokio::time::sleep(PATIENCE).await;
    loop {
        match look(admin, &mut session, pid, limit).await {
            Seen::Reason(reason) => {
                missed = 0;
                if let Some(reason) = reason.as_ref().filter(|reason| told.as_ref() != Some(*reason)) {
                    tell(reason);
                }
                told = reason;
            }
            Seen::Nothing => missed = 0,
            Seen::Silence => missed += 1,
        }
        if missed == MISSES {
            return Error::NoAnswer { after: limit * MISSES };
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Asks once. The session is kept for the next question, unless it was of no use.
async fn look(admin: &Admin, session: &mut Option<Admin>, pid: i32, limit: Duration) -> Seen {
    let open = if let Some(open) = session.take() {
        open
    } else {
        let (target, options) = admin.origin();
        match Admin::open(target, options).await {
            Ok(open) => open,
            Err(error) if error.is_timeout() => return Seen::Silence,
            Err(_) => return Seen::Nothing,
        }
    };
    match tokio::time::timeout(limit, reason(&open, pid)).await {
        Err(_) => Seen::Silence,
        Ok(Err(_)) => Seen::Nothing,
        Ok(Ok(reason)) => {
            *session = Some(open);
            Seen::Reason(reason)
        }
    }
}

/// What holds the lock that a backend waits for.
async fn reason(session: &Admin, pid: i32) -> Result<Option<String>, pg::Error> {
    let sql = format!(
        "select b.pid, a.state, left(regexp_replace(a.query, '\\s+', ' ', 'g'), 80) \
         from unnest(pg_blocking_pids({pid})) as b (pid) left join pg_stat_activity a on a.pid = b.pid \
         order by a.backend_start, b.pid limit 1"
    );
    let row = session.query_text(&sql).await?.into_iter().next();
    Ok(row.map(|row| {
        let mut values = row.into_iter().map(Option::unwrap_or_default);
        let mut next = || values.next().unwrap_or_default();
        match (next().as_str(), next(), next()) {
            ("0", _, _) => "waiting for a lock held by a prepared transaction".to_owned(),
            (pid, state, query) => format!("waiting for a lock held by pid {pid} ({state}: {query})"),
        }
    }))
}

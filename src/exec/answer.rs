//! The answers to what was sent.

use super::failure::{Failure, Fault, Outcome};
use super::session::Session;
use super::store::StoredRow;
use crate::pg::{self, Reply, Tally};

/// Sends what is queued and reads on to the next ReadyForQuery: the rows of all results together, or the first error.
#[inline]
pub(super) async fn converse(session: &mut Session) -> Outcome<u64> {
    let mut tally = Tally::default();
    match session.connection.converse(&mut tally).await {
        Ok(None) => {
            session.tell_notices();
            Ok(tally.rows)
        }
        // rare, and out of the way of the others
        Ok(Some(reply)) => Box::pin(read(session, tally, Some(reply), None)).await,
        Err(error) => {
            session.tell_notices();
            Err(Failure::session(&error, Fault::Session))
        }
    }
}

/// What is done with each result of a statement that stores.
pub(super) type EachResult<'a> = &'a mut dyn FnMut(&StoredRow) -> Outcome<()>;

/// Reads on to the next ReadyForQuery, from the reply `next` on where there is one: the rows of all results together, or
/// the first error. `tally` was counted before.
pub(super) async fn read(
    session: &mut Session,
    tally: Tally,
    mut next: Option<Reply>,
    mut keep: Option<(&mut StoredRow, EachResult<'_>)>,
) -> Outcome<u64> {
    let Tally { mut rows, mut results } = tally;
    let mut failure: Option<Box<Failure>> = None;
    loop {
        let reply = match next.take() {
            Some(reply) => reply,
            None => match session.connection.reply(keep.is_some()).await {
                Ok(reply) => reply,
                // the server's last words explain a lost connection better than the socket does
                Err(error) => {
                    session.tell_notices();
                    return Err(lost(failure, &error));
                }
            },
        };
        match reply {
            Reply::Ready(_) => break,
            Reply::Complete { rows: n } => {
                rows += n;
                if let (Some((result, each)), None) = (&mut keep, &failure) {
                    result.complete(results);
                    failure = each(result).err().map(|failure| failure.of_result(results));
                }
                results += 1;
            }
            Reply::Columns(body) => {
                if let Some((result, _)) = &mut keep {
                    result.begin(session.connection.bytes(body));
                }
            }
            Reply::Row(body) => {
                if let Some((result, _)) = &mut keep {
                    result.row(session.connection.bytes(body));
                }
            }
            Reply::Failed(error) => {
                failure = failure.or_else(|| Some(Failure::server(error).of_result(results)));
            }
            Reply::Empty => {
                if let Some((result, _)) = &mut keep {
                    result.clear();
                }
                results += 1;
            }
            Reply::Copy(_) => {
                let mut failure = Failure::client(Fault::Copy, "COPY is not supported in scripts");
                failure.lost = true;
                return Err(failure);
            }
        }
    }
    session.tell_notices();
    match failure {
        Some(failure) => Err(failure),
        None => Ok(rows),
    }
}

/// A connection that broke: an error that the server sent before is the reason.
fn lost(failure: Option<Box<Failure>>, error: &pg::Error) -> Box<Failure> {
    match failure {
        Some(mut failure) => {
            failure.lost = true;
            failure
        }
        None => Failure::session(error, Fault::Session),
    }
}

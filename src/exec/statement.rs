//! One statement: sent in the phase's protocol, its answers read.
//!
//! This is the path that is measured. Once buffers have grown and statements are prepared it allocates nothing.

use std::time::{Duration, Instant};

use super::client::Client;
use super::failure::{Failure, Fault, Outcome};
use super::session::Session;
use super::shared::Shared;
use super::store::StoredRow;
use crate::eval::Value;
use crate::id::{SlotId, StatementId};
use crate::pg::{self, Reply, Tally};
use crate::plan::StatementPlan;
use crate::plan::phase::{OnError, Protocol};
use crate::plan::program::TemplatePart;

/// A pipeline that is open: what has to be read at its end.
#[derive(Default, Clone, Copy)]
pub(super) struct Pipeline {
    pub(super) open: bool,
    /// Syncs that were sent and not answered yet.
    pub(super) syncs: u32,
}

/// How long a cancel request for a session that is given up may take.
const ABANDONING: Duration = Duration::from_secs(5);
/// Queued bytes beyond which a pipeline sends without waiting for its end, as libpq does.
const PIPELINE_CHUNK: usize = 64 * 1024;

impl Client {
    /// Executes a statement and reads its answers: the rows that it returned or changed. In a pipeline, it is queued.
    pub(super) async fn statement(&mut self, id: StatementId) -> Outcome<u64> {
        if self.pipeline.open {
            return self.queue_in_pipeline(id).await;
        }
        let Some(limit) = self.shared.load().timeout else {
            return self.exchange(id).await;
        };
        let shared = self.shared.clone();
        if let Some(outcome) = shared.timer.limit(Instant::now() + limit, self.exchange(id)).await {
            outcome
        } else {
            self.cancel_abandoned();
            Err(Failure::timeout(limit))
        }
    }

    /// What a session does that is given up would go on, and hold its locks and its place on the server.
    fn cancel_abandoned(&self) {
        if let Some(session) = &self.session {
            let token = session.cancel.clone();
            tokio::task::spawn_local(async move {
                // a server that does not take the request does not answer anything else either
                let _ = token.cancel(ABANDONING).await;
            });
        }
    }

    async fn exchange(&mut self, id: StatementId) -> Outcome<u64> {
        let shared = self.shared.clone();
        let statement = &shared.plan.statements[id.index()];
        let Some(session) = &mut self.session else {
            return Err(Failure::client(Fault::Plan, "the client has no session"));
        };
        let discarding = queue(&shared, id, statement, &self.slots, session, self.strict).await?;
        if shared.load().protocol != Protocol::Simple {
            session.connection.sync();
        }
        if discarding {
            converse(session).await?;
        }
        let Some(store) = &statement.store else {
            return converse(session).await;
        };
        session.connection.send().await.map_err(|error| Failure::session(&error, Fault::Session))?;
        let result = self.stored.get_or_insert_default();
        result.clear();
        if !store.all {
            let rows = read(session, Tally::default(), None, Some((result, &mut |_| Ok(())))).await?;
            if result.rows != 1 {
                let message = format!("expected one row, got {}", result.rows);
                return Err(Failure::client(Fault::RowCount, message).of_result(result.number));
            }
            let stored = shared.stores.borrow_mut().store(id, store, result, &mut self.slots);
            return stored.map(|()| rows).map_err(|failure| failure.of_result(result.number));
        }
        let slots = &mut self.slots;
        let mut each = |result: &StoredRow| {
            if result.rows == 0 { Ok(()) } else { shared.stores.borrow_mut().store(id, store, result, slots) }
        };
        read(session, Tally::default(), None, Some((result, &mut each))).await
    }

    async fn queue_in_pipeline(&mut self, id: StatementId) -> Outcome<u64> {
        let shared = self.shared.clone();
        let statement = &shared.plan.statements[id.index()];
        let Some(session) = &mut self.session else {
            return Err(Failure::client(Fault::Plan, "the client has no session"));
        };
        if let Some(store) = &statement.store {
            let word = if store.all { "aset" } else { "gset" };
            return Err(Failure::client(Fault::Pipeline, format!("\\{word} is not allowed in pipeline mode")));
        }
        queue(&shared, id, statement, &self.slots, session, self.strict).await?;
        if session.connection.queued() >= PIPELINE_CHUNK {
            session.connection.send().await.map_err(|error| Failure::session(&error, Fault::Session))?;
        }
        Ok(0)
    }

    /// A statement as the simple protocol sends it.
    pub(super) fn simple_text(&self, id: StatementId) -> String {
        let mut text = Vec::new();
        for part in &self.shared.plan.statements[id.index()].simple {
            write_part(part, &self.shared, &self.slots, &mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// `\startpipeline`: in the prepared protocol everything inside is prepared first.
    pub(super) async fn start_pipeline(&mut self, inside: &[StatementId]) -> Outcome<()> {
        let shared = self.shared.clone();
        if shared.load().protocol == Protocol::Simple {
            return Err(Failure::client(Fault::Pipeline, "cannot use pipeline mode with the simple query protocol"));
        }
        if self.pipeline.open {
            return Err(Failure::client(Fault::Pipeline, "already in pipeline mode"));
        }
        let Some(session) = &mut self.session else {
            return Err(Failure::client(Fault::Plan, "the client has no session"));
        };
        if session.queue_discard() {
            converse(session).await?;
        }
        if shared.load().protocol == Protocol::Prepared {
            for id in inside {
                prepare(&shared, *id, session).await?;
            }
        }
        self.pipeline = Pipeline { open: true, syncs: 0 };
        Ok(())
    }

    /// `\syncpipeline`
    pub(super) async fn sync_pipeline(&mut self) -> Outcome<()> {
        if !self.pipeline.open {
            return Err(Failure::client(Fault::Pipeline, "not in pipeline mode"));
        }
        self.pipeline.syncs += 1;
        let Some(session) = &mut self.session else {
            return Err(Failure::client(Fault::Plan, "the client has no session"));
        };
        session.connection.sync();
        session.connection.send().await.map_err(|error| Failure::session(&error, Fault::Session))
    }

    /// `\endpipeline`: all answers, and the first error among them.
    pub(super) async fn end_pipeline(&mut self) -> Outcome<()> {
        self.sync_pipeline().await?;
        let mut outcome = Ok(());
        let mut first = true;
        while self.pipeline.syncs > 0 {
            let Some(session) = &mut self.session else {
                return Err(Failure::client(Fault::Plan, "the client has no session"));
            };
            match converse(session).await {
                Ok(_) => {}
                Err(failure) if failure.lost => return Err(failure),
                Err(mut failure) => {
                    // to libpq, the end of a segment is a result, followed at once by the next segment's first
                    failure.result = u32::from(!first && failure.result == 0);
                    outcome = outcome.and(Err(failure));
                }
            }
            first = false;
            self.pipeline.syncs -= 1;
        }
        self.pipeline.open = false;
        outcome
    }
}

/// Queues the messages of one execution, behind a `discard all` that is due: then true, and its answer comes first. What
/// has to be prepared is prepared before, with a round trip of its own.
#[inline]
async fn queue(
    shared: &Shared,
    id: StatementId,
    statement: &StatementPlan,
    slots: &[Option<Value>],
    session: &mut Session,
    strict: bool,
) -> Outcome<bool> {
    let protocol = shared.load().protocol;
    if strict {
        check_defined(shared, statement, slots, protocol)?;
    }
    if protocol == Protocol::Prepared && !session.is_prepared(id) {
        prepare(shared, id, session).await?;
    }
    let discarding = session.queue_discard();
    let name = match protocol {
        Protocol::Simple => {
            session.connection.query(|out| {
                for part in &statement.simple {
                    write_part(part, shared, slots, out);
                }
            });
            return Ok(discarding);
        }
        Protocol::Extended => {
            session.connection.parse("", &statement.extended);
            ""
        }
        Protocol::Prepared => shared.name(id),
    };
    // the compiler refuses statements with more parameters than fit
    let count = u16::try_from(statement.parameters.len()).unwrap_or(u16::MAX);
    session.connection.execute(name, count, |index, out| {
        match &slots[statement.parameters[usize::from(index)].index()] {
            Some(value) => {
                value.write_sql(out);
                true
            }
            None => false,
        }
    });
    Ok(discarding)
}

/// Prepares a statement, with a round trip of its own as pgbench has it.
async fn prepare(shared: &Shared, id: StatementId, session: &mut Session) -> Outcome<()> {
    if session.is_prepared(id) {
        return Ok(());
    }
    let discarding = session.queue_discard();
    session.connection.parse(shared.name(id), &shared.plan.statements[id.index()].extended);
    session.connection.sync();
    if discarding {
        converse(session).await?;
    }
    match converse(session).await {
        // pgbench goes on: the execution fails for want of the statement, and it is not prepared again
        Err(failure) if !failure.lost && shared.load().on_error == OnError::Pgbench => session.refused = Some(failure),
        outcome => drop(outcome?),
    }
    session.set_prepared(id);
    Ok(())
}

/// A variable that nothing has set yet is a fault of the script, named before anything is sent.
fn check_defined(
    shared: &Shared,
    statement: &StatementPlan,
    slots: &[Option<Value>],
    protocol: Protocol,
) -> Outcome<()> {
    let undefined = |slot: &SlotId| slots[slot.index()].is_none();
    let missing = if protocol == Protocol::Simple {
        statement.simple.iter().find_map(|part| match part {
            TemplatePart::Raw(slot) | TemplatePart::Literal(slot) | TemplatePart::Identifier(slot) => {
                undefined(slot).then_some(*slot)
            }
            TemplatePart::Text(_) => None,
        })
    } else {
        statement.parameters.iter().copied().find(undefined)
    };
    match missing {
        Some(slot) => Err(Failure::client(
            Fault::Expression,
            format!("variable `:{}` has no value yet", shared.plan.slots[slot.index()].name),
        )),
        None => Ok(()),
    }
}

#[inline]
fn write_part(part: &TemplatePart, shared: &Shared, slots: &[Option<Value>], out: &mut Vec<u8>) {
    match part {
        TemplatePart::Text(text) => out.extend_from_slice(text.as_bytes()),
        TemplatePart::Raw(slot) => {
            if let Some(value) = &slots[slot.index()] {
                value.write_sql(out);
            } else {
                out.push(b':');
                out.extend_from_slice(shared.plan.slots[slot.index()].name.as_bytes());
            }
        }
        TemplatePart::Literal(slot) => match &slots[slot.index()] {
            Some(Value::Null) | None => out.extend_from_slice(b"NULL"),
            Some(value) => write_quoted(value, b'\'', out),
        },
        TemplatePart::Identifier(slot) => {
            if let Some(value) = &slots[slot.index()] {
                write_quoted(value, b'"', out);
            }
        }
    }
}

/// A value between quotes, those inside doubled. With a backslash inside, a literal needs its escape form.
fn write_quoted(value: &Value, quote: u8, out: &mut Vec<u8>) {
    let at = out.len();
    out.push(quote);
    value.write_sql(out);
    let escape = quote == b'\'' && out[at + 1..].contains(&b'\\');
    if escape || out[at + 1..].contains(&quote) {
        for byte in out.split_off(at + 1) {
            if byte == quote || (escape && byte == b'\\') {
                out.push(byte);
            }
            out.push(byte);
        }
    }
    out.push(quote);
    if escape {
        out.splice(at..at, *b" E");
    }
}

/// Sends what is queued and reads on to the next ReadyForQuery: the rows of all results together, or the first error.
#[inline]
async fn converse(session: &mut Session) -> Outcome<u64> {
    let mut tally = Tally::default();
    match session.connection.converse(&mut tally).await {
        Ok(None) => Ok(tally.rows),
        // rare, and out of the way of the others
        Ok(Some(reply)) => Box::pin(read(session, tally, Some(reply), None)).await,
        Err(error) => Err(Failure::session(&error, Fault::Session)),
    }
}

/// What is done with each result of a statement that stores.
type EachResult<'a> = &'a mut dyn FnMut(&StoredRow) -> Outcome<()>;

/// Reads on to the next ReadyForQuery, from the reply `next` on where there is one: the rows of all results together, or
/// the first error. `tally` was counted before.
async fn read(
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
                Err(error) => return Err(lost(failure, &error)),
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

//! One statement: sent in the phase's protocol, its answers read.
//!
//! This is the path that is measured. Once buffers have grown and statements are prepared it allocates nothing.

use std::time::{Duration, Instant};

use super::answer::{converse, read};
use super::client::Client;
use super::failure::{Failure, Fault, Outcome};
use super::listener::Step;
use super::session::Session;
use super::shared::Shared;
use super::store::StoredRow;
use crate::eval::Value;
use crate::id::{SlotId, StatementId};
use crate::pg::Tally;
use crate::plan::StatementPlan;
use crate::plan::phase::{OnError, Protocol};
use crate::plan::program::TemplatePart;

/// How long a cancel request for a session that is given up may take.
const ABANDONING: Duration = Duration::from_secs(5);

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
        if !self.shared.wants.steps {
            return self.exchange_unheard(id).await.map_err(|failure| self.shared.advised(failure, id));
        }
        self.tell_sending(id);
        self.tell(Step::Receiving);
        let outcome = self.exchange_unheard(id).await;
        self.tell(Step::Receiving);
        outcome.map_err(|failure| self.shared.advised(failure, id))
    }

    #[inline]
    async fn exchange_unheard(&mut self, id: StatementId) -> Outcome<u64> {
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
        if statement.store.is_none() && !shared.wants.results {
            return converse(session).await;
        }
        session.connection.send().await.map_err(|error| Failure::session(&error, Fault::Session))?;
        let heard = || shared.wants.results.then(|| shared.listener.clone());
        let result = self.stored.get_or_insert_with(|| Box::new(StoredRow::new(heard())));
        result.clear();
        let Some(store) = &statement.store else {
            return read(session, Tally::default(), None, Some((result, &mut |_| Ok(())))).await;
        };
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

    pub(super) fn tell(&self, step: Step<'_>) {
        self.shared.listener.step(self.number, step);
    }

    /// Tells what is about to be sent.
    pub(super) fn tell_sending(&self, id: StatementId) {
        match self.shared.load().protocol {
            Protocol::Simple => self.tell(Step::Sending(&self.simple_text(id))),
            Protocol::Extended => self.tell(Step::Sending(&self.shared.plan.statements[id.index()].extended)),
            Protocol::Prepared => {
                self.tell_preparing(id);
                self.tell(Step::Sending(self.shared.name(id)));
            }
        }
    }

    /// Tells that a statement is about to be prepared, unless it is already.
    pub(super) fn tell_preparing(&self, id: StatementId) {
        if self.session.as_ref().is_some_and(|session| !session.is_prepared(id)) {
            self.tell(Step::Preparing(self.shared.name(id)));
        }
    }

    /// A statement as the simple protocol sends it.
    pub(super) fn simple_text(&self, id: StatementId) -> String {
        let mut text = Vec::new();
        for part in &self.shared.plan.statements[id.index()].simple {
            write_part(part, &self.shared, &self.slots, &mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Queues the messages of one execution, behind a `discard all` that is due: then true, and its answer comes first. What
/// has to be prepared is prepared before, with a round trip of its own.
#[inline]
pub(super) async fn queue(
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
            // pgbench sends the word
            Some(Value::Null) if strict => false,
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
pub(super) async fn prepare(shared: &Shared, id: StatementId, session: &mut Session) -> Outcome<()> {
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
        outcome => drop(outcome.map_err(|failure| shared.advised(failure, id))?),
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

//! One transaction of a client: a session, as many tries as it takes, and what is recorded of it.

use std::time::Instant;

use super::client::{Client, Next};
use super::draw::draw;
use super::failure::{Failure, Fault, Outcome};
use super::log::TransactionOutcome;
use crate::id::ScriptId;
use crate::metrics::{Acquisition, Ending, FailureClass, FailureEvent, TransactionTimes};
use crate::pg::TransactionStatus;
use crate::plan::phase::{ConnectionPolicy, OnError};

impl Client {
    /// One transaction, from its scheduled start to what comes after its end.
    pub(super) async fn transaction(&mut self, script: ScriptId, scheduled: Instant) -> Next {
        let shared = self.shared.clone();
        let started = self.now.max(scheduled);
        let owned = self.keeps_its_session();
        let acquired = if owned { Ok((Acquisition::Owned, started)) } else { self.acquire(started).await };
        let (acquisition, acquired) = match acquired {
            Ok(acquired) => acquired,
            Err(failure) => return self.without_session(script, scheduled, started, &failure),
        };
        let scheduled = self.counts_from(scheduled, acquisition, acquired);
        let (outcome, tries) = self.tries(script, scheduled, acquired).await;
        let times = TransactionTimes { scheduled, started, acquired, finished: self.now };
        let outcome = match outcome {
            Tried::Unfinished => {
                shared.recorder.borrow_mut().unfinished(Some(script));
                return Next::Over;
            }
            // as in pgbench: an error that would be tried again, had the time not run out, is counted nowhere
            Tried::OutOfTime => return Next::Over,
            // nothing has failed: there is nothing left to do
            Tried::RanDry => {
                self.give_back().await;
                return Next::Over;
            }
            Tried::Done => Ok(()),
            Tried::Failed(failure) => Err(failure),
        };
        match outcome {
            Ok(()) => {
                let limit = shared.load().latency_limit;
                let late = limit.is_some_and(|limit| times.finished.saturating_duration_since(scheduled) > limit);
                shared.recorder.borrow_mut().transaction(script, &times, acquisition, tries, late);
                self.log_end(script, &times, tries, TransactionOutcome::Done);
                if self.lost.is_some() {
                    self.end_outage(Some(times.finished));
                }
                let left_open = if self.is_in_block() { self.leave_block(script).await } else { None };
                if !owned {
                    self.give_back().await;
                }
                match left_open {
                    Some(failure) => self.after_open_block(script, &failure),
                    None => Next::Transaction,
                }
            }
            Err(failure) => {
                self.give_back().await;
                self.after_failure(script, &times, acquisition, tries, &failure)
            }
        }
    }

    /// When a transaction's latency begins: pgbench leaves connecting out, unless a schedule says when it was due.
    fn counts_from(&self, scheduled: Instant, acquisition: Acquisition, acquired: Instant) -> Instant {
        let load = self.shared.load();
        let as_pgbench = load.on_error == OnError::Pgbench && load.arrivals.is_none();
        if as_pgbench && acquisition == Acquisition::Connect { acquired } else { scheduled }
    }

    /// A session for the transaction, and since when it has it.
    async fn acquire(&mut self, started: Instant) -> Outcome<(Acquisition, Instant)> {
        let shared = self.shared.clone();
        let (acquisition, session) = match shared.load().connections {
            ConnectionPolicy::PerClient => return Ok((Acquisition::Owned, started)),
            ConnectionPolicy::PerTransaction => (Acquisition::Connect, shared.opener.open_timed().await.0),
            ConnectionPolicy::Pool(_) => match &shared.pool {
                Some(pool) => (Acquisition::Pool, pool.acquire(&shared.timer, started).await),
                None => return Err(Failure::client(Fault::Plan, "the worker has no pool")),
            },
        };
        self.now = Instant::now();
        self.take_session(session?);
        Ok((acquisition, self.now))
    }

    /// No session was to be had: the transaction failed before its first command.
    fn without_session(&mut self, script: ScriptId, scheduled: Instant, started: Instant, failure: &Failure) -> Next {
        let shared = self.shared.clone();
        self.now = Instant::now();
        self.command = None;
        self.record_error(failure, script);
        if self.is_cut() {
            shared.recorder.borrow_mut().unfinished(Some(script));
            return Next::Over;
        }
        if failure.class == FailureClass::Connect {
            self.note_outage();
        }
        let acquisition = match shared.load().connections {
            ConnectionPolicy::Pool(_) => Acquisition::Pool,
            _ => Acquisition::Connect,
        };
        let times = TransactionTimes { scheduled, started, acquired: self.now, finished: self.now };
        self.after_failure(script, &times, acquisition, 1, failure)
    }

    /// Tries until one succeeds or none is left.
    async fn tries(&mut self, script: ScriptId, scheduled: Instant, acquired: Instant) -> (Tried, u32) {
        let shared = self.shared.clone();
        let random = self.random.clone();
        let mut begin = acquired;
        let mut tries = 1;
        self.reader.begin();
        loop {
            let outcome = self.attempt(script, begin).await;
            self.now = Instant::now();
            let Err(failure) = outcome else { return (Tried::Done, tries) };
            if self.is_cut() {
                self.session = None;
                return (Tried::Unfinished, tries);
            }
            if failure.fault == Fault::RanDry {
                self.recover(failure).await;
                return (Tried::RanDry, tries);
            }
            self.record_error(&failure, script);
            self.tell_failed(script, &failure);
            let failure = self.recover(failure).await;
            if self.may_be_tried_again(&failure) {
                if shared.is_over(self.now) && shared.load().on_error == OnError::Pgbench {
                    return (Tried::OutOfTime, tries);
                }
                if self.has_a_try_left(tries, scheduled) {
                    if let Some(command) = self.command {
                        shared.recorder.borrow_mut().command_retried(command);
                    }
                    self.tell_decided(true, tries, scheduled);
                    self.random = random.clone();
                    self.reader.rewind();
                    let pause = draw(shared.load().retry_delay, &mut self.think);
                    self.pause_until(self.now + pause).await;
                    tries += 1;
                    begin = Instant::now();
                    continue;
                }
                self.tell_decided(false, tries, scheduled);
            }
            if let Some(command) = self.command
                && self.counts(&failure)
            {
                shared.recorder.borrow_mut().command_failed(command);
            }
            return (Tried::Failed(failure), tries);
        }
    }

    /// The client ends with its error and closes its session, which rolls back: nothing has to be sent for that.
    fn closes_after_errors(&self) -> bool {
        let load = self.shared.load();
        load.on_error == OnError::Pgbench && !matches!(load.connections, ConnectionPolicy::Pool(_))
    }

    /// pgbench counts only failures that its client survives.
    fn counts(&self, failure: &Failure) -> bool {
        self.shared.load().on_error != OnError::Pgbench || is_expected(failure)
    }

    pub(super) fn may_be_tried_again(&self, failure: &Failure) -> bool {
        !failure.lost && self.shared.load().retry.contains(&failure.sqlstate)
    }

    fn has_a_try_left(&self, tries: u32, scheduled: Instant) -> bool {
        let load = self.shared.load();
        let in_time = load.latency_limit.is_none_or(|limit| self.now <= scheduled + limit);
        (load.max_tries == 0 || tries < load.max_tries) && in_time && !self.shared.is_over(self.now)
    }

    /// Brings the session back to where a transaction can begin, or throws it away.
    async fn recover(&mut self, mut failure: Box<Failure>) -> Box<Failure> {
        let pipeline = std::mem::take(&mut self.pipeline);
        if let Some(session) = &mut self.session {
            failure.refused = session.refused.take();
        }
        if !failure.lost && !self.may_be_tried_again(&failure) && self.closes_after_errors() {
            return failure;
        }
        if let (false, Some(session)) = (failure.lost, &mut self.session) {
            if pipeline.open {
                session.connection.sync();
                let mut outstanding = pipeline.syncs + 1;
                let mut outcome = session.connection.send().await;
                while outcome.is_ok() && outstanding > 0 {
                    outcome = session.finish().await.map(|_| ());
                    outstanding -= 1;
                }
                failure.lost = outcome.is_err();
            }
            if !failure.lost && session.connection.status() != TransactionStatus::Idle {
                failure.lost = session.rollback().await.is_err();
            }
        }
        if failure.lost {
            self.drop_session();
            if failure.class == FailureClass::Disconnect {
                self.note_loss();
                if self.keeps_its_session() {
                    self.note_outage();
                }
            }
        }
        failure
    }

    fn keeps_its_session(&self) -> bool {
        self.shared.load().connections == ConnectionPolicy::PerClient
    }

    /// A session that can't be used any more is never rolled back over the same socket.
    fn drop_session(&mut self) {
        self.session = None;
        *self.presence.cancel.borrow_mut() = None;
        if let Some(pool) = &self.shared.pool {
            pool.lost();
        }
    }

    fn is_in_block(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.connection.status() != TransactionStatus::Idle)
    }

    /// A script that ends inside a transaction block: rolled back, and a fault. The transaction is counted before.
    async fn leave_block(&mut self, script: ScriptId) -> Option<Box<Failure>> {
        let closes = self.closes_after_errors();
        let session = self.session.as_mut()?;
        let lost = !closes && session.rollback().await.is_err();
        let message = "end of script reached without completing the last transaction";
        let failure = Failure::client(Fault::ScriptEnd, message);
        self.record_error(&failure, script);
        if lost {
            self.drop_session();
        }
        Some(failure)
    }

    /// Gives the session back to where it came from.
    async fn give_back(&mut self) {
        let policy = self.shared.load().connections;
        if policy == ConnectionPolicy::PerClient {
            return;
        }
        *self.presence.cancel.borrow_mut() = None;
        let Some(session) = self.session.take() else { return };
        match (&self.shared.pool, policy) {
            (Some(pool), ConnectionPolicy::Pool(_)) => pool.release(session),
            _ => session.connection.close().await,
        }
    }

    fn after_open_block(&mut self, script: ScriptId, failure: &Failure) -> Next {
        match self.shared.load().on_error {
            OnError::Continue => Next::Transaction,
            OnError::AbortClient | OnError::Pgbench => self.end_with(script, failure),
            OnError::AbortRun => {
                let what = "a script ended inside a transaction block";
                self.shared.end_run(Ending::Aborted(what.to_owned()));
                Next::End
            }
        }
    }

    /// Counts a transaction that failed for good, and decides what that means for the client and the run.
    fn after_failure(
        &mut self,
        script: ScriptId,
        times: &TransactionTimes,
        acquisition: Acquisition,
        tries: u32,
        failure: &Failure,
    ) -> Next {
        let shared = self.shared.clone();
        let expected = is_expected(failure);
        let on_error = shared.load().on_error;
        if self.counts(failure) {
            shared.recorder.borrow_mut().failed(script, times, acquisition, tries, failure.class);
            self.log_end(script, times, tries, TransactionOutcome::Failed(failure.class));
        }
        match on_error {
            // a typo or a missing table would fail every time
            OnError::Continue if failure.class == FailureClass::Syntax => self.abort_run(script, failure),
            OnError::Continue => Next::Transaction,
            OnError::Pgbench if expected => Next::Transaction,
            OnError::AbortClient | OnError::Pgbench => self.end_with(script, failure),
            OnError::AbortRun => self.abort_run(script, failure),
        }
    }

    /// Ends the run by an error, and says which command it came from.
    #[cold]
    fn abort_run(&self, script: ScriptId, failure: &Failure) -> Next {
        let plan = &self.shared.plan;
        let name = &plan.scripts[script.index()].name;
        let command = self.command.and_then(|command| plan.commands.get(command.index()));
        let place = command.map_or_else(String::new, |command| {
            format!(", `{}`", command.label.as_deref().unwrap_or(&command.display))
        });
        self.shared.end_run(Ending::Aborted(format!("script {name}{place}: {}", failure.message)));
        Next::End
    }

    /// Keeps an error for the report.
    pub(super) fn record_error(&self, failure: &Failure, script: ScriptId) {
        self.shared.recorder.borrow_mut().error(&FailureEvent {
            class: failure.class,
            sqlstate: failure.sqlstate,
            script,
            command: self.command,
            message: &failure.message,
            at: self.now,
        });
    }
}

/// What every client has to reckon with.
fn is_expected(failure: &Failure) -> bool {
    matches!(failure.class, FailureClass::Serialization | FailureClass::Deadlock)
}

/// How the tries of a transaction ended.
enum Tried {
    /// One succeeded.
    Done,
    /// All failed.
    Failed(Box<Failure>),
    /// It was cancelled, since the run ends.
    Unfinished,
    /// The time was over before it could be tried again.
    OutOfTime,
    /// A feed had no more rows.
    RanDry,
}

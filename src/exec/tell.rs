//! What a client tells of its transactions besides what is recorded.

use std::time::Instant;

use super::client::{Client, Next};
use super::failure::{ClientEnd, Failure};
use super::listener::{TryDecided, TryFailed};
use super::log::{TransactionEnd, TransactionOutcome};
use crate::id::ScriptId;
use crate::metrics::TransactionTimes;
use crate::plan::phase::Protocol;

impl Client {
    /// Ends the client with its error.
    pub(super) fn end_with(&mut self, script: ScriptId, failure: &Failure) -> Next {
        let refused = failure.refused.as_ref();
        self.end = Some(Box::new(ClientEnd {
            client: self.number,
            thread: self.shared.number,
            script,
            command: self.command,
            result: failure.result,
            fault: failure.fault.clone(),
            message: self.libpq_message(failure),
            advice: failure.advice.clone(),
            refused: refused.and_then(|refused| {
                let parsed = self.statement_id().map(|id| &*self.shared.plan.statements[id.index()].extended);
                refused.server.as_ref().map(|error| error.libpq_text(parsed))
            }),
        }));
        Next::End
    }

    fn statement_id(&self) -> Option<crate::id::StatementId> {
        self.command.and_then(|command| self.shared.plan.commands[command.index()].statement)
    }

    /// A server's error as libpq words it, with what it shows of the statement; else the message.
    fn libpq_message(&self, failure: &Failure) -> String {
        let Some(error) = &failure.server else { return failure.message.clone() };
        let statement = self.statement_id();
        match self.shared.load().protocol {
            Protocol::Simple => error.libpq_text(statement.map(|id| self.simple_text(id)).as_deref()),
            Protocol::Extended => {
                error.libpq_text(statement.map(|id| &*self.shared.plan.statements[id.index()].extended))
            }
            Protocol::Prepared => error.libpq_text(None),
        }
    }

    /// A try ended with an error that may be tried again.
    pub(super) fn tell_failed(&self, script: ScriptId, failure: &Failure) {
        if self.shared.wants.tries && self.may_be_tried_again(failure) {
            let message = self.libpq_message(failure);
            let failed = TryFailed { client: self.number, script, command: self.command, message: &message };
            self.shared.listener.try_failed(&failed);
        }
    }

    /// What becomes of it.
    pub(super) fn tell_decided(&self, again: bool, tries: u32, scheduled: Instant) {
        if self.shared.wants.tries {
            let used = self
                .shared
                .load()
                .latency_limit
                .map(|limit| self.now.saturating_duration_since(scheduled).as_secs_f64() / limit.as_secs_f64());
            self.shared.listener.try_decided(&TryDecided { client: self.number, again, tries, used });
        }
    }

    /// Tells the log, where there is one, how a transaction ended.
    #[inline]
    pub(super) fn log_end(&self, script: ScriptId, times: &TransactionTimes, tries: u32, outcome: TransactionOutcome) {
        self.shared.log(|| TransactionEnd {
            client: self.number,
            number: self.done + 1,
            script,
            outcome,
            latency: times.finished.saturating_duration_since(times.scheduled),
            lag: times.started.saturating_duration_since(times.scheduled),
            tries,
            at: times.finished,
        });
    }
}

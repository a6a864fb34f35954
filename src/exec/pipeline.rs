//! Pipelines: statements are sent without waiting, and all answers are read at the end.

use super::answer::converse;
use super::client::Client;
use super::failure::{Failure, Fault, Outcome};
use super::listener::Step;
use super::statement::{prepare, queue};
use crate::id::StatementId;
use crate::metrics::FailureClass;
use crate::plan::phase::Protocol;

/// A pipeline that is open: what has to be read at its end.
#[derive(Default, Clone, Copy)]
pub(super) struct Pipeline {
    pub(super) open: bool,
    /// Syncs that were sent and not answered yet.
    pub(super) syncs: u32,
}

/// Queued bytes beyond which a pipeline sends without waiting for its end, as libpq does.
const PIPELINE_CHUNK: usize = 64 * 1024;

impl Client {
    /// Queues a statement; its answers come at the end.
    pub(super) async fn queue_in_pipeline(&mut self, id: StatementId) -> Outcome<u64> {
        let shared = self.shared.clone();
        let statement = &shared.plan.statements[id.index()];
        if let Some(store) = &statement.store {
            let word = if store.all { "aset" } else { "gset" };
            return Err(Failure::client(Fault::Pipeline, format!("\\{word} is not allowed in pipeline mode")));
        }
        if shared.wants.steps {
            self.tell_sending(id);
        }
        let Some(session) = &mut self.session else {
            return Err(Failure::client(Fault::Plan, "the client has no session"));
        };
        queue(&shared, id, statement, &self.slots, session, self.strict).await?;
        if session.connection.queued() >= PIPELINE_CHUNK {
            session.connection.send().await.map_err(|error| Failure::session(&error, Fault::Session))?;
        }
        Ok(0)
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
        if shared.wants.steps && shared.load().protocol == Protocol::Prepared {
            for id in inside {
                self.tell_preparing(*id);
            }
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
            if self.shared.wants.steps {
                self.tell(Step::Receiving);
                self.tell(Step::PipelineEnding(self.pipeline.syncs));
            }
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
        if let Err(failure) = &outcome
            && !self.strict
            && matches!(failure.class, FailureClass::Serialization | FailureClass::Deadlock)
        {
            self.sync_once_more().await?;
        }
        outcome
    }

    /// pgbench does not count what it has still to read after an error that it may retry: it waits for one more sync.
    async fn sync_once_more(&mut self) -> Outcome<()> {
        let Some(session) = &mut self.session else {
            return Err(Failure::client(Fault::Plan, "the client has no session"));
        };
        session.connection.sync();
        session.connection.send().await.map_err(|error| Failure::session(&error, Fault::Session))?;
        converse(session).await.map(|_| ())
    }
}

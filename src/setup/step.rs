//! One step, timed.

use std::cell::RefCell;
use std::io::Read;
use std::time::{Duration, Instant};

use super::attend::attend;
use super::copy::copy;
use super::fill::fill;
use super::outside::{Nothing, Outside};
use super::rows::Rows;
use super::shell::shell;
use super::wait::wait_until;
use super::{Cancel, Error, pgbench};
use crate::clock::Clock;
use crate::pg::{self, Admin};
use crate::plan::StepPlan;
use crate::plan::setup_sql::{self, is_transactional};
use crate::plan::step::{SetupStatement, StepKind};
use crate::source::Span;

/// How long a cancel request may take.
const CANCEL: Duration = Duration::from_secs(5);

/// How long a statement may take to end after a cancel request before there is another.
const AGAIN: Duration = Duration::from_millis(200);

/// What is told while a set-up runs.
pub trait Observer {
    /// A step begins; `number` counts from 0.
    fn step_started(&mut self, number: usize, of: usize, step: &StepPlan) {
        let _ = (number, of, step);
    }

    /// So much of the running step is done: rows of a fill, statements of SQL.
    fn progressed(&mut self, done: u64, of: u64) {
        let _ = (done, of);
    }

    /// So many bytes of a file of rows are on their way.
    fn copied(&mut self, bytes: u64, of: u64) {
        let _ = (bytes, of);
    }

    /// The server refused a statement of a step that goes on all the same.
    fn passed_over(&mut self, step: &StepPlan, error: &pg::Error) {
        let _ = (step, error);
    }

    /// The running statement waits for something: a lock, and who holds it.
    fn waiting(&mut self, reason: &str) {
        let _ = reason;
    }

    /// A step has ended well.
    fn step_finished(&mut self, result: &StepResult) {
        let _ = result;
    }
}

/// Nobody watches.
impl Observer for () {}

/// What a step took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepResult {
    /// Its name.
    pub name: String,
    /// How long it took, with everything.
    pub elapsed: Duration,
    /// Rows that its statements affected, all together.
    pub rows: u64,
    /// Its statements; a fill has one for each range of rows, a step of pgbench's one for each of its own
    /// steps.
    pub statements: Vec<StatementResult>,
}

/// What a statement took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementResult {
    /// From sending it to its last answer.
    pub elapsed: Duration,
    /// Rows that it affected.
    pub rows: u64,
}

/// What every statement of a step needs.
pub(super) struct Run<'a> {
    pub(super) admin: &'a Admin,
    pub(super) seed: u64,
    pub(super) cancel: &'a Cancel,
    pub(super) outside: &'a dyn Outside,
    observer: RefCell<&'a mut dyn Observer>,
    clock: Clock,
}

/// Runs one step on its own, such as one between two phases. On failure a transaction that it opened is rolled back.
pub async fn run_step(
    step: &StepPlan,
    seed: u64,
    admin: &Admin,
    outside: &dyn Outside,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<StepResult, Error> {
    observer.step_started(0, 1, step);
    Run::new(admin, seed, observer, cancel).with(outside).step(step).await
}

impl<'a> Run<'a> {
    pub(super) fn new(admin: &'a Admin, seed: u64, observer: &'a mut dyn Observer, cancel: &'a Cancel) -> Self {
        Self { admin, seed, cancel, outside: &Nothing, observer: RefCell::new(observer), clock: Clock::new() }
    }

    /// The same with what steps may need besides.
    pub(super) fn with(self, outside: &'a dyn Outside) -> Self {
        Self { outside, ..self }
    }

    /// The moment.
    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Does nothing for a while.
    pub(super) async fn pause(&self, time: Duration) -> Result<(), Error> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = self.cancel.asked() => Err(Error::Cancelled),
        }
    }

    /// Tells the observer something.
    pub(super) fn tell(&self, what: impl FnOnce(&mut dyn Observer)) {
        what(&mut **self.observer.borrow_mut());
    }

    /// The server's version as a number.
    pub(super) fn version(&self) -> u32 {
        self.admin.server_version_num()
    }

    /// Does something that the backend `pid` works for, as long as the server answers at all.
    pub(super) async fn attended<T>(&self, pid: i32, work: impl Future<Output = T>) -> Result<T, Error> {
        let tell = |reason: &str| self.tell(|observer| observer.waiting(reason));
        let beside = Box::pin(attend(self.admin, pid, tell));
        tokio::select! {
            biased;
            done = work => Ok(done),
            error = beside => Err(error),
        }
    }

    /// Sends a statement and waits, unless somebody asks to stop: then it is cancelled on the server, and its end
    /// waited for, so that the session is usable again.
    async fn interruptible<T>(
        &self,
        session: &Admin,
        statement: impl Future<Output = Result<T, pg::Error>>,
    ) -> Result<Result<T, pg::Error>, Error> {
        self.bounded(session, self.attended(session.pid(), statement), None).await
    }

    /// The same with a limit of time, after which it is cancelled too.
    async fn bounded<T>(
        &self,
        session: &Admin,
        statement: impl Future<Output = Result<Result<T, pg::Error>, Error>>,
        limit: Option<Duration>,
    ) -> Result<Result<T, pg::Error>, Error> {
        tokio::pin!(statement);
        let over = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        let is_asked = tokio::select! {
            result = &mut statement => return result,
            () = self.cancel.asked() => true,
            () = over => false,
        };
        // A request may come before its statement and then does nothing: it is sent again until the statement ends. One
        // that was begun is seen through, or the server might take it for the next statement, which puts things in order.
        let token = session.cancel_token();
        loop {
            let _ = token.cancel(CANCEL).await;
            if let Ok(ended) = tokio::time::timeout(AGAIN, &mut statement).await {
                drop(ended?);
                break;
            }
        }
        match limit {
            Some(after) if !is_asked => Ok(Err(pg::Error::Timeout { what: "a statement".to_owned(), after })),
            _ => Err(Error::Cancelled),
        }
    }

    /// A statement of ours that keeps other sessions from being opened, so that none looks after it.
    pub(super) async fn unattended(&self, what: &str, sql: &str) -> Result<(), Error> {
        let done = self.bounded(self.admin, async { Ok(self.admin.execute(sql).await) }, None).await?;
        done.map(drop).map_err(failed(what))
    }

    /// A statement of the scenario's.
    pub(super) async fn scenario(&self, step: &str, statement: &SetupStatement) -> Result<StatementResult, Error> {
        self.scenario_in(self.admin, step, statement).await
    }

    /// The same in another session.
    pub(super) async fn scenario_in(
        &self,
        session: &Admin,
        step: &str,
        statement: &SetupStatement,
    ) -> Result<StatementResult, Error> {
        let begin = self.clock.now();
        let done = match &statement.rows {
            None => self.interruptible(session, session.execute(&statement.sql)).await?,
            Some(rows) => {
                let mut rows = Rows::new(rows.as_bytes(), self.cancel, &|_| ());
                self.copy_in(&statement.sql, &mut rows).await?.map(|result| result.rows)
            }
        };
        let rows = done.map_err(|error| refused(step, statement, error))?;
        Ok(StatementResult { elapsed: self.clock.now() - begin, rows })
    }

    /// A COPY with rows that come from here.
    pub(super) async fn copy_in<R: Read + Unpin>(
        &self,
        sql: &str,
        rows: &mut Rows<'_, R>,
    ) -> Result<Result<StatementResult, pg::Error>, Error> {
        let begin = self.clock.now();
        let done = self.interruptible(self.admin, self.admin.copy_in(sql, rows)).await?;
        if self.cancel.is_asked() {
            // the rows were held back before the server heard of it
            return Err(Error::Cancelled);
        }
        Ok(done.map(|rows| StatementResult { elapsed: self.clock.now() - begin, rows }))
    }

    /// A question of a step, answered within the limit or cancelled: its rows, each value as text.
    pub(super) async fn question(
        &self,
        step: &str,
        question: &SetupStatement,
        limit: Duration,
    ) -> Result<Vec<Vec<Option<String>>>, Error> {
        let answer = self
            .bounded(self.admin, self.attended(self.admin.pid(), self.admin.query_text(&question.sql)), Some(limit))
            .await?;
        answer.map_err(|error| refused(step, question, error))
    }

    /// A statement of ours.
    pub(super) async fn execute(&self, what: &str, sql: &str) -> Result<StatementResult, Error> {
        self.execute_in(self.admin, what, sql).await
    }

    /// The same in another session.
    pub(super) async fn execute_in(&self, session: &Admin, what: &str, sql: &str) -> Result<StatementResult, Error> {
        let begin = self.clock.now();
        let rows = self.interruptible(session, session.execute(sql)).await?.map_err(failed(what))?;
        Ok(StatementResult { elapsed: self.clock.now() - begin, rows })
    }

    /// A question of ours: its rows, each value as text.
    pub(super) async fn query(&self, what: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, Error> {
        self.interruptible(self.admin, self.admin.query_text(sql)).await?.map_err(failed(what))
    }

    /// What the server says to the question for a variable: its rows, each value as text.
    pub(super) async fn answer(
        &self,
        variable: &str,
        question: &SetupStatement,
    ) -> Result<Vec<Vec<Option<String>>>, Error> {
        self.interruptible(self.admin, self.admin.query_text(&question.sql)).await?.map_err(|error| Error::Variable {
            name: variable.to_owned(),
            span: place(question, &error),
            error,
        })
    }

    /// The rows of a feed.
    pub(super) async fn rows(&self, feed: &str, question: &SetupStatement) -> Result<pg::Rows, Error> {
        self.interruptible(self.admin, self.admin.query(&question.sql)).await?.map_err(|error| Error::Feed {
            name: feed.to_owned(),
            span: place(question, &error),
            error,
        })
    }

    pub(super) async fn begin(&self) -> Result<(), Error> {
        self.execute("could not begin a transaction", "begin").await.map(drop)
    }

    pub(super) async fn commit(&self) -> Result<(), Error> {
        self.execute("could not commit", "commit").await.map(drop)
    }

    /// Leaves the transaction block that a failure stopped in, ours or one of the scenario's statements.
    pub(super) async fn rollback(&self) {
        // Outside one it is a warning; on a lost session there is nothing to roll back.
        let _ = self.admin.execute("rollback").await;
    }

    pub(super) async fn step(&mut self, step: &StepPlan) -> Result<StepResult, Error> {
        let begin = self.clock.now();
        let done = match &step.kind {
            StepKind::Sql(statements) if step.passes_over_errors => self.each(step, statements).await,
            StepKind::Sql(statements) => self.sql(&step.name, statements).await,
            StepKind::Fill(plan) => fill(self, step, plan).await,
            StepKind::Pgbench(plan) => Box::pin(pgbench::step(self, step, plan)).await,
            StepKind::Copy(plan) => copy(self, plan).await,
            StepKind::Wait(time) => self.pause(*time).await.map(|()| Vec::new()),
            StepKind::WaitUntil(plan) => wait_until(self, &step.name, plan).await,
            StepKind::Restart => self.restart(step).await,
            StepKind::Shell(command) => shell(self, step, command).await,
        };
        let statements = match done {
            Ok(statements) => statements,
            Err(error) => {
                if !error.is_no_answer() {
                    self.rollback().await;
                }
                return Err(error);
            }
        };
        let rows = statements.iter().map(|statement| statement.rows).sum();
        let result = StepResult { name: step.name.clone(), elapsed: self.clock.now() - begin, rows, statements };
        self.tell(|observer| observer.step_finished(&result));
        Ok(result)
    }

    /// Several statements that may share a transaction do; one alone is a transaction anyway, and its time has the
    /// commit in it.
    async fn sql(&mut self, name: &str, statements: &[SetupStatement]) -> Result<Vec<StatementResult>, Error> {
        let together = statements.len() > 1 && statements.iter().all(|statement| is_transactional(&statement.sql));
        if together {
            self.begin().await?;
        }
        let mut results = Vec::with_capacity(statements.len());
        for statement in statements {
            results.push(self.scenario(name, statement).await?);
            self.tell(|observer| observer.progressed(results.len() as u64, statements.len() as u64));
        }
        if together {
            self.commit().await?;
        }
        self.end_dump(statements).await?;
        Ok(results)
    }

    /// Each statement by itself, as `psql` sends a file: what the server refuses is told and passed over.
    async fn each(&mut self, step: &StepPlan, statements: &[SetupStatement]) -> Result<Vec<StatementResult>, Error> {
        let mut results = Vec::with_capacity(statements.len());
        for statement in statements {
            match self.scenario(&step.name, statement).await {
                Ok(result) => results.push(result),
                Err(Error::Statement { error: error @ pg::Error::Server(_), .. }) => {
                    self.tell(|observer| observer.passed_over(step, &error));
                }
                Err(other) => return Err(other),
            }
        }
        self.end_dump(statements).await?;
        Ok(results)
    }

    /// Restarts the server, and goes on with a new session there.
    ///
    /// Whoever asks to stop meanwhile is heard afterwards: the server is needed to undo what was made.
    async fn restart(&self, step: &StepPlan) -> Result<Vec<StatementResult>, Error> {
        let restarting = self.outside.restart().ok_or(Error::NotEmbedded { span: step.span })?;
        restarting.await.map_err(|fault| Error::Outside { span: step.span, fault: Box::new(fault) })?;
        let target = self.admin.origin().0.clone();
        self.admin.move_to(&target).await.map_err(failed("could not connect after the restart"))?;
        if self.cancel.is_asked() { Err(Error::Cancelled) } else { Ok(Vec::new()) }
    }

    /// What `pg_dump`'s output sets for its own session, such as an empty search path, ends with it, as in psql.
    async fn end_dump(&self, statements: &[SetupStatement]) -> Result<(), Error> {
        if statements.iter().any(|statement| statement.sql.contains("'search_path', ''")) {
            let set = statements.iter().filter_map(|statement| setup_sql::setting(&statement.sql));
            for name in std::iter::once("search_path".to_owned()).chain(set) {
                self.execute("could not reset a setting", &format!("reset {name}")).await?;
            }
        }
        Ok(())
    }
}

/// What the server has against a statement of a step.
fn refused(step: &str, statement: &SetupStatement, error: pg::Error) -> Error {
    Error::Statement { step: step.to_owned(), span: place(statement, &error), error }
}

fn failed(what: &str) -> impl FnOnce(pg::Error) -> Error {
    let what = what.to_owned();
    move |error| Error::Server { what, error }
}

/// The place in a statement that the server's error is about, as far as the text is what was written.
fn place(statement: &SetupStatement, error: &pg::Error) -> Span {
    let written = statement.span.range().len() == statement.sql.len();
    let position = error.server_error().and_then(|error| error.position).filter(|_| written);
    let Some(at) = position.and_then(|at| statement.sql.char_indices().nth((at as usize).saturating_sub(1))) else {
        return statement.span;
    };
    let rest = &statement.sql[at.0..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(at.1.len_utf8());
    let start = statement.span.range().start + at.0;
    Span::new(statement.span.source, start..start + length)
}

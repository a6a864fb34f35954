//! The step `g`: rows made here and sent by COPY, in one session or in several side by side.

use std::cell::Cell;
use std::ops::Range;
use std::time::Instant;

use futures_util::future::try_join_all;

use super::observer::Shared;
use super::rows::Table;
use super::session::Session;
use super::{InitError, statements};
use crate::plan::InitPlan;

/// Rows of one message: small beside a table, so that several sessions keep the rows nearly in their order, and a part
/// of the 100,000 after which pgbench tells how far it is.
const CHUNK: u64 = 4_000;

/// COPY can freeze rows from this version on, as far as pgbench is concerned.
pub(super) const FREEZE_VERSION: u32 = 140_000;

/// Fills the tables in one transaction.
pub(super) async fn in_one_session<'a>(
    plan: &InitPlan,
    session: &mut Session<'a>,
    shared: &'a Shared<'a>,
) -> Result<u64, InitError> {
    session.execute("begin").await?;
    session.execute(&statements::truncate()).await?;
    let mut rows = 0;
    for table in Table::ALL {
        let freeze = session.version() >= FREEZE_VERSION && session.relation_kind(table.name()).await? == Some(b'r');
        rows += copy_alone(plan, session, table, freeze, shared).await?;
    }
    session.execute("commit").await?;
    Ok(rows)
}

/// Fills the tables from several sessions.
///
/// Only the transaction that emptied a table may freeze its rows, and the others have to see it emptied: so nothing is
/// frozen here, and the step `v` does it. All sessions commit when all have sent their rows; one that fails leaves the
/// tables empty.
pub(super) async fn in_sessions<'a>(
    plan: &InitPlan,
    first: &mut Session<'a>,
    others: &mut [Session<'a>],
    shared: &'a Shared<'a>,
) -> Result<u64, InitError> {
    first.execute("begin").await?;
    first.execute(&statements::truncate()).await?;
    first.execute("commit").await?;
    first.execute("begin").await?;
    let mut rows = 0;
    for table in [Table::Branches, Table::Tellers] {
        rows += copy_alone(plan, first, table, false, shared).await?;
    }
    for other in others.iter_mut() {
        other.execute("begin").await?;
    }
    let feed = Feed::new(plan, Table::Accounts, shared);
    let sql = statements::copy(Table::Accounts.name(), false);
    // none gets ahead of the others
    for session in std::iter::once(&mut *first).chain(others.iter_mut()) {
        session.copy_begin(&sql).await?;
    }
    let copied =
        try_join_all(std::iter::once(&mut *first).chain(others.iter_mut()).map(|session| copy(session, &sql, &feed)));
    rows += copied.await?.into_iter().sum::<u64>();
    for session in std::iter::once(first).chain(others) {
        session.execute("commit").await?;
    }
    Ok(rows)
}

async fn copy_alone<'a>(
    plan: &InitPlan,
    session: &mut Session<'a>,
    table: Table,
    freeze: bool,
    shared: &'a Shared<'a>,
) -> Result<u64, InitError> {
    let feed = Feed::new(plan, table, shared);
    let sql = statements::copy(table.name(), freeze);
    session.copy_begin(&sql).await?;
    copy(session, &sql, &feed).await
}

/// Sends chunks of a table's rows in a COPY that has begun, until there are none left.
async fn copy(session: &mut Session<'_>, sql: &str, feed: &Feed<'_>) -> Result<u64, InitError> {
    feed.begin();
    let ended = |error| InitError::Copy { sql: sql.to_owned(), error };
    while let Some(rows) = feed.take() {
        let count = rows.end - rows.start;
        if !session.copy_rows(|out| feed.table.write(rows, out)).await.map_err(ended)? {
            break;
        }
        feed.sent(count);
        // the next chunk is another session's, where there is one, though this one could take more
        tokio::task::yield_now().await;
    }
    let rows = session.copy_end().await.map_err(ended)?;
    if feed.shared.cancel.is_asked() { Err(InitError::Cancelled) } else { Ok(rows) }
}

/// The rows of a table that are still to be sent.
struct Feed<'a> {
    table: Table,
    total: u64,
    next: Cell<u64>,
    sent: Cell<u64>,
    begun: Cell<Option<Instant>>,
    shared: &'a Shared<'a>,
}

impl<'a> Feed<'a> {
    fn new(plan: &InitPlan, table: Table, shared: &'a Shared<'a>) -> Self {
        let total = table.rows(plan.scale);
        Self { table, total, next: Cell::new(0), sent: Cell::new(0), begun: Cell::new(None), shared }
    }

    /// The COPY has begun, the first one where there are several.
    fn begin(&self) {
        if self.begun.get().is_none() {
            self.begun.set(Some(self.shared.now()));
        }
    }

    /// The next chunk.
    fn take(&self) -> Option<Range<u64>> {
        let start = self.next.get();
        let end = self.total.min(start + CHUNK);
        self.next.set(end);
        (start < end).then_some(start..end)
    }

    /// So many rows more are on their way.
    fn sent(&self, count: u64) {
        let sent = self.sent.get() + count;
        self.sent.set(sent);
        let now = self.shared.now();
        let elapsed = now - self.begun.get().unwrap_or(now);
        self.shared.tell(|observer| observer.rows_sent(self.table.name(), sent, self.total, elapsed));
    }
}

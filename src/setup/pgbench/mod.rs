//! pgbench's initialization (`pgbench -i`): its statements, its rows, its order.

mod error;
mod generate;
mod observer;
mod rows;
mod session;
mod statements;
mod step;

pub use error::InitError;
pub use observer::InitObserver;

use observer::Shared;
use session::Session;
pub(super) use step::step;

use super::Cancel;
use super::column::literal;
use crate::clock::Clock;
use crate::pg::{self, OpenOptions, Opened, Target};
use crate::plan::InitPlan;
use crate::plan::initialization::InitStep;

/// Where an initialization is done.
#[derive(Debug, Clone, Copy)]
pub struct InitPlace<'a> {
    /// The server and the database.
    pub target: &'a Target,
    /// How further sessions are opened.
    pub options: &'a OpenOptions,
    /// Settings that each session begins with.
    pub settings: &'a [(String, String)],
}

/// Does an initialization in a session that was just opened, and in further ones where it has several jobs. Returns the
/// rows that were made.
pub async fn initialize(
    plan: &InitPlan,
    place: InitPlace<'_>,
    opened: Opened,
    observer: &mut dyn InitObserver,
    cancel: &Cancel,
) -> Result<u64, InitError> {
    let clock = Clock::new();
    let shared = Shared::new(observer, cancel);
    let mut session = begin(opened, place, &shared).await?;
    let mut rows = 0;
    let mut done = Ok(());
    for step in plan.steps.iter().copied() {
        let start = clock.now();
        shared.tell(|observer| observer.step_started(step));
        match run(step, plan, place, &mut session, &shared).await {
            Ok(made) => {
                rows += made;
                shared.tell(|observer| observer.step_finished(step, made, clock.now() - start));
            }
            Err(error) => {
                done = Err(error);
                break;
            }
        }
    }
    session.close().await;
    done.map(|()| rows)
}

async fn begin<'a>(opened: Opened, place: InitPlace<'_>, shared: &'a Shared<'a>) -> Result<Session<'a>, InitError> {
    let mut session = Session::new(opened, shared).map_err(InitError::Open)?;
    for (name, value) in place.settings {
        session.execute(&format!("select set_config({}, {}, false)", literal(name), literal(value))).await?;
    }
    Ok(session)
}

/// One step; the rows that it made.
async fn run<'a>(
    step: InitStep,
    plan: &InitPlan,
    place: InitPlace<'_>,
    session: &mut Session<'a>,
    shared: &'a Shared<'a>,
) -> Result<u64, InitError> {
    match step {
        InitStep::DropTables => drop(session.execute(&statements::drop_tables()).await?),
        InitStep::CreateTables => create_tables(plan, session, shared).await?,
        InitStep::GenerateClientSide if plan.jobs > 1 => {
            let mut others = Vec::with_capacity(plan.jobs as usize - 1);
            for _ in 1..plan.jobs {
                let opened = pg::open(place.target, place.options).await.map_err(InitError::Open)?;
                others.push(begin(opened, place, shared).await?);
            }
            let rows = generate::in_sessions(plan, session, &mut others, shared).await?;
            for other in others {
                other.close().await;
            }
            return Ok(rows);
        }
        InitStep::GenerateClientSide => return generate::in_one_session(plan, session, shared).await,
        InitStep::GenerateServerSide => return generate_in_server(plan, session).await,
        InitStep::Vacuum => {
            let freeze = freezes_late(plan, session.version());
            execute_all(session, &statements::vacuum(freeze)).await?;
        }
        InitStep::PrimaryKeys => execute_all(session, &statements::primary_keys(plan)).await?,
        InitStep::ForeignKeys => execute_all(session, &statements::foreign_keys()).await?,
    }
    Ok(0)
}

/// Whether it is left to the vacuum to freeze the rows, which one session would have done as it sent them.
fn freezes_late(plan: &InitPlan, version: u32) -> bool {
    let sent = plan.steps.contains(&InitStep::GenerateClientSide);
    sent && plan.jobs > 1 && plan.partitions == 0 && version >= generate::FREEZE_VERSION
}

async fn execute_all(session: &mut Session<'_>, statements: &[String]) -> Result<(), InitError> {
    for sql in statements {
        session.execute(sql).await?;
    }
    Ok(())
}

async fn create_tables(plan: &InitPlan, session: &mut Session<'_>, shared: &Shared<'_>) -> Result<(), InitError> {
    execute_all(session, &statements::create_tables(plan)).await?;
    if plan.partitions > 0 {
        shared.tell(|observer| observer.partitions_started(plan.partitions));
    }
    for number in 1..=plan.partitions {
        session.execute(&statements::create_partition(plan, number)).await?;
    }
    Ok(())
}

async fn generate_in_server(plan: &InitPlan, session: &mut Session<'_>) -> Result<u64, InitError> {
    session.execute("begin").await?;
    session.execute(&statements::truncate()).await?;
    let mut rows = 0;
    for sql in statements::insert(plan.scale) {
        rows += session.execute(&sql).await?;
    }
    session.execute("commit").await?;
    Ok(rows)
}

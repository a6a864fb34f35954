//! The whole of a set-up, and its end.

use std::collections::BTreeSet;

use super::catalog::{self, Object};
use super::fingerprint::{difference, parts};
use super::kept::{Note, Notes};
use super::outside::{Nothing, Outside};
use super::step::Run;
use super::{Cancel, Error, Observer, StepResult, cleanup, fingerprint, preconditions};
use crate::pg::Admin;
use crate::plan::step::StepKind;
use crate::plan::{Plan, StepPlan, initialization, setup_sql};

/// How a set-up is done.
#[derive(Clone, Copy)]
pub struct SetupOptions<'a> {
    /// Whether what is in the way is dropped: what an earlier set-up of the scenario made, and tables that this one
    /// makes under the same names.
    pub replace: bool,
    /// Fingerprints of set-ups that this one may take the place of, as the points of a matrix take each other's. No
    /// table that one of them has not made is dropped for that.
    pub succeeds: &'a [String],
    /// What steps may need besides the server.
    pub outside: &'a dyn Outside,
}

impl Default for SetupOptions<'_> {
    fn default() -> Self {
        Self { replace: false, succeeds: &[], outside: &Nothing }
    }
}

/// What a set-up did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetupOutcome {
    /// Set where all was there already and stayed as it was.
    pub kept: Option<Kept>,
    /// The steps that were run.
    pub steps: Vec<StepResult>,
    /// What they made, such as `table public.orders`.
    pub made: Vec<String>,
    /// What was dropped before, with `replace`.
    pub dropped: Vec<String>,
}

/// An earlier set-up that is used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// When it was made, in UTC, by the server's clock.
    pub made_at: String,
    /// The version of reprise that made it.
    pub version: String,
}

/// Makes what the scenario measures on, unless it is there. After a failure what was made is removed again.
pub async fn run(
    plan: &Plan,
    admin: &Admin,
    options: &SetupOptions<'_>,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<SetupOutcome, Error> {
    let mut run = Run::new(admin, plan.seed, observer, cancel).with(options.outside);
    preconditions::check(&run, &plan.server).await?;
    lock(&run).await?;
    let outcome = run_locked(&mut run, plan, *options).await;
    unlock(admin, outcome.as_ref().err()).await;
    outcome
}

/// Another set-up in the same database at the same time would take this one's relations for its own.
const LOCK: i64 = i64::from_be_bytes(*b"reprise\0");

pub(super) async fn lock(run: &Run<'_>) -> Result<(), Error> {
    let sql = format!("select pg_advisory_lock({LOCK})");
    run.execute("could not wait for another set-up in this database", &sql).await.map(drop)
}

pub(super) async fn unlock(admin: &Admin, error: Option<&Error>) {
    // A lost session has no lock either, and a server that does not answer takes none back.
    if !error.is_some_and(Error::is_no_answer) {
        let _ = admin.execute(&format!("select pg_advisory_unlock({LOCK})")).await;
    }
}

async fn run_locked(run: &mut Run<'_>, plan: &Plan, options: SetupOptions<'_>) -> Result<SetupOutcome, Error> {
    let notes = Notes::find(run).await?;
    let fingerprint = fingerprint_with_files(plan, run).map_err(|error| *error)?;
    let before = catalog::objects(run).await?;
    let note = notes.read(run, &plan.name).await?;
    if let Some(note) = note.as_ref().filter(|note| note.fingerprint == fingerprint && note.objects.is_subset(&before))
    {
        let kept = Kept { made_at: note.made_at.clone(), version: note.version.clone() };
        return Ok(SetupOutcome { kept: Some(kept), ..SetupOutcome::default() });
    }
    let dropped = make_way(run, plan, &notes, note.as_ref(), &before, options).await?;
    let before: BTreeSet<Object> = before.difference(&dropped).cloned().collect();
    let (steps, made) = make_or_undo(run, plan, &notes, &fingerprint, &before).await?;
    Ok(SetupOutcome { kept: None, steps, made: sorted(made), dropped: sorted(dropped) })
}

/// Drops what the scenario's set-up has made, and makes this one in its place.
pub(super) async fn make_again(run: &mut Run<'_>, plan: &Plan, fingerprint: &str) -> Result<Vec<StepResult>, Error> {
    let notes = Notes::find(run).await?;
    let before = catalog::objects(run).await?;
    if let Some(note) = notes.read(run, &plan.name).await? {
        let ours: BTreeSet<Object> = note.objects.intersection(&before).cloned().collect();
        cleanup::drop_all(run, &ours).await?;
        notes.forget(run, &ours).await?;
    }
    let before = catalog::objects(run).await?;
    let note = None;
    make_way(run, plan, &notes, note, &before, SetupOptions::default()).await?;
    Ok(make_or_undo(run, plan, &notes, fingerprint, &before).await?.0)
}

/// Makes it, or nothing: after a failure what was made is removed again.
async fn make_or_undo(
    run: &mut Run<'_>,
    plan: &Plan,
    notes: &Notes,
    fingerprint: &str,
    before: &BTreeSet<Object>,
) -> Result<(Vec<StepResult>, BTreeSet<Object>), Error> {
    match make(run, plan, notes, fingerprint, before).await {
        Ok(made) => Ok(made),
        Err(cause) => {
            // Whoever asked to stop is not asked again while things are put in order.
            let (never, mut nobody) = (Cancel::never(), ());
            let run = Run::new(run.admin, plan.seed, &mut nobody, &never);
            Err(cleanup::undo(&run, before, &tables(&plan.setup), cause).await)
        }
    }
}

/// The plan's fingerprint with the contents of the files that its rows come from.
pub(super) fn fingerprint_with_files(plan: &Plan, run: &Run<'_>) -> Result<String, Box<Error>> {
    let copies = plan.setup.iter().filter_map(|step| match &step.kind {
        StepKind::Copy(copy) => Some(copy),
        _ => None,
    });
    let mut fingerprint = fingerprint(plan);
    for copy in copies {
        fingerprint = super::fingerprint::with_file(&fingerprint, run, copy)?;
    }
    Ok(fingerprint)
}

/// Runs the scenario's teardown, and forgets what its set-up made, which is gone then.
pub async fn teardown(
    plan: &Plan,
    admin: &Admin,
    outside: &dyn Outside,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Vec<StepResult>, Error> {
    let mut run = Run::new(admin, plan.seed, observer, cancel).with(outside);
    let notes = Notes::find(&run).await?;
    let results = steps(&mut run, &plan.teardown).await?;
    if let Some(note) = notes.read(&run, &plan.name).await? {
        let now = catalog::objects(&run).await?;
        if !note.objects.is_subset(&now) {
            notes.forget(&run, &note.objects).await?;
        }
    }
    Ok(results)
}

/// Finds what is in the way of the set-up and, where that is allowed, drops it.
async fn make_way(
    run: &Run<'_>,
    plan: &Plan,
    notes: &Notes,
    note: Option<&Note>,
    before: &BTreeSet<Object>,
    options: SetupOptions<'_>,
) -> Result<BTreeSet<Object>, Error> {
    let ours: BTreeSet<Object> =
        note.map(|note| note.objects.intersection(before).cloned().collect()).unwrap_or_default();
    let mut in_the_way = catalog::existing(run, &tables(&plan.setup)).await?;
    if !options.replace {
        let others: Vec<String> =
            in_the_way.difference(&ours).map(|object| catalog::kind_and_name(object).1.to_owned()).collect();
        match note {
            _ if !others.is_empty() => return Err(Error::InTheWay { relations: others }),
            _ if ours.is_empty() => return Ok(BTreeSet::new()),
            Some(note) if !options.succeeds.iter().any(|other| note.fingerprint.starts_with(other)) => {
                let changes = difference(&note.parts, &parts(plan));
                return Err(Error::Outdated { scenario: plan.name.clone(), made_at: note.made_at.clone(), changes });
            }
            _ => {}
        }
    }
    in_the_way.extend(ours);
    cleanup::drop_all(run, &in_the_way).await?;
    notes.forget(run, &in_the_way).await?;
    let now = catalog::objects(run).await?;
    Ok(before.difference(&now).cloned().collect())
}

/// The tables that the steps make, fill, empty or remove, as they are written.
fn tables(steps: &[StepPlan]) -> BTreeSet<String> {
    let mut tables = BTreeSet::new();
    for step in steps {
        match &step.kind {
            StepKind::Sql(statements) => {
                tables.extend(statements.iter().filter_map(|one| setup_sql::target(&one.sql)));
            }
            StepKind::Fill(fill) => {
                tables.insert(fill.table.clone());
            }
            StepKind::Pgbench(plan) if plan.touches_tables() => {
                tables.extend(initialization::TABLES.map(str::to_owned));
            }
            StepKind::Copy(copy) => {
                tables.insert(copy.table.clone());
            }
            StepKind::Pgbench(_)
            | StepKind::Wait(_)
            | StepKind::WaitUntil(_)
            | StepKind::Restart
            | StepKind::Shell(_) => {}
        }
    }
    tables
}

async fn make(
    run: &mut Run<'_>,
    plan: &Plan,
    notes: &Notes,
    fingerprint: &str,
    before: &BTreeSet<Object>,
) -> Result<(Vec<StepResult>, BTreeSet<Object>), Error> {
    preconditions::create_extensions(run, &plan.server).await?;
    let results = steps(run, &plan.setup).await?;
    let made: BTreeSet<Object> = catalog::objects(run).await?.difference(before).cloned().collect();
    // A set-up that makes nothing, such as a VACUUM of the user's own tables, is done each time.
    if made.iter().any(|object| !object.starts_with("extension ")) {
        notes.write(run, &plan.name, (fingerprint, &parts(plan)), &made).await?;
    }
    Ok((results, made))
}

pub(super) async fn steps(run: &mut Run<'_>, steps: &[StepPlan]) -> Result<Vec<StepResult>, Error> {
    let mut results = Vec::with_capacity(steps.len());
    for (number, step) in steps.iter().enumerate() {
        run.tell(|observer| observer.step_started(number, steps.len(), step));
        results.push(run.step(step).await?);
    }
    Ok(results)
}

fn sorted(objects: BTreeSet<Object>) -> Vec<String> {
    objects.into_iter().collect()
}

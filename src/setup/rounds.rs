//! The rounds of a run: its repeats and the points of its matrix.

use std::collections::BTreeSet;

use super::catalog::{self, Object};
use super::fingerprint::parts;
use super::kept::Notes;
use super::run::{fingerprint_with_files, lock, make_again, steps, unlock};
use super::step::Run;
use super::{Cancel, Error, Observer, SetupOptions, StepResult, cleanup, copied};
use crate::pg::Admin;
use crate::plan::{Plan, ResetPlan, reset};

/// Has the data as set-up makes it before each round.
///
/// ```text
/// setup::run(&plan, …)                 once: what the first round works on
/// rounds.begin(&plan, …)               before the phases of every round, the first one too
/// …                                    the phases, at `admin.origin().0`, which may name another database now
/// rounds.end(&admin)                   after the last round, however that ended
/// ```
///
/// The plan may be another one in each round, as with the points of a matrix: a set-up that is not the one that is there
/// is made, in the place of that.
#[derive(Debug, Default)]
pub struct Rounds {
    /// The set-up that is there; none: no round has begun yet.
    fingerprint: Option<String>,
    /// The database of the round, where it has one of its own.
    copy: Option<copied::Database>,
}

impl Rounds {
    /// No round has begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a round has begun, so that the next one has to begin like it.
    pub fn is_begun(&self) -> bool {
        self.fingerprint.is_some()
    }

    /// Brings the data to where set-up leaves it, as `plan.reset` says; the steps that this took. After a failure of
    /// steps what set-up made is gone, so that the next run makes it anew.
    pub async fn begin(
        &mut self,
        plan: &Plan,
        admin: &Admin,
        options: &SetupOptions<'_>,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<StepResult>, Error> {
        self.end(admin).await?;
        let mut run = Run::new(admin, plan.seed, observer, cancel).with(options.outside);
        let fingerprint = fingerprint_with_files(plan, &run).map_err(|error| *error)?;
        let is_first = self.fingerprint.is_none();
        let is_other = self.fingerprint.as_ref().is_some_and(|before| *before != fingerprint);
        let work = match plan.reset {
            _ if is_other => Some(ResetPlan::Setup),
            _ if is_first => None,
            ResetPlan::Template | ResetPlan::None => None,
            work => Some(work),
        };
        let mut results = Vec::new();
        if let Some(work) = work {
            lock(&run).await?;
            let done = match work {
                ResetPlan::Truncate => refill(&mut run, plan, &fingerprint).await,
                _ => make_again(&mut run, plan, &fingerprint).await,
            };
            unlock(admin, done.as_ref().err()).await;
            results = done?;
        }
        self.fingerprint = Some(fingerprint);
        if plan.reset == ResetPlan::Template {
            let (copy, result) = copied::make(&run).await?;
            self.copy = Some(copy);
            results.push(result);
        }
        Ok(results)
    }

    /// Leaves the round: a database of its own is removed, and the session is where it was.
    pub async fn end(&mut self, admin: &Admin) -> Result<(), Error> {
        match self.copy.take() {
            Some(copy) => copied::remove(&copy, admin).await,
            None => Ok(()),
        }
    }
}

/// Empties the tables that set-up made, and does the steps again that fill tables.
async fn refill(run: &mut Run<'_>, plan: &Plan, fingerprint: &str) -> Result<Vec<StepResult>, Error> {
    let notes = Notes::find(run).await?;
    let Some(note) = notes.read(run, &plan.name).await? else { return Ok(Vec::new()) };
    // a run that is killed meanwhile must not leave half of the rows as a set-up that is there
    notes.write(run, &plan.name, ("unfinished", &[]), &note.objects).await?;
    let done = empty_and_fill(run, plan, &note.objects).await;
    match done {
        Ok(results) => {
            notes.write(run, &plan.name, (fingerprint, &parts(plan)), &note.objects).await?;
            Ok(results)
        }
        Err(cause) => {
            let (never, mut nobody) = (Cancel::never(), ());
            let run = Run::new(run.admin, plan.seed, &mut nobody, &never);
            let Ok(now) = catalog::objects(&run).await else { return Err(cause) };
            let others: BTreeSet<Object> = now.difference(&note.objects).cloned().collect();
            let _ = notes.forget(&run, &note.objects).await;
            Err(cleanup::undo(&run, &others, &BTreeSet::new(), cause).await)
        }
    }
}

async fn empty_and_fill(run: &mut Run<'_>, plan: &Plan, objects: &BTreeSet<Object>) -> Result<Vec<StepResult>, Error> {
    let mut results = vec![empty(run, objects).await?];
    results.extend(steps(run, &reset::refill(&plan.setup).steps).await?);
    refresh(run, objects).await?;
    Ok(results)
}

/// The names of those objects that are of one kind.
fn of_kind<'a>(objects: &'a BTreeSet<Object>, kind: &str) -> Vec<&'a str> {
    let named = objects.iter().map(|object| catalog::kind_and_name(object));
    named.filter(|(other, _)| *other == kind).map(|(_, name)| name).collect()
}

async fn empty(run: &mut Run<'_>, objects: &BTreeSet<Object>) -> Result<StepResult, Error> {
    let begin = run.now();
    let tables = of_kind(objects, "table");
    if !tables.is_empty() {
        let sql = format!("truncate {} restart identity", tables.join(", "));
        run.execute("could not empty the tables that set-up made", &sql).await?;
    }
    for sequence in of_kind(objects, "sequence") {
        run.execute("could not set back a sequence", &format!("alter sequence {sequence} restart")).await?;
    }
    Ok(StepResult { name: "truncate".to_owned(), elapsed: run.now() - begin, rows: 0, statements: Vec::new() })
}

async fn refresh(run: &mut Run<'_>, objects: &BTreeSet<Object>) -> Result<(), Error> {
    for view in of_kind(objects, "materialized view") {
        run.execute("could not refresh a view", &format!("refresh materialized view {view}")).await?;
    }
    Ok(())
}

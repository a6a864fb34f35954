//! What is done with the data between two rounds of a run: its repeats and the points of its matrix.

use std::collections::BTreeSet;

use super::StepPlan;
use super::initialization::InitStep;
use super::setup_sql::{Again, again};
use super::step::StepKind;
use crate::source::Span;

/// How the data comes to be as set-up made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResetPlan {
    /// What set-up made is dropped and made again.
    #[default]
    Setup,
    /// Each round works on a copy of the database, made by `CREATE DATABASE … TEMPLATE`.
    Template,
    /// The tables that set-up made are emptied and filled again.
    Truncate,
    /// Each round finds what the one before has left.
    None,
}

impl ResetPlan {
    /// All, with their names.
    pub const ALL: [(&'static str, Self); 4] =
        [("setup", Self::Setup), ("template", Self::Template), ("truncate", Self::Truncate), ("none", Self::None)];
}

/// The part of a set-up that fills tables which are there.
#[derive(Debug, Default)]
pub(crate) struct Refill {
    /// Its steps.
    pub(crate) steps: Vec<StepPlan>,
    /// What can't be done again on tables that are there: where, and what it is.
    pub(crate) faults: Vec<(Span, &'static str)>,
}

/// Finds the part of these steps that fills tables: rows made, copied and inserted, and what looks after them.
pub(crate) fn refill(steps: &[StepPlan]) -> Refill {
    let mut found = Refill::default();
    let mut made = BTreeSet::new();
    for step in steps {
        let kind = match &step.kind {
            StepKind::Sql(statements) => {
                let mut kept = Vec::new();
                for statement in statements {
                    match again(&statement.sql, &mut made) {
                        Again::Repeat => kept.push(statement.clone()),
                        Again::Skip => {}
                        Again::Never(why) => found.faults.push((statement.span, why)),
                    }
                }
                if kept.is_empty() {
                    continue;
                }
                StepKind::Sql(kept)
            }
            StepKind::Pgbench(init) => {
                let fills = |step: &InitStep| {
                    matches!(step, InitStep::GenerateClientSide | InitStep::GenerateServerSide | InitStep::Vacuum)
                };
                let mut init = init.clone();
                init.steps.retain(fills);
                if init.steps.is_empty() {
                    continue;
                }
                StepKind::Pgbench(init)
            }
            StepKind::Shell(_) => {
                found.faults.push((step.span, "shell"));
                continue;
            }
            other => other.clone(),
        };
        found.steps.push(StepPlan { kind, ..step.clone() });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::refill;
    use crate::plan::step::{SetupStatement, StepKind};
    use crate::plan::{InitPlan, StepPlan};
    use crate::source::Span;

    fn step(kind: StepKind) -> StepPlan {
        StepPlan { name: "s".into(), span: Span::default(), kind, passes_over_errors: false }
    }

    fn sql(statements: &[&str]) -> StepPlan {
        step(StepKind::Sql(statements.iter().map(|sql| SetupStatement::new(*sql, Span::default())).collect()))
    }

    #[test]
    fn only_what_fills_is_done_again() {
        let found = refill(&[
            sql(&["create table a (b int)", "insert into a values (1)", "create index on a (b)", "analyze a"]),
            sql(&["create function f() returns int language sql as 'select 1'"]),
            step(StepKind::Pgbench(InitPlan::default())),
        ]);
        assert!(found.faults.is_empty(), "{:?}", found.faults);
        let [StepPlan { kind: StepKind::Sql(first), .. }, StepPlan { kind: StepKind::Pgbench(init), .. }] =
            &found.steps[..]
        else {
            panic!("{:?}", found.steps)
        };
        assert_eq!(
            first.iter().map(|one| one.sql.as_str()).collect::<Vec<_>>(),
            ["insert into a values (1)", "analyze a"]
        );
        assert_eq!(init.letters(), "gv");
    }
}

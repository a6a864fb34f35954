//! What the server is asked for the values of variables.

use super::step::Run;
use super::{Cancel, Error};
use crate::pg::Admin;
use crate::plan::Plan;

/// Asks the queries of a plan's variables; their answers, in the same order.
pub async fn ask(plan: &Plan, admin: &Admin, cancel: &Cancel) -> Result<Vec<String>, Error> {
    let mut observer = ();
    let run = Run::new(admin, plan.seed, &mut observer, cancel);
    let mut answers = Vec::with_capacity(plan.queries.len());
    for query in &plan.queries {
        let rows = run.answer(&query.name, &query.statement).await?;
        let answer = rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
        answers.push(answer.ok_or_else(|| Error::NoValue { name: query.name.clone(), span: query.statement.span })?);
    }
    Ok(answers)
}

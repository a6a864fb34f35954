//! Waiting until the server says true.

use std::time::Duration;

use super::step::Run;
use super::{Error, StatementResult};
use crate::pg;
use crate::plan::step::WaitUntilPlan;

/// From the first answer to the second question; each further pause is twice as long, up to [`LONGEST`].
const SHORTEST: Duration = Duration::from_millis(20);

/// The longest pause between two questions.
const LONGEST: Duration = Duration::from_secs(1);

/// How long nothing is said about the wait.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks until the answer is true, or the time is over.
pub(super) async fn wait_until(run: &Run<'_>, step: &str, plan: &WaitUntilPlan) -> Result<Vec<StatementResult>, Error> {
    let begin = run.now();
    let (mut pause, mut last, mut told) = (SHORTEST, None::<String>, None);
    loop {
        let too_long = |last: &Option<String>| Error::Waited {
            step: step.to_owned(),
            after: plan.timeout,
            last: last.clone(),
            span: plan.question.span,
        };
        let left = plan.timeout.saturating_sub(run.now() - begin);
        let rows = match run.question(step, &plan.question, left).await {
            Err(Error::Statement { error: pg::Error::Timeout { .. }, .. }) => return Err(too_long(&last)),
            rows => rows?,
        };
        let answer = rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
        match answer.as_deref() {
            Some("t" | "true") => return Ok(Vec::new()),
            Some("f" | "false") | None => {}
            Some(other) => return Err(Error::NotBoolean { answer: other.to_owned(), span: plan.question.span }),
        }
        let shown = answer.unwrap_or_else(|| "no value".to_owned());
        if run.now() - begin > PATIENCE && told.as_ref() != Some(&shown) {
            run.tell(|observer| observer.waiting(&format!("{step}: not yet, the last answer was `{shown}`")));
            told = Some(shown.clone());
        }
        last = Some(shown);
        let left = plan.timeout.saturating_sub(run.now() - begin);
        if left.is_zero() {
            return Err(too_long(&last));
        }
        run.pause(pause.min(left)).await?;
        pause = LONGEST.min(pause * 2);
    }
}

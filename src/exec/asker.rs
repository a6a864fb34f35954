//! Figures of the scenario's own: asked for over a session of its own, beside the phases and never on their workers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::shutdown::StopStage;
use crate::clock::Clock;
use crate::metrics::{OwnMetric, OwnPoint};
use crate::pg::{Admin, OpenOptions, Target};
use crate::plan::Plan;
use crate::plan::own::Taken;

/// How long one question may take; a session that answers no sooner is given up.
const LIMIT: Duration = Duration::from_secs(10);
/// How long the server may take to be told to cancel a question.
const CANCELLING: Duration = Duration::from_secs(1);

/// Asks for a scenario's own figures. What goes wrong with that is noted, and never ends a run.
pub struct Asker {
    plan: Arc<Plan>,
    target: Target,
    session: Option<Admin>,
    /// Whether a question was left without its answer.
    asking: bool,
    /// When each figure is to be taken next; of those that are no curves, never.
    due: Vec<Option<Instant>>,
    taken: Vec<OwnMetric>,
}

impl Asker {
    /// Asks the metrics of `plan` on this server. No session is opened before there is something to ask.
    pub fn new(plan: Arc<Plan>, target: Target) -> Self {
        let count = plan.metrics.len();
        Self {
            plan,
            target,
            session: None,
            asking: false,
            due: vec![None; count],
            taken: vec![OwnMetric::default(); count],
        }
    }

    /// Takes the figures that are taken once, at this moment; gives up where somebody is in a hurry to stop.
    pub async fn once(&mut self, when: Taken, clock: &Clock, mut stop: watch::Receiver<StopStage>) {
        let hurry = async {
            // an error means that nobody can ask any more
            if stop.wait_for(|stage| *stage >= StopStage::Cancel).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = hurry => {}
            () = self.ask_all(when, clock) => {}
        }
    }

    async fn ask_all(&mut self, when: Taken, clock: &Clock) {
        for number in 0..self.plan.metrics.len() {
            if self.plan.metrics[number].taken == when {
                self.ask(number, None, clock).await;
            }
        }
    }

    /// Does some work of a phase, and takes curves beside it.
    pub async fn beside<T>(&mut self, phase: usize, clock: &Clock, work: impl Future<Output = T>) -> T {
        let begin = clock.now();
        for (due, metric) in self.due.iter_mut().zip(&self.plan.metrics) {
            *due = matches!(metric.taken, Taken::Every(_)).then_some(begin);
        }
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = self.tick(phase, clock) => {}
            }
        }
    }

    /// Waits for the next point of a curve and takes it.
    async fn tick(&mut self, phase: usize, clock: &Clock) {
        let next = (0..self.due.len()).filter_map(|number| Some((self.due[number]?, number))).min();
        let Some((due, number)) = next else { return std::future::pending().await };
        tokio::time::sleep_until(due.into()).await;
        self.ask(number, Some(phase), clock).await;
        if let Taken::Every(every) = self.plan.metrics[number].taken {
            let now = clock.now();
            let mut next = due + every;
            while next <= now {
                // what is late is left out, or a slow query would be asked without a pause
                next += every;
            }
            self.due[number] = Some(next);
        }
    }

    async fn ask(&mut self, number: usize, phase: Option<usize>, clock: &Clock) {
        let at = clock.wall(clock.now());
        let answer = match tokio::time::timeout(LIMIT, self.answer(number)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        };
        let taken = &mut self.taken[number];
        match answer {
            Ok(value) => taken.points.push(OwnPoint { phase, at, value }),
            Err(error) => {
                taken.failed += 1;
                taken.error.get_or_insert(error);
            }
        }
    }

    async fn answer(&mut self, number: usize) -> Result<f64, String> {
        if let Some(session) = self.session.take_if(|session| self.asking || session.is_closed()) {
            // what it still works on nobody waits for any more
            let _ = session.cancel_token().cancel(CANCELLING).await;
        }
        self.asking = false;
        let session = match &mut self.session {
            Some(session) => session,
            none => {
                let opened = Admin::open(&self.target, &OpenOptions::default()).await;
                none.insert(opened.map_err(|error| error.to_string())?)
            }
        };
        self.asking = true;
        let answer = session.query_text(&self.plan.metrics[number].statement.sql).await;
        self.asking = false;
        let rows = answer.map_err(|error| error.to_string())?;
        match rows.into_iter().next().and_then(|row| row.into_iter().next()) {
            None => Err("it gave no row".to_owned()),
            Some(None) => Err("it gave null".to_owned()),
            Some(Some(text)) => number_of(&text).ok_or_else(|| format!("it gave `{}`, which is no number", cut(&text))),
        }
    }

    /// What was taken, one for each metric of the plan.
    pub async fn finish(self) -> Vec<OwnMetric> {
        if let Some(session) = self.session.filter(|_| !self.asking) {
            session.close().await;
        }
        self.taken
    }
}

/// A number, or a truth value as 1 or 0.
fn number_of(text: &str) -> Option<f64> {
    match text {
        "t" => Some(1.0),
        "f" => Some(0.0),
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// Enough of a text to know it by.
fn cut(text: &str) -> String {
    const ENOUGH: usize = 40;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= ENOUGH { line.to_owned() } else { line.chars().take(ENOUGH).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::{cut, number_of};

    #[test]
    fn an_answer_is_a_number_or_a_truth_value() {
        assert_eq!(["42", "-1.5e3", "t", "f"].map(number_of), [Some(42.0), Some(-1500.0), Some(1.0), Some(0.0)]);
        assert_eq!(["", "NaN", "Infinity", "00:01:00", "true"].map(number_of), [None; 5]);
        assert_eq!((cut("a\nb").as_str(), cut(&"é".repeat(41)).chars().count()), ("a", 41));
    }
}

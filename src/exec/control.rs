//! Listens to the workers of a phase, to the clock and to whoever may stop the run.

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::crew::Crew;
use super::error::Error;
use super::muster;
use super::phase::Observer;
use super::shutdown::StopStage;
use super::stop_rule::StopRule;
use super::worker::Word;
use crate::metrics::{Ending, Sample};
use crate::plan::PhasePlan;

/// What running transactions get when somebody stops the run.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// From cancelling on the server to cutting.
const CUT_AFTER: Duration = Duration::from_secs(5);
/// A moment that never comes.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
/// How often an observer hears of a phase.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long the samples of a second may take to come in.
const LATE: Duration = Duration::from_millis(200);

/// The phase's own crew and those beside it, and who is heard.
pub(super) struct Control {
    /// The phase's own, then those beside it.
    pub(super) crews: Vec<Crew>,
    pub(super) stop: watch::Receiver<StopStage>,
    pub(super) words: mpsc::UnboundedReceiver<(usize, Word)>,
}

/// The samples of a second, as they come in.
#[derive(Default)]
struct Second {
    sample: Sample,
    heard: usize,
}

impl Control {
    /// Waits until every worker has its sessions.
    pub(super) async fn await_ready(&mut self) -> Result<(), Error> {
        let mut ready = 0;
        let mut first_error = None;
        let mut told_to_stop = false;
        let mut stop = self.stop.clone();
        let workers: usize = self.crews.iter().map(|crew| crew.workers).sum();
        while ready < workers {
            tokio::select! {
                word = self.words.recv() => match word {
                    Some((_, Word::Ready(outcome))) => {
                        ready += 1;
                        if let Err(error) = outcome {
                            // a worker that was only told to give up says less than the one that had to
                            let told = matches!(error, Error::Stopped(_));
                            if first_error.is_none() || !told {
                                first_error.get_or_insert(error);
                            }
                            self.crews.iter().for_each(|crew| crew.tell(StopStage::Leave));
                        }
                    }
                    Some(_) => {}
                    None => break,
                },
                // nobody can ask any more when the sender is gone
                Ok(_) = stop.wait_for(|stage| *stage > StopStage::Run), if !told_to_stop => {
                    told_to_stop = true;
                    self.crews.iter().for_each(|crew| crew.tell(StopStage::Leave));
                }
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Sees the phase through: how it ended, as far as that is up to whoever stops it.
    pub(super) async fn conduct(&mut self, phase: &PhasePlan, start: Instant, observer: &mut dyn Observer) -> Ending {
        let deadline = muster::length(phase).map(|length| start + length);
        self.crews.iter_mut().for_each(|crew| crew.next = deadline);
        let mut ending = Ending::Complete;
        let mut rule = phase.stop_if.as_ref().map(StopRule::new);
        let mut second = Second::default();
        let mut ticks = tokio::time::interval_at((start + PROGRESS + LATE).into(), PROGRESS);
        while !self.crews.iter().all(Crew::is_done) {
            let next = self.crews.iter().filter(|crew| !crew.is_done()).filter_map(|crew| crew.next).min();
            let mut whole = false;
            tokio::select! {
                word = self.words.recv() => match word {
                    Some((part, word)) => whole = self.hear(part, word, &mut second, phase, observer),
                    // every worker is gone, some without a word
                    None => break,
                },
                // a worker that is late keeps the others' samples for so long and no longer
                _ = ticks.tick() => whole = second.heard > 0,
                () = tokio::time::sleep_until(next.unwrap_or(start + FAR).into()) => self.pass(Instant::now()),
                Ok(()) = self.stop.changed() => {
                    if self.stop_as_asked() {
                        ending = Ending::Interrupted;
                    }
                }
            }
            if whole {
                let Second { sample, .. } = std::mem::take(&mut second);
                observer.progress(phase, start.elapsed(), &sample);
                let holds = rule.as_mut().is_some_and(|rule| rule.holds(&sample, start.elapsed()));
                if let (true, Some(rule), Ending::Complete) = (holds, &phase.stop_if, &ending) {
                    ending = Ending::Stopped(rule.text.clone());
                    self.drain(INTERRUPT_GRACE);
                }
            }
        }
        if second.heard > 0 {
            observer.progress(phase, start.elapsed(), &second.sample);
        }
        ending
    }

    /// Takes in what a worker tells; true when the samples of a second are complete by that.
    fn hear(
        &mut self,
        part: usize,
        word: Word,
        second: &mut Second,
        phase: &PhasePlan,
        observer: &mut dyn Observer,
    ) -> bool {
        match word {
            Word::Done(account) => {
                // a worker whose last client has ended the run may not come to tell so before
                if account.verdict.is_some() {
                    self.drain(INTERRUPT_GRACE);
                }
                self.crews[part].accounts.push(*account);
                self.end_those_beside();
            }
            Word::Sample(one) if part == 0 => {
                second.sample.merge(&one);
                second.heard += 1;
                return second.heard >= self.crews[0].workers - self.crews[0].accounts.len();
            }
            Word::Ended(end) => observer.client_ended(phase, &end),
            Word::Verdict => self.drain(INTERRUPT_GRACE),
            Word::RanDry => {
                let crew = &mut self.crews[part];
                crew.enter(StopStage::Drain, crew.phase.load.grace);
            }
            Word::Sample(_) | Word::Ready(Ok(())) => {}
            Word::Ready(Err(_)) => {
                self.crews[part].gone += 1;
                self.end_those_beside();
            }
        }
        false
    }

    /// What stands beside the phase ends with it.
    fn end_those_beside(&mut self) {
        if self.crews[0].is_done() {
            for crew in &mut self.crews[1..] {
                crew.enter(StopStage::Drain, crew.phase.load.grace);
            }
        }
    }

    /// Nothing new begins, and what is running gets this long.
    fn drain(&mut self, grace: Duration) {
        self.crews.iter_mut().for_each(|crew| crew.enter(StopStage::Drain, Some(grace)));
    }

    /// Each crew whose time has come goes on to its next stage.
    fn pass(&mut self, now: Instant) {
        for crew in self.crews.iter_mut().filter(|crew| crew.next.is_some_and(|next| next <= now)) {
            let (stage, wait) = match crew.stage {
                StopStage::Run => (StopStage::Drain, crew.phase.load.grace),
                StopStage::Drain => (StopStage::Cancel, Some(CUT_AFTER)),
                StopStage::Cancel => (StopStage::Leave, None),
                StopStage::Leave => {
                    crew.next = None;
                    continue;
                }
            };
            crew.enter(stage, wait);
        }
    }

    /// Goes as far as somebody asks; whether that is any way at all.
    fn stop_as_asked(&mut self) -> bool {
        let stage = *self.stop.borrow_and_update();
        let wait = match stage {
            StopStage::Run | StopStage::Leave => None,
            StopStage::Drain => Some(INTERRUPT_GRACE),
            StopStage::Cancel => Some(CUT_AFTER),
        };
        for crew in &mut self.crews {
            if stage == crew.stage && stage == StopStage::Drain {
                crew.next = Some(Instant::now() + INTERRUPT_GRACE);
            }
            crew.enter(stage, wait);
        }
        stage > StopStage::Run
    }
}

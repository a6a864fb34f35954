//! Makes the clients of a worker, with their generators and schedules.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::client::{Attendance, Client, Pacer, Presence};
use super::deal::{Deal, Purpose};
use super::log::TransactionLog;
use super::pipeline::Pipeline;
use super::schedule::{Schedule, Throttle};
use super::shared::{Shared, ThreadStreams};
use super::worker::Job;
use crate::id::{ClientId, SlotId};
use crate::plan::phase::{Ramp, StopPlan};
use crate::plan::{PhasePlan, Plan};

/// The variable that holds the rows of the last statement, where a script may read it.
pub(super) fn row_count(plan: &Plan) -> Option<SlotId> {
    plan.slots.iter().position(|slot| slot.name == "ROW_COUNT").map(SlotId::from_index)
}

/// The streams that a thread's clients share, where they do.
pub(super) fn thread_streams(job: &Job) -> Option<RefCell<ThreadStreams>> {
    Deal::per_thread(&job.plan)
        .then(|| RefCell::new(ThreadStreams { choose: job.deal.thread_choose(job.thread), throttle: None }))
}

/// The log of a worker's transactions, where one is kept.
pub(super) fn log(job: &Job) -> Option<RefCell<Box<dyn TransactionLog>>> {
    job.logs.as_ref().map(|logs| RefCell::new(logs(job.thread, job.deal.thread_sample(job.thread))))
}

/// The clients of a worker. Their clocks are set when the phase's starts: see [`start_clock`].
pub(super) fn clients(job: &Job, shared: &Rc<Shared>) -> Vec<Client> {
    let phase = shared.phase();
    let make = |&(number, place): &(ClientId, u32)| Client {
        shared: shared.clone(),
        presence: Rc::new(Presence::default()),
        number,
        place,
        attendance: attendance(phase.load.clients, length(phase), place),
        slots: job.deal.slots(&job.plan, number),
        random: job.deal.client(number),
        choose: job.deal.stream(number, Purpose::Choose),
        think: job.deal.stream(number, Purpose::Think),
        pacer: Pacer::Closed { not_before: None },
        session: None,
        done: 0,
        now: shared.start.get(),
        command: None,
        loops: Vec::new(),
        pipeline: Pipeline::default(),
        stored: None,
        reader: job.feeds.reader(),
        strict: true,
        outage: None,
        lost: None,
        end: None,
    };
    job.clients.iter().map(make).collect()
}

/// Starts the clock: schedules count from here, and the phase's time ends so long after.
pub(super) fn start_clock(deal: &Deal, thread: usize, shared: &Shared, clients: &mut [Client]) {
    let phase = shared.phase();
    let load = &phase.load;
    let start = shared.start.get();
    let length = length(phase);
    shared.deadline.set(length.map(|length| start + length));
    shared.recorder.borrow_mut().restart(start);
    if let Some(log) = &shared.log {
        log.borrow_mut().begin(start);
    }
    let Some(plan) = load.arrivals else { return };
    if let Some(streams) = &shared.thread {
        let throttle = Throttle::new(plan.rate.from, load.threads, start, deal.thread_throttle(thread));
        streams.borrow_mut().throttle = Some(throttle);
        for client in clients {
            client.pacer = Pacer::Throttled;
        }
        return;
    }
    for client in clients {
        let random = deal.stream(client.number, Purpose::Arrivals);
        let schedule = Schedule::new(plan, length, start, client.place, load.clients.max(), random);
        client.pacer = Pacer::Scheduled(Box::new(schedule));
    }
}

/// How long a phase takes, where that is what ends it.
pub(super) fn length(phase: &PhasePlan) -> Option<Duration> {
    match phase.stop {
        StopPlan::Duration(length) => Some(length),
        StopPlan::Transactions(_) | StopPlan::TransactionsPerClient(_) | StopPlan::WithPhase => None,
    }
}

/// When the client with this number within its replica is there: while its number is below the ramp's.
fn attendance(ramp: Ramp<u32>, length: Option<Duration>, place: u32) -> Attendance {
    let (Ramp { from, to }, Some(length)) = (ramp, length) else { return Attendance::default() };
    let share = |part: u32, whole: u32| length.mul_f64(f64::from(part) / f64::from(whole));
    if from < to && place >= from {
        Attendance { joins: Some(share(place - from, to - from)), leaves: None }
    } else if from > to && place >= to {
        Attendance { joins: None, leaves: Some(share(from - place, from - to)) }
    } else {
        Attendance::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_joined_and_left_in_the_order_of_the_clients() {
        let length = Some(Duration::from_secs(10));
        let up = |place| attendance(Ramp { from: 2, to: 12 }, length, place).joins;
        assert_eq!((up(1), up(2), up(11)), (None, Some(Duration::ZERO), Some(Duration::from_secs(9))));
        let down = |place| attendance(Ramp { from: 12, to: 2 }, length, place).leaves;
        assert_eq!((down(11), down(2), down(1)), (Some(Duration::from_secs(1)), length, None));
    }
}

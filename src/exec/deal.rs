//! Seeds for everything that draws, dealt from the phase's one seed.

use crate::eval::{Algorithm, Generator, Value};
use crate::id::{ClientId, PhaseId};
use crate::plan::{Plan, SlotInitial, Streams};

/// What a stream is for: one of the words that [`Generator::derive`] mixes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    /// Choosing scripts.
    Choose = 1,
    /// Scheduling starts.
    Arrivals = 2,
    /// Drawing think times and retry delays.
    Think = 3,
    /// Seeds of the clients of a load beside the phase.
    Beside = 4,
}

/// The seeds of a phase, drawn in pgbench's order (contract 5.3): clients, `default_seed`, then three per thread.
#[derive(Debug, Clone)]
pub(super) struct Deal {
    seed: u64,
    algorithm: Algorithm,
    phase: PhaseId,
    part: u64,
    clients: Vec<u64>,
    default_seed: i64,
    threads: Vec<[u64; 3]>,
}

impl Deal {
    /// Deals for so many clients and threads, those of all replicas. `part` is the number of the load among those of the
    /// phase: the phase's own, 0, draws as it would alone.
    pub(super) fn new(plan: &Plan, phase: PhaseId, part: usize, clients: u32, threads: u32) -> Self {
        let seed = plan.seed.wrapping_add(u64::from(phase.0));
        let algorithm = plan.algorithm;
        let part = part as u64;
        let mut base = match part {
            0 => Generator::new(algorithm, seed),
            _ => Generator::derive(seed, &[u64::from(phase.0), part, Purpose::Beside as u64]),
        };
        let clients = (0..clients).map(|_| base.next_seed()).collect();
        // defined by the user: no draw, which shifts everything after it
        let drawn = plan.slots.iter().any(|slot| slot.initial == SlotInitial::DefaultSeed);
        let default_seed = if drawn { base.next_u64().cast_signed() } else { 0 };
        let threads = (0..threads).map(|_| [base.next_seed(), base.next_seed(), base.next_seed()]).collect();
        Self { seed, algorithm, phase, part, clients, default_seed, threads }
    }

    /// The generator of a client's scripts.
    pub(super) fn client(&self, client: ClientId) -> Generator {
        Generator::new(self.algorithm, self.clients[client.index()])
    }

    /// A client's own stream for a purpose.
    pub(super) fn stream(&self, client: ClientId, purpose: Purpose) -> Generator {
        let words = [u64::from(self.phase.0), u64::from(client.0), purpose as u64, self.part];
        Generator::derive(self.seed, if self.part == 0 { &words[..3] } else { &words })
    }

    /// The stream that chooses scripts: the client's own, or the same as its thread's.
    pub(super) fn thread_choose(&self, thread: usize) -> Generator {
        Generator::new(self.algorithm, self.threads[thread][0])
    }

    /// A thread's stream for scheduling.
    pub(super) fn thread_throttle(&self, thread: usize) -> Generator {
        Generator::new(self.algorithm, self.threads[thread][1])
    }

    /// A thread's stream for sampling transactions.
    pub(super) fn thread_sample(&self, thread: usize) -> Generator {
        Generator::new(self.algorithm, self.threads[thread][2])
    }

    /// What a client's variables hold when it begins.
    pub(super) fn slots(&self, plan: &Plan, client: ClientId) -> Box<[Option<Value>]> {
        let initial = |initial: &SlotInitial| match initial {
            SlotInitial::Undefined => None,
            SlotInitial::Constant(value) => Some(value.clone()),
            SlotInitial::ClientId => Some(Value::Integer(i64::from(client.0))),
            SlotInitial::DefaultSeed => Some(Value::Integer(self.default_seed)),
            SlotInitial::RandomSeed => Some(Value::Integer(self.seed.cast_signed())),
        };
        plan.slots.iter().map(|slot| initial(&slot.initial)).collect()
    }

    /// Whose streams choose and schedule.
    pub(super) fn per_thread(plan: &Plan) -> bool {
        plan.streams == Streams::PerThread
    }
}

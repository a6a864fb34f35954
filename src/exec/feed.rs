//! `\feed`: rows into variables. Clients share a cursor and nothing else; nothing is allocated.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::client::Client;
use super::error::Error;
use super::failure::{Failure, Fault, Outcome};
use super::phase::Execution;
use crate::eval::Generator;
use crate::id::FeedId;
use crate::plan::PhasePlan;
use crate::plan::feed::{FeedOrder, FeedRows};

/// The feeds of a phase, shared by the clients of all its loads.
pub(super) struct Feeds {
    feeds: Box<[Feed]>,
}

struct Feed {
    rows: Arc<FeedRows>,
    order: FeedOrder,
    stops: bool,
    /// Rows that were taken in sequence.
    next: AtomicUsize,
    /// Where rows are dealt: by load of the phase, the first of its clients among all that the rows are dealt to.
    first: Box<[usize]>,
    /// All clients that the rows are dealt to.
    clients: usize,
}

/// How far a client is in the feeds.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// By feed: rows that it has taken of those dealt to it.
    own: Box<[usize]>,
    /// What it has taken in this transaction, in order.
    taken: Vec<(FeedId, usize)>,
    /// How much of that a later try has taken again.
    again: usize,
}

impl Feeds {
    /// The feeds of a phase with these loads, each at its beginning.
    pub(super) fn new(execution: &Execution, loads: &[&PhasePlan]) -> Result<Self, Error> {
        let plan = &execution.plan;
        let each = plan.feeds.iter().zip(&execution.feeds).enumerate().map(|(number, (feed, rows))| {
            let id = FeedId::from_index(number);
            let mut clients = 0;
            let first = loads.iter().map(|phase| {
                let load = &phase.load;
                let here = if plan.takes_from(load, id) { (load.clients.max() * load.replicas) as usize } else { 0 };
                clients += here;
                clients - here
            });
            let first: Box<[usize]> = first.collect();
            if clients > 0 && rows.count == 0 {
                return Err(Error::EmptyFeed { feed: feed.name.clone(), span: feed.span });
            }
            let too_few = feed.order == FeedOrder::PerClient && !feed.stops && rows.count < clients;
            if too_few {
                let (feed, rows, span) = (feed.name.clone(), rows.count, feed.span);
                return Err(Error::TooFewRows { feed, rows, clients, span });
            }
            Ok(Feed {
                rows: rows.clone(),
                order: feed.order,
                stops: feed.stops,
                next: AtomicUsize::new(0),
                first,
                clients,
            })
        });
        Ok(Self { feeds: each.collect::<Result<_, Error>>()? })
    }

    /// What a client begins with.
    pub(super) fn reader(&self) -> Reader {
        Reader { own: vec![0; self.feeds.len()].into(), ..Reader::default() }
    }
}

impl Feed {
    /// The next row of a client with this number among all that rows are dealt to; none when there is none any more.
    #[inline]
    fn next(&self, client: usize, own: &mut usize, random: &mut Generator) -> Option<usize> {
        let count = self.rows.count;
        let number = match self.order {
            FeedOrder::Random => {
                let last = i64::try_from(count - 1).unwrap_or(i64::MAX);
                return usize::try_from(random.uniform(0, last)).ok();
            }
            FeedOrder::Sequential => self.next.fetch_add(1, Ordering::Relaxed),
            FeedOrder::PerClient => {
                let number = client + *own * self.clients;
                *own += 1;
                if number >= count && !self.stops {
                    *own = 1;
                    return Some(client);
                }
                number
            }
        };
        if self.stops { (number < count).then_some(number) } else { Some(number % count) }
    }
}

impl Reader {
    /// A transaction begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.taken.clear();
        self.again = 0;
    }

    /// It is tried again: the same rows come again.
    pub(super) fn rewind(&mut self) {
        self.again = 0;
    }

    /// The row that an earlier try took here.
    fn taken_before(&mut self, feed: FeedId) -> Option<usize> {
        let (of, row) = *self.taken.get(self.again)?;
        if of != feed {
            // this try goes another way
            self.taken.truncate(self.again);
            return None;
        }
        self.again += 1;
        Some(row)
    }
}

impl Client {
    /// Takes the next row of a feed into its variables. One that has no more rows is a failure that nobody counts.
    #[inline]
    pub(super) fn take_row(&mut self, id: FeedId) -> Outcome<()> {
        let feeds = self.shared.feeds.clone();
        let feed = &feeds.feeds[id.index()];
        let row = if let Some(row) = self.reader.taken_before(id) {
            row
        } else {
            let place = feed.first[self.shared.part] + self.number.index();
            let own = &mut self.reader.own[id.index()];
            let Some(row) = feed.next(place, own, &mut self.random) else { return Err(self.ran_dry(id)) };
            // a generator that begins again draws the same row by itself
            if feed.order != FeedOrder::Random {
                self.reader.taken.push((id, row));
                self.reader.again += 1;
            }
            row
        };
        for (slot, value) in feed.rows.slots.iter().zip(feed.rows.row(row)) {
            self.slots[slot.index()] = Some(value.clone());
        }
        Ok(())
    }

    #[cold]
    fn ran_dry(&self, id: FeedId) -> Box<Failure> {
        let feed = &self.shared.feeds.feeds[id.index()];
        self.shared.dry.set(Some(id));
        // where rows are dealt, the others go on with theirs
        if feed.order == FeedOrder::Sequential {
            self.shared.alarm.notify_one();
        }
        Failure::client(Fault::RanDry, "the feed has no more rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(order: FeedOrder, stops: bool, count: usize, clients: usize) -> Feed {
        let rows = Arc::new(FeedRows { count, ..FeedRows::default() });
        Feed { rows, order, stops, next: AtomicUsize::new(0), first: Box::from([0]), clients }
    }

    fn rows(feed: &Feed, client: usize, count: usize) -> Vec<Option<usize>> {
        let (mut own, mut random) = (0, Generator::from_seed(1));
        (0..count).map(|_| feed.next(client, &mut own, &mut random)).collect()
    }

    #[test]
    fn a_sequence_goes_on_where_the_last_client_was() {
        let restarting = feed(FeedOrder::Sequential, false, 3, 2);
        assert_eq!(
            (rows(&restarting, 0, 2), rows(&restarting, 1, 2)),
            (vec![Some(0), Some(1)], vec![Some(2), Some(0)])
        );
        let stopping = feed(FeedOrder::Sequential, true, 3, 2);
        assert_eq!((rows(&stopping, 0, 2), rows(&stopping, 1, 2)), (vec![Some(0), Some(1)], vec![Some(2), None]));
    }

    #[test]
    fn rows_are_dealt_like_cards() {
        let restarting = feed(FeedOrder::PerClient, false, 5, 2);
        assert_eq!(rows(&restarting, 0, 5), [0, 2, 4, 0, 2].map(Some));
        assert_eq!(rows(&restarting, 1, 4), [1, 3, 1, 3].map(Some));
        let stopping = feed(FeedOrder::PerClient, true, 5, 2);
        assert_eq!(rows(&stopping, 1, 3), [Some(1), Some(3), None]);
    }

    #[test]
    fn a_later_try_takes_the_same_rows_as_far_as_it_goes_the_same_way() {
        let mut reader = Reader { taken: vec![(FeedId(0), 4), (FeedId(1), 7)], ..Reader::default() };
        assert_eq!(reader.taken_before(FeedId(0)), Some(4));
        assert_eq!(reader.taken_before(FeedId(0)), None);
        assert_eq!(reader.taken, [(FeedId(0), 4)]);
        reader.rewind();
        assert_eq!(reader.taken_before(FeedId(0)), Some(4));
        reader.begin();
        assert_eq!(reader.taken_before(FeedId(0)), None);
    }
}

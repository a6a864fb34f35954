//! Times in which clients had no session.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::id::ClientId;

/// One client without a session: from its loss, or the refusal of one, to its next successful transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientOutage {
    /// Since when, from the phase's start.
    pub since: Duration,
    /// Until when; none: to the end of the phase.
    pub until: Option<Duration>,
    /// The client.
    pub client: ClientId,
}

/// A time in which some clients had no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// When the first of them had none any more, from the phase's start.
    pub since: Duration,
    /// When the first of their transactions succeeded again; none: never in this phase.
    pub first_back: Option<Duration>,
    /// When each of them had had a successful transaction again; none: not all of them did in this phase.
    pub all_back: Option<Duration>,
    /// How many clients.
    pub clients: u32,
}

impl Outage {
    /// The outages of clients; those that overlap are one.
    pub fn of_clients(mut each: Vec<ClientOutage>) -> Vec<Self> {
        each.sort_unstable();
        let mut outages: Vec<Self> = Vec::new();
        let mut clients = BTreeSet::new();
        for ClientOutage { since, until, client } in each {
            let same = outages.last_mut().filter(|last| last.all_back.is_none_or(|back| since <= back));
            let Some(last) = same else {
                clients = BTreeSet::from([client]);
                outages.push(Self { since, first_back: until, all_back: until, clients: 1 });
                continue;
            };
            last.first_back = [last.first_back, until].into_iter().flatten().min();
            last.all_back = last.all_back.zip(until).map(|(a, b)| a.max(b));
            clients.insert(client);
            last.clients = u32::try_from(clients.len()).unwrap_or(u32::MAX);
        }
        outages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outage(client: u32, since: u64, until: Option<u64>) -> ClientOutage {
        let ms = Duration::from_millis;
        ClientOutage { since: ms(since), until: until.map(ms), client: ClientId(client) }
    }

    fn shown(each: Vec<ClientOutage>) -> Vec<(u128, Option<u128>, Option<u128>, u32)> {
        let ms = |at: Duration| at.as_millis();
        let show = |o: Outage| (ms(o.since), o.first_back.map(ms), o.all_back.map(ms), o.clients);
        Outage::of_clients(each).into_iter().map(show).collect()
    }

    #[test]
    fn what_overlaps_is_one_outage() {
        let two = vec![outage(1, 120, Some(900)), outage(0, 100, Some(700)), outage(0, 5000, Some(5010))];
        assert_eq!(shown(two), [(100, Some(700), Some(900), 2), (5000, Some(5010), Some(5010), 1)]);
        // one client that is lost twice in it is one client
        assert_eq!(shown(vec![outage(3, 0, Some(9)), outage(3, 9, Some(20))]), [(0, Some(9), Some(20), 1)]);
    }

    #[test]
    fn who_never_came_back_leaves_it_open() {
        let open = vec![outage(0, 10, None), outage(1, 20, Some(300)), outage(2, 900, None)];
        assert_eq!(shown(open), [(10, Some(300), None, 3)]);
        assert_eq!(shown(Vec::new()), []);
    }
}

//! When transactions start, in the closed and in the open model.

use serde_json::Value;

use crate::bench::{Bench, Ran};

fn run(load: &str) -> Ran {
    let bench = Bench::new("");
    let ran = bench.run(&format!("scripts:\n  one: {{sql: \"select 'go', :client_id\"}}\nload: {{{load}}}\n"));
    assert_eq!(bench.sent("'go'").len() as u64, ran.total(0, "transactions"), "{load}");
    ran
}

fn arrivals(ran: &Ran) -> (u64, u64) {
    let arrivals = &ran.report["phases"][0]["arrivals"];
    (arrivals["due"].as_u64().unwrap(), arrivals["begun"].as_u64().unwrap())
}

/// Successful transactions by second of the phase.
fn seconds(ran: &Ran) -> Vec<(u64, u64)> {
    let timeline = ran.report["phases"][0]["timeline"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    timeline.iter().map(|second| (number(&second["second"]), number(&second["transactions"]))).collect()
}

#[test]
fn even_and_burst_starts_are_counted_exactly() {
    for arrivals_kind in ["even", "burst"] {
        let ran = run(&format!("clients: 4, threads: 2, rate: 30/s, arrivals: {arrivals_kind}, duration: 2s"));
        assert_eq!(arrivals(&ran), (60, ran.total(0, "transactions")), "{arrivals_kind}");
        let lag = &ran.report["phases"][0]["total"]["schedule_lag"];
        assert_eq!(lag["count"], ran.total(0, "transactions"), "{arrivals_kind}");
    }
}

#[test]
fn a_burst_begins_with_the_second() {
    let ran = run("clients: 5, rate: 10/s, arrivals: burst, duration: 1500ms");
    // how long each of them takes is the machine's business: latency counts from the scheduled start
    assert_eq!(arrivals(&ran).0, 20);
    let longest = ran.report["phases"][0]["total"]["latency"]["max_us"].as_f64().unwrap();
    assert!(longest < 60e6 && seconds(&ran).iter().map(|second| second.1).sum::<u64>() == ran.total(0, "transactions"));
}

#[test]
fn poisson_starts_have_their_rate_and_a_ramp_its_area() {
    let ran = run("clients: 6, threads: 2, rate: 300/s, duration: 1s");
    let (due, begun) = arrivals(&ran);
    assert!((220..380).contains(&due) && begun == ran.total(0, "transactions"), "{due}");
    let ran = run("clients: 6, rate: 0/s..400/s, arrivals: even, duration: 1s");
    assert!((198..=200).contains(&arrivals(&ran).0), "{ran:?}");
}

#[test]
fn a_ramp_of_clients_lets_each_join_and_leave() {
    for clients in ["1..6", "6..1"] {
        let bench = Bench::new("create table t(client int, at timestamptz default clock_timestamp())");
        let ran = bench.run(&format!(
            "scripts:\n  one: {{sql: insert into t values (:client_id)}}\nload: {{clients: {clients}, think: 2ms, duration: 900ms}}\n"
        ));
        assert_eq!(
            (ran.asked(0), &ran.report["phases"][0]["load"]["clients"]),
            (ran.total(0, "transactions"), &6.into())
        );
        // client 5 is there for a fifth of the time, client 0 for all of it
        let more = "select count(*) filter (where client = 0) > count(*) filter (where client = 5) from t";
        assert_eq!(bench.psql(more), "t", "{clients}");
        assert_eq!(bench.psql("select count(distinct client) from t"), "6", "{clients}");
    }
}

#[test]
fn pauses_and_distances_are_kept() {
    let ran = run("clients: 2, think: 30ms, transactions_per_client: 5");
    let elapsed = |ran: &Ran| ran.report["phases"][0]["elapsed_us"].as_f64().unwrap();
    assert!(elapsed(&ran) >= 120_000.0, "{ran:?}");
    assert!(ran.report["phases"][0]["total"]["latency"]["min_us"].as_f64().unwrap() < 30_000.0, "{ran:?}");
    let ran = run("clients: 2, every: 40ms, transactions_per_client: 4");
    assert!(elapsed(&ran) >= 120_000.0, "{ran:?}");
    let ran = run("clients: 3, think: {exponential: {mean: 1ms}}, transactions: 30");
    assert_eq!(ran.total(0, "transactions"), 30);
}

//! Loads beside the phases.

use serde_json::Value;

use crate::bench::{Bench, Ran, backends};

/// The background of that number of a phase.
fn beside(ran: &Ran, phase: usize, number: usize) -> &Value {
    &ran.report["phases"][phase]["background"][number]
}

fn transactions(load: &Value) -> u64 {
    load["total"]["transactions"].as_u64().unwrap_or_else(|| panic!("{load}"))
}

#[test]
fn it_is_reported_apart_and_has_clients_of_its_own() {
    let bench = Bench::new("create table t(who text, client int, pid int default pg_backend_pid())");
    let ran = bench.run(
        "scripts:\n  main: {sql: \"insert into t values ('main', :client_id)\"}\n  side: {sql: \"insert into t values ('side', :client_id)\"}\n\
         load: {mix: {main: 1}, clients: 3, threads: 2, every: 20ms, transactions_per_client: 10, protocol: prepared}\n\
         background:\n  queue: {mix: {side: 1}, clients: 2, every: 10ms, protocol: simple}\n",
    );
    assert_eq!((ran.total(0, "transactions"), ran.asked(0)), (30, 30));
    let side = beside(&ran, 0, 0);
    let count = transactions(side);
    assert!(count >= 2 && side["name"] == "queue" && side["load"]["protocol"] == "simple", "{side}");
    assert_eq!((&side["load"]["clients"], &side["load"]["stop"]), (&2.into(), &"with_phase".into()));
    assert_eq!(
        bench.psql("select count(*) filter (where who = 'main'), count(*) filter (where who = 'side') from t"),
        format!("30|{count}")
    );
    assert_eq!(bench.psql("select count(distinct pid) from t"), "5");
    assert_eq!(side["scripts"][0]["commands"][0]["latency"]["count"].as_u64(), Some(count));
    assert!(ran.ended.out.contains("Background queue beside main"), "{}", ran.ended.out);
    assert!(ran.ended.out.contains("number of clients: 3\n"), "{}", ran.ended.out);
}

#[test]
fn it_runs_in_the_phases_that_it_names() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  main: {sql: select 1}\n  side: {sql: \"select 'side'\"}\n\
         load: {mix: {main: 1}, duration: 300ms}\n\
         background:\n  all: {mix: {side: 1}, every: 20ms}\n  some: {mix: {side: 1}, rate: 100/s, phases: [b]}\n\
         phases: [{name: a, measure: false}, {name: b}, {name: c}]\n",
    );
    let names = |phase: usize| -> Vec<&str> {
        let all = ran.report["phases"][phase]["background"].as_array().unwrap();
        all.iter().map(|one| one["name"].as_str().unwrap()).collect()
    };
    assert_eq!((names(0), names(1), names(2)), (vec!["all"], vec!["all", "some"], vec!["all"]));
    let all: u64 = (0..3).map(|phase| transactions(beside(&ran, phase, 0))).sum();
    assert_eq!(bench.sent("'side'").len() as u64, all + transactions(beside(&ran, 1, 1)));
    assert!(beside(&ran, 1, 1)["arrivals"]["due"].as_u64().unwrap() > 0);
}

/// The figures of the load do not change by what stands beside it, nor do its draws.
#[test]
fn the_load_draws_as_it_does_alone() {
    let drawn = |background: &str| {
        let bench = Bench::new("create table t(client int, v int, id serial)");
        bench.run(&format!(
            "scripts:\n  main:\n    sql: |\n      \\set v random(1, 1000000)\n      insert into t values (:client_id, :v);\n  \
             side:\n    sql: |\n      \\set v random(1, 1000000)\n      select :v;\n\
             load: {{mix: {{main: 1}}, clients: 2, transactions_per_client: 8}}\n{background}"
        ));
        bench.psql("select string_agg(v::text, ' ' order by client, id) from t")
    };
    let alone = drawn("");
    assert_eq!(drawn("background: {b: {mix: {side: 1}, clients: 3, every: 1ms}}\n"), alone);
}

#[test]
fn what_it_does_when_the_phase_ends_gets_its_own_grace() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  main: {sql: select 1}\n  long: {sql: select pg_sleep(3600)}\n\
         load: {mix: {main: 1}, every: 10ms, transactions: 20}\n\
         background: {b: {mix: {long: 1}, clients: 2, grace: 50ms}}\n",
    );
    assert_eq!((ran.total(0, "transactions"), &beside(&ran, 0, 0)["total"]["unfinished"]), (20, &2.into()));
    let left = "select count(*) from pg_stat_activity where query like 'select pg_sleep(3600)%' and state = 'active'";
    assert_eq!(bench.psql(left), "0");
}

#[test]
fn its_failures_are_told_and_are_none_of_the_phase() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  main: {sql: select 1}\n  bad: {sql: select 1 / 0}\n\
         load: {mix: {main: 1}, duration: 300ms, every: 10ms}\n\
         background: {b: {mix: {bad: 1}, every: 50ms}}\n",
    );
    assert_eq!(ran.total(0, "failed"), 0);
    let side = beside(&ran, 0, 0);
    assert!(side["total"]["failed"].as_u64().unwrap() > 0, "{side}");
    assert_eq!(side["errors"][0]["class"], "other");
    assert!(
        ran.ended.out.contains("background b of phase main: ") && ran.ended.out.contains("Errors of background b"),
        "{}",
        ran.ended.out
    );
}

#[test]
fn its_typo_stops_the_run_as_any_does() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  main: {sql: select 1}\n  bad: {sql: selct 1}\n\
         load: {mix: {main: 1}, duration: 1h}\nbackground: {b: {mix: {bad: 1}}}\n",
        &[],
    );
    assert_eq!(
        (ran.ended.code, ran.outcome(), &ran.report["phases"][0]["ending"]),
        (Some(2), "incomplete", &"aborted".into()),
        "{ran:?}"
    );
    assert!(ran.ended.out.contains("syntax error at or near \"selct\""), "{}", ran.ended.out);
}

#[test]
fn it_has_pools_replicas_and_ramps_of_its_own() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  main: {sql: select 1}\n  side: {sql: \"select 'side', pg_sleep(0.002)\"}\n\
         load: {mix: {main: 1}, duration: 500ms, every: 10ms}\n\
         background:\n  pool: {mix: {side: 1}, clients: 4, connections: 2, replicas: 2}\n  ramp: {mix: {side: 1}, clients: 0..3}\n",
    );
    assert_eq!(
        (&beside(&ran, 0, 0)["load"]["clients"], &beside(&ran, 0, 1)["load"]["clients"]),
        (&8.into(), &3.into())
    );
    let sessions = backends(&bench.sent("'side'")).len();
    assert!((5..=7).contains(&sessions), "{sessions}");
}

#[test]
fn rows_of_a_feed_are_shared_with_it() {
    let bench = Bench::new("create table t(who text, n int)");
    bench.run(
        "feeds:\n  rows: {query: \"select generate_series(1, 40) as n\", order: per_client, at_end: stop}\n\
         scripts:\n  main:\n    sql: |\n      \\feed rows\n      insert into t values ('main', :n);\n  \
         side:\n    sql: |\n      \\feed rows\n      insert into t values ('side', :n);\n\
         load: {mix: {main: 1}, clients: 2, duration: 1h, every: 20ms}\n\
         background: {b: {mix: {side: 1}, clients: 2}}\n",
    );
    assert_eq!(
        bench.psql("select who, count(distinct n), count(*) from t group by who order by who"),
        "main|20|20\nside|20|20"
    );
    assert_eq!(bench.psql("select count(distinct n) from t"), "40");
}

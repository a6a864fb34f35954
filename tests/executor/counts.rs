//! How many transactions there are: exactly as many as were asked for, and the server agrees.

use crate::bench::Bench;

const PROTOCOLS: [&str; 3] = ["simple", "extended", "prepared"];

/// Every statement of every transaction reached the server, in every protocol and with every kind of connection.
#[test]
fn a_shared_number_is_done_exactly() {
    for protocol in PROTOCOLS {
        for (connections, threads) in [("per_client", 2), ("per_transaction", 2), ("3", 1)] {
            let bench = Bench::new("create table t(client int, v int)");
            let ran = bench.run(&format!(
                "scripts:\n  one:\n    sql: |\n      \\set v random(1, 9)\n      insert into t values (:client_id, :v);\n      \
                 select count(*) from t where client = :client_id;\n\
                 load: {{clients: 7, threads: {threads}, protocol: {protocol}, connections: {connections}, transactions: 53}}\n"
            ));
            let what = format!("{protocol}, {connections}");
            assert_eq!((ran.total(0, "transactions"), ran.asked(0)), (53, 53), "{what}");
            assert_eq!((ran.executed(0, "insert into"), ran.executed(0, "select count")), (53, 53), "{what}");
            assert_eq!(bench.psql("select count(*) from t"), "53", "{what}");
            let (inserts, selects) = (bench.sent("insert into t"), bench.sent("select count(*) from t where"));
            assert_eq!((inserts.len(), selects.len()), (53, 53), "{what}");
            let how = if protocol == "simple" { "statement" } else { "execute" };
            assert!(inserts.iter().all(|one| one.how.starts_with(how)), "{what}: {inserts:?}");
        }
    }
}

#[test]
fn a_number_for_each_client_is_done_by_each() {
    let bench = Bench::new("create table t(client int)");
    let ran = bench.run(
        "scripts:\n  one: {sql: insert into t values (:client_id)}\n\
         load: {clients: 5, threads: 2, transactions_per_client: 4}\n",
    );
    assert_eq!((ran.total(0, "transactions"), ran.asked(0)), (20, 20));
    let each = "select string_agg(client || ':' || n, ' ' order by client) from \
                (select client, count(*) as n from t group by 1) as c";
    assert_eq!(bench.psql(each), "0:4 1:4 2:4 3:4 4:4");
}

#[test]
fn failures_count_towards_the_number() {
    let bench = Bench::new("create table t(v int primary key)");
    for stop in ["transactions: 40", "transactions_per_client: 10"] {
        bench.psql("truncate t");
        let ran = bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n      \\set v random(1, 20)\n      insert into t values (:v);\n\
             load: {{clients: 4, protocol: prepared, {stop}}}\n"
        ));
        assert_eq!(ran.asked(0), 40);
        assert!(ran.failed(0, "constraint") >= 20, "{ran:?}");
        assert_eq!(ran.total(0, "transactions").to_string(), bench.psql("select count(*) from t"));
    }
}

#[test]
fn each_replica_has_its_own_number_clients_and_pool() {
    let bench = Bench::new("create table t(client int, pid int default pg_backend_pid())");
    let ran = bench.run(
        "scripts:\n  one: {sql: \"insert into t select :client_id from pg_sleep(0.002)\"}\n\
         load: {replicas: 3, clients: 4, connections: 2, transactions: 30}\n",
    );
    assert_eq!((ran.total(0, "transactions"), ran.asked(0)), (90, 90));
    assert_eq!(ran.report["phases"][0]["load"]["clients"], 12);
    assert_eq!(bench.psql("select count(distinct client), count(distinct pid) from t"), "12|6");
    // no session serves the clients of two replicas
    assert_eq!(bench.psql("select max(n) from (select count(distinct client / 4) as n from t group by pid) as c"), "1");
}

#[test]
fn hopeless_starts_are_skipped_and_counted() {
    let bench = Bench::new("");
    for stop in ["transactions: 60", "transactions_per_client: 30"] {
        let ran = bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n      select 1;\n      \\sleep 10 ms\n\
             load: {{clients: 2, rate: 2000/s, latency_limit: 2ms, {stop}}}\n"
        ));
        assert_eq!(ran.asked(0), 60, "{ran:?}");
        let (skipped, late) = (ran.total(0, "skipped"), ran.total(0, "late"));
        assert!(skipped > 0 && late == ran.total(0, "transactions"), "{ran:?}");
    }
}

#[test]
fn a_duration_ends_with_what_is_running_and_the_log_agrees() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  one: {sql: \"select :client_id, pg_sleep(0.01)\"}\n\
         load: {clients: 3, threads: 2, protocol: extended, duration: 500ms}\n",
    );
    let count = ran.total(0, "transactions");
    assert!(count > 3 && ran.asked(0) == count, "{ran:?}");
    assert_eq!(bench.sent("pg_sleep").len() as u64, count);
}

#[test]
fn what_runs_beyond_the_grace_is_cancelled_and_unfinished() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  one:\n    sql: |\n      select 1;\n      \\if :client_id = 0\n      select pg_sleep(600);\n      \\endif\n\
         load: {clients: 2, threads: 1, grace: 100ms, duration: 300ms}\n",
        &[],
    );
    assert_eq!(ran.total(0, "unfinished"), 1, "{ran:?}");
    assert!(ran.total(0, "transactions") > 0);
    assert_eq!(ran.report["phases"][0]["clients_ended"], 0);
    assert_eq!((ran.ended.code, ran.outcome()), (Some(2), "incomplete"));
    let left = "select count(*) from pg_stat_activity where query like 'select pg_sleep(600)%' and state = 'active'";
    assert_eq!(bench.psql(left), "0");
}

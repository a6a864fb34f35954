//! Rows of values for scripts: in which order, to whom, and what comes after the last.

use std::collections::BTreeSet;

use crate::bench::{Bench, Ran};

const TABLES: &str = "create table t(id serial, client int, n int, note text);
    create table numbers as select g as n, case when g % 2 = 0 then 'x' || g end as note from generate_series(1, 30) g";

/// A load whose transactions take one row each and keep it.
fn run(feed: &str, load: &str) -> (Bench, Ran) {
    let bench = Bench::new(TABLES);
    let ran = bench.run(&scenario(feed, load));
    (bench, ran)
}

fn scenario(feed: &str, load: &str) -> String {
    let clients = if load.contains("clients:") { "" } else { "clients: 4, " };
    let threads = if load.contains("threads:") { "" } else { "threads: 2, " };
    format!(
        "feeds:\n  rows: {{query: \"select n, note from numbers order by n\", {feed}}}\n\
         scripts:\n  one:\n    sql: |\n      \\feed rows\n      insert into t(client, n, note) values (:client_id, :n, :'note');\n\
         load: {{{clients}{threads}{load}}}\n"
    )
}

#[test]
fn a_sequence_gives_each_row_once_and_begins_again() {
    for protocol in ["simple", "extended", "prepared"] {
        let (bench, _) = run("order: sequential", &format!("protocol: {protocol}, transactions: 75"));
        let counts = "select min(c), max(c), sum(c) from (select count(*) as c from t group by n) as each";
        assert_eq!(bench.psql(counts), "2|3|75", "{protocol}");
        assert_eq!(
            bench.psql("select count(*) from t where note is distinct from case when n % 2 = 0 then 'x' || n end"),
            "0"
        );
    }
}

#[test]
fn a_sequence_that_stops_ends_the_phase_well() {
    let (bench, ran) = run("at_end: stop", "duration: 1h");
    assert_eq!((ran.total(0, "transactions"), ran.asked(0)), (30, 30), "{ran:?}");
    assert_eq!(
        (&ran.report["phases"][0]["ending"], &ran.report["phases"][0]["ran_dry"]),
        (&"complete".into(), &"rows".into())
    );
    assert_eq!(bench.psql("select count(distinct n) from t"), "30");
    assert!(ran.ended.out.contains("feed rows had no more rows"), "{}", ran.ended.out);
}

/// What is idle when the rows end, ends at once.
#[test]
fn nobody_waits_for_a_pause_when_the_rows_have_ended() {
    let (_, ran) = run("at_end: stop", "duration: 1h, think: 10min, grace: unlimited, clients: 31");
    assert_eq!(ran.total(0, "transactions"), 30, "{ran:?}");
}

#[test]
fn rows_are_dealt_to_clients_each_to_one() {
    let (bench, ran) = run("order: per_client", "transactions_per_client: 20");
    assert_eq!(ran.total(0, "transactions"), 80);
    assert_eq!(bench.psql("select count(*) from t where (n - 1) % 4 <> client"), "0");
    assert_eq!(bench.psql("select count(distinct n) from t"), "30");
    let (bench, ran) = run("order: per_client, at_end: stop", "duration: 1h, think: 1ms");
    assert_eq!((ran.total(0, "transactions"), ran.asked(0)), (30, 30));
    assert_eq!(bench.psql("select count(*) from t where (n - 1) % 4 <> client"), "0");
    assert_eq!(ran.report["phases"][0]["ran_dry"], "rows");
}

#[test]
fn replicas_are_dealt_to_as_clients_are() {
    let (bench, _) = run("order: per_client", "replicas: 2, transactions_per_client: 3");
    assert_eq!(bench.psql("select count(*), count(distinct client) from t where (n - 1) % 8 = client"), "24|8");
}

#[test]
fn drawn_rows_come_from_the_seed() {
    let drawn = |seed: u32, threads: u32| {
        let bench = Bench::new(TABLES);
        let load = format!("transactions_per_client: 10, threads: {threads}");
        bench.run(&format!("seed: {seed}\n{}", scenario("order: random", &load)));
        bench.psql("select string_agg(n::text, ' ' order by client, id) from t")
    };
    let first = drawn(1, 1);
    assert_eq!(drawn(1, 4), first);
    assert_ne!(drawn(2, 1), first);
    assert!(first.split(' ').collect::<BTreeSet<_>>().len() > 10, "{first}");
}

/// The transaction is the same as before, and the next one takes the next rows.
#[test]
fn a_retry_gets_the_same_rows() {
    for order in ["sequential", "per_client", "random"] {
        let bench = Bench::new(
            "create sequence calls; create table t(n int, other int);
             create function flaky(v int) returns int language plpgsql as $$
             begin
                 if nextval('calls') % 3 <> 0 then raise serialization_failure using message = 'flaky'; end if;
                 return v;
             end $$",
        );
        let ran = bench.run(&format!(
            "feeds:\n  rows: {{query: select n from generate_series(1::int4, 8) n, order: {order}}}\n\
             scripts:\n  one:\n    sql: |\n      \\feed rows\n      select flaky(:n);\n      \\feed rows\n      insert into t values (:n, 0);\n\
             load: {{max_tries: 3, transactions: 4}}\n"
        ).replace("select n from generate_series(1::int4, 8) n", "\"select n from generate_series(1::int4, 8) n\""));
        assert_eq!((ran.total(0, "transactions"), ran.total(0, "retries")), (4, 8), "{order}: {ran:?}");
        let values: Vec<String> = bench.sent("flaky").into_iter().map(|one| one.parameters).collect();
        for tries in values.chunks(3) {
            assert!(tries.iter().all(|value| *value == tries[0]), "{order}: {tries:?}");
        }
        if order != "random" {
            assert_eq!(bench.psql("select string_agg(n::text, ' ' order by n) from t"), "2 4 6 8", "{order}");
        }
    }
}

#[test]
fn a_transaction_that_finds_no_row_is_rolled_back_and_counted_nowhere() {
    let bench = Bench::new("create table t(n int)");
    let ran = bench.run(
        "feeds:\n  rows: {query: select generate_series(1, 3) as n, at_end: stop}\n\
         scripts:\n  one:\n    sql: |\n      begin;\n      insert into t values (0);\n      \\feed rows\n      insert into t values (:n);\n      commit;\n\
         load: {clients: 1, duration: 1h}\n".replace("select generate_series(1, 3) as n", "\"select generate_series(1, 3) as n\"").as_str(),
    );
    assert_eq!(
        (ran.asked(0), bench.psql("select string_agg(n::text, ' ' order by n) from t").as_str()),
        (3, "0 0 0 1 2 3")
    );
    assert_eq!(ran.report["phases"][0]["errors"].as_array().unwrap().len(), 0);
}

/// Each phase asks anew and begins at the first row.
#[test]
fn a_phase_reads_what_is_there_when_it_begins() {
    let bench = Bench::new(
        "create table numbers(n int); insert into numbers values (1), (2); create table t(id serial, n int)",
    );
    let ran = bench.run(
        "feeds:\n  rows: {query: select n from numbers order by n}\n\
         scripts:\n  one:\n    sql: |\n      \\feed rows\n      insert into t(n) values (:n);\n  other: {sql: select 1}\n\
         load: {transactions: 3}\n\
         phases:\n  - {name: a, mix: {one: 1}}\n  - sql: insert into numbers values (0)\n  - {name: b, mix: {one: 1}}\n  - {name: c, mix: {other: 1}}\n",
    );
    assert_eq!(ran.report["phases"].as_array().unwrap().len(), 3);
    assert_eq!(bench.psql("select string_agg(n::text, ' ' order by id) from t"), "1 2 1 0 1 2");
    assert_eq!(bench.sent("select n from numbers").len(), 2);
}

#[test]
fn what_a_feed_lacks_is_told_before_the_phase() {
    let bench = Bench::new(TABLES);
    let refused = |query: &str, used: &str, load: &str| {
        let ran = bench.attempt(
            &format!(
                "feeds:\n  rows: {{query: \"{query}\", order: per_client}}\n\
                 scripts:\n  one:\n    sql: |\n      \\feed rows\n      select :{used}::text;\nload: {{{load}}}\n"
            ),
            &[],
        );
        assert_eq!(ran.ended.code, Some(1), "{ran:?}");
        ran.ended.err
    };
    let load = "transactions: 3";
    let empty = refused("select n from numbers where n > 99", "n", load);
    assert!(empty.contains("exec::empty_feed") && empty.contains("feed `rows` has no rows"), "{empty}");
    let missing = refused("select * from numbers", "numer", load);
    assert!(missing.contains("setup::no_column") && missing.contains("`:numer`"), "{missing}");
    assert!(missing.contains("feed `rows` has `n`, `note`"), "{missing}");
    let wrong = refused("select nothing from numbers", "nothing", load);
    assert!(wrong.contains("setup::feed") && wrong.contains("column \"nothing\" does not exist"), "{wrong}");
    let few = refused("select n from numbers limit 3", "n", "clients: 4, transactions: 3");
    assert!(few.contains("exec::too_few_rows") && few.contains("3 rows for 4 clients"), "{few}");
}

//! What becomes of a transaction that fails, of its client and of the run.

use crate::bench::{Bench, backends};

/// Fails as PostgreSQL does on a conflict, except for each third call; sequences are not rolled back.
const FLAKY: &str = "create sequence calls; create table done(client int, v bigint);
    create function flaky(v bigint) returns bigint language plpgsql as $$
    begin
        if nextval('calls') % 3 <> 0 then raise serialization_failure using message = 'flaky'; end if;
        return v;
    end $$";

/// A transaction whose second statement is flaky, after values were drawn.
const SCRIPT: &str = "scripts:\n  one:\n    sql: |\n      \\set v random(1, 1000000000)\n      begin;\n      \
    insert into done values (:client_id, :v);\n      \\set w random(1, 1000000000)\n      select flaky(:w);\n      commit;\n";

#[test]
fn a_retry_draws_the_same_values_again() {
    for protocol in ["simple", "extended", "prepared"] {
        let bench = Bench::new(FLAKY);
        let ran =
            bench.run(&format!("seed: 7\n{SCRIPT}load: {{protocol: {protocol}, max_tries: 3, transactions: 6}}\n"));
        assert_eq!((ran.total(0, "transactions"), ran.total(0, "failed")), (6, 0), "{protocol}: {ran:?}");
        assert_eq!((ran.total(0, "retried"), ran.total(0, "retries")), (6, 12), "{protocol}");
        let values: Vec<String> = bench.sent("flaky").into_iter().map(|one| one.sql + &one.parameters).collect();
        assert_eq!(values.len(), 18, "{protocol}");
        for tries in values.chunks(3) {
            assert!(tries.iter().all(|value| *value == tries[0]), "{protocol}: {tries:?}");
        }
        let with_retries = bench.psql("select string_agg(v::text, ' ' order by ctid) from done");
        // without a failure the same values come
        let bench = Bench::new(&FLAKY.replace("% 3 <> 0", "< 0"));
        bench.run(&format!("seed: 7\n{SCRIPT}load: {{protocol: {protocol}, transactions: 6}}\n"));
        assert_eq!(bench.psql("select string_agg(v::text, ' ' order by ctid) from done"), with_retries, "{protocol}");
    }
}

#[test]
fn tries_are_bounded_and_delayed() {
    let bench = Bench::new(FLAKY);
    let ran = bench.run(&format!("{SCRIPT}load: {{max_tries: 2, transactions: 6}}\n"));
    // two tries fail for good, the third call of three succeeds at once
    assert_eq!((ran.total(0, "transactions"), ran.failed(0, "serialization")), (3, 3), "{ran:?}");
    assert_eq!((ran.total(0, "retried"), ran.total(0, "retries")), (3, 3));
    assert_eq!((bench.sent("flaky").len(), bench.psql("select count(*) from done").as_str()), (9, "3"));
    assert_eq!(bench.sent("ROLLBACK").len(), 6);

    bench.psql("alter sequence calls restart");
    let ran = bench.run(&format!("{SCRIPT}load: {{max_tries: 3, retry_delay: 40ms, transactions: 2}}\n"));
    let least = ran.report["phases"][0]["total"]["latency"]["min_us"].as_f64().unwrap();
    assert!(least >= 80_000.0, "{ran:?}");

    bench.psql("alter sequence calls restart");
    let ran = bench.run(&format!("{SCRIPT}load: {{max_tries: 5, retry: [deadlock_detected], transactions: 3}}\n"));
    assert_eq!((ran.failed(0, "serialization"), ran.total(0, "retries")), (2, 0));
}

#[test]
fn deadlocks_are_tried_again() {
    let bench = Bench::new("create table t(id int primary key, n int); insert into t values (0, 0), (1, 0)");
    let ran = bench.run(
        "scripts:\n  one:\n    sql: |\n      \\set other 1 - :client_id\n      begin;\n      \
         update t set n = n + 1 where id = :client_id;\n      \\sleep 20 ms\n      \
         update t set n = n + 1 where id = :other;\n      commit;\n\
         load: {clients: 2, threads: 1, protocol: prepared, max_tries: 0, latency_limit: 1min, transactions_per_client: 3}\n",
    );
    assert_eq!((ran.total(0, "transactions"), ran.total(0, "failed")), (6, 0), "{ran:?}");
    assert!(ran.total(0, "retries") > 0, "{ran:?}");
    assert!(ran.messages(0, "deadlock")[0].contains("deadlock detected"), "{ran:?}");
    assert_eq!(bench.psql("select sum(n) from t"), "12");
}

#[test]
fn a_failure_is_rolled_back_and_the_client_goes_on() {
    let bench = Bench::new("create table t(v int primary key); create table u(v int)");
    let ran = bench.run(
        "scripts:\n  one:\n    sql: |\n      \\set v :client_id * 100 + random(1, 3)\n      begin;\n      insert into u values (:v);\n      \
         insert into t values (:v);\n      commit;\n\
         load: {clients: 2, transactions_per_client: 8}\n",
    );
    assert_eq!(ran.asked(0), 16);
    assert_eq!(ran.total(0, "failed"), ran.failed(0, "constraint"));
    assert!(ran.total(0, "failed") >= 10, "{ran:?}");
    let kept = ran.total(0, "transactions").to_string();
    assert_eq!(bench.psql("select (select count(*) from t), (select count(*) from u)"), format!("{kept}|{kept}"));
    assert_eq!(backends(&bench.sent("insert into")).len(), 2);
    assert!(ran.messages(0, "constraint")[0].contains("duplicate key value"), "{ran:?}");
}

#[test]
fn a_typo_stops_the_run_at_once() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  one: {sql: selct 1}\nload: {clients: 2, duration: 1h}\nphases: [{name: a}, {name: b}]\n",
        &[],
    );
    assert_eq!((ran.ended.code, ran.outcome()), (Some(2), "incomplete"), "{ran:?}");
    assert_eq!(ran.report["phases"].as_array().unwrap().len(), 1);
    assert_eq!(ran.report["phases"][0]["ending"], "aborted");
    assert!(ran.failed(0, "syntax") <= 2, "{ran:?}");
    assert!(ran.ended.out.contains("the run was aborted: script one, `selct 1`: ERROR"), "{ran:?}");
}

/// What a pooler does that gives each transaction another of its sessions.
#[test]
fn prepared_statements_that_a_session_lost_are_told_with_the_remedy() {
    let bench = Bench::new("");
    let scenario = |protocol| {
        format!(
            "scripts: {{one: {{sql: \"deallocate all; select 1;\"}}}}\nload: {{protocol: {protocol}, transactions_per_client: 3}}\n"
        )
    };
    let ran = bench.attempt(&scenario("prepared"), &[]);
    assert_eq!((ran.total(0, "transactions"), ran.failed(0, "other")), (1, 2), "{ran:?}");
    assert!(ran.ended.out.contains("max_prepared_statements"), "{}", ran.ended.out);
    let ran = bench.run(&scenario("extended"));
    assert_eq!(ran.total(0, "transactions"), 3);
    assert!(!ran.ended.out.contains("max_prepared_statements"), "{}", ran.ended.out);
}

#[test]
fn abort_client_ends_the_one_and_not_the_others() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  one:\n    sql: |\n      \\if :client_id = 1 and iteration() = 2\n      select 1 / 0;\n      \\endif\n      select 2;\n\
         load: {clients: 3, on_error: abort_client, transactions_per_client: 5}\n",
        &[],
    );
    assert_eq!((ran.ended.code, ran.outcome()), (Some(2), "incomplete"), "{ran:?}");
    assert_eq!((ran.total(0, "transactions"), ran.failed(0, "other")), (12, 1), "{ran:?}");
    assert_eq!((&ran.report["phases"][0]["clients_ended"], bench.sent("select 2").len()), (&1.into(), 12));
    assert!(ran.ended.out.contains("1 of 3 clients ended early"), "{}", ran.ended.out);
}

#[test]
fn abort_run_ends_all() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  one:\n    sql: |\n      \\if :client_id = 1 and iteration() = 2\n      select 1 / 0;\n      \\endif\n      select 2;\n\
         load: {clients: 3, threads: 2, on_error: abort_run, duration: 1h}\n",
        &[],
    );
    assert_eq!((ran.ended.code, ran.outcome()), (Some(2), "incomplete"), "{ran:?}");
    assert_eq!((ran.failed(0, "other"), &ran.report["phases"][0]["ending"]), (1, &"aborted".into()));
    assert!(ran.ended.out.contains("division by zero"), "{}", ran.ended.out);
}

#[test]
fn a_statement_beyond_the_timeout_costs_its_session_and_nothing_else() {
    for (protocol, connections) in [("simple", "per_client"), ("extended", "2"), ("prepared", "per_transaction")] {
        let bench = Bench::new("");
        let ran = bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n      \\if iteration() = 1\n      select 'long', pg_sleep(3600);\n      \\endif\n      \
             select 'short';\n\
             load: {{clients: 2, protocol: {protocol}, connections: {connections}, timeout: 1s, transactions_per_client: 4}}\n"
        ));
        let what = format!("{protocol}, {connections}: {ran:?}");
        assert_eq!(
            (ran.total(0, "transactions"), ran.failed(0, "timeout"), ran.total(0, "failed")),
            (6, 2, 2),
            "{what}"
        );
        assert!(ran.messages(0, "timeout")[0].contains("client's timeout of 1s"), "{what}");
        let lost = backends(&bench.sent("'long'"));
        let log = bench.log();
        let final_words = |pid| log.iter().rev().find(|one| one.pid == pid).unwrap();
        assert!(lost.iter().all(|pid| final_words(*pid).sql.contains("'long'")), "{what}: a session was used again");
        // nobody waits for it any more, so it is ended on the server too
        let running = "select count(*) from pg_stat_activity where query like '%''long''%' and pid <> pg_backend_pid()";
        crate::bench::until("the long statements have ended", || bench.psql(running) == "0");
    }
}

#[test]
fn an_assertion_and_a_broken_script_have_their_classes() {
    let bench = Bench::new("create table t(v int)");
    let ran = bench.run(
        "scripts:\n  asserts:\n    sql: |\n      update t set v = 1;\n      \\assert :ROW_COUNT = 1 'no row'\n      select 'never';\n  \
         sets:\n    sql: |\n      select 1 where false \\gset\n      select 'never';\n  \
         opens:\n    sql: |\n      begin;\n      select 1;\n\
         load: {transactions: 4}\n\
         phases:\n  - {name: a, mix: {asserts: 1}}\n  - {name: b, mix: {sets: 1}}\n  - {name: c, mix: {opens: 1}}\n",
    );
    assert_eq!((ran.failed(0, "assertion"), ran.failed(1, "script")), (4, 4), "{ran:?}");
    assert!(ran.messages(0, "assertion")[0].contains("no row"));
    assert!(ran.messages(1, "script")[0].contains("expected one row, got 0"));
    assert!(ran.messages(2, "script")[0].contains("without completing the last transaction"));
    assert_eq!((bench.sent("never").len(), bench.sent("ROLLBACK").len()), (0, 4));
}

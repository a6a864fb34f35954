//! What scripts do: branches, loops, results in variables, pipelines; in every protocol.

use crate::bench::Bench;

const PROTOCOLS: [&str; 3] = ["simple", "extended", "prepared"];

/// Runs a script as one client, so many times, in this protocol; what it put into `t`, in order.
fn rows(script: &str, protocol: &str, transactions: u32) -> String {
    let bench = Bench::new("create table t(id serial, what text)");
    let script = script.lines().fold(String::new(), |text, line| text + "      " + line + "\n");
    let ran = bench.run(&format!(
        "scripts:\n  one:\n    sql: |\n{script}load: {{protocol: {protocol}, transactions: {transactions}}}\n"
    ));
    assert_eq!(ran.total(0, "transactions"), u64::from(transactions), "{protocol}: {ran:?}");
    bench.psql("select string_agg(what, ' ' order by id) from t")
}

#[test]
fn branches_are_taken_by_their_conditions() {
    let script = "\\set n iteration() % 4\n\
        \\if :n = 0\ninsert into t(what) values ('zero');\n\
        \\elif :n = 1\n\\if false\ninsert into t(what) values ('never');\n\\else\ninsert into t(what) values ('one');\n\\endif\n\
        \\elif :n = 1 or :n = 2\ninsert into t(what) values ('two');\n\
        \\else\ninsert into t(what) values ('more');\n\\endif";
    for protocol in PROTOCOLS {
        assert_eq!(rows(script, protocol, 5), "zero one two more zero", "{protocol}");
    }
}

#[test]
fn results_go_into_variables() {
    let script = "select 3 as a, null as b, 'x y' as c \\gset p_\n\
        select n as d from generate_series(1, 4) as n \\aset\n\
        select 5 as e where false \\aset\n\
        insert into t(what) values (:p_a || '-' || :'p_c' || '-' || :d);";
    for protocol in PROTOCOLS {
        let script = if protocol == "simple" {
            script.replace(":p_a ||", ":p_a::text ||")
        } else {
            script.replace(":p_a ||", ":p_a::text ||").replace(":d)", ":d::text)")
        };
        assert_eq!(rows(&script, protocol, 2), "3-x y-4 3-x y-4", "{protocol}");
    }
}

#[test]
fn loops_go_their_rounds_and_rows_are_counted() {
    let script = "\\repeat 2 as i\n\\repeat :i as j\ninsert into t(what) values (:i::text || ':' || :j::text);\n\\endrepeat\n\\endrepeat\n\
        \\repeat 0\ninsert into t(what) values ('never');\n\\endrepeat\n\
        update t set what = what;\n\\set n :ROW_COUNT\n\
        insert into t(what) values ('n' || :n::text);\n\
        \\assert :ROW_COUNT = 1 'one row'";
    for protocol in PROTOCOLS {
        assert_eq!(rows(script, protocol, 1), "1:1 2:1 2:2 n3", "{protocol}");
    }
}

/// A loop without a statement must keep neither the other clients nor the end of the phase waiting.
#[test]
fn a_loop_without_a_statement_lets_others_run() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  one:\n    sql: |\n      select :client_id;\n      \\if :client_id = 0\n      \\repeat 1000000000000\n      \
         \\set x 1\n      \\endrepeat\n      \\endif\n\
         load: {clients: 2, threads: 1, grace: 100ms, duration: 500ms}\n",
        &[],
    );
    assert_eq!((ran.total(0, "unfinished"), ran.outcome()), (1, "incomplete"), "{ran:?}");
    assert!(ran.total(0, "transactions") > 1, "{ran:?}");
}

#[test]
fn pipelines_send_all_and_read_all() {
    let script = "\\startpipeline\ninsert into t(what) values ('a' || :client_id::text);\ninsert into t(what) values ('b');\n\
        \\syncpipeline\ninsert into t(what) values ('c');\n\\endpipeline\ninsert into t(what) values ('d');";
    for protocol in ["extended", "prepared"] {
        assert_eq!(rows(script, protocol, 2), "a0 b c d a0 b c d", "{protocol}");
    }
}

#[test]
fn an_error_in_a_pipeline_fails_the_transaction_and_the_session_goes_on() {
    for protocol in ["extended", "prepared"] {
        let bench = Bench::new("create table t(v int primary key)");
        let ran = bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n      \\startpipeline\n      begin;\n      insert into t values (iteration() / 2);\n      \
             commit;\n      select 'after';\n      \\endpipeline\n\
             load: {{protocol: {protocol}, transactions: 6}}\n"
        ).replace("(iteration() / 2)", "(:half)").replace("      \\startpipeline", "      \\set half iteration() / 2\n      \\startpipeline"));
        assert_eq!((ran.total(0, "transactions"), ran.failed(0, "constraint")), (3, 3), "{protocol}: {ran:?}");
        assert_eq!(bench.psql("select count(*) from t"), "3", "{protocol}");
        let pids = crate::bench::backends(&bench.sent("insert into t"));
        assert_eq!(pids.len(), 1, "{protocol}");
    }
}

#[test]
fn a_sleep_is_part_of_the_transaction_and_its_session_stays() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  one:\n    sql: |\n      \\set ms 5\n      select pg_backend_pid() as a \\gset\n      \\sleep :ms ms\n      \\sleep 300 us\n      \
         select pg_backend_pid() as b \\gset\n      \\assert :a = :b 'another session'\n\
         load: {clients: 4, connections: 2, transactions: 12}\n",
    );
    assert_eq!(ran.total(0, "transactions"), 12, "{ran:?}");
    let least = ran.report["phases"][0]["total"]["latency"]["min_us"].as_f64().unwrap();
    assert!(least >= 5_300.0, "{ran:?}");
    assert_eq!((ran.executed(0, "\\sleep :ms"), ran.executed(0, "\\sleep 300")), (12, 12));
}

//! Every key of `load` may be said again in a phase, and holds there alone.

use crate::bench::{Bench, Ran, backends};

/// Two phases with the same load, the second with this said again.
fn run(bench: &Bench, load: &str, over: &str) -> Ran {
    bench.run(&scenario(load, over))
}

fn scenario(load: &str, over: &str) -> String {
    format!(
        "scripts:\n  one: {{sql: \"select 'one', current_setting('work_mem'), current_user\"}}\n  two: {{sql: \"select 'two', current_user\"}}\n\
         load: {{mix: {{one: 1}}, clients: 2, threads: 1, transactions: 12, {load}}}\n\
         phases:\n  - {{name: a}}\n  - {{name: b, {over}}}\n"
    )
}

#[test]
fn the_mix() {
    let bench = Bench::new("");
    run(&bench, "", "mix: {two: 1}");
    assert_eq!((bench.sent("'one'").len(), bench.sent("'two'").len()), (12, 12));
}

#[test]
fn clients_replicas_and_threads() {
    let bench = Bench::new("");
    let ran = run(&bench, "", "clients: 5, replicas: 2, threads: 3");
    let load = |phase: usize| &ran.report["phases"][phase]["load"];
    assert_eq!((&load(0)["clients"], &load(0)["threads"], &load(0)["replicas"]), (&2.into(), &1.into(), &1.into()));
    assert_eq!((&load(1)["clients"], &load(1)["threads"], &load(1)["replicas"]), (&10.into(), &6.into(), &2.into()));
    assert_eq!((ran.total(0, "transactions"), ran.total(1, "transactions")), (12, 24));
}

/// A script has to be fit for the protocols that it is sent in, and for no others.
#[test]
fn the_protocol() {
    let bench = Bench::new("create table t(n int)");
    let ran = bench.run(
        "scripts:\n  one: {sql: \"select 'one', :client_id\"}\n  quoted:\n    sql: |\n      \\set table 't'\n      select count(*) from :\"table\";\n\
         load: {mix: {one: 1}, protocol: prepared, transactions: 6}\n\
         phases: [{name: a}, {name: b, protocol: simple}, {name: c, protocol: extended}, {name: d, mix: {quoted: 1}, protocol: simple}]\n",
    );
    let hows: Vec<String> = bench.sent("'one'").into_iter().map(|one| one.how).collect();
    let kind = |how: &str| match how {
        "statement" => 's',
        "execute <unnamed>" => 'e',
        _ => 'p',
    };
    assert_eq!(hows.iter().map(|how| kind(how)).collect::<String>(), "ppppppsssssseeeeee");
    assert_eq!(ran.total(3, "transactions"), 6);
}

#[test]
fn connections_and_what_a_pool_does() {
    let bench = Bench::new("");
    let ran = run(&bench, "", "clients: 6, connections: 3, pool_reset: discard all, pool_timeout: 1min");
    let load = &ran.report["phases"][1]["load"];
    assert_eq!((&load["connections"], &load["pool_size"]), (&"pool".into(), &3.into()));
    assert!(bench.log().iter().any(|one| one.sql == "discard all"));
    let bench = Bench::new("");
    run(&bench, "connections: 1", "connections: per_transaction");
    assert_eq!(backends(&bench.sent("'one'")).len(), 13);
}

#[test]
fn the_session() {
    let bench = Bench::new("drop role if exists other_role; create role other_role login password 'secret'");
    let ran = bench.attempt(
        &scenario(
            "session: {settings: {work_mem: 1234kB}}",
            "session: {user: other_role, password: secret, settings: {work_mem: 2345kB}, on_connect: [\"select 'hello'\", \"set application_name = 'b'\"]}, \
             mix: {asks: 1}",
        )
        .replace("scripts:\n", "scripts:\n  asks:\n    sql: |\n      select current_user = 'other_role' and current_setting('work_mem') = '2345kB' as fine, \
             current_setting('application_name') as name \\gset\n      \\assert :fine\n      \\assert :name = 'b'\n"),
        &[],
    );
    assert_eq!((ran.ended.code, ran.total(1, "failed"), ran.total(1, "transactions")), (Some(0), 0, 12), "{ran:?}");
    // each session greets once, and those of the first phase not at all
    assert_eq!(bench.sent("'hello'").len(), 2);
    let shown = ran.ended.out + &ran.ended.err + &ran.report.to_string();
    assert!(!shown.contains("secret"), "{shown}");
    bench.psql("drop role other_role");
}

#[test]
fn the_server() {
    let (bench, other) = (Bench::new(""), Bench::new(""));
    let ran = run(&bench, "", &format!("url: \"{}\"", other.url()));
    assert_eq!((bench.sent("'one'").len(), other.sent("'one'").len()), (12, 12), "{ran:?}");
}

#[test]
fn what_ends_it() {
    let bench = Bench::new("");
    let ran = run(&bench, "", "transactions_per_client: 4");
    assert_eq!((ran.total(0, "transactions"), ran.total(1, "transactions")), (12, 8));
    let ran = run(&bench, "", "duration: 200ms, every: 10ms");
    assert_eq!(ran.report["phases"][1]["load"]["stop"]["duration_us"], 200_000);
}

#[test]
fn when_transactions_start() {
    let bench = Bench::new("");
    let ran = run(&bench, "think: 1ms", "think: 0s, rate: 100/s, arrivals: burst");
    let phase = |number: usize| &ran.report["phases"][number];
    assert_eq!((&phase(0)["load"]["rate"][0], &phase(1)["load"]["rate"][0]), (&serde_json::Value::Null, &100.0.into()));
    let least = |ran: &Ran| ran.report["phases"][1]["elapsed_us"].as_f64().unwrap();
    assert!(least(&run(&bench, "every: 1ms", "every: 20ms")) >= 100_000.0);
    assert!(least(&run(&bench, "think: 1ms", "think: 20ms")) >= 100_000.0);
    assert!(least(&run(&bench, "", "rate: 200/s, arrivals: even")) >= 50_000.0);
}

#[test]
fn limits_tries_and_what_failures_mean() {
    let failing = |load: &str, over: &str| {
        let bench = Bench::new("");
        bench.attempt(
            &scenario(load, over)
                .replace("'one', current_setting('work_mem'), current_user", "'one', pg_sleep(0.02), 1 / :zero::int")
                .replace("scripts:\n", "vars: {zero: 0}\nscripts:\n"),
            &[],
        )
    };
    let retries = |ran: &Ran| [0, 1].map(|phase| ran.total(phase, "retries"));
    let ran = failing("retry: [division_by_zero]", "max_tries: 2, retry_delay: 1ms, transactions: 3");
    assert_eq!(retries(&ran), [0, 3], "{ran:?}");
    let ran = failing("max_tries: 2", "retry: [\"22012\"], transactions: 3");
    assert_eq!(retries(&ran), [0, 3], "{ran:?}");
    let ran = failing("", "on_error: abort_client");
    assert_eq!((&ran.report["phases"][1]["clients_ended"], ran.ended.code), (&2.into(), Some(2)), "{ran:?}");
    let ran = failing("", "on_error: abort_run");
    assert_eq!(ran.report["phases"][1]["ending"], "aborted", "{ran:?}");
    let bench = Bench::new("");
    let slow = |over: &str| scenario("", over).replace("current_setting('work_mem')", "pg_sleep(0.3)");
    let ran = bench.run(&slow("latency_limit: 1ms, transactions: 2"));
    assert_eq!((ran.total(0, "late"), ran.total(1, "late")), (0, 2));
    let ran = bench.attempt(&slow("timeout: 20ms, transactions: 2"), &[]);
    assert_eq!((ran.failed(0, "timeout"), ran.failed(1, "timeout")), (0, 2), "{ran:?}");
    let ran = bench.attempt(&slow("duration: 50ms, grace: 10ms"), &[]);
    assert_eq!(ran.total(1, "unfinished"), 2, "{ran:?}");
}

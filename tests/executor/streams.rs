//! One seed, one load: whatever the threads, the server gets the same statements.

use crate::bench::Bench;

const SCENARIO: &str = "scripts:\n  \
    reads:\n    sql: |\n      \\set v random(1, 1000000000)\n      select 'r', :client_id, :v;\n      \\set g random_gaussian(1, 1000, 3.0)\n      \
    \\sleep :g us\n  \
    writes: {sql: \"\\\\set v random_zipfian(1, 1000000, 1.2)\\nselect 'w', :client_id, :v;\", think: {uniform: 0s..2ms}}\n";

/// Every statement with its values, sorted.
fn statements(load: &str, seed: u32) -> Vec<String> {
    let bench = Bench::new("");
    let ran = bench.run(&format!(
        "seed: {seed}\n{SCENARIO}load: {{mix: {{reads: 3, writes: 2}}, clients: 6, {load}}}\n\
         phases: [{{name: a, transactions_per_client: 12}}, {{name: b, transactions_per_client: 5}}]\n"
    ));
    assert_eq!((ran.total(0, "transactions"), ran.total(1, "transactions")), (72, 30));
    let mut all: Vec<String> = bench
        .log()
        .into_iter()
        .filter(|one| one.sql.starts_with("select '"))
        .map(|one| one.sql + &one.parameters)
        .collect();
    assert_eq!(all.len(), 102);
    all.sort();
    all
}

#[test]
fn threads_do_not_change_what_is_sent() {
    let one = statements("threads: 1, protocol: simple", 5);
    for threads in [3, 6] {
        assert_eq!(statements(&format!("threads: {threads}, protocol: simple"), 5), one, "{threads}");
    }
    assert_ne!(statements("threads: 1, protocol: simple", 6), one);
    let prepared = statements("threads: 1, protocol: prepared", 5);
    assert_eq!(statements("threads: 2, protocol: prepared", 5), prepared);
}

#[test]
fn neither_does_a_pool_or_a_rate() {
    let one = statements("threads: 1, protocol: simple", 5);
    assert_eq!(statements("connections: 2, protocol: simple", 5), one);
    assert_eq!(statements("connections: per_transaction, threads: 2, protocol: simple", 5), one);
    let bench = Bench::new("");
    let open = |threads: u32| {
        let ran = bench.run(&format!(
            "{SCENARIO}load: {{mix: {{reads: 1}}, clients: 4, threads: {threads}, rate: 400/s, duration: 500ms}}\n"
        ));
        ran.report["phases"][0]["arrivals"]["due"].as_u64().unwrap()
    };
    let due = open(1);
    assert!((100..300).contains(&due), "{due}");
    assert_eq!(open(4), due);
}

//! `stop_if`: a phase that goes wrong ends, and the run with it.

use crate::bench::{Bench, Ran};

fn run(script: &str, load: &str, rule: &str) -> Ran {
    Bench::new("").attempt(
        &format!(
            "scripts:\n  one:\n    sql: |\n{script}load: {{{load}, duration: 1h}}\n\
             phases: [{{name: a, stop_if: {rule}}}, {{name: b, duration: 1s}}]\n"
        ),
        &[],
    )
}

/// One transaction of four fails.
const FAILING: &str =
    "      \\if iteration() % 4 = 0\n      select 1 / 0;\n      \\endif\n      \\sleep 5 ms\n      select 1;\n";

#[test]
fn a_rule_that_holds_ends_the_run_as_incomplete() {
    for rule in [
        "failed > 10%",
        "failed.other >= 1",
        "transactions > 1",
        "tps < 1000000",
        "latency.p95 > 1us",
        "latency.avg > 0.001ms",
        "a.failed > 10%",
    ] {
        let ran = run(FAILING, "clients: 2", rule);
        assert_eq!((ran.ended.code, ran.outcome()), (Some(2), "incomplete"), "{rule}: {ran:?}");
        assert_eq!(ran.report["phases"].as_array().unwrap().len(), 1, "{rule}");
        assert_eq!(ran.report["phases"][0]["ending"], "stopped", "{rule}");
        assert!(ran.total(0, "transactions") > 0 && ran.total(0, "unfinished") == 0, "{rule}: {ran:?}");
        let told = format!("the run was stopped, since it came to this: {rule}");
        assert!(ran.ended.out.contains(&told), "{rule}: {}", ran.ended.out);
    }
}

#[test]
fn a_rule_that_does_not_hold_changes_nothing() {
    let bench = Bench::new("");
    for rule in ["failed > 30%", "failed.deadlock > 0", "latency.max > 1h", "skipped > 0"] {
        let ran = bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n{FAILING}load: {{clients: 2, duration: 1500ms}}\nphases: [{{name: a, stop_if: {rule}}}]\n"
        ));
        assert_eq!(ran.report["phases"][0]["ending"], "complete", "{rule}");
    }
}

#[test]
fn pauses_and_schedules_do_not_hold_it_up() {
    for load in ["clients: 4, think: 10min", "clients: 4, rate: 20/s", "clients: 4, connections: 2"] {
        let ran = run(FAILING, load, "failed > 10%");
        assert_eq!(
            (ran.ended.code, &ran.report["phases"][0]["ending"]),
            (Some(2), &"stopped".into()),
            "{load}: {ran:?}"
        );
    }
}

use super::*;
use crate::id::{ClientId, ScriptId};

fn style() -> LogStyle {
    LogStyle {
        sampling_rate: None,
        interval: None,
        lag: false,
        limit: false,
        retries: false,
        failures_detailed: false,
        all_columns: true,
    }
}

fn end(outcome: TransactionOutcome, tries: u32) -> TransactionEnd {
    TransactionEnd {
        client: ClientId(2),
        number: 7,
        script: ScriptId(1),
        outcome,
        latency: Duration::from_nanos(1_234_999),
        lag: Duration::from_micros(56),
        tries,
        at: Instant::now(),
    }
}

const OUTCOMES: [TransactionOutcome; 4] = [
    TransactionOutcome::Done,
    TransactionOutcome::Skipped,
    TransactionOutcome::Failed(FailureClass::Serialization),
    TransactionOutcome::Failed(FailureClass::Deadlock),
];

#[test]
fn a_line_has_the_fields_that_the_options_ask_for() {
    let all = LogStyle { lag: true, limit: true, retries: true, failures_detailed: true, ..style() };
    let mut lines = String::new();
    for style in [style(), all] {
        for outcome in OUTCOMES {
            let mut line = Vec::new();
            write_line(&mut line, &end(outcome, 3), Duration::new(1_796_061_702, 5_000), style);
            lines += std::str::from_utf8(&line).unwrap();
        }
    }
    insta::assert_snapshot!(lines, @r"
    2 7 1234 1 1796061702 5
    2 7 skipped 1 1796061702 5
    2 7 failed 1 1796061702 5
    2 7 failed 1 1796061702 5
    2 7 1234 1 1796061702 5 56 2
    2 7 skipped 1 1796061702 5 0 2
    2 7 serialization 1 1796061702 5 0 2
    2 7 deadlock 1 1796061702 5 0 2
    ");
}

#[test]
fn an_interval_has_a_line_when_it_is_over_and_unused_fields_are_zero() {
    let all = LogStyle { lag: true, limit: true, retries: true, failures_detailed: true, ..style() };
    let old = LogStyle { all_columns: false, ..all };
    let old_plain = LogStyle { all_columns: false, ..style() };
    let mut lines = String::new();
    for style in [style(), all, old, old_plain] {
        let mut aggregate = Aggregate::new(100, 2);
        for (outcome, tries) in OUTCOMES.into_iter().zip(1..) {
            aggregate.add(&end(outcome, tries));
        }
        let mut line = Vec::new();
        assert!(!aggregate.finish(101, style, &mut line));
        while aggregate.finish(105, style, &mut line) {
            lines += std::str::from_utf8(&std::mem::take(&mut line)).unwrap();
        }
    }
    insta::assert_snapshot!(lines, @r"
    100 1 1234 1522756 1234 1234 0 0 0 0 0 0 0 0 0
    102 0 0 0 0 0 0 0 0 0 0 0 0 0 0
    100 1 1234 1522756 1234 1234 56 3136 56 56 1 2 5 1 1
    102 0 0 0 0 0 0 0 0 0 0 0 0 0 0
    100 1 1234 1522756 1234 1234 56 3136 56 56 1
    102 0 0 0 0 0 0 0 0 0 0
    100 1 1234 1522756 1234 1234
    102 0 0 0 0 0
    ");
}

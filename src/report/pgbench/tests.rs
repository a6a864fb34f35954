use super::*;

fn counts(transactions: u64) -> BlockCounts {
    BlockCounts { transactions, latency_avg_ms: 0.1224, latency_stddev_ms: 0.1013, ..BlockCounts::default() }
}

fn script(description: &str, weight: u32, counts: BlockCounts) -> BlockScript {
    let command = |text: &str, latency_avg_ms, failures, retries| BlockCommand {
        text: text.to_owned(),
        latency_avg_ms,
        failures,
        retries,
    };
    let commands = vec![command("\\set aid random(1, 100000 * :scale)", 0.0004, 0, 0), command("END;", 1.2345, 3, 12)];
    BlockScript { description: description.to_owned(), weight, counts, commands }
}

fn block() -> PgbenchBlock {
    PgbenchBlock {
        scale: 1,
        partitions: None,
        query_mode: "simple".to_owned(),
        clients: 1,
        threads: 1,
        max_tries: 1,
        stop: BlockStop::TransactionsPerClient(10),
        lag_ms: None,
        latency_limit: None,
        latencies: false,
        failures_detailed: false,
        per_command: false,
        elapsed: Duration::from_micros(7_525),
        connecting: BlockConnecting::Initial(Duration::from_micros(2_893)),
        total: counts(10),
        scripts: vec![script("<builtin: TPC-B (sort of)>", 1, counts(10))],
    }
}

#[test]
fn a_plain_run() {
    insta::assert_snapshot!(render(&block(), Wording::V18), @r"
    transaction type: <builtin: TPC-B (sort of)>
    scaling factor: 1
    query mode: simple
    number of clients: 1
    number of threads: 1
    maximum number of tries: 1
    number of transactions per client: 10
    number of transactions actually processed: 10/10
    number of failed transactions: 0 (0.000%)
    latency average = 0.752 ms
    initial connection time = 2.893 ms
    tps = 1328.903654 (without initial connection time)
    ");
}

fn everything() -> PgbenchBlock {
    let total = BlockCounts {
        skipped: 2,
        serialization: 1,
        deadlock: 3,
        other: 1,
        retried: 4,
        retries: 9,
        late: 5,
        ..counts(43)
    };
    PgbenchBlock {
        partitions: Some(("range".to_owned(), 4)),
        clients: 8,
        threads: 2,
        max_tries: 10,
        stop: BlockStop::Duration(Duration::from_secs(60)),
        lag_ms: Some((0.1266, 3.2504)),
        latency_limit: Some(Duration::from_millis(100)),
        failures_detailed: true,
        per_command: true,
        elapsed: Duration::from_secs(60),
        total,
        scripts: vec![script("a.sql", 3, total), script("b.sql", 1, BlockCounts::default())],
        ..block()
    }
}

#[test]
fn a_run_with_everything() {
    insta::assert_snapshot!(render(&everything(), Wording::V18), @r"
    transaction type: multiple scripts
    scaling factor: 1
    partition method: range
    partitions: 4
    query mode: simple
    number of clients: 8
    number of threads: 2
    maximum number of tries: 10
    duration: 60 s
    number of transactions actually processed: 43
    number of failed transactions: 5 (10.000%)
    number of serialization failures: 1 (2.000%)
    number of deadlock failures: 3 (6.000%)
    number of transactions retried: 4 (8.000%)
    total number of retries: 9
    number of transactions skipped: 2 (4.000%)
    number of transactions above the 100.0 ms latency limit: 5/43 (11.628%)
    latency average = 0.122 ms
    latency stddev = 0.101 ms
    rate limit schedule lag: avg 0.127 (max 3.250) ms
    initial connection time = 2.893 ms
    tps = 0.716667 (without initial connection time)
    SQL script 1: a.sql
     - weight: 3 (targets 75.0% of total)
     - 50 transactions (100.0% of total)
     - number of transactions actually processed: 43 (tps = 0.716667)
     - number of failed transactions: 5 (10.000%)
     - number of serialization failures: 1 (2.000%)
     - number of deadlock failures: 3 (6.000%)
     - number of transactions retried: 4 (8.000%)
     - total number of retries: 9
     - number of transactions skipped: 2 (4.000%)
     - latency average = 0.122 ms
     - latency stddev = 0.101 ms
     - statement latencies in milliseconds, failures and retries:
             0.000           0          0 \set aid random(1, 100000 * :scale)
             1.234           3         12 END;
    SQL script 2: b.sql
     - weight: 1 (targets 25.0% of total)
     - 0 transactions (0.0% of total)
     - statement latencies in milliseconds, failures and retries:
             0.000           0          0 \set aid random(1, 100000 * :scale)
             1.234           3         12 END;
    ");
}

#[test]
fn a_run_that_connects_for_each_transaction_and_fails() {
    let block = PgbenchBlock {
        connecting: BlockConnecting::EachTransaction(Duration::from_millis(30)),
        total: BlockCounts { other: 5, ..counts(10) },
        per_command: true,
        ..block()
    };
    insta::assert_snapshot!(render(&block, Wording::V18), @r"
    transaction type: <builtin: TPC-B (sort of)>
    scaling factor: 1
    query mode: simple
    number of clients: 1
    number of threads: 1
    maximum number of tries: 1
    number of transactions per client: 10
    number of transactions actually processed: 10/10
    number of failed transactions: 5 (33.333%)
    latency average = 0.502 ms (including failures)
    average connection time = 2.000 ms
    tps = 1328.903654 (including reconnection times)
    statement latencies in milliseconds and failures:
             0.000           0 \set aid random(1, 100000 * :scale)
             1.234           3 END;
    ");
}

#[test]
fn a_run_without_a_transaction_stops_early() {
    let block = PgbenchBlock { total: BlockCounts::default(), ..block() };
    let text = render(&block, Wording::V18);
    assert!(text.ends_with("number of transactions actually processed: 0/10\n"), "{text}");
}

const VERSIONS: [u32; 10] = [9, 10, 11, 12, 13, 14, 15, 16, 17, 18];

/// The block in each wording, those that say the same together.
fn each_version(block: &PgbenchBlock) -> String {
    let mut texts: Vec<(String, String)> = Vec::new();
    for major in VERSIONS {
        let text = render(block, Wording::of_major(major));
        match texts.last_mut() {
            Some((majors, same)) if *same == text => *majors = format!("{majors}, {major}"),
            _ => texts.push((major.to_string(), text)),
        }
    }
    texts.iter().map(|(majors, text)| format!("-- {majors}\n{text}")).collect::<Vec<_>>().concat()
}

#[test]
fn each_version_has_its_wording_for_everything() {
    insta::assert_snapshot!(each_version(&everything()));
}

#[test]
fn each_version_has_its_wording_for_a_plain_run_with_commands() {
    insta::assert_snapshot!(each_version(&PgbenchBlock { per_command: true, ..block() }));
}

#[test]
fn each_version_has_its_wording_for_reconnections() {
    let connecting = BlockConnecting::EachTransaction(Duration::from_millis(3));
    insta::assert_snapshot!(each_version(&PgbenchBlock { connecting, clients: 2, ..block() }));
}

#[test]
fn each_version_stops_in_its_own_place_where_nothing_succeeded() {
    let total = BlockCounts { serialization: 2, ..BlockCounts::default() };
    let failed = each_version(&PgbenchBlock { total, ..block() });
    let none = each_version(&PgbenchBlock { total: BlockCounts::default(), ..block() });
    insta::assert_snapshot!(format!("{failed}\n{none}"));
}

//! The report of a made-up run: two measured phases after a warm-up, two scripts, a pool, errors, published figures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use reprise::eval::Value;
use reprise::id::{CommandId, PhaseId, ScriptId, StatementId};
use reprise::metrics::{
    Acquisition, Arrivals, Detail, Ending, FailureClass, FailureEvent, Histogram, PhaseMetrics, PhaseRun, Recorder,
    RunMetrics, TransactionTimes,
};
use reprise::plan::claim::{ClaimPlan, Expected, PointFigure, Relation, Says};
use reprise::plan::metric::{Metric, Stat};
use reprise::plan::phase::{
    ArrivalKind, ArrivalPlan, ConnectionPolicy, Delay, LoadPlan, Mix, OnError, PhaseKind, PhasePlan, PoolPlan,
    Protocol, Ramp, SessionPlan, StopPlan,
};
use reprise::plan::published::{PublishedResult, PublishedSystem};
use reprise::plan::threshold::Comparison;
use reprise::plan::{
    CommandPlan, MetricRef, Plan, ProfileChange, ProfilePlan, Program, PublishedPlan, ReportPlan, ServerPlan, Streams,
    ThresholdPlan, VarOrigin, VarPlan,
};
use reprise::report::claims::{ClaimReport, ClaimVerdict};
use reprise::report::find::{FindReport, TrialReport};
use reprise::report::matrix::{MatrixReport, PointReport};
use reprise::report::model::{Environment, HostFacts, Outcome, ServerFacts, ThresholdReport};
use reprise::report::own::OwnMetricReport;
use reprise::report::published::PublishedReport;
use reprise::report::{Error, Report, RunFacts, StepFacts, Unit, json, metric, text};
use reprise::source::Span;
use reprise::term::Style;

const MS: Duration = Duration::from_millis(1);

fn var(name: &str, value: i64, default: i64, origin: VarOrigin) -> VarPlan {
    VarPlan {
        name: name.to_owned(),
        value: Value::Integer(value),
        default: Value::Integer(default),
        origin,
        description: None,
    }
}

fn program(name: &str, commands: std::ops::Range<u32>) -> Program {
    Program {
        name: name.to_owned(),
        description: format!("{name}.sql"),
        commands,
        ops: Vec::new(),
        think: None,
        builtin: false,
        strict: false,
    }
}

fn command(script: u16, number: u32, display: &str) -> CommandPlan {
    let sql = !display.starts_with('\\');
    CommandPlan {
        script: ScriptId(script),
        number,
        display: display.to_owned(),
        label: (number == 2).then(|| "lock_order".to_owned()),
        span: Span::default(),
        statement: sql.then_some(StatementId(number)),
        word: if sql { "SQL" } else { "set" },
    }
}

fn phase(id: u16, name: &str, kind: PhaseKind, arrivals: Option<f64>) -> PhasePlan {
    let pool = PoolPlan { size: 20, timeout: Duration::from_secs(60), discard_all: true };
    PhasePlan {
        id: PhaseId(id),
        name: name.to_owned(),
        kind,
        load: LoadPlan {
            mix: Mix { entries: vec![(ScriptId(0), 3), (ScriptId(1), 1)], total: 4 },
            clients: Ramp::flat(25),
            replicas: 2,
            threads: 1,
            protocol: Protocol::Extended,
            connections: ConnectionPolicy::Pool(pool),
            session: SessionPlan::default(),
            url: None,
            timeout: None,
            max_tries: 3,
            retry: Vec::new(),
            retry_delay: Delay::None,
            on_error: OnError::Continue,
            latency_limit: arrivals.map(|_| MS * 500),
            pacing: None,
            think: Delay::None,
            arrivals: arrivals.map(|rate| ArrivalPlan { rate: Ramp::flat(rate), kind: ArrivalKind::Poisson }),
            grace: None,
        },
        stop: if arrivals.is_some() {
            StopPlan::Duration(Duration::from_secs(10))
        } else {
            StopPlan::Transactions(500)
        },
        stop_if: None,
        find: None,
        span: Span::default(),
    }
}

fn figure(text: &str, metric: Metric, stat: Option<Stat>) -> MetricRef {
    MetricRef { text: text.to_owned(), phase: None, script: None, label: None, metric, stat, share: false }
}

fn tps_of(phase: &str) -> PointFigure {
    let metric = MetricRef { phase: Some(phase.to_owned()), ..figure(&format!("{phase}.tps"), Metric::Tps, None) };
    PointFigure { metric, at: Vec::new() }
}

fn published() -> PublishedPlan {
    let results = |values: [f64; 5]| {
        let refs = [
            figure("transactions", Metric::Transactions, None),
            figure("failed", Metric::Failed(None), None),
            figure("latency.median", Metric::Latency, Some(Stat::Percentile(50.0))),
            figure("latency.max", Metric::Latency, Some(Stat::Max)),
            figure("latency.count(<200ms)", Metric::Latency, Some(Stat::CountBelow(MS * 200))),
        ];
        let results = refs.into_iter().zip(values);
        results.map(|(metric, value)| PublishedResult { metric, value, text: value.to_string() }).collect()
    };
    let system = |name: &str, version: &str, results| PublishedSystem {
        name: name.to_owned(),
        version: Some(version.to_owned()),
        hardware: vec![
            ("cpus".into(), "4".into()),
            ("memory".into(), "16GB".into()),
            ("note".into(), "m4.xlarge".into()),
        ],
        settings: vec![("max_connections".into(), "300".into())],
        at: Vec::new(),
        results,
    };
    PublishedPlan {
        title: "Linux vs Windows".to_owned(),
        url: Some("https://example.org/post".to_owned()),
        date: Some("2016-01-05".to_owned()),
        notes: vec!["the post drops eight runs around the median to compare equal counts".to_owned()],
        systems: vec![
            system("Linux", "9.4.5", results([1496.0, 4.0, 0.093_746_24, 10.826, 1490.0])),
            system("Windows", "9.4.5", results([1500.0, 0.0, 0.082_809_5, 12.168, 1488.0])),
        ],
        claims: vec![ClaimPlan {
            text: "peak.tps > 2 * steady.tps".to_owned(),
            figure: tps_of("peak"),
            says: Says::Stands(Relation::Compares(Comparison::Greater), Expected::Figure(2.0, tps_of("steady"))),
        }],
    }
}

/// A load beside the second phase.
fn background() -> reprise::plan::BackgroundPlan {
    let mut load = phase(0, "", PhaseKind::Measure, None).load;
    load.clients = Ramp::flat(2);
    load.replicas = 1;
    load.mix = Mix { entries: vec![(ScriptId(1), 1)], total: 1 };
    reprise::plan::BackgroundPlan { name: "queue".to_owned(), load, phases: vec![PhaseId(2)], span: Span::default() }
}

fn plan() -> Plan {
    Plan {
        name: "shop".to_owned(),
        description: Some("Orders, payments and a job queue of a shop with many tenants.\nMore of it.".to_owned()),
        seed: 42,
        algorithm: reprise::eval::Algorithm::default(),
        streams: Streams::PerClient,
        server: ServerPlan {
            version: Some(16),
            settings: vec![("max_connections".into(), "300".into())],
            ..ServerPlan::default()
        },
        vars: vec![
            var("orders", 20_000, 1_000_000, VarOrigin::Profile),
            var("tenants", 50, 200, VarOrigin::CommandLine),
            var("clients", 25, 25, VarOrigin::Default),
        ],
        queries: Vec::new(),
        profile: Some(ProfilePlan {
            name: "ci".to_owned(),
            changes: vec![ProfileChange {
                key: "vars.orders".to_owned(),
                before: Some("1000000".to_owned()),
                after: "20000".to_owned(),
            }],
        }),
        setup: Vec::new(),
        reset: reprise::plan::ResetPlan::default(),
        backgrounds: vec![background()],
        feeds: Vec::new(),
        fed: Vec::new(),
        slots: Vec::new(),
        scripts: vec![program("browse", 0..2), program("pay", 2..6)],
        commands: vec![
            command(0, 0, "\\set tenant_id random_zipfian(1, :tenants, 1.1)"),
            command(
                0,
                1,
                "select id, total, status from orders where tenant_id = :tenant_id order by placed_at desc limit 20;",
            ),
            command(1, 0, "\\set order_id random(1, :orders)"),
            command(1, 1, "begin;"),
            command(1, 2, "select total from orders where id = :order_id for update"),
            command(1, 3, "commit;"),
        ],
        statements: Vec::new(),
        interludes: Vec::new(),
        phases: vec![
            phase(0, "warmup", PhaseKind::Warmup, None),
            phase(1, "steady", PhaseKind::Measure, None),
            phase(2, "peak", PhaseKind::Measure, Some(100.0)),
        ],
        teardown: Vec::new(),
        report: ReportPlan {
            pgbench: 18,
            progress: Duration::from_secs(10),
            percentiles: vec!["99.5".to_owned()],
            bounds: vec![MS * 200],
        },
        metrics: Vec::new(),
        matrix: reprise::plan::MatrixPlan::default(),
        thresholds: vec![ThresholdPlan::no_failures()],
        published: Some(published()),
        warnings: Vec::new(),
    }
}

/// Transactions whose latencies follow from their number, so that every figure can be worked out by hand.
fn metrics(transactions: u32, lag: Duration, failures: u32) -> PhaseMetrics {
    let start = Instant::now();
    let mut recorder = Recorder::new(2, 6, &[MS * 200], start, Detail::Commands);
    let micros = |n: u32| Duration::from_micros(n.into());
    for n in 0..transactions {
        let pay = n % 4 == 3;
        let scheduled = start + MS * 20 * n;
        let started = scheduled + lag * (n % 3);
        let acquired = started + micros(4 + n % 7);
        let finished = acquired + MS * if pay { 90 } else { 60 } + micros(40 * (n % 1000));
        let times = TransactionTimes { scheduled, started, acquired, finished };
        let script = ScriptId(u16::from(pay));
        let late = finished - scheduled > MS * 500;
        recorder.transaction(script, &times, Acquisition::Pool, 1 + u32::from(n % 50 == 3), late);
        if pay {
            recorder.command(CommandId(2), micros(1), 0);
            recorder.command(CommandId(3), micros(80), 0);
            recorder.command(CommandId(4), MS * 80 + micros(40 * (n % 1000)), 1);
            recorder.command(CommandId(5), MS * 9, 0);
        } else {
            recorder.command(CommandId(0), micros(1), 0);
            recorder.command(CommandId(1), MS * 60 + micros(40 * (n % 1000)), 20);
        }
        if n % 50 == 49 {
            recorder.take_sample(start + MS * 20 * n);
        }
    }
    for n in 0..failures {
        let at = start + Duration::from_secs(2) + MS * 37 * n;
        let timed_out = n % 4 == 3;
        let (class, sqlstate, command, message) = if timed_out {
            (FailureClass::PoolTimeout, *b".....", None, "no connection came free in 60 s")
        } else {
            let message = "deadlock detected\nDETAIL: Process 1 waits for ShareLock on transaction 2.";
            (FailureClass::Deadlock, *b"40P01", Some(CommandId(4)), message)
        };
        let times = TransactionTimes { scheduled: at, started: at, acquired: at, finished: at };
        recorder.error(&FailureEvent { class, sqlstate, script: ScriptId(1), command, message, at });
        recorder.failed(ScriptId(1), &times, Acquisition::Pool, 3, class);
        if let Some(command) = command {
            recorder.command_failed(command);
            recorder.command_retried(command);
        }
    }
    recorder.finish()
}

fn run(metrics: PhaseMetrics, seconds: u64, arrivals: Option<Arrivals>) -> PhaseRun {
    let mut timer_lag = Histogram::default();
    timer_lag.record(Duration::from_micros(60));
    PhaseRun {
        metrics,
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_000_000),
        elapsed: Duration::from_secs(seconds),
        connecting: Duration::from_micros(12_345),
        clients: 50,
        threads: 2,
        clients_ended: 0,
        ending: Ending::Complete,
        arrivals,
        client_cpu: Duration::from_millis(seconds * 180),
        timer_lag,
        dry: None,
        outages: Vec::new(),
        beside: Vec::new(),
        search: None,
    }
}

fn facts() -> RunFacts {
    let pairs = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    let step = |name: &str, ms: u32, rows, kept| StepFacts {
        name: name.to_owned(),
        elapsed: MS * ms,
        rows,
        kept,
        before_phase: None,
    };
    let steady = run(metrics(1000, Duration::ZERO, 8), 20, None);
    let mut peak = run(metrics(500, MS * 3, 0), 10, Some(Arrivals { due: 1003, begun: 498 }));
    peak.client_cpu = Duration::from_millis(29_100);
    peak.clients_ended = 3;
    let ms = |ms: u64| Duration::from_millis(ms);
    peak.outages = vec![
        reprise::metrics::Outage { since: ms(1200), first_back: Some(ms(3350)), all_back: Some(ms(4001)), clients: 50 },
        reprise::metrics::Outage { since: ms(9900), first_back: None, all_back: None, clients: 2 },
    ];
    peak.dry = Some("buyers".to_owned());
    let mut queue = run(metrics(20, Duration::ZERO, 2), 10, None);
    (queue.clients, queue.threads, queue.client_cpu) = (2, 1, Duration::ZERO);
    peak.beside = vec![queue];
    RunFacts {
        version: "0.1.0".to_owned(),
        started: SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_999_990_500),
        environment: Environment {
            server: ServerFacts {
                version: "15.14 (Debian 15.14-0+deb12u1)".to_owned(),
                version_num: 150_014,
                target: "embedded".to_owned(),
                reason: "neither --server nor PGHOST is set".to_owned(),
                embedded: true,
                settings: pairs(&[("max_connections", "100")]),
                extensions: pairs(&[("pg_trgm", "1.6")]),
            },
            client: HostFacts {
                name: "bench".to_owned(),
                os: "Linux 6.1".to_owned(),
                cpu_model: None,
                cpus: Some(2),
                memory_bytes: Some(8 << 30),
            },
        },
        steps: vec![
            step("schema.sql", 120, None, false),
            step("fill orders", 3_859, Some(1_000_000), false),
            step("indexes", 0, None, true),
            StepFacts { before_phase: Some(2), ..step("checkpoint", 48, None, false) },
        ],
        metrics: RunMetrics {
            phases: vec![run(metrics(100, Duration::ZERO, 0), 2, None), steady, peak],
            ending: Ending::Complete,
        },
        own: Vec::new(),
        warnings: vec!["fsync is off".to_owned()],
    }
}

fn report() -> Report {
    Report::build(&plan(), &facts())
}

/// Compares with a file of `tests/report`; `REPRISE_BLESS=1` writes it instead.
fn golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report").join(name);
    if std::env::var_os("REPRISE_BLESS").is_some() {
        std::fs::write(&path, text).expect("a golden file");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{name} is not what was rendered (REPRISE_BLESS=1 rewrites it):\n{text}");
}

#[test]
fn a_terminal_of_80_columns() {
    let text = text::render(&report(), 80, Style::plain());
    golden("shop-80.txt", &text);
    for line in text.lines() {
        assert!(line.chars().count() <= 80 || line.starts_with("number of transactions above"), "{line}");
    }
}

#[test]
fn a_terminal_of_200_columns() {
    golden("shop-200.txt", &text::render(&report(), 200, Style::plain()));
}

#[test]
fn colors_add_nothing_but_color() {
    let colored = text::render(&report(), 100, Style::colored());
    let mut plain = String::new();
    for (at, piece) in colored.split('\x1b').enumerate() {
        plain.push_str(if at == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert_eq!(plain, text::render(&report(), 100, Style::plain()));
    assert_ne!(plain, colored);
}

#[test]
fn skipped_starts_are_the_schedules_and_no_rate_that_was_not_reached() {
    let mut facts = facts();
    let peak = &mut facts.metrics.phases[2];
    let mut recorder = Recorder::new(2, 6, &[MS * 200], Instant::now(), Detail::Commands);
    (0..200).for_each(|_| recorder.skipped(Some(ScriptId(0))));
    peak.metrics.merge(&recorder.finish());
    peak.arrivals = Some(Arrivals { due: 1003, begun: 803 });
    let report = Report::build(&plan(), &facts);
    let of_peak: Vec<_> = report.warnings.iter().filter(|warning| warning.contains("starts")).collect();
    let said = "phase peak: 200 of 1,003 (19.9%) starts were skipped: when their turn came, the latency limit of 500 ms had passed";
    assert_eq!(of_peak, [said]);
}

#[test]
fn a_ramp_shows_both_of_its_ends() {
    let mut plan = plan();
    plan.phases[2].load.clients = Ramp { from: 5, to: 25 };
    let text = text::render(&Report::build(&plan, &facts()), 120, Style::plain());
    let shown: Vec<_> = text.lines().filter(|line| line.contains("10 to 50")).collect();
    assert_eq!(shown.len(), 2, "{text}");
    assert!(shown[0].starts_with("Phase peak") && shown[1].starts_with("  peak "), "{shown:?}");
    assert!(text.contains("number of clients: 50\n"), "{text}");
}

#[test]
fn what_greps_for_tps_finds_it_once_a_measured_phase() {
    let text = text::render(&report(), 80, Style::plain());
    assert_eq!(text.lines().filter(|line| line.starts_with("tps = ")).count(), 2);
}

#[test]
fn a_run_that_measured_nothing_has_no_figures_and_no_nan() {
    let mut facts = facts();
    facts.metrics = RunMetrics {
        phases: vec![run(metrics(0, Duration::ZERO, 0), 0, None), run(metrics(0, Duration::ZERO, 0), 0, None)],
        ending: Ending::ServerLost("terminating connection due to unexpected postmaster exit".to_owned()),
    };
    let report = Report::build(&plan(), &facts);
    let text = text::render(&report, 80, Style::plain());
    golden("nothing-80.txt", &text);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let stored = json::render(&report);
    assert_eq!(json::parse(&stored).unwrap(), report);
    assert_eq!(report.verdict.outcome.exit_code(), 1);
}

#[test]
fn json_holds_the_whole_report() {
    let report = report();
    let stored = json::render(&report);
    let back = json::parse(&stored).unwrap();
    assert_eq!(back, report);
    assert_eq!(text::render(&back, 120, Style::plain()), text::render(&report, 120, Style::plain()));
}

#[test]
fn json_that_is_cut_off_of_a_later_format_or_something_else_is_refused() {
    let stored = json::render(&report());
    assert_eq!(json::parse(&stored[..stored.len() / 2]), Err(Error::Truncated(1)));
    assert_eq!(json::parse(""), Err(Error::Truncated(1)));
    let later = stored.replacen("\"schema_version\":1", "\"schema_version\":2", 1);
    assert_eq!(json::parse(&later), Err(Error::Newer { found: 2 }));
    assert_eq!(json::parse("{\"a\": 1}"), Err(Error::NotAReport));
    assert!(matches!(json::parse("{\"schema_version\": 1}"), Err(Error::Damaged(_))));
    assert!(matches!(json::parse("no"), Err(Error::Damaged(_))));
}

#[test]
fn figures_are_found_by_their_names() {
    let report = report();
    let value = |figure: MetricRef| metric::resolve(&report, &figure).map(|figure| (figure.value, figure.unit));
    let transactions = || figure("transactions", Metric::Transactions, None);
    assert_eq!(value(transactions()), Some((1500.0, Unit::Count)), "measured phases only");
    assert_eq!(value(MetricRef { phase: Some("warmup".into()), ..transactions() }), Some((100.0, Unit::Count)));
    assert_eq!(value(MetricRef { script: Some("pay".into()), ..transactions() }), Some((375.0, Unit::Count)));
    assert_eq!(value(MetricRef { phase: Some("night".into()), ..transactions() }), None);
    assert_eq!(value(figure("tps", Metric::Tps, None)), Some((50.0, Unit::PerSecond)));
    assert_eq!(value(figure("failed", Metric::Failed(Some("deadlock".into())), None)), Some((6.0, Unit::Count)));
    assert_eq!(value(figure("seconds", Metric::Seconds("fill orders".into()), None)), Some((3.859, Unit::Seconds)));
    let below = |bound| figure("latency.count", Metric::Latency, Some(Stat::CountBelow(bound)));
    assert_eq!(value(below(MS * 200)), Some((1500.0, Unit::Count)));
    assert_eq!(value(below(MS * 100)), None, "counts are exact or absent");
    let locked =
        MetricRef { label: Some("lock_order".into()), ..figure("latency.min", Metric::Latency, Some(Stat::Min)) };
    assert_eq!(value(locked), Some((0.080_12, Unit::Seconds)));
}

fn found() -> FindReport {
    let trial = |rate: f64, p99_ms: f64, kept| {
        let measured = Some(p99_ms / 1e3);
        TrialReport { rate, tps: Some(rate * 0.99), measured, reached: p99_ms < 100.0, kept }
    };
    FindReport {
        rule: "latency.p99 < 50ms".to_owned(),
        range: (100.0, 20_000.0),
        found: Some(1410.0),
        unit: Unit::Seconds,
        trials: vec![
            trial(100.0, 12.0, true),
            trial(1410.0, 31.5, true),
            trial(5310.0, 2071.0, false),
            trial(1480.0, 61.0, false),
        ],
    }
}

fn size() -> OwnMetricReport {
    let point = |at_us, value| reprise::report::own::PointReport { phase: "steady".to_owned(), at_us, value };
    OwnMetricReport {
        name: "size".to_owned(),
        taken: "every".to_owned(),
        value: Some(147_456.0),
        failed: 2,
        error: Some("ERROR: canceling statement due to lock timeout".to_owned()),
        points: vec![point(0, 0.0), point(5_000_000, 73_728.5), point(10_000_000, 147_456.0)],
    }
}

fn claims() -> Vec<ClaimReport> {
    let claim = |rule: &str, expected: Option<f64>, measured: Option<f64>, verdict| ClaimReport {
        rule: rule.to_owned(),
        at: std::collections::BTreeMap::new(),
        unit: Unit::PerSecond,
        expected,
        measured,
        ratio: measured.zip(expected).map(|(one, other)| one / other),
        verdict,
        reason: None,
    };
    let reason = |reason: &str| Some(reason.to_owned());
    vec![
        claim("tps = 1946 +- 10%", Some(1946.0), Some(1950.0), ClaimVerdict::Reproduced),
        claim("peak.tps > 3 * steady.tps", Some(300.0), Some(100.0), ClaimVerdict::NotReproduced),
        ClaimReport {
            unit: Unit::Count,
            ..claim("steady.pay.failed with serialization_failure", None, Some(12.0), ClaimVerdict::Reproduced)
        },
        ClaimReport {
            reason: reason("profile ci changes vars.orders"),
            ..claim("night.tps > 10", Some(10.0), None, ClaimVerdict::NotComparable)
        },
        ClaimReport {
            reason: reason("clients = 100 was not run"),
            ..claim("tps@clients=100 > 3 * tps@clients=10", None, None, ClaimVerdict::NotComparable)
        },
    ]
}

#[test]
fn what_decides_is_shown_with_what_was_measured() {
    let mut report = report();
    let rule = |rule: &str, measured, unit, met, reason: Option<&str>| ThresholdReport {
        rule: rule.to_owned(),
        measured,
        unit,
        met,
        reason: reason.map(str::to_owned),
    };
    report.thresholds = vec![
        rule("steady.latency.p99 < 50ms", Some(0.0612), Unit::Seconds, false, None),
        rule("failed < 0.1%", Some(0.000_52), Unit::Share, true, None),
        rule("size < 200000", Some(147_456.0), Unit::Own, true, None),
        rule("night.tps > 1000/s", None, Unit::PerSecond, false, Some("phase night did not begin")),
    ];
    report.phases[1].find = Some(found());
    let end = OwnMetricReport {
        name: "rows".to_owned(),
        taken: "end".to_owned(),
        failed: 0,
        error: None,
        points: Vec::new(),
        ..size()
    };
    report.metrics = vec![size(), end];
    report.published = report.published.map(|published| PublishedReport { claims: claims(), ..published });
    golden("rules-80.txt", &text::render(&report, 80, Style::plain()));
}

#[test]
fn the_points_of_a_matrix_are_rows() {
    let at = |clients: &str, protocol: &str| {
        [("clients", clients), ("protocol", protocol)].map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    };
    let vars = vec!["clients".to_owned(), "protocol".to_owned()];
    let mut matrix = MatrixReport::new("0.1.0", "shop", Some("A shop."), vars, 5);
    let measured = |clients, protocol| PointReport::measured(at(clients, protocol), "1a".to_owned(), None, &report());
    matrix.points = vec![
        PointReport {
            taken: true,
            not_met: Vec::new(),
            met: vec!["latency.p99 < 50ms".to_owned()],
            ..measured("10", "simple")
        },
        PointReport {
            outcome: Some(Outcome::Complete),
            not_met: vec!["failed = 0".to_owned(), "latency.p99 < 50ms".to_owned()],
            ..measured("10", "prepared")
        },
        PointReport::failed(at("1000", "simple"), "2b".to_owned(), "sorry, too many clients already".to_owned()),
        PointReport { outcome: Some(Outcome::Interrupted), ..measured("1000", "prepared") },
    ];
    matrix.interrupted = true;
    matrix.claims = claims();
    matrix.claims[1].at = at("1000", "prepared");
    golden("matrix-80.txt", &text::matrix::render(&matrix, 80, Style::plain()));
    assert_eq!(MatrixReport::parse(&matrix.to_json()), Ok(matrix));
}

#[test]
fn a_matrix_has_a_curve_for_each_combination_of_the_other_variables() {
    let vars = vec!["protocol".to_owned(), "clients".to_owned()];
    let mut matrix = MatrixReport::new("0.1.0", "shop", None, vars, 8);
    for (protocol, tps) in [("simple", [10.0, 80.5, 400.0, 390.25]), ("prepared", [20.0, 160.0, 812.5, 790.0])] {
        for (clients, tps) in ["1", "8", "64", "256"].into_iter().zip(tps) {
            let at = [("protocol", protocol), ("clients", clients)];
            let at = at.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            let point = PointReport::measured(at, String::new(), None, &report());
            matrix.points.push(PointReport { tps: (clients != "8" || protocol != "simple").then_some(tps), ..point });
        }
    }
    golden("curves-80.txt", &text::matrix::render(&matrix, 80, Style::plain()));
    matrix.vars.pop();
    assert_eq!(matrix.curves(), None);
}

/// Every key of an object that is not named by its content, such as a setting.
fn keys(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                if !["settings", "extensions", "hardware", "at", "failed_by_class"].contains(&key.as_str()) {
                    keys(value, found);
                }
            }
        }
        serde_json::Value::Array(array) => array.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn the_page_about_the_format_names_each_key_and_no_other() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/run-json.md")).unwrap();
    let mut report = report();
    report.phases[0].load.stop = reprise::report::phase::StopReport::TransactionsPerClient(3);
    report.phases[1].find = Some(found());
    report.metrics.push(size());
    let mut known = BTreeSet::new();
    let point = PointReport::measured(BTreeMap::new(), String::new(), None, &report);
    let mut matrix = MatrixReport::new("0.1.0", "shop", None, vec!["clients".to_owned()], 1);
    matrix.points.push(point);
    keys(&serde_json::from_str(&matrix.to_json()).unwrap(), &mut known);
    keys(&serde_json::from_str(&json::render(&report)).unwrap(), &mut known);
    let quoted: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let missing: Vec<_> = known.iter().filter(|key| !quoted.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "the page lacks {missing:?}");
    let first_cells = page.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let named = first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let invented: Vec<_> = named.filter(|key| !known.contains(*key)).collect();
    assert!(invented.is_empty(), "no report has {invented:?}");
}

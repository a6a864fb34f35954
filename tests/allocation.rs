//! Between two statements of a client nothing is allocated, once buffers have grown and statements are prepared.
//!
//! Each load runs twice with a different number of transactions; what the second run allocates more must not grow with
//! them. All is one test: the counter sees every thread of the process.

#![expect(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::alloc::System;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reprise::clock::Clock;
use reprise::exec::{
    Execution, Observer, Silence, StopStage, TransactionEnd, TransactionLog, TransactionLogs, run_phase,
};
use reprise::id::PhaseId;
use reprise::metrics::{Detail, Sample};
use reprise::pg::{Environment, Target};
use reprise::plan::compile::{CompileInputs, PgbenchInputs, PgbenchScript, compile_pgbench};
use reprise::plan::feed::{FeedRows, FeedSource};
use reprise::plan::phase::{ConnectionPolicy, PoolPlan, Protocol, StopPlan};
use reprise::plan::{FeedPlan, PhasePlan, Plan};
use reprise::script::{self, Dialect};
use reprise::source::SourceId;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use support::Server;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Transactions of each client in the shorter run; the longer one does three times as many.
const TRANSACTIONS: u64 = 200;
/// What may differ between two runs, whatever they do: buffers that grow late.
const ALLOWED: usize = 100;
/// What the samples, taken once a second, may add a second. Both together are far below one allocation a transaction.
const ALLOWED_A_SECOND: usize = 60;

struct Load {
    name: &'static str,
    script: &'static str,
    protocol: Protocol,
    detail: Detail,
    pool: Option<PoolPlan>,
    log: bool,
    /// Whether the script is in the language of scenarios.
    extended: bool,
}

const SELECT: &str = "\\set id random(1, 1000)\nselect b from t where a = :id;\n";
const WRITES: &str = "\\set id random_zipfian(1, 1000, 1.2)\n\\set delta random(-5000, 5000)\nbegin;\n\
                      update t set b = b + :delta where a = :id;\nselect b from t where a = :id;\nend;\n";
const STORES: &str = "\\set id random(1, 1000)\nselect a, b, 'some text' as c from t where a = :id \\gset\n\
                      \\if :b >= 0 and :a > 0\nselect :a + 1 as next;\n\\else\nselect 1;\n\\endif\n";
const EVERYTHING: &str = "\\set x random_gaussian(1, 1000, 2.5)\n\\set y hash(:x) % 100\n\\set z :x * 1.5 + sqrt(:y * :y)\n\
                          \\set w case when :z > 100 then :x else 0.5 end\n\\sleep 1 us\nselect :x, :y, :z;\n";
const PIPELINE: &str = "\\set id random(1, 1000)\n\\startpipeline\nselect b from t where a = :id;\nselect 1;\n\
                        \\syncpipeline\nselect 2;\n\\endpipeline\n";

const FEEDS: &str = "\\feed numbers\n\\feed texts\n\\feed dealt\nselect :n::text || :'name'::text, :'d'::text;\n";
const LOOP: &str = "\\repeat 3 as i\n\\set x :i * 2\nselect :x::int;\n\\endrepeat\n";
const TEXTS: &str = "\\set a choice('card', 'sepa', 'a longer name of something')\n\\set b :a || '-' || random_string(random(1, 30))\n\
                     \\set c uuid()\n\\if :a = 'card'\n\\set b :c\n\\endif\nselect :'a'::text, :'b'::text, :'c'::text;\n";

fn loads() -> Vec<Load> {
    let load = |name, script, protocol| Load {
        name,
        script,
        protocol,
        detail: Detail::Transactions,
        pool: None,
        log: false,
        extended: false,
    };
    let extended = |name, script, protocol| Load { extended: true, ..load(name, script, protocol) };
    let pool = |size, discard_all| Some(PoolPlan { size, timeout: Duration::from_secs(60), discard_all });
    vec![
        load("simple", SELECT, Protocol::Simple),
        load("extended", SELECT, Protocol::Extended),
        load("prepared", SELECT, Protocol::Prepared),
        load("writes, simple", WRITES, Protocol::Simple),
        load("writes, prepared", WRITES, Protocol::Prepared),
        load("expressions", EVERYTHING, Protocol::Extended),
        load("gset, simple", STORES, Protocol::Simple),
        load("gset, prepared", STORES, Protocol::Prepared),
        load("a pipeline", PIPELINE, Protocol::Prepared),
        extended("rows of feeds", FEEDS, Protocol::Prepared),
        extended("rows of feeds, simple", FEEDS, Protocol::Simple),
        extended("a loop", LOOP, Protocol::Prepared),
        extended("texts", TEXTS, Protocol::Extended),
        extended("texts, simple", TEXTS, Protocol::Simple),
        Load { detail: Detail::Commands, ..load("each command recorded", WRITES, Protocol::Prepared) },
        Load { log: true, ..load("each transaction logged", SELECT, Protocol::Prepared) },
        Load { pool: pool(4, false), ..load("a pool that is large enough", SELECT, Protocol::Prepared) },
        Load { pool: pool(2, false), ..load("a pool that is too small", SELECT, Protocol::Extended) },
        Load { pool: pool(2, true), ..load("a pool that discards", SELECT, Protocol::Extended) },
    ]
}

/// The script in a scenario with three feeds.
fn compile_extended(load: &Load, transactions: u64) -> Plan {
    let protocol = format!("{:?}", load.protocol).to_lowercase();
    let script = load.script.lines().fold(String::new(), |script, line| script + "      " + line + "\n");
    let text = format!(
        "reprise: 1\nfeeds:\n  numbers: {{csv: n.csv, order: random}}\n  texts: {{csv: t.csv}}\n  \
         dealt: {{csv: d.csv, order: per_client}}\nscripts:\n  one:\n    sql: |\n{script}\
         load: {{clients: 4, threads: 1, protocol: {protocol}, transactions_per_client: {transactions}}}\n"
    );
    let csv = |name: &str| match name {
        "n.csv" => "n\n1\n2\n3\n",
        "t.csv" => "name,unread\na,1\na longer one,2\nb,3\n",
        _ => "d\n1\n02\n3\n04\n5\n6\n7\n8\n",
    };
    let scenario = reprise::scenario::parse(SourceId(0), &text).unwrap();
    reprise::plan::compile::compile(
        &scenario,
        &CompileInputs {
            name: "allocation",
            defines: &[],
            profile: None,
            point: &[],
            texts: &|name| Some((SourceId(1), csv(name))),
            environment: &|_| None,
            cores: 1,
            random_seed: 1,
        },
    )
    .unwrap()
}

fn rows(feed: &FeedPlan) -> Arc<FeedRows> {
    match &feed.source {
        FeedSource::Csv(rows) => rows.clone(),
        FeedSource::Query(_) => Arc::default(),
    }
}

fn compile(load: &Load, transactions: u64) -> Plan {
    if load.extended {
        return compile_extended(load, transactions);
    }
    let script = script::parse(SourceId(0), load.script, Dialect::Pgbench).unwrap();
    let scripts = vec![PgbenchScript { description: "s".to_owned(), script: &script, weight: 1, builtin: false }];
    let mut plan = compile_pgbench(&PgbenchInputs {
        scripts,
        defines: &[],
        scale: 1,
        clients: 4,
        threads: 1,
        protocol: load.protocol,
        connect: false,
        stop: StopPlan::TransactionsPerClient(transactions),
        rate: None,
        latency_limit: None,
        max_tries: 1,
        seed: 7,
    })
    .unwrap();
    if let Some(pool) = load.pool {
        plan.phases[0].load.connections = ConnectionPolicy::Pool(pool);
    }
    plan
}

/// Counts the ends of transactions.
struct Ends(u64);

impl TransactionLog for Ends {
    fn begin(&mut self, _: Instant) {}
    fn ended(&mut self, end: &TransactionEnd) {
        self.0 += 1;
        assert!(end.number >= 1 && end.latency > Duration::ZERO, "{end:?}");
    }
    fn close(&mut self, _: Instant) {
        assert!(self.0.is_multiple_of(4) && self.0 > 0, "{}", self.0);
    }
}

struct Nobody;

impl Observer for Nobody {
    fn phase_started(&mut self, _: &PhasePlan) {}
    fn progress(&mut self, _: &PhasePlan, _: Duration, _: &Sample) {}
}

/// How many allocations a run of so many transactions a client makes, from its compiled plan to its metrics.
/// And how many seconds it takes.
fn allocations(load: &Load, server: &Server, transactions: u64) -> (usize, usize) {
    let plan = Arc::new(compile(load, transactions));
    let execution = Execution {
        feeds: plan.feeds.iter().map(rows).collect(),
        plan,
        beside: Vec::new(),
        targets: vec![Target::parse(&server.url(), &Environment::default()).unwrap()],
        detail: load.detail,
        listener: Arc::new(Silence),
        logs: load.log.then(|| -> Arc<TransactionLogs> { Arc::new(|_, _| Box::new(Ends(0))) }),
        stop: tokio::sync::watch::channel(StopStage::Run).1,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let before = COUNTING.stats();
    let run = runtime.block_on(run_phase(&execution, &Clock::new(), PhaseId(0), &mut Nobody)).unwrap();
    let after = COUNTING.stats();
    let counts = run.metrics.total().counts;
    assert_eq!(
        (counts.transactions, counts.failed()),
        (4 * transactions, 0),
        "{}: {:?}",
        load.name,
        run.metrics.errors
    );
    let made = after.allocations + after.reallocations - before.allocations - before.reallocations;
    (made, usize::try_from(run.elapsed.as_secs()).unwrap())
}

#[test]
fn the_path_of_a_statement_allocates_nothing() {
    let server = Server::start();
    server.psql(
        "create table t (a int primary key, b int not null); insert into t select g, 0 from generate_series(1, 1000) g",
    );
    let mut told = String::new();
    let mut failed = false;
    for load in loads() {
        // what only the first run of all allocates
        allocations(&load, &server, 10);
        let (short, _) = allocations(&load, &server, TRANSACTIONS);
        let (long, seconds) = allocations(&load, &server, 3 * TRANSACTIONS);
        let more = long.saturating_sub(short);
        failed |= more > ALLOWED + ALLOWED_A_SECOND * seconds;
        let each = more as f64 / (4 * 2 * TRANSACTIONS) as f64;
        writeln!(told, "{:<30} {short:>8} {long:>8} in {seconds} s, {each:.3} a transaction", load.name).unwrap();
    }
    assert!(!failed, "allocations of {TRANSACTIONS} and of three times as many transactions:\n{told}");
}

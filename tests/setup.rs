//! Set-up on a real server: rows, what is kept, what is in the way, and what a failure leaves behind.
//!
//! The guard of the embedded server is this very executable, as in `embedded.rs`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "setup/rounds.rs"]
mod rounds;
#[path = "setup/steps.rs"]
mod steps;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reprise::pg::{self, Admin};
use reprise::plan::fill::{ColumnPlan, RowsPlan};
use reprise::plan::initialization::InitStep;
use reprise::plan::step::{SetupStatement, StepKind};
use reprise::plan::{FillPlan, InitPlan, Plan, ReportPlan, ServerPlan, StepPlan, Streams};
use reprise::server::{self, Embedded, EmbeddedOptions, guard};
use reprise::setup::{self, Cancel, Error, Observer, SetupOptions, SetupOutcome, StepResult, fill_sql};
use reprise::source::{SourceId, Span};
use tokio::sync::{mpsc, watch};

#[test]
fn __guard() {
    if std::env::args().nth(1).is_some_and(|argument| argument == guard::SUBCOMMAND) {
        guard::main();
    }
}

/// How to reach a database on the one server of this process, which is gone with the process.
fn conninfo(database: &str) -> String {
    static SERVER: OnceLock<Embedded> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let start = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(server::start(&EmbeddedOptions::default(), &mut ())).unwrap()
        };
        // A runtime can't wait for another one on its own thread.
        std::thread::scope(|scope| scope.spawn(start).join().unwrap())
    });
    server.conninfo().replace("dbname=postgres", &format!("dbname={database}"))
}

/// A session in a database of its own.
async fn database() -> Admin {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed));
    session(&conninfo("postgres")).await.execute(&format!("create database {name}")).await.unwrap();
    session(&conninfo(&name)).await
}

async fn session(conninfo: &str) -> Admin {
    let target = pg::Target::parse(conninfo, &pg::Environment::empty()).unwrap();
    Admin::open(&target, &pg::OpenOptions::default()).await.unwrap()
}

async fn one(admin: &Admin, sql: &str) -> String {
    admin.query_text(sql).await.unwrap()[0][0].clone().unwrap_or_else(|| "null".to_owned())
}

fn plan(setup: Vec<StepPlan>) -> Plan {
    Plan {
        name: "shop".to_owned(),
        description: None,
        seed: 42,
        algorithm: reprise::eval::Algorithm::default(),
        streams: Streams::PerClient,
        server: ServerPlan::default(),
        vars: Vec::new(),
        queries: Vec::new(),
        profile: None,
        setup,
        reset: reprise::plan::ResetPlan::default(),
        backgrounds: Vec::new(),
        feeds: Vec::new(),
        fed: Vec::new(),
        slots: Vec::new(),
        scripts: Vec::new(),
        commands: Vec::new(),
        statements: Vec::new(),
        interludes: Vec::new(),
        phases: Vec::new(),
        teardown: Vec::new(),
        report: ReportPlan {
            pgbench: 18,
            progress: Duration::from_secs(10),
            percentiles: Vec::new(),
            bounds: Vec::new(),
        },
        metrics: Vec::new(),
        matrix: reprise::plan::MatrixPlan::default(),
        thresholds: Vec::new(),
        published: None,
        warnings: Vec::new(),
    }
}

/// A step whose statements stand one after another in a source, each on a line.
fn sql(name: &str, statements: &[&str]) -> StepPlan {
    let mut start = 0;
    let statement = |sql: &&str| {
        let span = Span::new(SourceId(0), start..start + sql.len());
        start += sql.len() + 1;
        SetupStatement::new(*sql, span)
    };
    let kind = StepKind::Sql(statements.iter().map(statement).collect());
    StepPlan { name: name.to_owned(), span: Span::default(), kind, passes_over_errors: false }
}

fn orders(rows: u64) -> FillPlan {
    let choice = [("paid", 80.0), ("open", 15.0), ("void", 5.0), ("never", 0.0)];
    let time = |low: &str, high: &str| ColumnPlan::UniformTime { low: low.to_owned(), high: high.to_owned() };
    let columns = [
        ("id", ColumnPlan::Series),
        ("customer", ColumnPlan::UniformInteger { low: -5, high: 5 }),
        ("big", ColumnPlan::UniformInteger { low: i64::MIN, high: i64::MAX }),
        ("total", ColumnPlan::UniformNumber { low: 0.5, high: 2.0, round: Some(2) }),
        ("ratio", ColumnPlan::UniformNumber { low: -1.0, high: 1.0, round: None }),
        ("placed_on", time("2024-01-01", "2024-01-03")),
        ("placed_at", time("2024-01-01", "2025-01-01")),
        ("status", ColumnPlan::Choice(choice.map(|(value, weight)| (value.to_owned(), weight)).to_vec())),
        ("level", ColumnPlan::Choice(vec![("1".to_owned(), 1.0), ("2".to_owned(), 1.0)])),
        ("note", ColumnPlan::Sql("'row ' || i".to_owned())),
    ];
    let columns = columns.map(|(name, column)| (name.to_owned(), column)).to_vec();
    FillPlan { table: "orders".to_owned(), rows: RowsPlan::Count(rows), columns, references: Vec::new(), workers: 1 }
}

const ORDERS: &str = "create table orders (id int generated always as identity primary key, customer int not null, \
    big bigint, total numeric(8, 2), ratio float8, placed_on date, placed_at timestamptz, status status, level int, \
    note text, made boolean not null default true)";

fn shop(rows: u64) -> Plan {
    let fill = StepPlan {
        name: "fill orders".into(),
        span: Span::default(),
        kind: StepKind::Fill(orders(rows).into()),
        passes_over_errors: false,
    };
    plan(vec![
        sql("schema", &["create type status as enum ('paid', 'open', 'void', 'never')", ORDERS]),
        fill,
        sql("indexes", &["create index on orders (customer)", "vacuum analyze orders"]),
    ])
}

async fn run(plan: &Plan, admin: &Admin) -> Result<SetupOutcome, Error> {
    setup::run(plan, admin, &SetupOptions::default(), &mut (), &Cancel::never()).await
}

async fn replace(plan: &Plan, admin: &Admin) -> Result<SetupOutcome, Error> {
    setup::run(plan, admin, &SetupOptions { replace: true, ..SetupOptions::default() }, &mut (), &Cancel::never()).await
}

/// How many relations, types and functions users have.
async fn count(admin: &Admin) -> String {
    let sql = "select (select count(*) from pg_class c where relnamespace = 'public'::regnamespace) \
        + (select count(*) from pg_type where typnamespace = 'public'::regnamespace) \
        + (select count(*) from pg_proc where pronamespace = 'public'::regnamespace) \
        + (select count(*) from pg_namespace)";
    one(admin, sql).await
}

#[tokio::test]
async fn rows_are_made_as_the_scenario_says() {
    let admin = database().await;
    let outcome = run(&shop(10_000), &admin).await.unwrap();
    assert_eq!(
        outcome.steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(),
        ["schema", "fill orders", "indexes"]
    );
    assert_eq!(outcome.steps[1].rows, 10_000);
    assert_eq!(outcome.steps[2].statements.len(), 2);
    for (what, sql, expected) in [
        ("a series", "select min(id) || ' ' || max(id) || ' ' || count(*) from orders", "1 10000 10000"),
        (
            "both ends",
            "select min(customer) || ' ' || max(customer) || ' ' || count(distinct customer) from orders",
            "-5 5 11",
        ),
        (
            "alike",
            "select bool_and(n between 800 and 1020) from (select count(*) n from orders group by customer) x",
            "t",
        ),
        ("all of bigint", "select min(big) < -9e18 and max(big) > 9e18 from orders", "t"),
        (
            "digits",
            "select min(total) || ' ' || max(total) || ' ' || count(distinct total) from orders",
            "0.50 2.00 151",
        ),
        ("a mean", "select abs(avg(ratio)) < 0.03 and min(ratio) >= -1 and max(ratio) <= 1 from orders", "t"),
        ("days", "select count(distinct placed_on) || ' ' || max(placed_on) from orders", "3 2024-01-03"),
        ("moments", "select count(distinct placed_at) > 9990 and max(placed_at) <= '2025-01-01' from orders", "t"),
        ("most", "select count(*) between 7800 and 8200 from orders where status = 'paid'", "t"),
        ("few", "select count(*) between 400 and 600 from orders where status = 'void'", "t"),
        ("never", "select count(*) from orders where status = 'never'", "0"),
        ("SQL", "select note from orders where id = 77", "row 77"),
        ("a default", "select bool_and(made) from orders", "t"),
        ("independent", "select abs(corr(customer, ratio)) < 0.04 and abs(corr(id, ratio)) < 0.04 from orders", "t"),
        ("the next", "insert into orders (customer) values (1) returning id", "10001"),
    ] {
        assert_eq!(one(&admin, sql).await, expected, "{what}");
    }
}

#[tokio::test]
async fn rows_are_the_same_however_they_are_cut_and_on_every_version() {
    let admin = database().await;
    admin.execute("create type status as enum ('paid', 'open', 'void', 'never')").await.unwrap();
    admin.execute(ORDERS).await.unwrap();
    admin.execute("set timezone = 'UTC'").await.unwrap();
    let known: Vec<_> =
        [("id", "integer"), ("placed_at", "timestamp with time zone"), ("status", "status"), ("level", "integer")]
            .map(|(name, type_name)| setup::TableColumn {
                name: name.to_owned(),
                type_name: type_name.to_owned(),
                declared_type: type_name.to_owned(),
                identity_always: name == "id",
            })
            .to_vec();
    let digest = "select md5(string_agg(o::text, ',' order by id)) from orders o";
    let plan = orders(1000);
    let mut digests = Vec::new();
    for cuts in [&[1, 1001][..], &[1, 2, 500, 1001]] {
        admin.execute("truncate orders").await.unwrap();
        for pair in cuts.windows(2) {
            let made = admin.execute(&fill_sql(&plan, 42, pair[0]..pair[1], &known)).await.unwrap();
            assert_eq!(made, pair[1] - pair[0]);
        }
        digests.push(one(&admin, digest).await);
    }
    assert_eq!(digests[0], digests[1]);
    // Written down once: other rows would make a kept scenario another benchmark.
    assert_eq!(digests[0], "a073496e6342e23afdeffd6ff2a94bbf");
}

#[test]
fn the_statement_of_a_fill() {
    insta::assert_snapshot!(fill_sql(&orders(1000), 42, 1..1001, &[]));
}

#[tokio::test]
async fn a_set_up_that_is_there_is_kept() {
    let admin = database().await;
    let first = run(&shop(10), &admin).await.unwrap();
    assert!(first.kept.is_none() && first.made.contains(&"table public.orders".to_owned()));
    let second = run(&shop(10), &admin).await.unwrap();
    assert!(second.kept.unwrap().made_at.ends_with('Z') && second.steps.is_empty());

    let error = run(&shop(20), &admin).await.unwrap_err();
    let Error::Outdated { changes, .. } = &error else { panic!("{error:?}") };
    assert_eq!(changes, "`fill orders` is another");
    assert!(error.diagnostic().help.unwrap().contains("`--replace`"));

    // a note of the time before its parts were noted
    admin.execute("alter table reprise_setup drop column parts").await.unwrap();
    assert!(run(&shop(10), &admin).await.unwrap().kept.is_some());
    let Err(Error::Outdated { changes, .. }) = run(&shop(20), &admin).await else { panic!("kept") };
    assert!(changes.contains("older version"), "{changes}");

    let other = replace(&shop(20), &admin).await.unwrap();
    assert!(other.dropped.contains(&"table public.orders".to_owned()));
    assert_eq!(one(&admin, "select count(*) from orders").await, "20");

    admin.execute("drop table orders").await.unwrap();
    assert!(run(&shop(20), &admin).await.is_err(), "the type is still there");
    assert!(replace(&shop(20), &admin).await.unwrap().kept.is_none());
}

#[tokio::test]
async fn two_set_ups_at_once_wait_for_each_other() {
    let admin = database().await;
    let name = one(&admin, "select current_database()").await;
    let other = session(&conninfo(&name)).await;
    let plan = shop(1000);
    let (one, two) = tokio::join!(run(&plan, &admin), run(&plan, &other));
    assert_ne!(one.unwrap().kept.is_some(), two.unwrap().kept.is_some());
}

#[tokio::test]
async fn a_table_of_somebody_else_is_refused_and_replaced_only_on_demand() {
    let admin = database().await;
    admin.execute("create table orders as select 'precious' as thing; create table other ()").await.unwrap();
    let error = run(&shop(10), &admin).await.unwrap_err();
    assert!(matches!(&error, Error::InTheWay { relations } if relations == &["public.orders"]), "{error:?}");
    assert_eq!(error.to_string(), "a table is in the way of this set-up: `public.orders`");
    assert_eq!(one(&admin, "select thing from orders").await, "precious");

    replace(&shop(10), &admin).await.unwrap();
    assert_eq!(one(&admin, "select count(*) from orders").await, "10");
    assert_eq!(one(&admin, "select to_regclass('other') is null").await, "f");
}

#[tokio::test]
async fn a_drop_in_a_scenario_drops_nothing_of_somebody_else() {
    let admin = database().await;
    admin.execute("create table orders ()").await.unwrap();
    let plan = plan(vec![sql("schema", &["drop table if exists orders", "create table new ()"])]);
    assert!(matches!(run(&plan, &admin).await, Err(Error::InTheWay { .. })));
    assert_eq!(one(&admin, "select to_regclass('orders') is null").await, "f");
}

#[tokio::test]
async fn what_others_depend_on_stays() {
    let admin = database().await;
    run(&shop(10), &admin).await.unwrap();
    admin.execute("create view mine as select id from orders").await.unwrap();
    let error = replace(&shop(20), &admin).await.unwrap_err();
    assert!(
        matches!(&error, Error::Undroppable { objects, .. } if objects.contains(&"table public.orders".into())),
        "{error:?}"
    );
    assert_eq!(one(&admin, "select count(*) from mine").await, "10");
    assert!(run(&shop(10), &admin).await.unwrap().kept.is_some());
}

#[tokio::test]
async fn a_failing_step_leaves_nothing_and_says_where() {
    let admin = database().await;
    let before = count(&admin).await;
    let mut plan = shop(100);
    plan.setup.insert(
        0,
        sql(
            "more",
            &[
                "create schema extra",
                "create table extra.a (b int)",
                "create function f() returns int language sql as 'select 1'",
            ],
        ),
    );
    plan.setup.push(sql("broken", &["create table made_here ()", "select 1 / nothing"]));
    let error = run(&plan, &admin).await.unwrap_err();
    let diagnostic = error.diagnostic();
    assert_eq!(diagnostic.code, "setup::statement");
    assert_eq!(diagnostic.labels[0].text, "column \"nothing\" does not exist");
    let start = "create table made_here ()\nselect 1 / ".len();
    assert_eq!(diagnostic.labels[0].span.range(), start..start + "nothing".len());
    assert_eq!(count(&admin).await, before);
    // The session is fine.
    assert_eq!(one(&admin, "select 1").await, "1");
}

#[tokio::test]
async fn a_step_outside_of_transactions_is_undone_too() {
    let admin = database().await;
    let plan = plan(vec![
        sql("a", &["create table a ()"]),
        sql(
            "b",
            &[
                "create materialized view b as select * from a",
                "vacuum a",
                "create index concurrently on a ((1))",
                "begin",
                "create table c ()",
                "select 1 / 0",
            ],
        ),
    ]);
    let before = count(&admin).await;
    assert!(matches!(run(&plan, &admin).await, Err(Error::Statement { .. })));
    assert_eq!(count(&admin).await, before);
}

#[tokio::test]
async fn what_a_failure_can_not_remove_is_said() {
    let admin = database().await;
    let plan =
        plan(vec![sql("a", &["create table a ()"]), sql("b", &["select pg_terminate_backend(pg_backend_pid())"])]);
    let error = run(&plan, &admin).await.unwrap_err();
    assert!(matches!(&error, Error::Left { objects, .. } if objects == &["a"]), "{error:?}");
    let help = error.diagnostic().help.unwrap();
    assert!(help.ends_with("still there, to be dropped by hand: `a`"), "{help}");
}

/// Asks to stop once the step has begun.
struct Stop(watch::Sender<bool>);

impl Observer for Stop {
    fn step_finished(&mut self, result: &StepResult) {
        if result.name == "fill orders" {
            self.0.send_replace(true);
        }
    }
}

#[tokio::test]
async fn a_set_up_that_is_interrupted_is_undone() {
    let admin = database().await;
    let before = count(&admin).await;
    let mut plan = shop(100);
    plan.setup.push(sql("forever", &["create table late ()", "select pg_sleep(3600)"]));
    let (ask, asked) = watch::channel(false);
    let error = setup::run(&plan, &admin, &SetupOptions::default(), &mut Stop(ask), &Cancel::new(asked)).await;
    assert!(error.unwrap_err().is_cancelled());
    assert_eq!(count(&admin).await, before);
    assert_eq!(one(&admin, "select count(*) from pg_stat_activity where query like '%pg_sleep(3600)%' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()").await, "0");
}

/// Passes on why a statement waits.
struct Waits(mpsc::UnboundedSender<String>);

impl Observer for Waits {
    fn waiting(&mut self, reason: &str) {
        self.0.send(reason.to_owned()).unwrap();
    }
}

#[tokio::test]
async fn a_lock_that_a_step_waits_for_is_told_with_its_holder() {
    let admin = database().await;
    let (target, options) = admin.origin();
    let holder = Admin::open(target, options).await.unwrap();
    admin.execute("create table held (a int)").await.unwrap();
    holder.execute("begin; lock table\n  held").await.unwrap();
    let (tell, mut told) = mpsc::unbounded_channel();
    let plan = plan(vec![sql("change", &["alter table held add b int"])]);
    let work = async {
        // gone with the work, so that nobody waits for it in vain
        let mut observer = Waits(tell);
        setup::run(&plan, &admin, &SetupOptions::default(), &mut observer, &Cancel::never()).await
    };
    let release = async {
        let reason = told.recv().await.unwrap();
        holder.execute("commit").await.unwrap();
        reason
    };
    let (done, reason) = tokio::join!(work, release);
    done.unwrap();
    let held_by = format!("pid {} (idle in transaction: begin; lock table held)", holder.pid());
    assert_eq!(reason, format!("waiting for a lock held by {held_by}"));
}

#[tokio::test]
async fn a_wait_is_interrupted_too() {
    let admin = database().await;
    let (ask, asked) = watch::channel(true);
    let wait = StepPlan {
        name: "wait".into(),
        span: Span::default(),
        kind: StepKind::Wait(Duration::from_secs(3600)),
        passes_over_errors: false,
    };
    let error = setup::run_step(&wait, 1, &admin, &setup::Nothing, &mut (), &Cancel::new(asked)).await;
    assert!(matches!(error, Err(Error::Cancelled)));
    drop(ask);
}

#[tokio::test]
async fn what_the_server_lacks_is_refused_before_anything_is_made() {
    let admin = database().await;
    let before = count(&admin).await;
    let mut plan = shop(1);
    plan.server.extensions = vec!["plpgsql".into(), "no_such_thing".into()];
    assert!(matches!(run(&plan, &admin).await, Err(Error::Extensions { names }) if names == ["no_such_thing"]));
    plan.server.min_version = Some(99);
    assert!(matches!(run(&plan, &admin).await, Err(Error::MinVersion { wanted: 99, .. })));
    assert_eq!(count(&admin).await, before);
}

#[tokio::test]
async fn a_trigger_that_keeps_rows_out_is_noticed() {
    let admin = database().await;
    let mut plan = shop(10);
    plan.setup.insert(1, sql("trigger", &[
        "create function skip() returns trigger language plpgsql as 'begin if new.id = 3 then return null; end if; return new; end'",
        "create trigger skip before insert on orders for each row execute function skip()",
    ]));
    assert!(matches!(run(&plan, &admin).await, Err(Error::RowCount { wanted: 10, made: 9, .. })));
}

#[tokio::test]
async fn output_of_pg_dump_does_not_hide_tables_from_later_steps() {
    let admin = database().await;
    let plan = plan(vec![
        sql("dump.sql", &["SELECT pg_catalog.set_config('search_path', '', false)", "create table public.a (b int)"]),
        sql("insert", &["insert into a values (1)"]),
    ]);
    let outcome = run(&plan, &admin).await.unwrap();
    assert_eq!(outcome.steps[1].rows, 1);
}

#[tokio::test]
async fn a_set_up_that_makes_nothing_is_done_each_time() {
    let admin = database().await;
    let before = count(&admin).await;
    let plan = plan(vec![sql("vacuum", &["vacuum"])]);
    for _ in 0..2 {
        assert_eq!(run(&plan, &admin).await.unwrap().steps.len(), 1);
    }
    assert_eq!(count(&admin).await, before);
}

#[tokio::test]
async fn after_a_teardown_the_set_up_is_made_again() {
    let admin = database().await;
    let mut plan = shop(10);
    plan.teardown = vec![sql("drop", &["drop table orders", "drop type status"])];
    run(&plan, &admin).await.unwrap();
    let results = setup::teardown(&plan, &admin, &setup::Nothing, &mut (), &Cancel::never()).await.unwrap();
    assert_eq!(results.len(), 1);
    assert!(run(&plan, &admin).await.unwrap().kept.is_none());
}

#[tokio::test]
async fn the_environment_is_told() {
    let admin = database().await;
    admin
        .execute("create table t as select generate_series(1, 1000) a; create index on t (a); analyze t")
        .await
        .unwrap();
    let relations = ["t".to_owned(), "absent".to_owned()].into();
    let environment = server::Environment::gather(&admin, &relations).await.unwrap();
    let facts = environment.server;
    assert!(environment.same_machine && facts.version.starts_with("PostgreSQL ") && facts.version_num >= 90_000);
    assert_eq!(facts.extensions[0].0, "plpgsql");
    assert_eq!(facts.relations.len(), 1);
    assert!(facts.relations[0].table_bytes >= 8192 && facts.relations[0].index_bytes >= 8192);
    assert_eq!(facts.relations[0].estimated_rows, Some(1000));
    let names: Vec<_> = facts.settings.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"unix_socket_directories") && !names.contains(&"application_name"), "{names:?}");
}

#[tokio::test]
async fn a_fingerprint_changes_with_what_is_made_alone() {
    let base = setup::fingerprint(&shop(10));
    assert_eq!(base, setup::fingerprint(&shop(10)));
    assert_ne!(base, setup::fingerprint(&shop(11)));
    let mut seed = shop(10);
    seed.seed = 43;
    assert_ne!(base, setup::fingerprint(&seed));
    let mut renamed = shop(10);
    renamed.setup[0].name = "tables".into();
    assert_eq!(base, setup::fingerprint(&renamed));
}

fn pgbench(init: InitPlan) -> StepPlan {
    StepPlan { name: "pgbench".into(), span: Span::default(), kind: StepKind::Pgbench(init), passes_over_errors: false }
}

#[tokio::test]
async fn the_tables_of_pgbench_are_made_kept_and_made_again() {
    let admin = database().await;
    let made = run(&plan(vec![pgbench(InitPlan::default())]), &admin).await.unwrap();
    assert_eq!((made.steps[0].rows, made.steps[0].statements.len()), (100_011, 5));
    assert_eq!(made.made.len(), 4);
    // from how many sessions rows come is no reason to make them again
    let again = run(&plan(vec![pgbench(InitPlan { jobs: 2, ..InitPlan::default() })]), &admin).await.unwrap();
    assert!(again.kept.is_some());
    let other = plan(vec![pgbench(InitPlan { scale: 2, jobs: 2, partitions: 3, ..InitPlan::default() })]);
    assert!(matches!(run(&other, &admin).await, Err(Error::Outdated { .. })));
    assert_eq!(replace(&other, &admin).await.unwrap().steps[0].rows, 200_022);
    assert_eq!(one(&admin, "select count(distinct tableoid) from pgbench_accounts").await, "3");
}

#[tokio::test]
async fn tables_of_pgbench_that_a_set_up_did_not_make_are_in_its_way() {
    let admin = database().await;
    admin.execute("create table pgbench_tellers ()").await.unwrap();
    let make = plan(vec![pgbench(InitPlan::default())]);
    let error = run(&make, &admin).await.unwrap_err();
    assert!(matches!(&error, Error::InTheWay { relations } if relations == &["public.pgbench_tellers"]), "{error:?}");
    assert_eq!(replace(&make, &admin).await.unwrap().dropped, ["table public.pgbench_tellers"]);
    // what changes no table asks for none of its own
    let vacuum = InitPlan { steps: vec![InitStep::Vacuum], ..InitPlan::default() };
    run(&Plan { name: "other".into(), ..plan(vec![pgbench(vacuum)]) }, &admin).await.unwrap();
}

#[tokio::test]
async fn what_earlier_steps_have_set_holds_for_pgbench_too() {
    let admin = database().await;
    let schema = sql("schema", &["create schema bench", "set search_path = bench, public", "set work_mem = '8MB'"]);
    let init = InitPlan { jobs: 2, ..InitPlan::default() };
    run(&plan(vec![schema, pgbench(init)]), &admin).await.unwrap();
    assert_eq!(one(&admin, "select count(*) from bench.pgbench_accounts").await, "100000");
}

#[tokio::test]
async fn a_failure_of_pgbench_names_the_statement_and_leaves_nothing() {
    let admin = database().await;
    let before = count(&admin).await;
    let init = InitPlan { tablespace: Some("nosuch".into()), ..InitPlan::default() };
    let error = run(&plan(vec![pgbench(init)]), &admin).await.unwrap_err();
    let diagnostic = error.diagnostic();
    assert_eq!(diagnostic.code, "setup::pgbench");
    assert!(diagnostic.message.contains("`create table pgbench_history("), "{}", diagnostic.message);
    assert!(diagnostic.message.ends_with("tablespace \"nosuch\" does not exist"), "{}", diagnostic.message);
    assert_eq!(count(&admin).await, before);
}

/// Asks to stop once rows are on their way.
struct StopEarly(watch::Sender<bool>);

impl Observer for StopEarly {
    fn progressed(&mut self, _: u64, _: u64) {
        self.0.send_replace(true);
    }
}

#[tokio::test]
async fn rows_of_pgbench_that_are_interrupted_are_undone() {
    let admin = database().await;
    let before = count(&admin).await;
    for jobs in [1, 3] {
        let plan = plan(vec![pgbench(InitPlan { scale: 50, jobs, ..InitPlan::default() })]);
        let (ask, asked) = watch::channel(false);
        let done = setup::run(&plan, &admin, &SetupOptions::default(), &mut StopEarly(ask), &Cancel::new(asked)).await;
        assert!(done.unwrap_err().is_cancelled());
        assert_eq!(count(&admin).await, before);
    }
}

//! Between the rounds of a run the data is as set-up makes it.

use reprise::pg::Admin;
use reprise::plan::{Plan, ResetPlan};
use reprise::setup::{Cancel, Error, Nothing, Rounds, SetupOptions, StepResult};
use tokio::sync::watch;

use super::{StopEarly, count, database, one, plan, run, session, shop, sql};

async fn begin(rounds: &mut Rounds, plan: &Plan, admin: &Admin) -> Vec<StepResult> {
    rounds.begin(plan, admin, &SetupOptions::default(), &mut (), &Cancel::never()).await.unwrap()
}

fn names(steps: &[StepResult]) -> Vec<&str> {
    steps.iter().map(|step| step.name.as_str()).collect()
}

/// What tells whether the data is as it was made.
async fn digest(admin: &Admin) -> String {
    one(admin, "select md5(string_agg(o::text, ',' order by id)) || ' ' || nextval('numbers') from orders o").await
}

async fn spoil(admin: &Admin) {
    admin
        .execute(
            "delete from orders where id % 2 = 0; update orders set note = 'x'; \
             select nextval('numbers') from generate_series(1, 5)",
        )
        .await
        .unwrap();
}

fn resettable(reset: ResetPlan) -> Plan {
    let mut plan = Plan { reset, ..shop(100) };
    plan.setup.push(sql(
        "more",
        &[
            "create sequence numbers start 7",
            "create table names (a text)",
            "insert into names values ('one')",
            "create materialized view kept as select count(*) from orders",
        ],
    ));
    plan
}

#[tokio::test]
async fn every_way_but_none_gives_each_round_the_same_data() {
    for reset in [ResetPlan::Setup, ResetPlan::Template, ResetPlan::Truncate] {
        let admin = database().await;
        let home = one(&admin, "select current_database()").await;
        let plan = resettable(reset);
        run(&plan, &admin).await.unwrap();
        let mut rounds = Rounds::new();
        begin(&mut rounds, &plan, &admin).await;
        let first = digest(&admin).await;
        spoil(&admin).await;
        assert_ne!(digest(&admin).await, first, "{reset:?}");
        for _ in 0..2 {
            let steps = begin(&mut rounds, &plan, &admin).await;
            let expected: &[&str] = match reset {
                ResetPlan::Setup => &["schema", "fill orders", "indexes", "more"],
                ResetPlan::Template => &["copy of the database"],
                _ => &["truncate", "fill orders", "indexes", "more"],
            };
            assert_eq!(names(&steps), expected);
            assert_eq!(digest(&admin).await, first, "{reset:?}");
            assert_eq!(one(&admin, "select count(*) from names").await, "1");
            assert_eq!(one(&admin, "table kept").await, "100");
            spoil(&admin).await;
        }
        rounds.end(&admin).await.unwrap();
        assert_eq!(one(&admin, "select current_database()").await, home);
        assert!(run(&plan, &admin).await.unwrap().kept.is_some(), "{reset:?}");
    }
}

#[tokio::test]
async fn without_a_reset_a_round_finds_what_the_last_one_left() {
    let admin = database().await;
    let plan = resettable(ResetPlan::None);
    run(&plan, &admin).await.unwrap();
    let mut rounds = Rounds::new();
    begin(&mut rounds, &plan, &admin).await;
    spoil(&admin).await;
    assert!(begin(&mut rounds, &plan, &admin).await.is_empty());
    assert_eq!(one(&admin, "select count(*) from orders").await, "50");
}

#[tokio::test]
async fn a_copy_leaves_the_database_alone_and_is_removed() {
    let admin = database().await;
    let home = one(&admin, "select current_database()").await;
    admin.execute(&format!("alter database {home} set work_mem = '8MB'")).await.unwrap();
    admin.execute(&format!("alter database {home} set search_path = \"$user\", public")).await.unwrap();
    let plan = resettable(ResetPlan::Template);
    run(&plan, &admin).await.unwrap();
    // what a run that was killed has left is no obstacle
    let (mut killed, mut rounds) = (Rounds::new(), Rounds::new());
    begin(&mut killed, &plan, &admin).await;
    assert_eq!(admin.origin().0.database(), format!("{home}_reprise_copy"));
    assert_eq!(one(&admin, "show work_mem").await, "8MB");
    assert_eq!(one(&admin, "show search_path").await, "\"$user\", public");
    let fresh = session(&super::conninfo(&home)).await;
    begin(&mut rounds, &plan, &fresh).await;
    spoil(&fresh).await;
    rounds.end(&fresh).await.unwrap();
    assert_eq!(one(&fresh, "select count(*) from orders").await, "100");
    let copies = format!("select count(*) from pg_database where datname = '{home}_reprise_copy'");
    assert_eq!(one(&fresh, &copies).await, "0");

    fresh.execute(&format!("create database {home}_reprise_copy")).await.unwrap();
    let error = rounds.begin(&plan, &fresh, &SetupOptions::default(), &mut (), &Cancel::never()).await.unwrap_err();
    assert!(matches!(error, Error::DatabaseInTheWay { .. }), "{error:?}");
    assert_eq!(one(&fresh, &copies).await, "1");
}

#[tokio::test]
async fn a_round_with_another_set_up_makes_it() {
    for reset in [ResetPlan::None, ResetPlan::Template] {
        let admin = database().await;
        let plan = |rows| Plan { reset, ..shop(rows) };
        run(&plan(10), &admin).await.unwrap();
        admin.execute("create table mine ()").await.unwrap();
        let mut rounds = Rounds::new();
        begin(&mut rounds, &plan(10), &admin).await;
        for rows in [20, 30] {
            let steps = begin(&mut rounds, &plan(rows), &admin).await;
            assert_eq!(names(&steps)[..3], ["schema", "fill orders", "indexes"]);
            assert_eq!(one(&admin, "select count(*) from orders").await, rows.to_string());
            assert_eq!(one(&admin, "select to_regclass('mine') is not null").await, "t");
        }
        rounds.end(&admin).await.unwrap();
        assert_eq!(one(&admin, "select count(*) from orders").await, "30", "{reset:?}");
    }
}

#[tokio::test]
async fn a_reset_that_is_interrupted_leaves_nothing_half_made() {
    for reset in [ResetPlan::Setup, ResetPlan::Truncate] {
        let admin = database().await;
        let before = count(&admin).await;
        let plan = Plan { reset, ..shop(100) };
        run(&plan, &admin).await.unwrap();
        let mut rounds = Rounds::new();
        begin(&mut rounds, &plan, &admin).await;
        let (ask, asked) = watch::channel(false);
        let options = SetupOptions::default();
        let stopped = rounds.begin(&plan, &admin, &options, &mut StopEarly(ask), &Cancel::new(asked)).await;
        assert!(stopped.unwrap_err().is_cancelled());
        rounds.end(&admin).await.unwrap();
        assert_eq!(one(&admin, "select count(*) from reprise_setup").await, "0");
        admin.execute("drop table reprise_setup").await.unwrap();
        assert_eq!(count(&admin).await, before, "{reset:?}");
        assert!(run(&plan, &admin).await.unwrap().kept.is_none());
    }
}

#[tokio::test]
async fn a_table_that_came_under_our_name_between_rounds_is_not_dropped() {
    let admin = database().await;
    let first = Plan { reset: ResetPlan::Setup, ..shop(10) };
    run(&first, &admin).await.unwrap();
    let mut rounds = Rounds::new();
    begin(&mut rounds, &first, &admin).await;
    admin.execute("create table extra as select 'precious' as thing").await.unwrap();
    let mut second = first.clone();
    second.setup.push(sql("extra", &["create table extra ()"]));
    let error = rounds.begin(&second, &admin, &SetupOptions::default(), &mut (), &Cancel::never()).await.unwrap_err();
    assert!(matches!(&error, Error::InTheWay { relations } if relations == &["public.extra"]), "{error:?}");
    assert_eq!(one(&admin, "table extra").await, "precious");
}

#[tokio::test]
async fn others_in_the_database_keep_it_from_being_copied_and_are_named() {
    let admin = database().await;
    let plan = plan(vec![sql("a", &["create table a ()"])]);
    run(&plan, &admin).await.unwrap();
    let _other = Admin::open(admin.origin().0, admin.origin().1).await.unwrap();
    let plan = Plan { reset: ResetPlan::Template, ..plan };
    let options = SetupOptions { outside: &Nothing, ..SetupOptions::default() };
    let error = Rounds::new().begin(&plan, &admin, &options, &mut (), &Cancel::never()).await.unwrap_err();
    let diagnostic = error.diagnostic();
    assert!(diagnostic.message.contains("being accessed by other users"), "{}", diagnostic.message);
    assert_eq!(diagnostic.help.unwrap(), "There is 1 other session using the database.");
    assert_eq!(one(&admin, "select 1").await, "1");
}

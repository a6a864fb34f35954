//! Which rows there are, whoever makes them.

use reprise::setup::{self, Cancel, Error, FillError, Observer, SetupOptions};
use tokio::sync::watch;

use crate::{Database, plan};

/// A table with every generator, and one with several rows for each of its rows.
fn everything(rows: u32, workers: u32) -> String {
    format!(
        r#"
  - sql: |
      create type mood as enum ('fine', 'sad');
      create table parents (id bigint primary key, tag text);
      create table rows (
        id int primary key, whole int, number float8, fixed numeric(8, 2), day date, at timestamp, bell float8,
        bell_2 numeric, wait real, zipf bigint, rank int, mood mood, words text, many text, code text, phone text, key uuid,
        detail jsonb, plain json, parent_id bigint references parents, tag text, other bigint, made int);
      create table parts (id int primary key, row_id int references rows, tag text, size int);
  - {{fill: parents, rows: 100, columns: {{id: series, tag: {{words: 2}}}}}}
  - fill: rows
    rows: {rows}
    workers: {workers}
    columns:
      id: series
      whole: {{uniform: -5..5, null_frac: 0.1}}
      number: {{uniform: -1.5..1.5}}
      fixed: {{uniform: 0.5..2, round: 2}}
      day: {{uniform: 2024-01-01..2024-12-31}}
      at: {{uniform: 2024-01-01..2025-01-01}}
      bell: {{normal: {{mean: 40, stddev: 12}}, round: 6}}
      bell_2: {{normal: {{mean: 40, stddev: 12}}, min: 1, round: 2}}
      wait: {{exponential: {{mean: 5}}, max: 20, round: 3}}
      zipf: {{zipfian: {{range: 10..100000, s: 1.1}}}}
      rank: {{permute: 1..{rows}}}
      mood: {{choice: [fine, sad]}}
      words: {{words: 0..4}}
      many: {{words: 10..20}}
      code: {{pattern: "[A-Z]{{2}}-[0-9a-f]{{8}}(x|yz)?", unique: true}}
      phone: {{pattern: "+49[0-9]{{9,11}}"}}
      key: uuid
      detail: {{json: {{a: {{choice: {{web: 7, app: 3}}}}, b: {{uniform: 1..3}}, c: {{choice: [1, 2.5]}}, d: {{sql: i % 10 = 0}}}}}}
      plain: {{json: {{z: {{choice: ["true", "false"]}}, a: {{words: 1}}}}}}
      parent_id: {{references: parents.id, skew: 1.1}}
      tag: {{references: parents.tag}}
      other: {{references: parents.id, as: other}}
      made: {{sql: i * 2}}
  - fill: parts
    per: rows
    rows: 0..4
    workers: {workers}
    columns: {{id: series, row_id: {{references: rows.id}}, tag: {{references: rows.tag}}, size: {{uniform: 1..9}}}}
"#
    )
}

#[tokio::test]
async fn rows_are_the_same_from_one_session_and_from_four_and_on_every_version() {
    let mut digests = Vec::new();
    for workers in [1, 4] {
        let database = Database::with(&everything(30_000, workers)).await;
        digests.push((database.digest("rows").await, database.digest("parts").await));
    }
    assert_eq!(digests[0], digests[1]);
    // written down once: other rows would make a scenario another benchmark
    let expected = ("213da0f6fcfed5e435e5e211cd428514", "6e10b1d37c0acab588ee37d23b27bfc9");
    assert_eq!((digests[0].0.as_str(), digests[0].1.as_str()), expected);
}

#[tokio::test]
async fn rows_from_several_sessions_lie_nearly_in_their_order() {
    let steps = "  - sql: create table t (id int, x int)\n  \
        - {fill: t, rows: 200000, workers: 2, columns: {id: series, x: {uniform: 1..9}}}\n  - sql: analyze t";
    let database = Database::with(steps).await;
    assert!(database.number("select correlation from pg_stats where tablename = 't' and attname = 'id'").await > 0.98);
    database
        .expect(&[("select count(*) || ' ' || count(distinct id) || ' ' || max(id) from t", "200000 200000 200000")])
        .await;
}

#[tokio::test]
async fn values_are_of_their_kinds() {
    let database = Database::with(&everything(20_000, 1)).await;
    database
        .expect(&[
            ("select abs(avg((whole is null)::int) - 0.1) < 0.01 from rows", "t"),
            ("select min(whole) || ' ' || max(whole) || ' ' || count(distinct whole) from rows", "-5 5 11"),
            ("select min(bell_2) >= 1 and bool_and(scale(bell_2) = 2) from rows", "t"),
            ("select max(wait) from rows", "20"),
            ("select min(zipf) from rows", "10"),
            ("select bool_and(words ~ '^([a-z]+( [a-z]+){0,3})?$') and bool_or(words = '') from rows", "t"),
            ("select min(n) || ' ' || max(n) from (select 1 + length(many) - length(replace(many, ' ', '')) n from rows) x", "10 20"),
            ("select count(distinct code) || ' ' || bool_and(code ~ '^[A-Z]{2}-[0-9a-f]{8}(x|yz)?$') from rows", "20000 true"),
            ("select bool_and(phone ~ '^\\+49[0-9]{9,11}$') and count(distinct length(phone)) = 3 from rows", "t"),
            ("select count(distinct key) from rows", "20000"),
            ("select bool_and(key::text ~ '^.{8}-.{4}-4.{3}-[89ab].{3}-.{12}$') from rows", "t"),
            ("select string_agg(distinct jsonb_typeof(detail -> 'a') || jsonb_typeof(detail -> 'b') || \
              jsonb_typeof(detail -> 'c') || jsonb_typeof(detail -> 'd'), '') from rows", "stringnumbernumberboolean"),
            ("select bool_and((detail -> 'd')::text::bool = (id % 10 = 0)) from rows", "t"),
            ("select plain::text ~ '^\\{\"z\" : (true|false), \"a\" : \"[a-z]+\"\\}$' from rows limit 1", "t"),
            ("select bool_and(made = id * 2) from rows", "t"),
        ])
        .await;
}

#[tokio::test]
async fn a_table_of_many_columns_is_filled_whole() {
    let columns: Vec<String> = (1..=60).map(|n| format!("c{n}")).collect();
    let schema = columns.iter().map(|name| format!("{name} int not null")).collect::<Vec<_>>().join(", ");
    let made = columns.iter().map(|name| format!("{name}: {{uniform: 1..1000}}")).collect::<Vec<_>>().join(", ");
    let database = Database::with(&format!(
        "  - sql: create table wide ({schema})\n  - {{fill: wide, rows: 20000, columns: {{{made}}}}}"
    ))
    .await;
    database
        .expect(&[("select count(*) from wide", "20000"), ("select count(distinct wide::text) from wide", "20000")])
        .await;
}

#[tokio::test]
async fn sequences_go_on_behind_what_was_filled() {
    let steps = r"
  - sql: |
      create table a (id serial primary key, x int);
      create table b (id int generated always as identity, x int);
      create table c (id serial, a_id int);
  - {fill: a, rows: 10, columns: {id: series}}
  - {fill: b, rows: 10, columns: {id: {permute: 1..50}}}
  - {fill: c, per: a, rows: 2..3, columns: {id: series, a_id: {references: a.id}}}
  - {fill: a, rows: 0, columns: {id: series}}";
    let database = Database::with(steps).await;
    database
        .expect(&[
            ("insert into a (x) values (1) returning id", "11"),
            ("insert into b (x) values (1) returning id", "51"),
            ("insert into c (a_id) values (1) returning id = (select max(id) from c) + 1", "t"),
        ])
        .await;
}

#[tokio::test]
async fn values_that_run_out_are_found_before_a_row_is_made() {
    let steps = r"
  - sql: create table a (x int); create table b (x int); insert into a select generate_series(1, 30)
  - {fill: b, per: a, rows: 2, columns: {x: {permute: 1..50}}}";
    let error = Database::new().await.run(&plan(steps)).await.unwrap_err();
    assert!(
        matches!(error, Error::Fill { error: FillError::TooFewValues { rows: 60, values: 50, .. }, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_failure_in_one_of_several_sessions_leaves_nothing() {
    let steps = r"
  - sql: create table a (x int check (x <> 77777))
  - {fill: a, rows: 200000, workers: 3, columns: {x: series}}";
    let database = Database::new().await;
    let error = database.run(&plan(steps)).await.unwrap_err();
    assert!(error.to_string().contains("check constraint"), "{error}");
    database.expect(&[("select to_regclass('a') is null", "t")]).await;
}

/// Asks to stop once some rows are there.
struct Interrupter(watch::Sender<bool>);

impl Observer for Interrupter {
    fn progressed(&mut self, _: u64, _: u64) {
        self.0.send_replace(true);
    }
}

#[tokio::test]
async fn an_interrupted_fill_from_several_sessions_leaves_nothing() {
    let steps = "  - sql: create table a (x int)\n  - {fill: a, rows: 2000000, workers: 3, columns: {x: series}}";
    let database = Database::new().await;
    let (sender, receiver) = watch::channel(false);
    let mut observer = Interrupter(sender);
    let cancel = Cancel::new(receiver);
    let done = setup::run(&plan(steps), &database.0, &SetupOptions::default(), &mut observer, &cancel).await;
    assert!(done.unwrap_err().is_cancelled());
    database.expect(&[("select to_regclass('a') is null", "t")]).await;
}

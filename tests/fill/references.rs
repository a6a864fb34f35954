//! Rows that belong to rows of other tables.

use reprise::setup::{Error, FillError};

use crate::{Database, plan};

const SCHEMA: &str = r"
  - sql: |
      create table tenants (id int primary key, name text);
      create table customers (id int primary key, tenant_id int references tenants, email varchar(40) unique, half numeric(6, 1));
      create table orders (id int primary key, customer_id int references customers, tenant_id int, email text,
        half numeric(6, 1), gift_id int references customers, gift_tenant_id int);
      create table lines (id int primary key, order_id int references orders, tenant_id int, number int);
  - {fill: tenants, rows: 50, columns: {id: series, name: {words: 2}}}
  - fill: customers
    rows: 2000
    columns:
      id: series
      tenant_id: {references: tenants.id, skew: 1.1}
      email: {pattern: 'user[0-9]{6}@example.com', unique: true}
      half: {uniform: 0.0..500.0}";

const ORDERS: &str = r"
  - fill: orders
    rows: 20000
    columns:
      id: series
      customer_id: {references: customers.id}
      tenant_id: {references: customers.tenant_id}
      email: {references: customers.email}
      half: {references: customers.half}
      gift_id: {references: customers.id, as: gift, null_frac: 0.5}
      gift_tenant_id: {references: customers.tenant_id, as: gift}
  - fill: lines
    per: orders
    rows: 1..5
    columns: {id: series, order_id: {references: orders.id}, tenant_id: {references: orders.tenant_id}}";

const CHECKS: [(&str, &str); 9] = [
    (
        "select bool_and((o.tenant_id, o.email, o.half) = (c.tenant_id, c.email, c.half)) from orders o join customers c on c.id = customer_id",
        "t",
    ),
    ("select count(*) from orders o join customers c on c.id = customer_id", "20000"),
    ("select bool_and(gift_tenant_id = c.tenant_id) from orders o join customers c on c.id = gift_id", "t"),
    ("select count(*) between 9800 and 10200 from orders where gift_id is null", "t"),
    ("select count(distinct customer_id) > 1950 from orders where customer_id <> gift_id", "t"),
    ("select bool_and(l.tenant_id = o.tenant_id) from lines l join orders o on o.id = order_id", "t"),
    ("select string_agg(distinct n::text, ' ') from (select count(*) n from lines group by order_id) x", "1 2 3 4 5"),
    ("select count(distinct order_id) from lines", "20000"),
    (
        "select bool_and(n between 3800 and 4200) from (select n, count(*) n from (select count(*) n from lines group by order_id) x group by n) y",
        "t",
    ),
];

#[tokio::test]
async fn columns_of_one_reference_are_of_one_row() {
    let database = Database::with(&format!("{SCHEMA}{ORDERS}")).await;
    database.expect(&CHECKS[..8]).await;
    // in order, without a gap, and beside the rows before
    database
        .expect(&[
            ("select min(id) || ' ' || count(*) - max(id) from lines", "1 0"),
            ("select bool_and(order_id >= earlier) from (select order_id, lag(order_id) over (order by id) earlier from lines) x", "t"),
            ("select count(*) > 300 from customers where tenant_id = 1", "t"),
        ])
        .await;
}

#[tokio::test]
async fn rows_that_were_changed_are_read() {
    for change in [
        "update customers set tenant_id = 51 - tenant_id, email = 'x' || id, half = 1",
        "delete from customers where id = 700; insert into customers select 3000, tenant_id, 'new', 2 from customers where id = 1",
    ] {
        let mut digests = Vec::new();
        for workers in [1, 3] {
            let orders = ORDERS.replace("rows: 20000", &format!("rows: 20000\n    workers: {workers}"));
            let database = Database::with(&format!("{SCHEMA}\n  - sql: |\n      {change}{orders}")).await;
            database.expect(&CHECKS[..4]).await;
            database.expect(&CHECKS[5..8]).await;
            digests.push(database.digest("orders").await);
        }
        assert_eq!(digests[0], digests[1], "{change}");
    }
}

#[tokio::test]
async fn rows_that_refer_to_rows_that_are_read_keep_their_order() {
    for parents in [1, 2, 3, 500] {
        let database = Database::with(&format!(
            r"
  - sql: create table a (x int); create table b (id int, x int); insert into a select generate_series(1, {parents})
  - {{fill: b, rows: 30000, columns: {{id: series, x: {{references: a.x}}}}}}"
        ))
        .await;
        let sql = "select bool_and(id = n) from (select id, row_number() over (order by ctid) n from b) y";
        assert_eq!(database.one(sql).await, "t", "{parents}");
    }
}

#[tokio::test]
async fn what_a_trigger_or_a_default_makes_is_read() {
    let steps = r"
  - sql: |
      create table parents (id int generated always as identity primary key, a int, b int default 7, c int, d text);
      create function change() returns trigger language plpgsql as $$ begin new.x = -new.x; return new; end $$;
      create table others (id int primary key, x int, y int);
      create trigger change before insert on others for each row execute procedure change();
      create table children (id int, parent_id int references parents, b int, c int, x int, other_id int);
  - {fill: parents, rows: 100, columns: {a: {uniform: 1..9}, c: {sql: i * i}}}
  - {fill: others, rows: 100, columns: {id: series, x: {uniform: 1..9}}}
  - fill: children
    rows: 3000
    columns:
      id: series
      parent_id: {references: parents.id}
      b: {references: parents.b}
      c: {references: parents.c}
      other_id: {references: others.id}
      x: {references: others.x}";
    let database = Database::with(steps).await;
    database
        .expect(&[
            ("select bool_and(b = 7 and children.c = parent_id * parent_id) from children", "t"),
            ("select bool_and(children.x = others.x and others.x < 0) from children join others on others.id = other_id", "t"),
            ("select count(distinct parent_id) from children", "100"),
        ])
        .await;
}

#[tokio::test]
async fn rows_that_a_statement_made_can_be_referred_to_and_have_rows_of_their_own() {
    let steps = r"
  - sql: |
      create table skus (code text primary key);
      create table stock (id int, sku text references skus, hot text references skus, size int);
      insert into skus select 'sku' || n from generate_series(1, 30) n;
  - fill: stock
    per: skus
    rows: 2..3
    columns: {id: series, sku: {references: skus.code}, hot: {references: skus.code, as: hot, skew: 2}, size: {uniform: 1..5}}";
    let database = Database::with(steps).await;
    database
        .expect(&[
            ("select count(distinct sku) from stock", "30"),
            ("select min(n) || ' ' || max(n) from (select count(*) n from stock group by sku) x", "2 3"),
            ("select mode() within group (order by hot) from stock", "sku1"),
        ])
        .await;
}

#[tokio::test]
async fn a_fixed_number_for_each_row_and_rows_of_those() {
    let steps = r"
  - sql: create table a (id int, x int); create table b (id int, a_id int, x int); create table c (id int, b_id int, a_id int, x int); create table d (id int, c_id int, x int)
  - {fill: a, rows: 100, columns: {id: series, x: {uniform: 1..1000}}}
  - {fill: b, per: a, rows: 3, columns: {id: series, a_id: {references: a.id}, x: {references: a.x}}}
  - {fill: c, per: b, rows: 0..2, columns: {id: series, b_id: {references: b.id}, a_id: {references: b.a_id}, x: {references: b.x}}}
  - {fill: d, rows: 500, columns: {id: series, c_id: {references: c.id}, x: {references: c.x}}}";
    let database = Database::with(steps).await;
    database
        .expect(&[
            ("select count(*) || ' ' || count(distinct a_id) || ' ' || min(a_id) from b", "300 100 1"),
            ("select bool_and(b.x = a.x and a_id = (b.id - 1) / 3 + 1) from b join a on a.id = a_id", "t"),
            ("select bool_and((c.x, c.a_id) = (b.x, b.a_id)) and count(*) > 200 from c join b on b.id = b_id", "t"),
            ("select bool_and(c.x = d.x) and count(*) = 500 from d join c on c.id = c_id", "t"),
        ])
        .await;
}

#[tokio::test]
async fn a_table_may_refer_to_its_own_earlier_rows() {
    let steps = r"
  - sql: create table staff (id int primary key, boss_id int references staff, boss_grade int, grade int)
  - fill: staff
    rows: 3000
    columns:
      id: series
      boss_id: {references: staff.id}
      boss_grade: {references: staff.grade}
      grade: {uniform: 1..9}";
    let database = Database::with(steps).await;
    database
        .expect(&[
            ("select count(*) from staff where boss_id is null", "1"),
            ("select bool_and(boss_id < id) from staff", "t"),
            ("select bool_and(s.boss_grade = b.grade) from staff s join staff b on b.id = s.boss_id", "t"),
        ])
        .await;
}

#[tokio::test]
async fn rows_and_columns_that_are_not_there_are_named() {
    let database = Database::new().await;
    let empty = r"
  - sql: create table a (id int); create table b (a_id int); insert into a select 1 where false
  - {fill: b, rows: 10, columns: {a_id: {references: a.id}}}";
    let error = database.run(&plan(empty)).await.unwrap_err();
    assert!(matches!(&error, Error::Fill { error: FillError::NoRows { table }, .. } if table == "a"), "{error:?}");
    let misspelt = empty.replace("where false", "").replace("a.id}", "a.idd}");
    let error = database.run(&plan(&misspelt)).await.unwrap_err();
    assert!(error.diagnostic().help.unwrap().contains("`id`"));
}

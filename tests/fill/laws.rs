//! The laws that values are drawn by.

use crate::Database;

/// A table `t` with one column `x`.
async fn column(kind: &str, rows: u32, column: &str) -> Database {
    Database::with(&format!(
        "  - sql: create table t (id int, x {kind})\n  - {{fill: t, rows: {rows}, columns: {{id: series, x: {column}}}}}"
    ))
    .await
}

/// Pearson's statistic over cells of at least ten expected values, and its degrees of freedom.
fn chi_square(observed: &[f64], expected: &[f64]) -> (f64, f64) {
    let (mut sum, mut cells) = (0.0, 0.0);
    let (mut seen, mut wanted) = (0.0, 0.0);
    for (o, e) in observed.iter().zip(expected) {
        (seen, wanted) = (seen + o, wanted + e);
        if wanted >= 10.0 {
            sum += (seen - wanted) * (seen - wanted) / wanted;
            cells += 1.0;
            (seen, wanted) = (0.0, 0.0);
        }
    }
    (sum, cells - 1.0)
}

/// Five standard deviations above what is expected of Pearson's statistic.
fn assert_fits(observed: &[f64], expected: &[f64], what: &str) {
    let (statistic, freedom) = chi_square(observed, expected);
    assert!(
        statistic < freedom + 5.0 * (2.0 * freedom).sqrt(),
        "{what}: {statistic} with {freedom} degrees of freedom"
    );
}

/// How often each of `1 … n` stands in the column `x`.
async fn counts(database: &Database, n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n];
    for row in database.0.query_text("select x, count(*) from t group by 1").await.unwrap() {
        let value = |at: usize| row[at].as_deref().unwrap().parse::<usize>().unwrap();
        counts[value(0) - 1] = value(1) as f64;
    }
    counts
}

#[tokio::test]
async fn a_normal_column_has_its_moments_and_tails() {
    let database = column("float8", 200_000, "{normal: {mean: 40, stddev: 12}}").await;
    let moment = |power: u32| format!("select avg(((x - 40) / 12) ^ {power}) from t");
    for (power, expected, within) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.03), (4, 3.0, 0.1)] {
        let found = database.number(&moment(power)).await;
        assert!((found - expected).abs() < within, "moment {power}: {found}");
    }
    // shares beyond 1, 2 and 3 standard deviations
    for (deviations, expected) in [(1, 0.317_31), (2, 0.045_50), (3, 0.002_70)] {
        let found = database.number(&format!("select avg((abs(x - 40) > 12 * {deviations})::int) from t")).await;
        assert!((found / expected - 1.0).abs() < 0.12, "beyond {deviations}: {found}");
    }
    assert!(
        database.number("select corr(x, lag) from (select x, lag(x) over (order by id) from t) y").await.abs() < 0.01
    );
}

#[tokio::test]
async fn an_exponential_column_has_its_mean_and_its_tail() {
    let database = column("float8", 200_000, "{exponential: {mean: 5}}").await;
    assert!((database.number("select avg(x) from t").await / 5.0 - 1.0).abs() < 0.01);
    assert!((database.number("select stddev(x) from t").await / 5.0 - 1.0).abs() < 0.02);
    assert!((database.number("select avg((x > 5 * ln(10))::int) from t").await - 0.1).abs() < 0.003);
    assert!(database.number("select min(x) from t").await >= 0.0);
}

#[tokio::test]
async fn a_zipfian_column_has_the_exact_law() {
    for (n, s) in
        [(3, 1.1), (20, 0.0), (32, 1.0), (33, 1.0), (1000, 0.5), (1000, 1.0), (1000, 1.1), (5000, 2.0), (50, 6.0)]
    {
        const ROWS: u32 = 200_000;
        let database = column("int", ROWS, &format!("{{zipfian: {{range: 1..{n}, s: {s}}}}}")).await;
        let weight: Vec<f64> = (1..=n).map(|k| f64::from(k).powf(-s)).collect();
        let total: f64 = weight.iter().sum();
        let expected: Vec<f64> = weight.iter().map(|weight| f64::from(ROWS) * weight / total).collect();
        assert_fits(&counts(&database, n as usize).await, &expected, &format!("n = {n}, s = {s}"));
    }
}

#[tokio::test]
async fn whole_numbers_and_choices_are_alike() {
    let database = column("int", 100_000, "{uniform: 1..97}").await;
    assert_fits(&counts(&database, 97).await, &[100_000.0 / 97.0; 97], "uniform");
    let database = column("int", 100_000, "{choice: {1: 70, 2: 25, 3: 5}}").await;
    assert_fits(&counts(&database, 3).await, &[70_000.0, 25_000.0, 5_000.0], "choice");
}

#[tokio::test]
async fn a_shuffled_range_has_each_number_once_in_no_order() {
    for n in [1, 2, 3, 10, 64, 65, 100, 101, 1009, 10_000, 65_537] {
        let database = column("bigint", n, &format!("{{permute: 5..{}}}", n + 4)).await;
        let sql = "select min(x) || ' ' || max(x) || ' ' || count(distinct x) from t";
        assert_eq!(database.one(sql).await, format!("5 {} {n}", n + 4));
        if n > 1000 {
            let limit = 5.0 / f64::from(n).sqrt();
            for sql in [
                "select corr(id, x) from t",
                "select corr(x, lag) from (select x, lag(x) over (order by id) from t) y",
                "select corr(x % 10, id % 10) from t",
            ] {
                assert!(database.number(sql).await.abs() < limit, "{n}: {sql}");
            }
            // of a random permutation about one number stays at its place, and neighbours are as far apart as any two
            assert!(database.number("select count(*) from t where x = id + 4").await < 8.0);
            let apart =
                database.number("select avg(abs(x - lag)) from (select x, lag(x) over (order by id) from t) y").await;
            assert!((apart / (f64::from(n) / 3.0) - 1.0).abs() < 0.1, "{n}: {apart}");
        }
    }
}

#[tokio::test]
async fn columns_of_one_row_are_independent() {
    let database = Database::with(
        r"
  - sql: create table t (id int, a float8, b float8, c int, d int)
  - fill: t
    rows: 50000
    columns:
      id: series
      a: {normal: {mean: 0, stddev: 1}}
      b: {exponential: {mean: 1}}
      c: {zipfian: {range: 1..1000, s: 1.1}}
      d: {permute: 1..50000}",
    )
    .await;
    for pair in ["a, b", "a, c", "a, d", "b, c", "b, d", "c, d", "id, a", "id, b", "id, c"] {
        let found = database.number(&format!("select corr({pair}) from t")).await;
        assert!(found.abs() < 0.02, "{pair}: {found}");
    }
}

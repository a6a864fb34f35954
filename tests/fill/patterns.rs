//! Text that patterns describe.

use crate::Database;

#[tokio::test]
async fn texts_are_what_their_pattern_describes() {
    // each with the regular expression that PostgreSQL knows it by
    let patterns = [
        ("user[0-9]{9}@example.com", r"user[0-9]{9}@example\.com", 5000),
        ("+49[0-9]{9}", r"\+49[0-9]{9}", 5000),
        ("[a-z]{3,8}", "[a-z]{3,8}", 4900),
        ("[A-F]{2}(x|yz|)[0-9a-f]{13}", "[A-F]{2}(x|yz|)[0-9a-f]{13}", 5000),
        (r"\w{5}-\d{2}", r"[A-Za-z0-9_]{5}-[0-9]{2}", 5000),
        ("(ab|c[de]?){2,3}!", "(ab|c[de]?){2,3}!", 50),
        ("[äöü']{4}", "[äöü']{4}", 256),
        (r"a\\b[\\\]]", r"a\\b[\\\]]", 2),
        ("[a-z]{40}", "[a-z]{40}", 5000),
    ];
    for (pattern, expression, different) in patterns {
        let steps = format!(
            "  - sql: create table t (id int, x text)\n  - fill: t\n    rows: 5000\n    columns:\n      id: series\n      \
             x: {{pattern: '{}'}}",
            pattern.replace('\'', "''")
        );
        let database = Database::with(&steps).await;
        let sql = format!("select bool_and(x ~ '^({})$') from t", expression.replace('\'', "''"));
        assert_eq!(database.one(&sql).await, "t", "{pattern}");
        let found = database.number("select count(distinct x) from t").await;
        assert!(found >= f64::from(different), "{pattern}: {found} different ones");
    }
}

#[tokio::test]
async fn a_unique_pattern_gives_each_of_its_texts_once() {
    // the whole space where it is small
    for (pattern, rows) in [
        ("[0-9]{3}", 1000),
        ("[a-c]{0,4}", 121),
        ("(a|bc|d[0-9])x?", 24),
        ("[xyz]{2}-(one|two|[0-9]{1,2})", 1008),
        ("(p[ab]){1,3}[0-9]", 140),
        ("[0-9a-f]{3}q[a-b]?", 12_288),
        ("[a-z]{13}[0-9]{9}[a-z]{20}", 20_000),
        ("[a-z]{1,30}", 20_000),
        ("k[0-9]{30}", 20_000),
    ] {
        let steps = format!(
            "  - sql: create table t (id int, x text unique)\n  - fill: t\n    rows: {rows}\n    columns: {{id: series, x: \
             {{pattern: '{pattern}', unique: true}}}}"
        );
        let database = Database::with(&steps).await;
        database.expect(&[("select count(distinct x) = count(*) from t", "t")]).await;
        assert_eq!(database.one(&format!("select bool_and(x ~ '^({pattern})$') from t")).await, "t", "{pattern}");
        assert!(
            database.number("select corr(id, rank) from (select id, rank() over (order by x) from t) y").await.abs()
                < 0.5
        );
    }
}

#[tokio::test]
async fn lengths_and_ways_are_alike() {
    let steps = "  - sql: create table t (id int, x text)\n  - fill: t\n    rows: 40000\n    columns: {id: series, x: \
        {pattern: '(a|b|c[de])[0-9]{1,4}'}}";
    let database = Database::with(steps).await;
    database
        .expect(&[
            ("select bool_and(n between 9700 and 10300) from (select count(*) n from t group by length(substring(x from '[0-9]+'))) y", "t"),
            ("select bool_and(n between 12900 and 13800) from (select count(*) n from t group by left(x, 1)) y", "t"),
            ("select bool_and(n between 3700 and 4300) from (select count(*) n from t group by right(x, 1)) y", "t"),
        ])
        .await;
}

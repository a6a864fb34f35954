//! Filled tables on a real server: the same rows from any number of sessions and on any version, the laws that values
//! are drawn by, and rows that belong to other rows.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "fill/laws.rs"]
mod laws;
#[path = "fill/patterns.rs"]
mod patterns;
#[path = "fill/references.rs"]
mod references;
#[path = "fill/rows.rs"]
mod rows;
mod support;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use reprise::pg::{self, Admin};
use reprise::plan::Plan;
use reprise::plan::compile::{CompileInputs, compile};
use reprise::scenario;
use reprise::setup::{self, Cancel, Error, SetupOptions};
use reprise::source::SourceMap;

/// How to reach a database on the one server of this process.
fn conninfo(database: &str) -> String {
    static SERVER: OnceLock<support::Server> = OnceLock::new();
    let server = SERVER.get_or_init(support::Server::start);
    server.url().replace("dbname=postgres", &format!("dbname={database}"))
}

async fn session(conninfo: &str) -> Admin {
    let target = pg::Target::parse(conninfo, &pg::Environment::empty()).unwrap();
    Admin::open(&target, &pg::OpenOptions::default()).await.unwrap()
}

/// A database of its own.
struct Database(Admin);

impl Database {
    async fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("fill{}", COUNT.fetch_add(1, Ordering::Relaxed));
        session(&conninfo("postgres")).await.execute(&format!("create database {name}")).await.unwrap();
        Self(session(&conninfo(&name)).await)
    }

    /// One with these steps done.
    async fn with(steps: &str) -> Self {
        let database = Self::new().await;
        database.run(&plan(steps)).await.unwrap();
        database
    }

    async fn run(&self, plan: &Plan) -> Result<(), Error> {
        let options = SetupOptions { replace: true, ..SetupOptions::default() };
        setup::run(plan, &self.0, &options, &mut (), &Cancel::never()).await.map(drop)
    }

    /// The first value of a query.
    async fn one(&self, sql: &str) -> String {
        self.0.query_text(sql).await.unwrap()[0][0].clone().unwrap_or_else(|| "null".to_owned())
    }

    async fn number(&self, sql: &str) -> f64 {
        self.one(sql).await.parse().unwrap()
    }

    /// Checks one value after another.
    async fn expect(&self, checks: &[(&str, &str)]) {
        for (sql, expected) in checks {
            assert_eq!(self.one(sql).await, *expected, "{sql}");
        }
    }

    /// A hash over all rows of a table, in the order of its column `id`. Floats are taken bit by bit, since PostgreSQL 11
    /// writes them in another way than later versions.
    async fn digest(&self, table: &str) -> String {
        let floats = format!(
            "select coalesce(string_agg(format(', float8send(%I::float8)', attname), '' order by attnum), '')
             from pg_attribute where attrelid = '{table}'::regclass and atttypid in ('float4'::regtype, 'float8'::regtype)"
        );
        let floats = self.one(&floats).await;
        self.0.execute("set extra_float_digits = 0").await.unwrap();
        self.one(&format!("select md5(string_agg(row(t.*{floats})::text, ',' order by id)) from {table} t")).await
    }
}

/// The plan of a scenario with these steps of set-up.
fn plan(steps: &str) -> Plan {
    let text = format!(
        "reprise: 1\nname: filled\nseed: 42\nsetup:\n{steps}\nscripts: {{one: {{sql: select 1}}}}\nload: {{transactions: 1}}\n"
    );
    let mut sources = SourceMap::default();
    let source = sources.add("filled.yaml".to_owned(), text.clone());
    let (scenario, errors) = scenario::parse_partly(source, &text);
    assert!(errors.is_empty(), "{errors:?}");
    let inputs = CompileInputs {
        name: "filled",
        defines: &[],
        point: &[],
        profile: None,
        texts: &|_| None,
        environment: &|_| None,
        cores: 2,
        random_seed: 7,
    };
    compile(&scenario.unwrap(), &inputs).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

//! The tables that pgbench's own scripts use, looked at and vacuumed before a run.

use std::io::Write;

use super::wording;
use crate::pg::{Admin, Error};

const BRANCHES: &str = "select count(*) from pgbench_branches";
const PARTITIONS: &str = "select o.n, p.partstrat, pg_catalog.count(i.inhparent) from pg_catalog.pg_class as c \
    join pg_catalog.pg_namespace as n on (n.oid = c.relnamespace) \
    cross join lateral (select pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname)) as o(n) \
    left join pg_catalog.pg_partitioned_table as p on (p.partrelid = c.oid) \
    left join pg_catalog.pg_inherits as i on (c.oid = i.inhparent) \
    where c.relname = 'pgbench_accounts' and o.n is not null group by 1, 2 order by 1 asc limit 1";

/// What was found of them.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// The scale factor.
    pub(super) scale: Option<i64>,
    /// How the accounts are partitioned, and into how many.
    pub(super) partitions: Option<(String, u64)>,
}

/// Looks at them.
pub(super) async fn look(admin: &Admin, database: &str) -> Result<Tables, String> {
    let hint = format!("\nhint: Perhaps you need to do initialization (\"pgbench -i\") in database \"{database}\".");
    let counted = admin.query_text(BRANCHES).await.map_err(|error| {
        let hint = if error.sqlstate() == Some(*b"42P01") { hint.as_str() } else { "" };
        format!("could not count number of branches: {}{hint}", wording::statement(&error, BRANCHES))
    })?;
    let first = |row: &Vec<Option<String>>| row.first().cloned().flatten();
    let scale = counted.first().and_then(first).and_then(|count| count.parse().ok());
    let partitions = match admin.query_text(PARTITIONS).await {
        Ok(rows) => {
            let row =
                rows.first().ok_or_else(|| format!("no pgbench_accounts table found in \"search_path\"{hint}"))?;
            match row.as_slice() {
                [_, Some(strategy), Some(number)] => {
                    let method = match strategy.as_str() {
                        "r" => "range",
                        "h" => "hash",
                        other => return Err(format!("unexpected partition method: \"{other}\"")),
                    };
                    Some((method.to_owned(), number.parse().unwrap_or(0)))
                }
                _ => None,
            }
        }
        // a server that is too old to have partitions
        Err(Error::Server(_)) => None,
        Err(error) => return Err(error.to_string()),
    };
    Ok(Tables { scale, partitions })
}

/// What a run is preceded by, whatever its scripts are; `all`: the accounts, too. Errors are shown and change nothing.
pub(super) async fn vacuum(program: &str, admin: &Admin, all: bool, err: &mut (dyn Write + Send)) {
    let _ = write!(err, "starting vacuum...");
    for sql in ["vacuum pgbench_branches", "vacuum pgbench_tellers", "truncate pgbench_history"] {
        try_to(program, admin, sql, err).await;
    }
    let _ = writeln!(err, "end.");
    if all {
        let _ = write!(err, "starting vacuum pgbench_accounts...");
        try_to(program, admin, "vacuum analyze pgbench_accounts", err).await;
        let _ = writeln!(err, "end.");
    }
}

async fn try_to(program: &str, admin: &Admin, sql: &str, err: &mut (dyn Write + Send)) {
    let done = admin.execute(sql).await;
    for notice in admin.take_notices() {
        let _ = err.write_all(wording::notice(&notice).as_bytes());
    }
    if let Err(error) = done {
        let text = wording::statement(&error, sql);
        let message = format!("{text}\ndetail: (ignoring this error and continuing anyway)");
        let _ = err.write_all(wording::tagged(program, &message).as_bytes());
    }
}

//! The statements of pgbench 18, to the letter: whoever reads a server's log finds what they know.

use crate::plan::InitPlan;
use crate::plan::initialization::{ACCOUNTS, BRANCHES, PartitionMethod, TABLES, TELLERS};
use crate::setup::column::identifier;

/// From this scale factor on, the numbers of accounts need a `bigint`.
const BIGINT_SCALE: u32 = 20_000;

/// The step `d`.
pub(super) fn drop_tables() -> String {
    format!("drop table if exists {}", TABLES.join(", "))
}

/// Empties the tables.
pub(super) fn truncate() -> String {
    format!("truncate table {}", TABLES.join(", "))
}

/// The step `t`, without the partitions.
pub(super) fn create_tables(plan: &InitPlan) -> Vec<String> {
    let is_big = plan.scale >= BIGINT_SCALE;
    let history_aid = if is_big { "bigint" } else { "   int" };
    let accounts_aid = if is_big { "bigint not null" } else { "   int not null" };
    let partitioned = plan.partitions > 0;
    // a partitioned table has no storage of its own, so only its partitions can be unlogged, and then the others are not
    let unlogged = if plan.unlogged_tables && !partitioned { " unlogged" } else { "" };
    let filled = format!(" with (fillfactor={})", plan.fillfactor);
    let accounts_with =
        if partitioned { format!(" partition by {} (aid)", plan.partition_method.name()) } else { filled.clone() };
    let tablespace =
        plan.tablespace.as_deref().map_or_else(String::new, |name| format!(" tablespace {}", identifier(name)));
    let table = |name: &str, columns: &str, with: &str| {
        format!("create{unlogged} table pgbench_{name}({columns}){with}{tablespace}")
    };
    vec![
        table("history", &format!("tid int,bid int,aid {history_aid},delta int,mtime timestamp,filler char(22)"), ""),
        table("tellers", "tid int not null,bid int,tbalance int,filler char(84)", &filled),
        table("accounts", &format!("aid {accounts_aid},bid int,abalance int,filler char(84)"), &accounts_with),
        table("branches", "bid int not null,bbalance int,filler char(88)", &filled),
    ]
}

/// The statement that makes a partition, numbered from 1.
pub(super) fn create_partition(plan: &InitPlan, number: u32) -> String {
    let unlogged = if plan.unlogged_tables { " unlogged" } else { "" };
    let count = u64::from(plan.partitions);
    let values = match plan.partition_method {
        PartitionMethod::Range => {
            let width = (u64::from(plan.scale) * ACCOUNTS).div_ceil(count);
            let bound = |partitions: u32| (u64::from(partitions) * width + 1).to_string();
            let from = if number == 1 { "minvalue".to_owned() } else { bound(number - 1) };
            let to = if number == plan.partitions { "maxvalue".to_owned() } else { bound(number) };
            format!("from ({from}) to ({to})")
        }
        PartitionMethod::Hash => format!("with (modulus {count}, remainder {})", number - 1),
    };
    format!(
        "create{unlogged} table pgbench_accounts_{number}\n  partition of pgbench_accounts\n  for values {values} with (fillfactor={})",
        plan.fillfactor
    )
}

/// What kind of relation a table is; its name is the parameter.
pub(super) const RELATION_KIND: &str = "SELECT relkind FROM pg_catalog.pg_class WHERE oid=$1::pg_catalog.regclass";

/// Takes a table's rows; with `freeze`, they need no later vacuum to be seen as old.
pub(super) fn copy(table: &str, freeze: bool) -> String {
    let with = if freeze { " with (freeze on)" } else { "" };
    format!("copy {table} from stdin{with}")
}

/// The rows of the step `G`.
pub(super) fn insert(scale: u32) -> [String; 3] {
    let rows = |unit: u64| u64::from(scale) * unit;
    [
        format!(
            "insert into pgbench_branches(bid,bbalance) select bid, 0 from generate_series(1, {}) as bid",
            rows(BRANCHES)
        ),
        format!(
            "insert into pgbench_tellers(tid,bid,tbalance) select tid, (tid - 1) / {TELLERS} + 1, 0 from generate_series(1, {}) as tid",
            rows(TELLERS)
        ),
        format!(
            "insert into pgbench_accounts(aid,bid,abalance,filler) select aid, (aid - 1) / {ACCOUNTS} + 1, 0, '' from generate_series(1, {}) as aid",
            rows(ACCOUNTS)
        ),
    ]
}

/// The step `v`; with `freeze`, it makes up for a COPY that could not.
pub(super) fn vacuum(freeze: bool) -> [String; 4] {
    let how = if freeze { "(freeze, analyze)" } else { "analyze" };
    ["branches", "tellers", "accounts", "history"].map(|table| format!("vacuum {how} pgbench_{table}"))
}

/// The step `p`.
pub(super) fn primary_keys(plan: &InitPlan) -> [String; 3] {
    let tablespace = plan.index_tablespace.as_deref();
    let tablespace =
        tablespace.map_or_else(String::new, |name| format!(" using index tablespace {}", identifier(name)));
    [("branches", "bid"), ("tellers", "tid"), ("accounts", "aid")]
        .map(|(table, column)| format!("alter table pgbench_{table} add primary key ({column}){tablespace}"))
}

/// The step `f`.
pub(super) fn foreign_keys() -> [String; 5] {
    [
        ("tellers", "bid", "branches"),
        ("accounts", "bid", "branches"),
        ("history", "bid", "branches"),
        ("history", "tid", "tellers"),
        ("history", "aid", "accounts"),
    ]
    .map(|(table, column, other)| {
        format!(
            "alter table pgbench_{table} add constraint pgbench_{table}_{column}_fkey foreign key ({column}) references pgbench_{other}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut InitPlan)) -> InitPlan {
        let mut plan = InitPlan::default();
        change(&mut plan);
        plan
    }

    #[test]
    fn numbers_of_accounts_grow_with_the_scale() {
        let aid = |scale| create_tables(&with(|plan| plan.scale = scale));
        assert!(aid(19_999)[2].starts_with("create table pgbench_accounts(aid    int not null,bid"));
        assert!(aid(20_000)[2].starts_with("create table pgbench_accounts(aid bigint not null,bid"));
        assert!(aid(20_000)[0].contains(",aid bigint,delta"));
    }

    #[test]
    fn ranges_are_open_at_both_ends_and_of_one_width() {
        let plan = with(|plan| (plan.scale, plan.partitions) = (1, 3));
        let all: Vec<String> = (1..=3).map(|number| create_partition(&plan, number)).collect();
        let bounds: Vec<&str> = all.iter().filter_map(|sql| sql.split("for values ").nth(1)).collect();
        assert_eq!(
            bounds,
            [
                "from (minvalue) to (33335) with (fillfactor=100)",
                "from (33335) to (66669) with (fillfactor=100)",
                "from (66669) to (maxvalue) with (fillfactor=100)"
            ]
        );
        let one = with(|plan| plan.partitions = 1);
        assert!(create_partition(&one, 1).contains("from (minvalue) to (maxvalue)"));
        let hash = with(|plan| {
            (plan.partitions, plan.partition_method, plan.unlogged_tables) = (2, PartitionMethod::Hash, true);
        });
        assert!(create_partition(&hash, 2).starts_with("create unlogged table pgbench_accounts_2\n"));
        assert!(create_partition(&hash, 2).contains("(modulus 2, remainder 1)"));
    }

    #[test]
    fn names_of_tablespaces_are_quoted() {
        let plan = with(|plan| {
            plan.tablespace = Some("no\"pe".to_owned());
            plan.index_tablespace = Some("fast".to_owned());
        });
        assert!(create_tables(&plan).iter().all(|sql| sql.ends_with(" tablespace \"no\"\"pe\"")));
        assert!(primary_keys(&plan).iter().all(|sql| sql.ends_with(" using index tablespace \"fast\"")));
    }
}

//! What the server's catalog says.

use std::collections::BTreeSet;

use super::Error;
use super::column::{TableColumn, literal};
use super::step::Run;

/// Something that a set-up can make: its kind and its name, such as `table public.orders`.
pub(super) type Object = String;

/// A table's columns, in their order; none where it doesn't exist.
pub(super) async fn columns(run: &Run<'_>, table: &str) -> Result<Vec<TableColumn>, Error> {
    let sql = format!(
        "select attname, format_type(atttypid, -1), format_type(atttypid, atttypmod), attidentity = 'a' from pg_attribute \
         where attrelid = to_regclass({}) and attnum > 0 and not attisdropped order by attnum",
        literal(table)
    );
    let rows = run.query("could not look up a table's columns", &sql).await?;
    let column = |row: Vec<Option<String>>| {
        let mut values = row.into_iter().map(Option::unwrap_or_default);
        let (name, type_name, declared_type) = (values.next()?, values.next()?, values.next()?);
        Some(TableColumn { name, type_name, declared_type, identity_always: values.next()? == "t" })
    };
    Ok(rows.into_iter().filter_map(column).collect())
}

/// Everything of users' that a set-up may make, except what belongs to an extension.
pub(super) async fn objects(run: &Run<'_>) -> Result<BTreeSet<Object>, Error> {
    // `prokind` is new in PostgreSQL 11.
    let aggregate = if run.version() >= 110_000 { "p.prokind = 'a'" } else { "p.proisagg" };
    let procedure = if run.version() >= 110_000 { "p.prokind = 'p'" } else { "false" };
    let sql = format!(
        "with own as (
           select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
         ), member as (
           select classid, objid from pg_depend where deptype = 'e'
         )
         select format('%s %I.%I', case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
                  when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end, n.nspname, c.relname)
           from pg_class c join own n on n.oid = c.relnamespace
          where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and ('pg_class'::regclass, c.oid) not in (table member)
         union all
         select format('%s %I.%I', case t.typtype when 'd' then 'domain' else 'type' end, n.nspname, t.typname)
           from pg_type t join own n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
          where (t.typtype in ('e', 'd', 'r') or c.relkind = 'c') and ('pg_type'::regclass, t.oid) not in (table member)
         union all
         select format('%s %I.%I(%s)', case when {aggregate} then 'aggregate' when {procedure} then 'procedure'
                  else 'function' end, n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))
           from pg_proc p join own n on n.oid = p.pronamespace
          where ('pg_proc'::regclass, p.oid) not in (table member)
            and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'i')
         union all
         select format('schema %I', nspname) from own
          where ('pg_namespace'::regclass, oid) not in (table member)
         union all
         select format('extension %I', extname) from pg_extension"
    );
    let rows = run.query("could not look up what is there", &sql).await?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// The full names of those of these tables that exist, as in [`objects`].
pub(super) async fn existing(run: &Run<'_>, tables: &BTreeSet<String>) -> Result<BTreeSet<Object>, Error> {
    let mut found = BTreeSet::new();
    for table in tables {
        let sql = format!(
            "select format('%s %I.%I', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' \
             when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end, n.nspname, c.relname) \
             from pg_class c join pg_namespace n on n.oid = c.relnamespace \
             where c.oid = to_regclass({}) and n.nspname !~ '^pg_'",
            literal(table)
        );
        let rows = run.query("could not look up a table", &sql).await?;
        found.extend(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()));
    }
    Ok(found)
}

/// `table public.orders` is a table of the name `public.orders`.
pub(super) fn kind_and_name(object: &str) -> (&str, &str) {
    let two_words = ["materialized view ", "foreign table "].iter().find(|kind| object.starts_with(*kind));
    match two_words {
        Some(kind) => (kind.trim_end(), &object[kind.len()..]),
        None => object.split_once(' ').unwrap_or((object, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::kind_and_name;

    #[test]
    fn every_kind_of_object_is_told_from_its_name() {
        for (object, kind, name) in [
            ("table public.\"a b\"", "table", "public.\"a b\""),
            ("materialized view a.b", "materialized view", "a.b"),
            ("function a.f(integer, text)", "function", "a.f(integer, text)"),
            ("schema s", "schema", "s"),
        ] {
            assert_eq!(kind_and_name(object), (kind, name));
        }
    }
}

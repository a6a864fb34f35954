//! The note of what was made: the table `reprise_setup`.

use std::collections::BTreeSet;

use super::Error;
use super::catalog::Object;
use super::column::{identifier, literal};
use super::step::Run;

/// Where the note is kept: in the schema that new tables go to.
#[derive(Debug)]
pub(super) struct Notes {
    table: String,
}

/// One scenario's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) fingerprint: String,
    pub(super) objects: BTreeSet<Object>,
    pub(super) made_at: String,
    pub(super) version: String,
    /// The parts of the fingerprint; empty where an older version made the note.
    pub(super) parts: Vec<String>,
}

const WHAT: &str = "could not use the table `reprise_setup`";

impl Notes {
    /// The notes of this database; there may be none yet.
    pub(super) async fn find(run: &Run<'_>) -> Result<Self, Error> {
        let rows = run.query(WHAT, "select coalesce(current_schema(), 'public')").await?;
        let schema = rows.into_iter().flatten().next().flatten().unwrap_or_else(|| "public".to_owned());
        Ok(Self { table: format!("{}.reprise_setup", identifier(&schema)) })
    }

    /// What is noted under a scenario's name.
    pub(super) async fn read(&self, run: &Run<'_>, scenario: &str) -> Result<Option<Note>, Error> {
        if !self.exists(run).await? {
            return Ok(None);
        }
        let sql = format!(
            "select fingerprint, array_to_string(objects, E'\\n'), to_char(made_at at time zone 'UTC', \
             'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), version, \
             array_to_string(array(select jsonb_array_elements_text(to_jsonb(note) -> 'parts')), E'\\n') \
             from {} note where scenario = {}",
            self.table,
            literal(scenario)
        );
        let rows = run.query(WHAT, &sql).await?;
        Ok(rows.into_iter().next().and_then(|row| {
            let mut values = row.into_iter().map(Option::unwrap_or_default);
            Some(Note {
                fingerprint: values.next()?,
                objects: values.next()?.lines().map(str::to_owned).collect(),
                made_at: values.next()?,
                version: values.next()?,
                parts: values.next()?.lines().map(str::to_owned).collect(),
            })
        }))
    }

    /// Notes what a scenario's set-up made.
    pub(super) async fn write(
        &self,
        run: &Run<'_>,
        scenario: &str,
        (fingerprint, parts): (&str, &[String]),
        objects: &BTreeSet<Object>,
    ) -> Result<(), Error> {
        let objects: Vec<String> = objects.iter().map(|object| literal(object)).collect();
        let parts: Vec<String> = parts.iter().map(|part| literal(part)).collect();
        let sql = format!(
            "create table if not exists {table} (scenario text primary key, fingerprint text not null, \
               objects text[] not null, made_at timestamptz not null default now(), version text not null); \
             alter table {table} add column if not exists parts text[] not null default '{{}}'; \
             delete from {table} where scenario = {scenario}; \
             insert into {table} (scenario, fingerprint, objects, version, parts) \
               values ({scenario}, {fingerprint}, array[{objects}]::text[], {version}, array[{parts}]::text[])",
            table = self.table,
            scenario = literal(scenario),
            fingerprint = literal(fingerprint),
            objects = objects.join(", "),
            parts = parts.join(", "),
            version = literal(env!("CARGO_PKG_VERSION")),
        );
        run.execute(WHAT, &sql).await.map(drop)
    }

    /// Forgets the notes of all scenarios that had made one of these objects, since they are gone.
    pub(super) async fn forget(&self, run: &Run<'_>, objects: &BTreeSet<Object>) -> Result<(), Error> {
        if objects.is_empty() || !self.exists(run).await? {
            return Ok(());
        }
        let objects: Vec<String> = objects.iter().map(|object| literal(object)).collect();
        let sql = format!("delete from {} where objects && array[{}]::text[]", self.table, objects.join(", "));
        run.execute(WHAT, &sql).await.map(drop)
    }

    async fn exists(&self, run: &Run<'_>) -> Result<bool, Error> {
        let sql = format!("select to_regclass({}) is not null", literal(&self.table));
        Ok(run.query(WHAT, &sql).await?.into_iter().flatten().next().flatten().as_deref() == Some("t"))
    }
}

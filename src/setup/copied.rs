//! A copy of the database for one round.

use super::column::{identifier, literal};
use super::step::Run;
use super::{Error, StepResult};
use crate::pg::{Admin, Target};

/// Such a copy.
#[derive(Debug)]
pub(super) struct Database {
    name: String,
    /// The database that it was made from.
    home: Target,
}

/// What is put behind the name of the database.
const SUFFIX: &str = "_reprise_copy";

/// The longest name, in bytes.
const LONGEST: usize = 63;

const WHAT: &str = "could not copy the database for `reset: template`";

/// Makes a copy of the session's database, as files where the server lets one choose, and moves the session there.
///
/// Copied through the log, its pages would lie in memory and their write-out ahead, which no first round has.
pub(super) async fn make(run: &Run<'_>) -> Result<(Database, StepResult), Error> {
    let begin = run.now();
    let home = run.admin.origin().0.clone();
    let database = run.query(WHAT, "select current_database()").await?;
    let database = database.into_iter().flatten().flatten().next().unwrap_or_else(|| home.database().to_owned());
    let name = name_of_copy(&database);
    let made_from = format!("made by reprise from {database} for one round of a run, and removed after it");
    remove_left_over(run, &name, &made_from).await?;
    let settings = settings(run).await?;
    let strategy = if run.version() >= 150_000 { " strategy file_copy" } else { "" };
    let (quoted, from) = (identifier(&name), identifier(&database));
    run.unattended(WHAT, &format!("create database {quoted} template {from}{strategy}")).await?;
    let copy = Database { name: name.clone(), home };
    let moved = async {
        run.execute(WHAT, &format!("comment on database {quoted} is {}", literal(&made_from))).await?;
        for setting in &settings {
            run.execute(WHAT, &format!("alter database {quoted} set {setting}")).await?;
        }
        let target = copy.home.clone().with_database(&name);
        run.admin.move_to(&target).await.map_err(|error| Error::Server { what: WHAT.to_owned(), error })
    };
    if let Err(error) = moved.await {
        // what stopped it is the news, not what it leaves
        let _ = remove(&copy, run.admin).await;
        return Err(error);
    }
    let elapsed = run.now() - begin;
    Ok((copy, StepResult { name: "copy of the database".to_owned(), elapsed, rows: 0, statements: Vec::new() }))
}

/// Moves the session back and removes the copy.
pub(super) async fn remove(copy: &Database, admin: &Admin) -> Result<(), Error> {
    let failed = |error| Error::Server { what: format!("could not remove the database `{}`", copy.name), error };
    if admin.origin().0.database() == copy.name {
        admin.move_to(&copy.home).await.map_err(failed)?;
    }
    admin.execute(&drop_sql(&copy.name, admin.server_version_num())).await.map(drop).map_err(failed)
}

fn drop_sql(name: &str, version: u32) -> String {
    // the sessions of the round may still be on their way out
    let force = if version >= 130_000 { " with (force)" } else { "" };
    format!("drop database if exists {}{force}", identifier(name))
}

fn name_of_copy(database: &str) -> String {
    let mut end = database.len().min(LONGEST - SUFFIX.len());
    while !database.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{SUFFIX}", &database[..end])
}

/// Removes a copy that a run which was killed has left; a database of that name that is none is in the way.
async fn remove_left_over(run: &Run<'_>, name: &str, made_from: &str) -> Result<(), Error> {
    let sql = format!(
        "select coalesce(shobj_description(oid, 'pg_database') = {}, false) from pg_database where datname = {}",
        literal(made_from),
        literal(name)
    );
    match run.query(WHAT, &sql).await?.into_iter().flatten().flatten().next().as_deref() {
        None => Ok(()),
        Some("t") => run.unattended(WHAT, &drop_sql(name, run.version())).await,
        Some(_) => Err(Error::DatabaseInTheWay { name: name.to_owned() }),
    }
}

/// What `ALTER DATABASE … SET` says of the session's database: a copy does not take it along.
async fn settings(run: &Run<'_>) -> Result<Vec<String>, Error> {
    let sql = "select unnest(setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase \
               where d.datname = current_database() and s.setrole = 0";
    let rows = run.query(WHAT, sql).await?;
    Ok(rows.into_iter().flatten().flatten().filter_map(|setting| assignment(&setting)).collect())
}

/// `name=value` as an assignment. A list of names has its quotes already, as in `pg_dump`'s own rule.
fn assignment(setting: &str) -> Option<String> {
    const LISTS: [&str; 6] = [
        "local_preload_libraries",
        "search_path",
        "session_preload_libraries",
        "shared_preload_libraries",
        "temp_tablespaces",
        "unix_socket_directories",
    ];
    let (name, value) = setting.split_once('=')?;
    let value = if LISTS.contains(&name) && !value.is_empty() { value.to_owned() } else { literal(value) };
    // a name of an extension's setting has a point in it
    Some(format!("{} = {value}", name.split('.').map(identifier).collect::<Vec<_>>().join(".")))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, assignment, name_of_copy};

    #[test]
    fn a_copy_has_a_name_that_fits() {
        assert_eq!(name_of_copy("shop"), "shop_reprise_copy");
        let long = name_of_copy(&"ü".repeat(31));
        assert!(long.len() <= LONGEST && long.starts_with("üü") && long.ends_with("_reprise_copy"), "{long}");
    }

    #[test]
    fn settings_are_written_as_the_server_reads_them() {
        assert_eq!(assignment("work_mem=8MB").unwrap(), "\"work_mem\" = '8MB'");
        assert_eq!(assignment("search_path=\"a b\", public").unwrap(), "\"search_path\" = \"a b\", public");
        assert_eq!(assignment("app.tenant=it's").unwrap(), "\"app\".\"tenant\" = 'it''s'");
    }
}

//! Facts about the server and about the machine that the clients run on.

use std::collections::BTreeSet;
use std::fs;

use crate::pg::{self, Admin};

/// What a run was measured in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// The server.
    pub server: ServerFacts,
    /// The clients' machine.
    pub client: HostFacts,
    /// Whether the server runs on the clients' machine.
    pub same_machine: bool,
}

/// What the server says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// `version()` in full.
    pub version: String,
    /// Its version as a number, such as 160004.
    pub version_num: u32,
    /// Settings that are not the server's defaults: name and value as `SHOW` gives it.
    pub settings: Vec<(String, String)>,
    /// Installed extensions with their versions.
    pub extensions: Vec<(String, String)>,
    /// The size of each relation that was asked for, with its indexes.
    pub relations: Vec<RelationSize>,
}

/// How large a table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationSize {
    /// Its name.
    pub name: String,
    /// Bytes of the table itself, with what is stored out of line.
    pub table_bytes: u64,
    /// Bytes of its indexes.
    pub index_bytes: u64,
    /// Rows, as the planner estimates them; none before the first VACUUM or ANALYZE.
    pub estimated_rows: Option<u64>,
}

/// The machine that reprise runs on. What it doesn't say is empty or zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Its name.
    pub hostname: String,
    /// The operating system, such as `Debian GNU/Linux 12 (bookworm)`.
    pub os: String,
    /// The kernel, such as `Linux 6.1.0`.
    pub kernel: String,
    /// The processor.
    pub cpu: String,
    /// Logical processors that this process may use.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

/// Settings that the session or the machine decides, not whoever set the server up; they would be in every list.
const NOT_TOLD: &str = "'application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'log_timezone', \
    'default_text_search_config', 'lc_messages', 'lc_monetary', 'lc_numeric', 'lc_time', 'config_file', \
    'data_directory', 'hba_file', 'ident_file', 'transaction_deferrable', 'transaction_isolation', \
    'transaction_read_only', 'server_encoding', 'lc_collate', 'lc_ctype', 'in_hot_standby'";

impl Environment {
    /// Looks around. `relations` are names of tables as in SQL; those that don't exist are passed over.
    pub async fn gather(admin: &Admin, relations: &BTreeSet<String>) -> Result<Self, pg::Error> {
        let server = ServerFacts::gather(admin, relations).await?;
        // No address at all means a Unix socket.
        let same = "select inet_server_addr() is null or inet_server_addr() = inet_client_addr() \
                    or inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1'";
        let same_machine = texts(admin, same).await?.first().is_some_and(|row| row[0] == "t");
        Ok(Self { server, client: HostFacts::gather(), same_machine })
    }
}

impl ServerFacts {
    async fn gather(admin: &Admin, relations: &BTreeSet<String>) -> Result<Self, pg::Error> {
        let settings = format!(
            "select name, current_setting(name) from pg_settings where source not in ('default', 'override', 'client') \
             and name not in ({NOT_TOLD}) order by name"
        );
        let extensions = "select extname, extversion from pg_extension order by extname";
        let mut facts = Self {
            version: texts(admin, "select version()").await?.concat().concat(),
            version_num: admin.server_version_num(),
            settings: texts(admin, &settings).await?.into_iter().filter_map(pair).collect(),
            extensions: texts(admin, extensions).await?.into_iter().filter_map(pair).collect(),
            relations: Vec::new(),
        };
        for name in relations {
            let literal = name.replace('\'', "''");
            // -1, and 0 before PostgreSQL 14: nobody has counted yet.
            let sql = format!(
                "select pg_table_size(oid), pg_indexes_size(oid), reltuples::bigint \
                 from pg_class where oid = to_regclass('{literal}')"
            );
            facts.relations.extend(texts(admin, &sql).await?.iter().filter_map(|row| {
                Some(RelationSize {
                    name: name.clone(),
                    table_bytes: row.first()?.parse().ok()?,
                    index_bytes: row.get(1)?.parse().ok()?,
                    estimated_rows: row.get(2)?.parse().ok().filter(|&rows| rows > 0),
                })
            }));
        }
        Ok(facts)
    }
}

/// The rows of a query; null is the empty text.
async fn texts(admin: &Admin, sql: &str) -> Result<Vec<Vec<String>>, pg::Error> {
    let rows = admin.query_text(sql).await?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect())
}

fn pair(row: Vec<String>) -> Option<(String, String)> {
    let mut values = row.into_iter();
    Some((values.next()?, values.next()?))
}

impl HostFacts {
    /// Looks at this machine.
    pub fn gather() -> Self {
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let name = nix::sys::utsname::uname().ok();
        let name = name.as_ref();
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let system = part(name.map(nix::sys::utsname::UtsName::sysname));
        Self {
            hostname: part(name.map(nix::sys::utsname::UtsName::nodename)),
            os: os_name(&read("/etc/os-release")).unwrap_or_else(|| system.clone()),
            kernel: format!("{system} {}", part(name.map(nix::sys::utsname::UtsName::release))),
            cpu: cpu_model(&read("/proc/cpuinfo")).unwrap_or_default(),
            cores: std::thread::available_parallelism()
                .map_or(0, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX)),
            memory_bytes: memory(&read("/proc/meminfo")).unwrap_or_default(),
        }
    }
}

/// The value of `PRETTY_NAME`.
fn os_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

/// The first processor's model; on ARM the kernel may give none.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let keys = ["model name", "Model", "cpu model"];
    let value = |key: &&str| {
        let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(name, _)| name.trim() == *key).map(|(_, value)| value.trim().to_owned()).next()
    };
    keys.iter().find_map(value)
}

fn memory(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(value.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_read_from_the_kernels_files() {
        assert_eq!(memory("MemFree: 1 kB\nMemTotal:       16384 kB\n"), Some(16_777_216));
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: Fast CPU @ 3:4\n").as_deref(), Some("Fast CPU @ 3:4"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
        assert_eq!(os_name("ID=x\nPRETTY_NAME=\"Some Linux 1\"\n").as_deref(), Some("Some Linux 1"));
        assert!(HostFacts::gather().cores > 0);
    }
}

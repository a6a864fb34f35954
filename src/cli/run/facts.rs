//! Where a run took place, as the report has it.

use std::collections::{BTreeMap, BTreeSet};

use crate::pg::{self, Admin};
use crate::plan::Plan;
use crate::report::{Environment, HostFacts, ServerFacts};
use crate::server;

use super::place::Place;

/// Asks the server and the machine.
pub(super) async fn gather(plan: &Plan, place: &Place, admin: &Admin) -> Result<Environment, pg::Error> {
    let mut environment = of_server(admin, place.describe()).await?;
    environment.server.settings.extend(named_settings(plan, admin).await?);
    environment.server.reason = place.reason.clone();
    environment.server.embedded = place.embedded.is_some();
    Ok(environment)
}

/// The same of a server that nothing else is known of; `target` says where it is.
pub(crate) async fn of_server(admin: &Admin, target: String) -> Result<Environment, pg::Error> {
    let server::Environment { server, client, same_machine: _ } =
        server::Environment::gather(admin, &BTreeSet::new()).await?;
    let settings: BTreeMap<String, String> = server.settings.into_iter().collect();
    let known = |text: String| (!text.is_empty()).then_some(text);
    Ok(Environment {
        server: ServerFacts {
            version: admin.server_version().to_owned(),
            version_num: server.version_num,
            target,
            settings,
            extensions: server.extensions.into_iter().collect(),
            ..ServerFacts::default()
        },
        client: HostFacts {
            name: client.hostname,
            os: client.os,
            cpu_model: known(client.cpu),
            cpus: Some(client.cores).filter(|cores| *cores > 0),
            memory_bytes: Some(client.memory_bytes).filter(|bytes| *bytes > 0),
        },
    })
}

/// The settings that the scenario or what was published names, whatever made their values.
async fn named_settings(plan: &Plan, admin: &Admin) -> Result<Vec<(String, String)>, pg::Error> {
    let systems = plan.published.iter().flat_map(|published| &published.systems);
    let asked = plan.server.settings.iter().chain(systems.flat_map(|system| &system.settings));
    let names: BTreeSet<String> = asked.map(|(name, _)| format!("'{}'", name.replace('\'', "''"))).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let sql = format!("select name, current_setting(name) from pg_settings where name in ({names})");
    let rows = admin.query_text(&sql).await?;
    let pair = |row: Vec<Option<String>>| {
        let mut values = row.into_iter().flatten();
        Some((values.next()?, values.next()?))
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

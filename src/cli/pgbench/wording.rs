//! Errors in pgbench's words.

use std::fmt::Write as _;

use crate::exec::{ClientEnd, Fault};
use crate::pg;
use crate::plan::Plan;

/// Lines for standard error: each first line of an error, and those of its details and hints, have the program's name.
pub(super) fn tagged(program: &str, message: &str) -> String {
    let mut text = String::new();
    for (number, line) in message.lines().enumerate() {
        let has_tag = ["detail: ", "hint: ", "error: "].iter().any(|tag| line.starts_with(tag));
        // writing to a string does not fail
        let _ = match (number, has_tag) {
            (0, _) => writeln!(text, "{program}: error: {line}"),
            (_, true) => writeln!(text, "{program}: {line}"),
            (_, false) => writeln!(text, "{line}"),
        };
    }
    text
}

/// Why a client ended early.
pub(super) fn client_end(plan: &Plan, end: &ClientEnd) -> String {
    let ClientEnd { client, thread: _, script, command, result, fault, message, refused, advice: _ } = end;
    let (client, script) = (client.0, script.0);
    let command = command.map(|command| &plan.commands[command.index()]);
    let number = command.map_or(0, |command| command.number);
    let store = command
        .and_then(|command| plan.statements[command.statement?.index()].store.as_ref())
        .map(|store| if store.all { "aset" } else { "gset" });
    let word = match (fault, store) {
        (Fault::Pipeline, Some(store)) => store,
        _ => command.map_or("SQL", |command| command.word),
    };
    let aborted = format!("client {client} aborted in command {number} ({word}) of script {script}; ");
    let result = format!("command {number} query {result}: ");
    let text = match fault {
        Fault::Server => format!("client {client} script {script} aborted in {result}{message}"),
        Fault::Session => format!("{message}\nerror: {aborted}perhaps the backend died while processing"),
        Fault::Opening => format!("{message}\nerror: client {client} aborted while establishing connection"),
        Fault::Expression if message.is_empty() => format!("{aborted}evaluation of meta-command failed"),
        Fault::Expression => format!("{message}\nerror: {aborted}evaluation of meta-command failed"),
        Fault::Assignment if word != "setshell" => {
            format!("{message}\nerror: {aborted}assignment of meta-command failed")
        }
        Fault::Execution | Fault::Assignment => format!("{message}\nerror: {aborted}execution of meta-command failed"),
        Fault::RowCount => format!("client {client} script {script} {result}{message}"),
        Fault::Column(column) => {
            let where_to = format!("client {client} script {script} {result}");
            format!("{message}\nerror: {where_to}error storing into variable {column}")
        }
        Fault::Copy => "COPY is not supported in pgbench, aborting".to_owned(),
        Fault::ScriptEnd => format!("client {client} aborted: {message}"),
        Fault::Timeout | Fault::Pool | Fault::RanDry | Fault::Pipeline | Fault::Assertion | Fault::Plan => {
            format!("{aborted}{message}")
        }
    };
    match refused {
        Some(refused) => format!("{refused}\nerror: {text}"),
        None => text,
    }
}

/// Why no session could be opened.
pub(super) fn connection(error: &pg::Error) -> String {
    match error {
        pg::Error::Connect { at, source } => {
            let reason = source.to_string();
            let reason = reason.split(" (os error").next().unwrap_or_default();
            let question = if at.starts_with('/') {
                "Is the server running locally and accepting connections on that socket?"
            } else {
                "Is the server running on that host and accepting TCP/IP connections?"
            };
            format!("connection to {} failed: {reason}\n\t{question}", server(at))
        }
        pg::Error::Refused { at, error, .. } => {
            format!("connection to {} failed: {}", server(at), error.libpq_text(None))
        }
        pg::Error::NoPassword { at, .. } => {
            format!("connection to {} failed: fe_sendauth: no password supplied", server(at))
        }
        pg::Error::Resolve { host, source } => {
            let reason = source.to_string();
            let reason = reason.strip_prefix("failed to lookup address information: ").unwrap_or(&reason);
            format!("could not translate host name \"{host}\" to address: {reason}")
        }
        pg::Error::Config(invalid) => self::invalid(invalid),
        pg::Error::All(errors) => errors.iter().map(connection).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

/// What is wrong with where the server is said to be.
fn invalid(invalid: &pg::Invalid) -> String {
    match invalid {
        pg::Invalid::Unknown { name, .. } => format!("invalid connection option \"{name}\""),
        pg::Invalid::Value { name: "port", value, .. } if value.trim().parse::<i32>().is_ok() => {
            format!("invalid port number: \"{value}\"")
        }
        pg::Invalid::Value { name, value, expected } if expected.contains("integer") || *name == "port" => {
            format!("invalid integer value \"{value}\" for connection option \"{name}\"")
        }
        pg::Invalid::Value { name, value, .. } => format!("invalid {name} value: \"{value}\""),
        pg::Invalid::Service(name) => format!("definition of service \"{name}\" not found"),
        other => other.to_string(),
    }
}

/// `at` is a socket's path, or `host:port`, with the address behind where the host is a name.
fn server(at: &str) -> String {
    if at.starts_with('/') {
        return format!("server on socket \"{at}\"");
    }
    let (place, address) = at.split_once(' ').map_or((at, String::new()), |(place, ip)| (place, format!(" {ip}")));
    let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
    let host = host.trim_start_matches('[').trim_end_matches(']');
    format!("server at \"{host}\"{address}, port {port}")
}

/// What the server says that is no error: as libpq words it, without its context.
pub(super) fn notice(notice: &pg::ServerError) -> String {
    let plain = pg::ServerError { context: None, ..notice.clone() };
    format!("{}\n", plain.libpq_text(None))
}

/// An error of a statement, or of the session that it was sent on.
pub(super) fn statement(error: &pg::Error, sql: &str) -> String {
    match error {
        pg::Error::Server(error) => error.libpq_text(Some(sql)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{server, tagged};

    #[test]
    fn a_server_is_named_as_libpq_names_it() {
        assert_eq!(server("/run/.s.PGSQL.5432"), "server on socket \"/run/.s.PGSQL.5432\"");
        assert_eq!(server("127.0.0.1:1"), "server at \"127.0.0.1\", port 1");
        assert_eq!(server("localhost:5432 (::1)"), "server at \"localhost\" (::1), port 5432");
        assert_eq!(server("[::1]:5432"), "server at \"::1\", port 5432");
    }

    #[test]
    fn lines_have_tags_where_pgbench_gives_them() {
        assert_eq!(
            tagged("pgbench", "ERROR:  x\nLINE 1: y\nhint: z"),
            "pgbench: error: ERROR:  x\nLINE 1: y\npgbench: hint: z\n"
        );
    }
}

//! What a connection description resolves to, from text and environment alone.

use reprise::pg::{Environment, Target};

fn environment() -> Environment {
    Environment::empty().user("me").socket_folder("/tmp")
}

fn described(text: &str, environment: &Environment) -> String {
    match Target::parse(text, environment) {
        Ok(target) => target.describe(),
        Err(error) => {
            let diagnostic = reprise::pg::Error::from(error).diagnostic();
            format!("{}: {} [{}]", diagnostic.code, diagnostic.message, diagnostic.help.unwrap_or_default())
        }
    }
}

#[test]
fn a_name_a_conninfo_and_a_url_say_the_same() {
    let expected = "database `shop` at db.example:6432 as `app`";
    assert_eq!(described("host=db.example port=6432 dbname=shop user=app", &environment()), expected);
    assert_eq!(described("postgresql://app@db.example:6432/shop", &environment()), expected);
    let set = environment().variable("PGHOST", "db.example").variable("PGPORT", "6432").variable("PGUSER", "app");
    assert_eq!(described("shop", &set), expected);
    assert_eq!(described("", &environment()), "database `me` at /tmp/.s.PGSQL.5432 as `me`");
}

#[test]
fn what_is_written_stands_above_the_service_and_that_above_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("services");
    std::fs::write(&file, "[s]\nhost=service\nport=2\ndbname=service\n").unwrap();
    let set = environment()
        .variable("PGSERVICEFILE", file.display().to_string())
        .variable("PGHOST", "environment")
        .variable("PGPORT", "3")
        .variable("PGUSER", "environment");
    assert_eq!(described("service=s dbname=written", &set), "database `written` at service:2 as `environment`");
    assert_eq!(described("dbname=written", &set), "database `written` at environment:3 as `environment`");
    let error = described("service=t", &set);
    assert!(error.starts_with("pg::service: definition of service `t` not found"), "{error}");
}

#[test]
fn lists_of_hosts_are_matched_up() {
    let parse = |text| described(text, &environment());
    assert_eq!(parse("host=a,b port=1,2"), "database `me` at a:1, b:2 as `me`");
    assert_eq!(parse("host=a,b port=7"), "database `me` at a:7, b:7 as `me`");
    assert_eq!(parse("postgresql://a,b:2,[::1]:3/x"), "database `x` at a:5432, b:2, [::1]:3 as `me`");
    assert_eq!(parse("host=a hostaddr=10.0.0.1"), "database `me` at 10.0.0.1:5432 as `me`");
    assert_eq!(parse("host=a,b port=1,2,3"), "pg::option_value: could not match 3 port numbers to 2 hosts []");
    assert_eq!(parse("host=@abstract"), "database `me` at @abstract/.s.PGSQL.5432 as `me`");
}

#[test]
fn every_mistake_has_its_sentence() {
    let cases = [
        "hots=a",
        "frobnicate=1",
        "port=70000",
        "sslmode=sometimes",
        "connect_timeout=soon",
        "target_session_attrs=master",
        "hostaddr=localhost",
        "require_auth=md5,!scram-sha-256",
        "sslnegotiation=direct",
        "sslrootcert=system sslmode=require",
        "gssencmode=require",
        "replication=database",
        "oauth_issuer=x",
        "user='x",
        "a b c=",
        "postgresql://[::1",
        "service=none",
        "gssencmode=prefer krbsrvname=x sslcompression=1 replication=off client_encoding=latin1",
    ];
    let text: Vec<_> = cases.iter().map(|case| format!("{case}\n  {}", described(case, &environment()))).collect();
    insta::assert_snapshot!(text.join("\n"));
    let error = described("", &Environment::empty());
    assert_eq!(error, "pg::option_value: no user to connect as [name one by `user` or `PGUSER`]");
}

#[test]
fn the_environment_names_a_server_by_these_variables() {
    assert_eq!(environment().variable("PGUSER", "x").names_server(), None);
    assert_eq!(environment().variable("PGDATABASE", "x").variable("PGHOST", "y").names_server(), Some("PGHOST"));
    assert_eq!(environment().variable("PGHOST", "").names_server(), None);
}

#[test]
fn other_programs_are_led_to_the_same_place() {
    let set = environment().variable("PGSSLMODE", "require").variable("PGPASSWORD", "hidden");
    let target = Target::parse("port=6432 user=app", &set).unwrap();
    let mut variables = target.variables().to_vec();
    variables.sort();
    let expected = [
        ("PGDATABASE", "app"),
        ("PGHOST", "/tmp"),
        ("PGPASSWORD", "hidden"),
        ("PGPORT", "6432"),
        ("PGSSLMODE", "require"),
        ("PGUSER", "app"),
    ];
    assert_eq!(variables, expected.map(|(name, value)| (name, value.to_owned())));
    assert!(!format!("{target:?}").contains("hidden"));
    let odd = Target::in_folder(std::path::Path::new("/tmp/it's \\ here"), 7, "o'k", "d b").unwrap();
    assert_eq!(odd.describe(), r"database `d b` at /tmp/it's \ here/.s.PGSQL.7 as `o'k`");
}

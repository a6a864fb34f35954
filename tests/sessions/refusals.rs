//! What a user reads where there is no way in.

use std::fmt::Write;
use std::time::Duration;

use reprise::pg::{Environment, Error, OpenOptions, Target, open};

use crate::server::{PASSWORD, Server};

fn shown(error: &Error, server: &Server) -> String {
    let diagnostic = error.diagnostic();
    let mut text = format!("{}\n{}", diagnostic.code, diagnostic.message);
    if let Some(help) = diagnostic.help {
        write!(text, "\nhelp: {help}").unwrap();
    }
    text.replace(&server.port.to_string(), "PORT").replace(&server.socket_folder().display().to_string(), "FOLDER")
}

#[tokio::test]
async fn each_refusal_is_a_sentence_with_what_to_do() {
    let server = Server::shared();
    let folder = server.socket_folder();
    let mut text = String::new();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let local = format!("host={} port={}", folder.display(), server.port);
    let cases = [
        format!("{local} user=nobody"),
        format!("{local} user=app dbname=nowhere"),
        format!("{local} user=limited dbname=shop"),
        format!("host={} port=1 user=app", folder.display()),
        format!("host=127.0.0.1 port={closed} user=app"),
        format!("host=127.0.0.1 port={} user=app dbname=shop sslmode=disable password=wrong", server.port),
        format!("host=127.0.0.1 port={} user=app dbname=shop sslmode=disable", server.port),
        format!("host=127.0.0.1 port={} user=stranger dbname=shop sslmode=disable", server.port),
        format!("host=/nowhere,127.0.0.1 port=1,{closed} user=app"),
    ];
    for case in cases {
        let target = Target::parse(&case, &Environment::empty()).unwrap();
        let error = open(&target, &OpenOptions::default()).await.unwrap_err();
        writeln!(text, "{}\n", shown(&error, &server).replace(&closed.to_string(), "CLOSED")).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn a_wrong_password_is_in_no_text() {
    let server = Server::shared();
    let target = server.target("user=app password=hunter2hunter2");
    let error = open(&target, &OpenOptions::default()).await.unwrap_err();
    assert_eq!(error.sqlstate().as_ref(), Some(b"28P01"));
    let url = format!("postgresql://app:hunter2hunter2@localhost:{}/shop?passwort=hunter2hunter2", server.port);
    let invalid = Target::parse(&url, &Environment::empty().variable("PGPASSWORD", "hunter2hunter2")).unwrap_err();
    let environment = Environment::empty().variable("PGPASSWORD", "hunter2hunter2");
    for text in [
        format!("{error} {error:?} {:?}", error.diagnostic()),
        format!("{target:?} {}", target.describe()),
        format!("{invalid} {invalid:?} {environment:?}"),
    ] {
        assert!(!text.contains("hunter2"), "{text}");
        assert!(!text.contains(PASSWORD), "{text}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_waited_for_until_the_limit() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = crate::fake::target(listener.local_addr().unwrap(), "");
    let options = OpenOptions { connect_timeout: Duration::from_millis(50), ..OpenOptions::default() };
    let error = open(&target, &options).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    assert!(error.to_string().ends_with("took longer than 50 ms"), "{error}");
}

//! The session for set-up, feeds and counters.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use reprise::pg::{Admin, Connection, Error, OpenOptions, Reply, Tally, open};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

use crate::server::{PASSWORD, Server};

/// A reader that fails.
struct Broken;

impl AsyncRead for Broken {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::Error::other("the disk is gone")))
    }
}

#[tokio::test]
async fn statements_rows_and_copies_go_through() {
    let server = Server::shared();
    for text in ["sslmode=disable", "sslmode=require"] {
        let target = server.target(&format!("user=app password='{PASSWORD}' {text}"));
        let admin = Admin::open(&target, &OpenOptions::default()).await.unwrap();
        admin.execute("create temp table t (id int, name text)").await.unwrap();
        let copied = admin.copy_in("copy t from stdin", &b"1\ta\n2\t\\N\n"[..]).await.unwrap();
        assert_eq!(copied, 2);
        assert_eq!(admin.execute("update t set id = id + 1").await.unwrap(), 2);
        let rows = admin.query("select id, name from t order by id").await.unwrap();
        assert_eq!(rows.columns, ["id", "name"]);
        assert_eq!(rows.rows, [[Some("2".to_owned()), Some("a".to_owned())], [Some("3".to_owned()), None]]);
        assert_eq!(admin.query_text("select pg_backend_pid()").await.unwrap(), [[Some(admin.pid().to_string())]]);
        assert!(admin.server_version_num() >= 100_000);
        admin.close().await;
    }
}

#[tokio::test]
async fn an_error_keeps_what_the_server_said_and_the_session_goes_on() {
    let server = Server::shared();
    let admin = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    let error = admin.execute("select * from nowhere").await.unwrap_err();
    let said = error.server_error().unwrap();
    assert_eq!((said.code(), said.position), ("42P01", Some(15)));
    admin.execute("create temp table t (id int)").await.unwrap();
    let error = admin.copy_in("copy t from stdin", &b"1\nx\n"[..]).await.unwrap_err();
    assert_eq!(error.server_error().unwrap().code(), "22P02");
    let error = admin.copy_in("copy t from stdin", b"1\n".chain(Broken)).await.unwrap_err();
    assert!(matches!(error, Error::Input(_)), "{error}");
    assert_eq!(admin.query_text("select count(*) from t").await.unwrap(), [[Some("0".to_owned())]]);
}

#[tokio::test]
async fn a_session_that_was_ended_says_who_ended_it() {
    let server = Server::shared();
    let admin = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    let victim = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    admin.execute(&format!("select pg_terminate_backend({}, 10000)", victim.pid())).await.unwrap();
    let error = victim.execute("select 1").await.unwrap_err();
    assert_eq!(error.sqlstate().as_ref(), Some(b"57P01"), "{error}");
    assert!(matches!(victim.execute("select 1").await, Err(Error::Server(_))));
}

#[tokio::test]
async fn what_the_server_said_last_is_heard_although_nobody_takes_what_is_sent() {
    let server = Server::shared();
    let admin = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    let opened = open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    let mut connection = Connection::new(opened).unwrap();
    admin.execute(&format!("select pg_terminate_backend({}, 10000)", connection.pid())).await.unwrap();
    connection.query(|out| out.extend_from_slice(b"select 1"));
    match connection.converse(&mut Tally::default()).await {
        Ok(Some(Reply::Failed(error))) => assert_eq!(error.code(), "57P01"),
        other => panic!("{other:?}"),
    }
    let gone = connection.reply(false).await.unwrap_err();
    assert!(matches!(gone, Error::Io(_)), "{gone}");
}

#[tokio::test]
async fn a_cancel_request_ends_what_it_does() {
    let server = Server::shared();
    let admin = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    let other = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    let (cancel, pid) = (admin.cancel_token(), admin.pid());
    let sleeping = format!("select from pg_stat_activity where pid = {pid} and wait_event = 'PgSleep'");
    let cancelling = async {
        while other.query_text(&sleeping).await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel(Duration::from_secs(30)).await.unwrap();
    };
    let (slept, ()) = tokio::join!(admin.execute("select pg_sleep(60)"), cancelling);
    assert_eq!(slept.unwrap_err().sqlstate().as_ref(), Some(b"57014"));
}

//! Ways in: sockets, passwords, hosts, settings; and cancel requests.

use std::time::Duration;

use reprise::pg::{Admin, Error, OpenOptions, Password, Stream, Target, open};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::fake::{ready, welcome};
use crate::server::{PASSWORD, Server};
use crate::talk::{ask, receive, send};

const LIMIT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_unix_socket_is_opened_and_talked_over() {
    let server = Server::shared();
    let mut opened = open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    assert!(matches!(opened.stream, Stream::Unix(_)));
    assert_eq!(ask(&mut opened, "select pg_backend_pid()").await, opened.pid.to_string());
    assert_eq!(ask(&mut opened, "select current_setting('application_name')").await, "reprise");
    assert_eq!(ask(&mut opened, "show server_version_num").await, opened.server_version_num.to_string());
    assert_eq!(opened.parameter("client_encoding"), Some("UTF8"));
}

#[tokio::test]
async fn each_kind_of_password_lets_in() {
    let server = Server::shared();
    for role in ["app", "hashed", "told"] {
        let target = server.target(&format!("user={role} password='{PASSWORD}' sslmode=disable"));
        let mut opened = open(&target, &OpenOptions::default()).await.unwrap();
        assert!(matches!(opened.stream, Stream::Tcp(_)));
        assert_eq!(ask(&mut opened, "select current_user").await, role);
    }
}

#[tokio::test]
async fn options_of_a_session_stand_above_the_targets() {
    let server = Server::shared();
    let target = server.target("user=nobody dbname=postgres options='-c work_mem=1MB' application_name=mine");
    let options = OpenOptions {
        user: Some("app".to_owned()),
        password: Some(Password::new(PASSWORD)),
        database: Some("shop".to_owned()),
        application_name: Some("theirs".to_owned()),
        settings: vec![("search_path".to_owned(), r#"a, "b \ c""#.to_owned())],
        ..OpenOptions::default()
    };
    let mut opened = open(&target, &options).await.unwrap();
    let shown = "select concat_ws('|', current_user, current_database(), current_setting('application_name'),
        current_setting('work_mem'), current_setting('search_path'))";
    assert_eq!(ask(&mut opened, shown).await, r#"app|shop|mine|1MB|a, "b \ c""#);
}

#[tokio::test]
async fn a_dead_host_is_passed_over() {
    let server = Server::shared();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let text = format!(
        "host=127.0.0.1,/nowhere,localhost port={closed},1,{} user=app dbname=shop password='{PASSWORD}'",
        server.port
    );
    let target = Target::parse(&text, &server.environment()).unwrap();
    let mut opened = open(&target, &OpenOptions::default()).await.unwrap();
    assert_eq!(ask(&mut opened, "select 1").await, "1");
    let shuffled = Target::parse(&format!("{text} load_balance_hosts=random"), &server.environment()).unwrap();
    assert!(open(&shuffled, &OpenOptions::default()).await.is_ok());
}

#[tokio::test]
async fn a_server_of_another_kind_is_not_taken() {
    let server = Server::shared();
    let try_it = async |more: &str| {
        let target = server.target(&format!("user=app password='{PASSWORD}' {more}"));
        open(&target, &OpenOptions::default()).await
    };
    for wanted in ["any", "read-write", "primary", "prefer-standby"] {
        assert!(try_it(&format!("target_session_attrs={wanted}")).await.is_ok(), "{wanted}");
    }
    for wanted in ["read-only", "standby"] {
        let error = try_it(&format!("target_session_attrs={wanted}")).await.unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let read_only = "options='-c default_transaction_read_only=on' target_session_attrs";
    assert!(try_it(&format!("{read_only}=read-only")).await.is_ok());
    let error = try_it(&format!("{read_only}=read-write")).await.unwrap_err();
    assert!(error.to_string().contains("its sessions are read-only"), "{error}");
}

#[tokio::test]
async fn a_cancel_request_ends_a_statement_with_and_without_encryption() {
    let server = Server::shared();
    let admin = Admin::open(&server.superuser(), &OpenOptions::default()).await.unwrap();
    for mode in ["disable", "require"] {
        let target = server.target(&format!("user=app password='{PASSWORD}' sslmode={mode}"));
        let mut opened = open(&target, &OpenOptions::default()).await.unwrap();
        send(&mut opened, "select pg_sleep(60)").await;
        let sleeping = format!("select from pg_stat_activity where pid = {} and wait_event = 'PgSleep'", opened.pid);
        while admin.query_text(&sleeping).await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        opened.cancel.cancel(LIMIT).await.unwrap();
        assert_eq!(&receive(&mut opened).await.unwrap_err().sqlstate, b"57014");
        assert_eq!(ask(&mut opened, "select 'alive'").await, "alive");
    }
}

#[tokio::test]
async fn the_user_that_runs_the_server_is_checked_where_asked_for() {
    let server = Server::shared();
    let folder = server.socket_folder();
    let text = format!("host={} port={} user=app dbname=shop requirepeer=nobody", folder.display(), server.port);
    let target = Target::parse(&text, &server.environment()).unwrap();
    let error = open(&target, &OpenOptions::default()).await.unwrap_err();
    assert!(matches!(error, Error::Config(_)), "{error}");
    assert!(error.to_string().contains("`requirepeer` asks for a server of `nobody`"), "{error}");
}

#[tokio::test]
async fn a_full_queue_of_a_unix_socket_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let listener = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None).unwrap();
    let path = folder.path().join(".s.PGSQL.1");
    listener.bind(&socket2::SockAddr::unix(&path).unwrap()).unwrap();
    listener.listen(0).unwrap();
    listener.set_nonblocking(true).unwrap();
    let listener = tokio::net::UnixListener::from_std(listener.into()).unwrap();
    // fills the queue with connections that are gone again
    while tokio::net::UnixStream::connect(&path).await.is_ok() {}
    let target = Target::in_folder(folder.path(), 1, "me", "me").unwrap();
    let options = OpenOptions::default();
    let serving = async {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut startup = [0; 512];
            if stream.read(&mut startup).await.unwrap() > 0 {
                stream.write_all(&[welcome("15.1"), ready()].concat()).await.unwrap();
                return;
            }
        }
    };
    let (opened, ()) = tokio::join!(open(&target, &options), serving);
    assert_eq!(opened.unwrap().pid, 7);
}

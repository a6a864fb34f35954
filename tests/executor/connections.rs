//! Who has which session, and what is done with it before and between transactions.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::bench::{Bench, backends};

#[test]
fn a_client_keeps_its_session_and_per_transaction_makes_one_each() {
    let bench = Bench::new("");
    let run = |connections: &str, mark: &str| {
        bench.run(&format!(
            "scripts:\n  one: {{sql: \"select '{mark}', :client_id\"}}\n\
             load: {{clients: 3, connections: {connections}, transactions_per_client: 5}}\n"
        ))
    };
    run("per_client", "kept");
    assert_eq!(backends(&bench.sent("'kept'")).len(), 3);
    let ran = run("per_transaction", "fresh");
    assert_eq!(backends(&bench.sent("'fresh'")).len(), 15);
    assert_eq!(ran.report["phases"][0]["total"]["connection_time"]["count"], 15);
}

#[test]
fn a_pool_is_shared_by_more_clients_than_it_has_sessions() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  one: {sql: \"select :client_id, pg_sleep(0.003)\"}\n\
         load: {clients: 8, connections: 2, protocol: prepared, transactions: 40}\n",
    );
    assert_eq!(ran.total(0, "transactions"), 40);
    assert_eq!(backends(&bench.sent("pg_sleep")).len(), 2);
    assert_eq!(ran.report["phases"][0]["total"]["pool_wait"]["count"], 40);
    assert_eq!(ran.report["phases"][0]["load"]["pool_size"], 2);
}

#[test]
fn a_client_that_waits_too_long_for_the_pool_fails_by_that_class() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  one: {sql: select pg_sleep(0.2)}\n\
         load: {clients: 4, connections: 1, pool_timeout: 50ms, transactions: 12}\n",
    );
    let timeouts = ran.failed(0, "pool_timeout");
    assert!(timeouts > 0, "{ran:?}");
    assert_eq!((ran.total(0, "failed"), ran.asked(0)), (timeouts, 12));
    assert_eq!(bench.sent("pg_sleep").len() as u64, ran.total(0, "transactions"));
    assert!(ran.messages(0, "pool_timeout")[0].contains("no connection came free within 50ms"), "{ran:?}");
}

/// Sessions that are lost are replaced, never by more than there were.
#[test]
fn a_pool_stays_within_its_size_when_sessions_are_lost() {
    let bench = Bench::new("");
    let ran = bench.run(
        "scripts:\n  one:\n    sql: |\n      select 'in';\n      \\if random(1, 4) = 1\n      select pg_terminate_backend(pg_backend_pid());\n      \\endif\n      \
         select 'out';\n\
         load: {clients: 9, connections: 3, transactions: 120}\n",
    );
    assert_eq!(ran.asked(0), 120, "{ran:?}");
    assert!(ran.failed(0, "disconnect") > 10, "{ran:?}");
    assert_eq!(ran.total(0, "failed"), ran.failed(0, "disconnect"), "{ran:?}");
    // a session lives from its first statement to its last
    let log: Vec<u32> = bench.log().iter().filter(|one| one.sql.starts_with("select '")).map(|one| one.pid).collect();
    let spans = log.iter().collect::<BTreeSet<_>>().into_iter().map(|pid| {
        let of_this = |other: &u32| other == pid;
        (log.iter().position(of_this).unwrap(), log.iter().rposition(of_this).unwrap())
    });
    let spans: Vec<(usize, usize)> = spans.collect();
    let alive = |at: usize| spans.iter().filter(|(first, last)| (*first..=*last).contains(&at)).count();
    // how many of its three places the pool has filled at once is up to the pace of the machine
    assert!((0..log.len()).map(alive).max() <= Some(3), "{spans:?}");
}

#[test]
fn a_session_of_the_pool_is_reset_before_its_next_use() {
    for protocol in ["simple", "extended", "prepared"] {
        let bench = Bench::new("create table left_over(n int)");
        bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n      insert into left_over select count(*) from pg_class where relname = 'mine' and relnamespace = pg_my_temp_schema();\n      \
             create temp table mine();\n\
             load: {{clients: 4, connections: 2, pool_reset: discard all, protocol: {protocol}, transactions: 20}}\n"
        ));
        assert_eq!(bench.psql("select count(*), sum(n) from left_over where n = 0"), "20|0", "{protocol}");
        let log = bench.log();
        let sessions = backends(&bench.sent("insert into left_over"));
        let resets = log.iter().filter(|one| one.sql == "discard all").count();
        assert_eq!(resets + sessions.len(), 20, "{protocol}: all uses but the first of each session");
        for pid in sessions {
            let texts: Vec<&str> = log.iter().filter(|one| one.pid == pid).map(|one| one.sql.as_str()).collect();
            let after = texts.iter().zip(&texts[1..]).filter(|(first, _)| **first == "discard all");
            assert!(after.clone().count() > 0 || resets == 0, "{protocol}");
            assert!(after.map(|(_, then)| then).all(|then| then.starts_with("insert into left_over")), "{protocol}");
        }
    }
}

/// The reset costs no round trip of its own: it is in one packet with what the next user sends.
#[test]
fn the_reset_travels_with_the_next_statement() {
    for (protocol, next) in [("simple", "select 'used'"), ("extended", "select 'used'"), ("prepared", "select 'used'")]
    {
        let bench = Bench::new("");
        let packets = Packets::record(bench.socket());
        let url = format!("host=127.0.0.1 port={} user=postgres dbname={}", packets.port, bench.database());
        let ran = bench.run(&format!(
            "scripts:\n  one: {{sql: \"{next}\"}}\n\
             load: {{url: \"{url}\", clients: 2, connections: 1, pool_reset: discard all, protocol: {protocol}, transactions: 5}}\n"
        ));
        assert_eq!(ran.total(0, "transactions"), 5);
        let packets = packets.sent.lock().unwrap();
        let resets: Vec<&String> = packets.iter().filter(|packet| packet.contains("discard all")).collect();
        assert_eq!(resets.len(), 4, "{protocol}: {packets:?}");
        assert!(resets.iter().all(|packet| packet.contains(next)), "{protocol}: {resets:?}");
    }
}

/// Passes sessions on to a Unix-domain socket and keeps what clients send, one text for each time something came.
struct Packets {
    port: u16,
    sent: Arc<Mutex<Vec<String>>>,
}

impl Packets {
    fn record(socket: PathBuf) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let keep = sent.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut client = client;
                let (Ok(mut server), keep) = (UnixStream::connect(&socket), keep.clone()) else { return };
                let (mut back, mut answers) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || {
                    let _ = std::io::copy(&mut answers, &mut back);
                    let _ = back.shutdown(Shutdown::Both);
                });
                thread::spawn(move || {
                    let mut buffer = [0; 8192];
                    while let Ok(read @ 1..) = client.read(&mut buffer) {
                        keep.lock().unwrap().push(String::from_utf8_lossy(&buffer[..read]).into_owned());
                        if server.write_all(&buffer[..read]).is_err() {
                            break;
                        }
                    }
                    let _ = server.shutdown(Shutdown::Both);
                });
            }
        });
        Self { port, sent }
    }
}

#[test]
fn sessions_are_set_up_as_the_load_says() {
    let bench = Bench::new("create table t(who text, mem text, app text)");
    let role = format!("{}_app", bench.database());
    bench.psql(&format!("create role {role} login; grant all on t to {role}"));
    for connections in ["per_client", "per_transaction", "2"] {
        bench.psql("truncate t");
        bench.run(&format!(
            "scripts:\n  one:\n    sql: |\n      insert into t values (current_user, current_setting('work_mem'), current_setting('application_name'));\n\
             load:\n  clients: 3\n  connections: {connections}\n  transactions: 6\n  session:\n    user: {role}\n    \
             settings: {{work_mem: 123kB, application_name: first}}\n    on_connect: [\"set application_name = 'a b'\"]\n"
        ));
        assert_eq!(
            bench.psql("select who, mem, app, count(*) from t group by 1, 2, 3"),
            format!("{role}|123kB|a b|6"),
            "{connections}"
        );
    }
    bench.psql(&format!("drop owned by {role}; drop role {role}"));
}

#[test]
fn an_on_connect_that_fails_ends_it_before_anything_is_measured() {
    let bench = Bench::new("");
    let ran = bench.attempt(
        "scripts:\n  one: {sql: select 1}\nload: {transactions: 1, session: {on_connect: [select 1, select nothing_such]}}\n",
        &[],
    );
    assert_eq!(ran.ended.code, Some(1), "{ran:?}");
    let err = &ran.ended.err;
    assert!(err.contains("exec::on_connect") && err.contains("nothing_such"), "{err}");
    assert!(ran.report.is_null());
}

#[test]
fn a_phase_has_its_own_protocol_clients_mix_and_server() {
    let (bench, other) = (Bench::new(""), Bench::new(""));
    let ran = bench.run(&format!(
        "scripts:\n  a: {{sql: \"select 'a', :client_id\"}}\n  b: {{sql: \"select 'b', :client_id\"}}\n\
         load: {{clients: 2, protocol: simple, mix: {{a: 1}}, transactions_per_client: 3}}\n\
         phases:\n  - {{name: first}}\n  - {{name: second, protocol: prepared, clients: 3, mix: {{b: 1}}, connections: per_transaction}}\n  \
         - {{name: third, url: \"{}\"}}\n",
        other.url()
    ));
    assert_eq!([0, 1, 2].map(|phase| ran.total(phase, "transactions")), [6, 9, 6]);
    let (a, b) = (bench.sent("'a'"), bench.sent("'b'"));
    assert_eq!((a.len(), backends(&a).len(), b.len(), backends(&b).len()), (6, 2, 9, 9));
    assert!(a.iter().all(|one| one.how == "statement") && b.iter().all(|one| one.how.starts_with("execute P_")));
    assert_eq!(other.sent("'a'").len(), 6);
}

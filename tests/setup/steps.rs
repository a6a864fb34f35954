//! Every kind of step: what it does, what it says where it fails, and that nothing of it stays when it is interrupted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reprise::diagnostic::Diagnostic;
use reprise::pg::Admin;
use reprise::plan::step::{CopyPlan, SetupStatement, StepKind, WaitUntilPlan};
use reprise::plan::{Plan, StepPlan};
use reprise::server::{self, Embedded, EmbeddedOptions};
use reprise::setup::{
    self, Cancel, Error, Observer, Outside, Restarting, RowFile, SetupOptions, SetupOutcome, StepResult,
};
use reprise::source::Span;
use tokio::sync::watch;

use super::{count, database, one, plan, session, sql};

/// One file, a folder for commands, and maybe a server.
#[derive(Default)]
struct Around<'a> {
    csv: Option<&'a [u8]>,
    folder: Option<PathBuf>,
    server: Option<&'a Embedded>,
}

impl Outside for Around<'_> {
    fn open(&self, copy: &CopyPlan) -> Result<RowFile, Diagnostic> {
        let bytes = self.csv.ok_or_else(|| Diagnostic::error("files::not_found", format!("no `{}`", copy.csv)))?;
        Ok(RowFile { reader: Box::new(io::Cursor::new(bytes.to_vec())), bytes: bytes.len() as u64 })
    }

    fn shell_folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    fn restart(&self) -> Option<Restarting<'_>> {
        let server = self.server?;
        Some(Box::pin(async { server.restart().await.map_err(|error| error.diagnostic()) }))
    }
}

fn csv(bytes: &[u8]) -> Around<'_> {
    Around { csv: Some(bytes), ..Around::default() }
}

fn commands() -> Around<'static> {
    Around { folder: Some(std::env::temp_dir()), ..Around::default() }
}

fn step(name: &str, kind: StepKind) -> StepPlan {
    StepPlan { name: name.to_owned(), span: Span::default(), kind, passes_over_errors: false }
}

fn copy(table: &str) -> StepPlan {
    let plan = CopyPlan { table: table.to_owned(), csv: "skus.csv".to_owned(), span: Span::default() };
    step(&format!("copy {table}"), StepKind::Copy(plan))
}

fn until(question: &str, timeout: Duration) -> StepPlan {
    let question = SetupStatement::new(question, Span::default());
    step("wait until it is so", StepKind::WaitUntil(WaitUntilPlan { question, timeout }))
}

fn shell(command: &str) -> StepPlan {
    step(command, StepKind::Shell(command.to_owned()))
}

async fn run(plan: &Plan, admin: &Admin, outside: &dyn Outside) -> Result<SetupOutcome, Error> {
    let options = SetupOptions { outside, ..SetupOptions::default() };
    setup::run(plan, admin, &options, &mut (), &Cancel::never()).await
}

async fn run_step(step: &StepPlan, admin: &Admin, outside: &dyn Outside) -> Result<StepResult, Error> {
    setup::run_step(step, 1, admin, outside, &mut (), &Cancel::never()).await
}

const SKUS: &str =
    "create table skus (id serial primary key, name text, \"Price\" numeric(8, 2), note text default 'new')";

fn skus() -> Plan {
    plan(vec![sql("schema", &[SKUS]), copy("skus")])
}

#[tokio::test]
async fn the_rows_of_a_file_come_under_the_names_of_its_first_line() {
    let admin = database().await;
    let text = "\u{feff}name, \"Price\",id\r\nchair,12.5,7\r\n\"a \"\"big\"\"\r\ntable, oak\",,3\r\n";
    let outcome = run(&skus(), &admin, &csv(text.as_bytes())).await.unwrap();
    assert_eq!((outcome.steps[1].name.as_str(), outcome.steps[1].rows), ("copy skus", 2));
    let rows = "select string_agg(format('%s|%s|%s|%s', id, name, \"Price\", note), ';' order by id) from skus";
    assert_eq!(one(&admin, rows).await, "3|a \"big\"\r\ntable, oak||new;7|chair|12.50|new");
    assert_eq!(one(&admin, "insert into skus (name) values ('next') returning id").await, "8");
}

#[tokio::test]
async fn a_file_that_changed_is_another_set_up() {
    let admin = database().await;
    run(&skus(), &admin, &csv(b"id\n1\n")).await.unwrap();
    assert!(run(&skus(), &admin, &csv(b"id\n1\n")).await.unwrap().kept.is_some());
    let refused = run(&skus(), &admin, &csv(b"id\n2\n")).await;
    let Err(Error::Outdated { changes, .. }) = &refused else { panic!("{refused:?}") };
    assert_eq!(changes, "a file of rows has other contents");
}

#[tokio::test]
async fn a_bad_file_is_refused_with_its_line_and_leaves_nothing() {
    let admin = database().await;
    let before = count(&admin).await;
    for (text, message, help) in [
        ("id,\"Price\"\n1,2\n\n3,x\n", "`skus.csv`, line 3: ", None),
        ("id,name\n1,\"two\nlines\"\nx,y\n", "`skus.csv`, line 4: ", None),
        ("id,name\n1,a\n1,b\n", "`skus.csv`, line 3: ", Some("Key (id)=(1) already exists.")),
        (
            "id,prize\n1,2\n",
            "`skus.csv`, line 1: table `skus` has no column `prize`",
            Some("its columns are `id`, `name`, `Price`, `note`"),
        ),
        (
            "",
            "`skus.csv`, line 1: it is empty",
            Some("the first line names the table's columns, as in `id,name,price`"),
        ),
        ("id,id\n1,2\n", "`skus.csv`, line 1: it names `id` twice", Some("leave one of them out")),
    ] {
        let error = run(&skus(), &admin, &csv(text.as_bytes())).await.unwrap_err();
        let diagnostic = error.diagnostic();
        assert!(diagnostic.message.starts_with(message), "{text:?}: {}", diagnostic.message);
        assert_eq!(diagnostic.labels.len(), 1);
        assert!(help.is_none() || diagnostic.help.as_deref() == help, "{text:?}: {:?}", diagnostic.help);
        assert_eq!(count(&admin).await, before, "{text:?}");
    }
    let missing = run(&skus(), &admin, &Around::default()).await.unwrap_err();
    assert_eq!(missing.diagnostic().code, "files::not_found");
    let nowhere = run(&plan(vec![copy("nowhere")]), &admin, &csv(b"a\n1\n")).await.unwrap_err();
    assert_eq!(nowhere.to_string(), "`skus.csv`: ERROR: relation \"nowhere\" does not exist");
}

#[tokio::test]
async fn rows_that_a_trigger_keeps_out_are_missed() {
    let admin = database().await;
    let mut plan = skus();
    plan.setup.insert(
        1,
        sql(
            "trigger",
            &[
                "create function skip() returns trigger language plpgsql as 'begin return null; end'",
                "create trigger skip before insert on skus for each row when (new.id = 2) execute function skip()",
            ],
        ),
    );
    let error = run(&plan, &admin, &csv(b"id\n1\n2\n3")).await.unwrap_err();
    assert!(matches!(error, Error::RowCount { wanted: 3, made: 2, .. }), "{error:?}");
}

/// As `pg_dump` writes it.
const DUMP: [&str; 6] = [
    "SET client_min_messages = error",
    "SELECT pg_catalog.set_config('search_path', '', false)",
    "CREATE TABLE public.dumped (id integer NOT NULL, name text)",
    "COPY public.dumped (id, name) FROM stdin",
    "SELECT pg_catalog.setval('public.dumped_id', 2, true)",
    "ALTER TABLE ONLY public.dumped ADD CONSTRAINT dumped_pkey PRIMARY KEY (id)",
];

fn dump(rows: &str) -> Plan {
    let mut dump = sql("dump.sql", &DUMP);
    let StepKind::Sql(statements) = &mut dump.kind else { panic!("{dump:?}") };
    statements[3].rows = Some(rows.into());
    plan(vec![sql("sequence", &["create sequence dumped_id"]), dump])
}

#[tokio::test]
async fn a_dump_with_rows_is_loaded_and_its_settings_end_with_it() {
    let admin = database().await;
    let outcome = run(&dump("1\tone\n2\t\\N\n"), &admin, &setup::Nothing).await.unwrap();
    assert_eq!(outcome.steps[1].statements[3].rows, 2);
    assert_eq!(one(&admin, "select string_agg(coalesce(name, '-'), ',' order by id) from dumped").await, "one,-");
    assert_eq!(one(&admin, "show client_min_messages").await, "notice");
    assert!(matches!(run(&dump("1\tother\n"), &admin, &setup::Nothing).await, Err(Error::Outdated { .. })));
}

#[tokio::test]
async fn a_bad_row_of_a_dump_leaves_nothing() {
    let admin = database().await;
    let before = count(&admin).await;
    let error = run(&dump("1\tone\nx\ttwo\n"), &admin, &setup::Nothing).await.unwrap_err();
    assert!(error.to_string().contains("\"x\""), "{error}");
    assert_eq!(count(&admin).await, before);
    assert_eq!(one(&admin, "select 1").await, "1");
}

#[tokio::test]
async fn a_condition_is_waited_for() {
    let admin = database().await;
    admin.execute("create sequence asked").await.unwrap();
    let step = until("select nextval('asked') >= 4", Duration::from_secs(60));
    let done = run_step(&step, &admin, &setup::Nothing).await.unwrap();
    assert_eq!(done.name, "wait until it is so");
    assert_eq!(one(&admin, "select last_value from asked").await, "4");
}

#[tokio::test]
async fn a_condition_that_does_not_come_true_says_what_the_answer_was() {
    let admin = database().await;
    for (question, code, message) in [
        (
            "select false",
            "setup::wait_timeout",
            "`wait until it is so` did not come true in 1ms: the last answer was `f`",
        ),
        (
            "select null",
            "setup::wait_timeout",
            "`wait until it is so` did not come true in 1ms: the last answer was `no value`",
        ),
        (
            "select pg_sleep(3600) is null",
            "setup::wait_timeout",
            "`wait until it is so` did not come true in 1ms: the last answer was none",
        ),
    ] {
        let timeout = Duration::from_millis(1);
        let error = run_step(&until(question, timeout), &admin, &setup::Nothing).await.unwrap_err();
        let diagnostic = error.diagnostic();
        assert_eq!(diagnostic.code, code, "{question}");
        // a slow machine may not get an answer in time at all
        let none = message.replace("`f`", "none").replace("`no value`", "none");
        assert!(diagnostic.message == message || diagnostic.message == none, "{}", diagnostic.message);
        assert_eq!(one(&admin, "select 1").await, "1");
    }
    for (question, code) in [("select 5", "setup::wait_answer"), ("select nothing", "setup::statement")] {
        let error = run_step(&until(question, Duration::from_secs(60)), &admin, &setup::Nothing).await.unwrap_err();
        assert_eq!(error.diagnostic().code, code);
    }
}

#[tokio::test]
async fn a_command_finds_the_server_and_tells_what_it_printed() {
    let admin = database().await;
    let name = one(&admin, "select current_database()").await;
    let folder = tempfile::tempdir().unwrap();
    let around = Around { folder: Some(folder.path().to_owned()), ..Around::default() };
    run_step(&shell("echo $PGHOST $PGPORT $PGUSER $PGDATABASE > found; cat"), &admin, &around).await.unwrap();
    let found = fs::read_to_string(folder.path().join("found")).unwrap();
    let words: Vec<&str> = found.split_whitespace().collect();
    assert_eq!((words.len(), words[2], words[3]), (4, "postgres", name.as_str()), "{found}");

    let error = run_step(&shell("echo fine; echo bad >&2; exit 3"), &admin, &around).await.unwrap_err();
    let diagnostic = error.diagnostic();
    assert_eq!(diagnostic.message, "command `echo fine; echo bad >&2; exit 3` ended with exit status: 3");
    assert_eq!(diagnostic.help.unwrap(), "the end of what it printed:\nfine\nbad");
    // who goes on in the background is not waited for, though it holds the output
    run_step(&shell("echo $$ > pid; sleep 3600 & echo $! > child"), &admin, &around).await.unwrap();
    let child = fs::read_to_string(folder.path().join("child")).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child), nix::sys::signal::Signal::SIGKILL).unwrap();

    let error = run_step(&shell("true"), &admin, &setup::Nothing).await.unwrap_err();
    assert!(matches!(error, Error::ShellNotAllowed { .. }));
}

async fn embedded() -> Embedded {
    server::start(&EmbeddedOptions::default(), &mut ()).await.unwrap()
}

#[tokio::test]
async fn the_embedded_server_is_started_again_with_what_it_had() {
    let server = embedded().await;
    let admin = session(&server.conninfo()).await;
    let restart = || step("restart", StepKind::Restart);
    let plan = plan(vec![sql("a", &["create table a as select 1 as b"]), restart(), sql("b", &["create table c ()"])]);
    let around = Around { server: Some(&server), ..Around::default() };
    let (pid, backend) = (server.pid(), admin.pid());
    let outcome = run(&plan, &admin, &around).await.unwrap();
    assert_eq!(outcome.steps.len(), 3);
    assert!(outcome.made.contains(&"table public.a".to_owned()));
    assert!(server.pid() != pid && admin.pid() != backend);
    assert_eq!(one(&admin, "table a").await, "1");
    assert!(run(&plan, &admin, &around).await.unwrap().kept.is_some());
    // between phases, and of a server that is not ours
    run_step(&restart(), &admin, &around).await.unwrap();
    let error = run_step(&restart(), &admin, &setup::Nothing).await.unwrap_err();
    assert_eq!(error.diagnostic().code, "setup::restart");
    let folder = server.folder().to_owned();
    server.stop().unwrap();
    assert!(!folder.exists());
}

/// Asks to stop when a step of this name begins, or once bytes of a file are sent.
struct Stop(watch::Sender<bool>);

impl Observer for Stop {
    fn step_started(&mut self, _: usize, _: usize, step: &StepPlan) {
        if step.name == "last" {
            self.0.send_replace(true);
        }
    }

    fn copied(&mut self, bytes: u64, of: u64) {
        if bytes > of / 2 {
            self.0.send_replace(true);
        }
    }
}

#[tokio::test]
async fn a_step_that_is_interrupted_leaves_nothing() {
    let server = embedded().await;
    let admin = session(&server.conninfo()).await;
    let before = count(&admin).await;
    let many = (1..50_000).fold(String::new(), |rows, n| rows + &format!("{n},sku {n}\n"));
    let text = format!("id,name\n{many}");
    let mut rows = sql("last", &["copy skus (id, name) from stdin with (format csv)"]);
    if let StepKind::Sql(statements) = &mut rows.kind {
        statements[0].rows = Some(many.as_str().into());
    }
    let hour = Duration::from_secs(3600);
    let named = |step: StepPlan| StepPlan { name: "last".to_owned(), ..step };
    for last in [
        copy("skus"),
        rows,
        named(until("select false", hour)),
        named(until("select pg_sleep(3600) is null", hour)),
        named(step("", StepKind::Wait(hour))),
        named(step("", StepKind::Restart)),
        named(shell("sleep 3600 & sleep 3600")),
        named(shell("trap '' TERM; while :; do sleep 0.1; done")),
    ] {
        let around = Around { csv: Some(text.as_bytes()), server: Some(&server), ..commands() };
        let (ask, asked) = watch::channel(false);
        let plan = plan(vec![sql("schema", &[SKUS]), last]);
        let options = SetupOptions { outside: &around, ..SetupOptions::default() };
        let done = setup::run(&plan, &admin, &options, &mut Stop(ask), &Cancel::new(asked)).await;
        let error = done.unwrap_err();
        assert!(matches!(error, Error::Cancelled), "{:?}: {error:?}", plan.setup[1].kind);
        assert_eq!(count(&admin).await, before, "{:?}", plan.setup[1].kind);
        assert_eq!(one(&admin, "select 1").await, "1");
    }
}

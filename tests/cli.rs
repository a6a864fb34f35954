//! The program as its users meet it: what it prints, where, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

#[path = "cli/steps.rs"]
mod steps;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use support::{Server, reprise, run};

#[test]
fn without_arguments_it_shows_help_and_fails() {
    let ended = run(&mut reprise([] as [&str; 0]));
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("Usage: reprise"), "{}", ended.err);
}

#[test]
fn a_wrong_option_is_exit_code_1_and_help_is_0() {
    assert_eq!(run(&mut reprise(["run", "--nonsense"])).code, Some(1));
    let help = run(&mut reprise(["run", "--help"]));
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
}

#[test]
fn a_link_named_pgbench_is_pgbench() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("pgbench");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_reprise"), &link).unwrap();
    let ended = run(std::process::Command::new(&link).arg("--nosuch"));
    assert_eq!(ended.code, Some(1));
    // getopt says how it was called
    let called = link.display();
    assert_eq!(
        ended.err,
        format!(
            "{called}: unrecognized option '--nosuch'\n\
             pgbench: hint: Try \"pgbench --help\" for more information.\n"
        )
    );
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = run(&mut reprise(["completions", shell]));
        assert_eq!(ended.code, Some(0), "{shell}");
        assert!(ended.out.contains("reprise"), "{shell}");
    }
}

#[test]
fn output_that_is_not_taken_is_said_and_a_reader_that_went_away_is_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.sql"), "select 1;\n").unwrap();
    let cases: [&[&str]; 7] = [
        &["--help"],
        &["run", "--help"],
        &["--version"],
        &["new", "NAME"],
        &["check", "x.sql"],
        &["plan", "x.sql"],
        &["completions", "zsh"],
    ];
    let call = |args: &[&str], name: &str, stdout: Stdio| {
        let args = args.iter().map(|arg| arg.replace("NAME", name));
        run(reprise(args).current_dir(folder.path()).stdout(stdout))
    };
    for args in cases {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let ended = call(args, "full", full.into());
        assert_eq!(ended.code, Some(1), "{args:?}: {}", ended.err);
        assert!(ended.err.contains("can't write to standard output: No space left"), "{args:?}: {}", ended.err);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = call(args, "closed", writer.into());
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{args:?}");
    }
    assert!(folder.path().join("full.yaml").exists(), "the file was written");
}

#[test]
fn new_writes_once() {
    let folder = tempfile::tempdir().unwrap();
    let new = |name: &str| run(reprise(["new", name]).current_dir(folder.path()));
    assert_eq!(new("shop").code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("shop.yaml")).unwrap();
    assert!(text.contains("name: shop"));
    let again = new("shop");
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("files::exists"), "{}", again.err);
    assert_eq!(new("No Name").code, Some(1));
}

#[test]
fn the_test_server_is_what_the_tests_take_it_for() {
    let server = Server::start();
    assert_eq!(server.psql("select 1 + 1"), "2");
    assert_eq!(server.psql("show ssl"), if server.has_tls() { "on" } else { "off" });
    assert!(server.log().contains("ready to accept connections"));
    server.crash();
    server.start_again();
    assert_eq!(server.psql("select count(*) from pg_roles where rolname = 'certified'"), "1");
}

/// Compares with a file of `tests/cli`; `REPRISE_BLESS=1` writes it instead.
fn golden(name: &str, text: &str) -> Result<(), String> {
    let path = folder("tests/cli").join(name);
    if std::env::var_os("REPRISE_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if text == expected { Ok(()) } else { Err(format!("{name} is not what was printed:\n{text}")) }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn ten_faults_and_five_are_fifteen_labelled_errors_in_one_go() {
    let mut faults = Vec::new();
    for width in ["80", "160"] {
        let check = &mut reprise(["check", "ten_faults.yaml"]);
        let ended = run(check.env("COLUMNS", width).current_dir(folder("tests/scenario/reject")));
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
        assert_eq!(ended.err.lines().last(), Some("15 errors"));
        assert_eq!(ended.err.lines().filter(|line| line.starts_with("  × ")).count(), 15);
        let limit = width.parse().unwrap();
        let wide: Vec<&str> = ended.err.lines().filter(|line| line.chars().count() > limit).collect();
        assert!(wide.is_empty(), "wider than {width} columns: {wide:#?}");
        faults.extend(golden(&format!("fifteen-{width}.err"), &ended.err).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_bad_input_is_one_labelled_error_before_any_connection() {
    let mut cases: Vec<PathBuf> =
        fs::read_dir(folder("tests/cli/check")).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    cases.sort();
    assert!(cases.len() >= 9, "{cases:?}");
    let mut faults = Vec::new();
    for case in cases {
        let name = case.file_name().unwrap().to_str().unwrap();
        let checked = run(reprise(["check", name]).env("COLUMNS", "80").current_dir(folder("tests/cli/check")));
        assert_eq!((checked.code, checked.out.as_str()), (Some(1), ""), "{name}");
        assert_eq!(checked.err.lines().last(), Some("1 error"), "{name}: {}", checked.err);
        faults.extend(golden(&format!("check/{}", name.replace(".yaml", ".err")), &checked.err).err());
        // a connection would fail, and say so
        let nowhere = ["run", name, "--server", "host=/nonexistent"];
        let refused = run(reprise(nowhere).env("COLUMNS", "80").current_dir(folder("tests/cli/check")));
        assert_eq!(refused.code, Some(1), "{name}");
        assert_eq!(refused.err, checked.err, "{name}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_nothing_takes_up_is_a_warning() {
    let folder = folder("tests/cli/whole");
    let done = run(reprise(["check", "unused.yaml"]).env("COLUMNS", "80").current_dir(&folder));
    assert_eq!(done.code, Some(0), "{}", done.err);
    golden("whole/unused.err", &done.err).unwrap();
    // what only a profile takes up is taken up
    let done = run(reprise(["check", "used.yaml"]).current_dir(&folder));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
}

#[test]
fn a_fault_that_a_profile_brings_is_found_without_asking_for_the_profile() {
    let folder = folder("tests/cli/whole");
    let check = |more: &[&str]| {
        run(reprise(["check", "fault_of_profile.yaml"]).args(more).env("COLUMNS", "80").current_dir(&folder))
    };
    let done = check(&[]);
    assert_eq!(done.code, Some(1));
    golden("whole/fault_of_profile.err", &done.err).unwrap();
    assert_eq!(check(&["--profile", "fine"]).code, Some(0));
    assert_eq!(check(&["--profile", "quick"]).code, Some(1));
}

#[test]
fn a_file_that_is_not_there_is_a_sentence_without_a_made_up_place() {
    for file in ["none.yaml", "none.sql"] {
        let ended = run(&mut reprise(["run", file]));
        assert_eq!(ended.code, Some(1));
        let expected = "files::not_found\n\n  × there is no file `NAME`\n  help: check the path, and the folder that you are in\n\n1 error\n";
        assert_eq!(ended.err, expected.replace("NAME", file));
    }
}

#[test]
fn a_run_that_could_not_be_kept_is_refused_before_any_connection() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.sql"), "select 1;\n").unwrap();
    let args = ["run", "x.sql", "--out", "x.sql", "--server", "host=/nonexistent"];
    let ended = run(reprise(args).current_dir(folder.path()));
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("`--out` names `x.sql`, which is a file"), "{}", ended.err);
}

#[test]
fn a_plan_fits_the_width_that_is_asked_for_and_a_pipe_gets_it_whole() {
    let plan = |columns: Option<&str>| {
        let mut command = reprise(["plan", "scenarios/blog/vps-vs-azure.yaml"]);
        command.current_dir(folder(".")).env_remove("COLUMNS").envs(columns.map(|columns| ("COLUMNS", columns)));
        run(&mut command).out
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    let whole = plan(None);
    assert!(widest(&whole) > 160, "{whole}");
    for columns in [80, 120, 200] {
        let fitted = plan(Some(&columns.to_string()));
        assert_eq!(words(&fitted), words(&whole));
        assert!(widest(&fitted) <= columns, "{fitted}");
    }
}

/// Writes a scenario that fills a table `account` and runs `sql` ten times.
fn scenario(folder: &Path, sql: &str) {
    let text = format!(
        "reprise: 1\nname: bank\nsetup:\n  - sql: |\n      create table account (id int primary key);\n  \
         - {{fill: account, rows: 10, columns: {{id: series}}}}\n\
         scripts: {{read: {{sql: \"{sql}\"}}}}\nload: {{clients: 2}}\n\
         phases: [{{name: steady, transactions: 10}}]\n"
    );
    fs::write(folder.join("bank.yaml"), text).unwrap();
}

#[test]
fn what_a_server_has_against_it_is_a_sentence_with_what_to_do() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    scenario(folder.path(), "select 1;");
    let refused = |url: &str, parts: &[&str]| {
        let ended = run(reprise(["run", "bank.yaml", "--server", url]).current_dir(folder.path()));
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert_eq!(ended.out, "");
        for part in parts {
            assert!(ended.err.contains(part), "`{part}` is not in\n{}", ended.err);
        }
    };
    // a port of our own that nobody listens on
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let nobody = format!("host=127.0.0.1 port={port} user=u dbname=d");
    refused(&nobody, &["pg::connect", "connection refused", "help: is the server running there"]);
    refused(&server.tcp("nobody_here", "password=x"), &["pg::refused", "help: check user and password"]);
    refused(&format!("{} dbname=nosuch", server.url()), &["pg::refused", "help: create it, or name another"]);
    server.psql("create role reader login");
    server.psql("revoke create on schema public from public");
    refused(&format!("{} user=reader", server.url()), &["permission denied", "help: the role lacks a right"]);
    server.psql("create table account (precious text)");
    server.psql("insert into account values ('mine')");
    refused(&server.url(), &["setup::in_the_way", "account", "help: `--replace` drops what is in the way"]);
    assert_eq!(server.psql("select precious from account"), "mine");
    assert_eq!(server.psql("select count(*) from pg_tables where schemaname = 'public'"), "1", "nothing else is left");
}

#[test]
fn a_failed_transaction_misses_the_default_threshold() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let run_it = |sql: &str| {
        scenario(folder.path(), sql);
        let url = server.url();
        run(reprise(["run", "bank.yaml", "--server", &url, "--replace"])
            .env("COLUMNS", "80")
            .current_dir(folder.path()))
    };
    let fine = run_it("select 1;");
    assert_eq!(fine.code, Some(0), "{}{}", fine.out, fine.err);
    assert!(!fine.out.contains("not met"), "{}", fine.out);
    let failed = run_it("select 1 / (id - 1) from account where id = 1;");
    assert_eq!(failed.code, Some(3), "{}{}", failed.out, failed.err);
    assert!(failed.out.contains("\nnot met: failed = 0, and it was 10\n"), "{}", failed.out);
    assert!(failed.out.contains("22012"), "{}", failed.out);
}

#[test]
fn the_sample_of_the_design_passes_check() {
    let sample = folder("tests/scenario/sample");
    let ended = run(reprise(["check", "shop.yaml"]).current_dir(&sample));
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "shop.yaml: fine\n"), "{}", ended.err);
    assert!(ended.err.contains("plan::pool_over_threads") && ended.err.ends_with("1 warning\n"), "{}", ended.err);
}

/// The sample's own text, with a profile by which it ends soon.
#[test]
fn the_sample_of_the_design_runs() {
    const TINY: &str = "profiles:
  tiny:
    vars: {tenants: 5, orders: 1000, clients: 2}
    scripts: {place_order: {think: 0s}}
    phases:
      - {name: warmup, duration: 1s}
      - {name: steady, duration: 1s}
      - {name: ramp, clients: 1..4, duration: 1s}
      - {name: peak, rate: 20/s..40/s, clients: 4, duration: 1s}
      - {name: capacity, rate: 20/s..40/s, duration: 1s}
      - {name: batch, transactions: 20}
      - {name: each, transactions_per_client: 5}
";
    let here = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder("tests/scenario/sample")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, here.path().join(path.file_name().unwrap())).unwrap();
    }
    let path = here.path().join("shop.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let at = text.find("profiles: ").unwrap();
    let rest = &text[at + text[at..].find('\n').unwrap() + 1..];
    fs::write(&path, format!("{}{TINY}{rest}", &text[..at])).unwrap();
    let server = Server::start();
    server.psql("create role app login superuser");
    let mut tiny = reprise(["run", "shop.yaml", "--profile", "tiny", "--format", "json", "--server"]);
    let ended = run(tiny.arg(server.url()).current_dir(here.path()));
    // whether a small machine meets the thresholds is no matter here
    assert!(matches!(ended.code, Some(0 | 3)), "{}", ended.err);
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(report["verdict"]["outcome"], "complete", "{}", ended.err);
    assert_eq!(report["phases"].as_array().unwrap().len(), 7);
    assert_eq!(report["phases"][1]["background"].as_array().unwrap().len(), 2);
}

#[test]
fn a_new_scenario_and_a_bare_script_run() {
    let server = Server::start();
    let url = server.url();
    let folder = tempfile::tempdir().unwrap();
    let here = |command: &mut std::process::Command| run(command.current_dir(folder.path()));
    assert_eq!(here(&mut reprise(["new", "bank"])).code, Some(0));
    // the same scenario, short
    let text = fs::read_to_string(folder.path().join("bank.yaml")).unwrap();
    let text = text.replace("duration: 3s", "transactions: 10").replace("duration: 20s", "transactions: 100");
    fs::write(folder.path().join("bank.yaml"), text).unwrap();
    let ended = here(&mut reprise(["run", "bank.yaml", "--server", &url]));
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("number of transactions actually processed: 100/100"), "{}", ended.out);
    assert!(folder.path().join("reprise-runs/last/run.json").exists());
    fs::write(folder.path().join("x.sql"), "\\set id random(1, 10)\nselect :id;\n").unwrap();
    let ended = here(&mut reprise(["run", "x.sql", "-c", "8", "-t", "5", "--seed", "7", "--server", &url]));
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("number of transactions actually processed: 40/40"), "{}", ended.out);
    assert!(ended.out.contains("query mode: prepared"), "{}", ended.out);
    assert!(ended.out.contains("\nseed      7\n"), "{}", ended.out);
    let torn = here(&mut reprise(["run", "bank.yaml", "--only", "teardown", "--server", &url]));
    assert_eq!(torn.code, Some(0), "{}{}", torn.out, torn.err);
    assert_eq!(server.psql("select to_regclass('account') is null"), "t");
}

#[test]
fn a_variable_is_asked_from_the_server_and_a_step_may_go_on_after_errors() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let run_it = |query: &str, further: &[&str]| {
        let text = format!(
            "reprise: 1\nvars:\n  n: {{query: {query}}}\nscripts: {{read: {{sql: \"select :n + 1 as m;\"}}}}\n\
             load: {{protocol: simple}}\nphases:\n  - {{sql: vacuum nosuch, on_error: continue}}\n  \
             - {{name: steady, transactions: 2}}\n"
        );
        fs::write(folder.path().join("asked.yaml"), text).unwrap();
        let command = &mut reprise(["run", "asked.yaml", "--server", &server.url()]);
        run(command.env("COLUMNS", "80").args(further).current_dir(folder.path()))
    };
    let fine = run_it("select count(*) from pg_class where false", &[]);
    assert_eq!(fine.code, Some(0), "{}{}", fine.out, fine.err);
    assert!(fine.out.contains("\nvars      n = 0\n"), "{}", fine.out);
    let told = "vacuum nosuch: ERROR: relation \"nosuch\" does not exist (passed over)";
    assert!(fine.err.contains(told), "{}", fine.err);
    let refused = run_it("select count(*) from nosuch", &[]);
    assert_eq!(refused.code, Some(1));
    let parts = ["setup::variable", "relation \"nosuch\" does not exist", "asked.yaml:3:35", "`-D n=…`"];
    assert!(parts.iter().all(|part| refused.err.contains(part)), "{}", refused.err);
    let silent = run_it("select 1 where false", &[]);
    assert_eq!(silent.code, Some(1));
    assert!(silent.err.contains("setup::no_value"), "{}", silent.err);
    let given = run_it("select count(*) from nosuch", &["-D", "n=7"]);
    assert_eq!(given.code, Some(0), "{}{}", given.out, given.err);
    assert!(given.out.contains("n = 7"), "{}", given.out);
}

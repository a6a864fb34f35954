//! `reprise import pgbench`: what command lines become. Each case is a command line with the file of its scenario in
//! `tests/import`; `REPRISE_BLESS=1` rewrites those.

#![allow(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use support::{Ended, reprise, run};

/// Names of cases with their command lines; words are cut at blanks, and `~` is a blank inside one.
const CASES: [(&str, &str); 13] = [
    ("nothing", ""),
    ("custom", "-n -c 8 -j 2 -T 60 -P 5 -r -M prepared -f pay.sql -f sub/browse.sql@9 --random-seed=42"),
    ("weights", "-b tpcb-like@5 -b se@0 -S -f pay.sql -f sub/pay.sql@2 -t 100 -v"),
    ("limits", "-R 12.5 -L 0.5 --max-tries=0 -T 1h"),
    ("variables", "-s 7 -D Region=north~east -D scale=3 -D n=1e3 -D t=12:30:x -D u=:x -D n=5 -f pay.sql"),
    ("scale", "-s 7 -f pay.sql -C -c 3 -j 9"),
    ("scale_of_builtin", "-s 7 -N -n"),
    ("log", "-l --log-prefix=mine --sampling-rate=0.1 --failures-detailed --verbose-errors --exit-on-abort --debug"),
    ("output", "--format=json --percentiles=50,99.9 --pgbench-version=9.6 -P 1 --progress-timestamp"),
    ("older", "-n -f pay.sql --pgbench-version=13 --random-seed=time"),
    ("connection", "-h db.example -p 6432 -U me -d postgres://you:s3cret@other/shop?sslmode=require -S"),
    ("initialization", "-i -s 50 -F 90 -q --foreign-keys --partitions=8 --partition-method=hash -n shop"),
    ("spaces", "-i -I dtG --unlogged-tables --tablespace=fast~disk --index-tablespace=x --init-jobs=4"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import")
}

/// A folder with scripts in it.
fn scripts() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for name in ["pay.sql", "sub/pay.sql", "sub/browse.sql"] {
        fs::write(folder.path().join(name), "\\set n :scale\nselect :n;\n").unwrap();
    }
    folder
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace('~', " ")).collect()
}

fn import(folder: &Path, options: &[&str], line: &[String]) -> Ended {
    let command = &mut reprise(["import"]);
    run(command.env("PGUSER", "me").env("COLUMNS", "80").args(options).arg("pgbench").args(line).current_dir(folder))
}

#[test]
fn each_command_line_becomes_a_scenario_that_passes_check() {
    let scripts = scripts();
    let mut faults = Vec::new();
    for (name, line) in CASES {
        // pgbench knows no units
        let ended = import(scripts.path(), &[], &words(&line.replace("1h", "3600")));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{name}");
        assert!(!ended.out.contains("s3cret"), "{name}: {}", ended.out);
        let file = format!("{name}.yaml");
        fs::write(scripts.path().join(&file), &ended.out).unwrap();
        let checked = run(reprise(["check", &file]).current_dir(scripts.path()));
        // a command line may well set what no script reads
        let other = checked.err.lines().find(|line| line.starts_with("plan::") && *line != "plan::unused");
        assert_eq!((checked.code, other), (Some(0), None), "{name}: {}", checked.err);
        if std::env::var_os("REPRISE_BLESS").is_some() {
            fs::write(folder().join(&file), &ended.out).unwrap();
        }
        if fs::read_to_string(folder().join(&file)).unwrap_or_default() != ended.out {
            faults.push(format!("{file} is not what was printed:\n{}", ended.out));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_file_names_scripts_from_where_it_lies_and_holds_those_that_lie_elsewhere() {
    let scripts = scripts();
    let line = words("-n -f sub/pay.sql -f pay.sql");
    let ended = import(scripts.path(), &["--out", "sub/x.yaml"], &line);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "wrote sub/x.yaml\n"), "{}", ended.err);
    let text = fs::read_to_string(scripts.path().join("sub/x.yaml")).unwrap();
    let expected =
        "scripts:\n  pay: {file: pay.sql}\n  pay_2:\n    sql: |\n      \\set n :scale\n      select :n;\nload:";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("#   reprise run sub/x.yaml --server "), "{text}");
    assert_eq!(run(reprise(["check", "sub/x.yaml"]).current_dir(scripts.path())).code, Some(0));
    let again = import(scripts.path(), &["--out", "sub/x.yaml"], &line);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("files::exists"), "{}", again.err);
    assert_eq!(fs::read_to_string(scripts.path().join("sub/x.yaml")).unwrap(), text);
}

#[test]
fn standard_input_is_held_by_the_scenario() {
    let command = &mut reprise(["import", "pgbench", "-n", "-f", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"  select 1;\n\nselect 2;\n").unwrap();
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert!(ended.out.contains("  stdin:\n    sql: |2\n        select 1;\n\n      select 2;\n"), "{ended:?}");
}

#[test]
fn faults_of_the_command_line_are_told_in_the_words_of_pgbench() {
    let scripts = scripts();
    for line in [
        "-c 0",
        "-f nosuch.sql",
        "-t 1 -T 1",
        "--max-tries=0",
        "-b nosuch",
        "-b list",
        "-M nosuch",
        "--nosuch",
        "-i -S",
        "-F 90",
        "-l --aggregate-interval=3 -T 4",
        "--show-script=se",
        "--help",
        "--version",
        "a b",
    ] {
        let line = words(line);
        let imported = import(scripts.path(), &[], &line);
        let called = run(reprise(["pgbench"]).args(&line).current_dir(scripts.path()));
        assert_eq!((imported.code, &imported.err), (called.code, &called.err), "{line:?}");
        assert_eq!(imported.out, called.out, "{line:?}");
    }
    let file = ["--out".to_owned(), "x.yaml".to_owned(), "-S".to_owned()];
    assert_eq!(import(scripts.path(), &[], &file).code, Some(1), "behind `pgbench` stand its options alone");
    assert!(!scripts.path().join("x.yaml").exists());
}

#[test]
fn a_script_that_no_scenario_takes_is_refused_with_its_place() {
    let scripts = scripts();
    fs::write(scripts.path().join("wrong.sql"), "select :nowhere;\n").unwrap();
    let ended = import(scripts.path(), &["--out", "x.yaml"], &words("-f wrong.sql"));
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
    assert!(ended.err.contains("plan::undefined_variable") && ended.err.contains("wrong.sql:1:8"), "{}", ended.err);
    assert!(!scripts.path().join("x.yaml").exists());
}

#[test]
fn a_script_that_runs_commands_is_taken_as_it_is() {
    let scripts = scripts();
    fs::write(scripts.path().join("shell.sql"), "\\shell true\n").unwrap();
    let ended = import(scripts.path(), &[], &words("-f shell.sql"));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert!(ended.out.contains("shell: {file: shell.sql}"), "{}", ended.out);
}

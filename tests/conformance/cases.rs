//! What pgbench is known to do, case by case: `cases.yaml`, replayed with this program and, where its version is one
//! that a case was seen with, with the real one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Deserialize;

use crate::relay::Relay;
use crate::support::{Server, reprise, run};
use crate::{Original, bare, folder};

/// Rows that do not hold yet. One that does has to leave the list.
const PENDING: [u32; 0] = [];

/// Programs that run at once.
const PARALLEL: usize = 4;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    row: u32,
    kind: Kind,
    #[serde(default)]
    input: String,
    #[serde(default)]
    script: String,
    #[serde(default)]
    args: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    exit: i32,
    #[serde(default)]
    says: Vec<String>,
    sends: Option<Vec<String>>,
    since: u32,
    #[serde(default)]
    before: Vec<Before>,
}

/// What older versions do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    versions: Vec<u32>,
    exit: i32,
    says: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Expr,
    Syntax,
    Meta,
    Cli,
    Run,
    Report,
    Progress,
    Log,
    Fail,
    Init,
}

/// Which program replays a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Ours,
    Theirs,
}

/// What a program did.
struct Seen {
    exit: Option<i32>,
    out: Vec<String>,
    err: Vec<String>,
    log: Vec<String>,
    sends: Vec<String>,
}

struct Stage {
    server: Server,
    original: Original,
}

impl Stage {
    fn start() -> Self {
        let server = Server::start();
        let original = Original::find();
        for name in ["cases", "cases_ours", "cases_theirs"] {
            server.psql(&format!("create database {name}"));
        }
        let stage = Self { server, original };
        let ended = run(stage.at_server(&mut bare(&stage.original.program), "cases").args(["-i", "-q"]));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let boom = "create function boom(code text, cond bool) returns int language plpgsql as $$ begin \
                    if cond then raise exception using errcode = code, message = 'boom ' || code; end if; \
                    return 1; end $$";
        let psql = stage.at_server(&mut stage.server.command("psql"), "cases").args(["-Xqc", boom]).status();
        assert!(psql.unwrap().success());
        stage
    }

    fn at_server<'a>(&self, command: &'a mut Command, database: &str) -> &'a mut Command {
        command
            .env("PGHOST", self.server.path(""))
            .env("PGPORT", self.server.port().to_string())
            .env("PGUSER", "postgres")
            .env("PGDATABASE", database)
    }

    fn see(&self, case: &Case, program: Program) -> Seen {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in case.all_files() {
            fs::write(home.path().join(name), text).unwrap();
        }
        let mut command = match program {
            Program::Ours => reprise(["pgbench"]),
            Program::Theirs => bare(&self.original.program),
        };
        if program == Program::Theirs {
            // as a shell does; its messages begin with it
            command.arg0("pgbench");
        }
        let database = match (case.kind, program) {
            (Kind::Init, Program::Ours) => "cases_ours",
            (Kind::Init, Program::Theirs) => "cases_theirs",
            _ => "cases",
        };
        self.at_server(&mut command, database).env("LC_ALL", "C");
        if case.needs_no_server() {
            command.env("PGPORT", "1");
        }
        let relay = case.sends.is_some().then(|| Relay::to(&self.server));
        if let Some(relay) = &relay {
            command.env("PGHOST", "127.0.0.1").env("PGPORT", relay.port().to_string());
            command.env("PGSSLMODE", "disable").env("PGGSSENCMODE", "disable");
        }
        let line = case.line();
        command.args(line.split_whitespace()).current_dir(home.path()).stdin(Stdio::null());
        let ended = run(&mut command);
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Seen {
            exit: ended.code,
            out: lines(&ended.out),
            err: lines(&ended.err),
            log: log_lines(home.path()),
            sends: relay.map_or_else(Vec::new, |relay| relay.take().concat().iter().filter_map(|m| sent(m)).collect()),
        }
    }

    /// What is different from what the case says.
    fn replay(&self, case: &Case, program: Program) -> Result<(), String> {
        let mut seen = self.see(case, program);
        seen.log.extend(derived(&seen));
        let difference = if seen.exit == Some(case.exit) {
            case.difference(&seen)
        } else {
            Some(format!("exit {:?} instead of {}", seen.exit, case.exit))
        };
        difference.map_or(Ok(()), |difference| {
            let told = [&seen.out[..], &seen.err, &seen.log].concat().join("\n");
            Err(format!("row {} ({program:?}: {}): {difference}\n{told}", case.row, case.line()))
        })
    }
}

impl Case {
    fn line(&self) -> String {
        match self.kind {
            Kind::Expr => format!("-n -t 1 --random-seed=42 {} -f s.sql", self.args),
            Kind::Syntax | Kind::Meta => format!("-n -t 1 {} -f s.sql", self.args),
            _ => self.args.clone(),
        }
    }

    fn all_files(&self) -> Vec<(&str, String)> {
        let script = match self.kind {
            Kind::Expr => Some(("s.sql", format!("\\set x debug({})\n", self.input))),
            Kind::Syntax | Kind::Meta => Some(("s.sql", self.script.clone())),
            _ => None,
        };
        script.into_iter().chain(self.files.iter().map(|(name, text)| (name.as_str(), text.clone()))).collect()
    }

    fn needs_no_server(&self) -> bool {
        let names_a_database = self.args.ends_with("template1");
        self.kind == Kind::Cli || self.kind == Kind::Fail && !names_a_database
    }

    fn difference(&self, seen: &Seen) -> Option<String> {
        if let Some(expected) = &self.sends {
            let missing = match self.kind {
                Kind::Init => missing(expected, &seen.sends),
                _ => (*expected != seen.sends).then(|| format!("sends {expected:?}")),
            };
            if let Some(missing) = missing {
                return Some(format!("{missing}\nsent {:?}", seen.sends));
            }
        }
        if matches!(self.kind, Kind::Expr | Kind::Syntax | Kind::Meta | Kind::Cli) {
            let told = self.complaints(seen);
            let begins = told.get(..self.says.len()).is_some_and(|told| told == self.says);
            return (!begins).then(|| format!("says {:?}", self.says));
        }
        missing(&self.says, &[&seen.out[..], &seen.err, &seen.log].concat())
    }

    /// Standard error without what every line of it begins with.
    fn complaints(&self, seen: &Seen) -> Vec<String> {
        let untold = ["pgbench: setting random seed", "pgbench: error: Run was aborted"];
        let lines = seen.err.iter().filter(|line| !untold.iter().any(|untold| line.starts_with(untold)));
        let plain = |line: &String| {
            let debugged = line.strip_prefix("debug(script=0,command=1): ").filter(|_| self.kind == Kind::Expr);
            let tagged = ["pgbench: hint: ", "pgbench: detail: "].iter().any(|tag| line.starts_with(tag));
            let bare = line.strip_prefix("pgbench: error: ").or_else(|| line.strip_prefix("pgbench: "));
            debugged.or(bare.filter(|_| !tagged)).unwrap_or(line).to_owned()
        };
        lines.map(plain).collect()
    }
}

/// The first of `expected` that is not among `seen` behind the one before it.
fn missing(expected: &[String], seen: &[String]) -> Option<String> {
    let mut seen = seen.iter();
    expected.iter().find(|expected| !seen.any(|seen| fits(expected, seen))).map(|line| format!("no line {line:?}"))
}

/// Whether a line is the expected one, blanks and masked figures aside.
fn fits(expected: &str, seen: &str) -> bool {
    if expected == "pgbench (VERSION)" {
        return seen.starts_with("pgbench (") && seen.ends_with(')');
    }
    let (expected, seen) = (expected.split_whitespace(), seen.split_whitespace());
    expected.clone().count() == seen.clone().count()
        && expected.zip(seen).all(|(expected, seen)| word_fits(expected, seen))
}

fn word_fits(expected: &str, seen: &str) -> bool {
    let masked = ["X", "N.NNN", "N.N", "USEC", "SEC", "US", "<socket>"].into_iter().find_map(|mask| {
        let (before, after) = expected.split_once(mask)?;
        let apart = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.' && mask != "<socket>");
        let alone = apart(before.chars().next_back()) && apart(after.chars().next());
        alone.then_some((before, after))
    });
    match masked {
        Some((before, after)) => {
            seen.len() > before.len() + after.len() && seen.starts_with(before) && seen.ends_with(after)
        }
        None => expected == seen,
    }
}

/// The text of a statement that a message carries, or the name of the prepared one that it executes.
fn sent(message: &str) -> Option<String> {
    let (kind, body) = message.split_once(' ')?;
    let mut strings = body.split("\\x00");
    let (first, second) = (strings.next()?, strings.next());
    let text = match kind {
        "Q" => first,
        "P" if first.is_empty() => second?,
        "B" => second.filter(|name| !name.is_empty())?,
        _ => return None,
    };
    Some(unescape(text))
}

/// The inverse of `escape_ascii`.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match (byte, byte == b'\\') {
            (_, true) => match rest.next().unwrap() {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => other,
            },
            (other, false) => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// The lines of the log files, thread by thread.
fn log_lines(home: &Path) -> Vec<String> {
    let names = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("lgx.")).collect();
    names.sort_by_key(|name| name.matches('.').count());
    let lines = |name: &String| -> Vec<String> {
        let text = fs::read_to_string(home.join(name)).unwrap();
        text.lines().map(|line| format!("log: {line}")).collect()
    };
    let mut all: Vec<String> = names.iter().flat_map(lines).collect();
    for (thread, name) in names.iter().enumerate() {
        let fields: Vec<Vec<String>> =
            lines(name).iter().map(|line| line.split(' ').skip(1).map(str::to_owned).collect()).collect();
        let column = |n: usize| fields.iter().map(|line| line[n].as_str()).collect::<Vec<_>>();
        let client = column(0).first().map_or_else(String::new, |client| (*client).to_owned());
        all.push(format!("log: file of thread {thread}: client {client}, scripts {}", column(3).join(" ")));
        let pairs: Vec<String> =
            column(1).iter().zip(column(3)).map(|(number, script)| format!("{number}:{script}")).collect();
        all.push(format!("log: id:script {}", pairs.join(" ")));
    }
    all
}

/// What the clients drew where each value is told as 1000 times its client and the value. Lines of several threads may
/// be torn, their values are not.
fn derived(seen: &Seen) -> Vec<String> {
    let mut draws: BTreeMap<i64, String> = BTreeMap::new();
    let text = seen.err.join("\n");
    for number in text.split("int ").skip(1) {
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        if let Ok(number) = number[..end].parse::<i64>() {
            let draws = draws.entry(number / 1000).or_default();
            write!(draws, " {}", number % 1000).unwrap();
        }
    }
    draws.iter().map(|(client, draws)| format!("client {client} draws{draws}")).collect()
}

fn table() -> Vec<Case> {
    serde_saphyr::from_str(&fs::read_to_string(folder().join("cases.yaml")).unwrap()).unwrap()
}

#[test]
fn every_case_of_the_table_holds() {
    let (stage, cases) = (Stage::start(), table());
    let holds_in_original = |case: &&Case| stage.original.major <= 18 && stage.original.major >= case.since;
    let ours = cases.iter().map(|case| (case, Program::Ours));
    let theirs = cases.iter().filter(holds_in_original).map(|case| (case, Program::Theirs));
    // each step of an initialization needs what the one before made
    let (init, others): (Vec<_>, Vec<_>) = ours.chain(theirs).partition(|(case, _)| case.kind == Kind::Init);
    let (ours, theirs): (Vec<_>, Vec<_>) = init.into_iter().partition(|(_, program)| *program == Program::Ours);
    let jobs: Vec<Vec<_>> = [ours, theirs].into_iter().chain(others.into_iter().map(|one| vec![one])).collect();
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for (case, program) in job {
                        let pending = *program == Program::Ours && PENDING.contains(&case.row);
                        let fault = match (stage.replay(case, *program), pending) {
                            (Ok(()), false) | (Err(_), true) => continue,
                            (Ok(()), true) => format!("row {} holds: it is not pending", case.row),
                            (Err(fault), false) => fault,
                        };
                        faults.lock().unwrap().push(fault);
                    }
                }
            });
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn the_table_has_each_row_once() {
    let cases = table();
    assert!(cases.is_sorted_by(|a, b| a.row < b.row));
    assert!(cases.iter().all(|case| !case.says.is_empty() || case.sends.is_some()));
    assert!(cases.iter().flat_map(|case| &case.before).all(|before| !before.says.is_empty() && before.exit <= 2));
    assert!(cases.iter().all(|case| case.before.iter().flat_map(|b| &b.versions).all(|version| *version < case.since)));
}

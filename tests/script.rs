//! Script files and what they parse to: each case is an input and its expected output under one stem.
//! `REPRISE_BLESS=1` rewrites the expected outputs.

#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use reprise::eval::Function;
use reprise::script::ast::{CommandKind, Expr, ExprKind, SetupItem, Sql, SqlPart, Word};
use reprise::script::{
    Dialect, Error, PgbenchMessage, Script, parse, parse_expression, parse_sql, pgbench_message, print,
};
use reprise::source::{SourceId, SourceMap, Span};

#[test]
fn scripts_are_read() {
    each("accept", "ast", |name, text| render_parsed(name, text, Dialect::Extended));
}

#[test]
fn faults_are_reported_all_at_once() {
    each("reject", "err", |name, text| {
        let mut sources = SourceMap::default();
        let errors = match parse(sources.add(name, text), text, Dialect::Extended) {
            Ok(script) => panic!("{name} was taken: {script:?}"),
            Err(errors) => errors,
        };
        render_errors(&sources, &errors)
    });
}

#[test]
fn set_up_sql_is_split() {
    each("setup", "ast", |name, text| {
        let mut sources = SourceMap::default();
        match parse_sql(sources.add(name, text), text, 0, Dialect::Extended) {
            Ok(items) => items.iter().fold(String::new(), |out, item| out + &render_item(&sources, item)),
            Err(errors) => render_errors(&sources, &errors),
        }
    });
}

#[test]
fn pgbench_scripts_are_read_as_pgbench_reads_them() {
    each("pgbench/accept", "ast", |name, text| render_parsed(name, text, Dialect::Pgbench));
}

#[test]
fn pgbench_scripts_get_the_messages_of_pgbench() {
    each("pgbench/reject", "err", |name, text| {
        let mut sources = SourceMap::default();
        match parse(sources.add("s.sql", text), text, Dialect::Pgbench) {
            Ok(script) => panic!("{name} was taken: {script:?}"),
            Err(errors) => render_pgbench(&sources, text, &pgbench_message(&errors).unwrap()),
        }
    });
}

#[test]
fn calls_take_what_evaluation_expects() {
    for name in Function::names(false) {
        let expected = Function::resolve(name, false).unwrap().arguments();
        for count in 0..6 {
            let call = format!("{name}({})", vec!["1"; count].join(", "));
            let taken = parse_expression(SourceId(0), &call, 0, Dialect::Pgbench).is_ok();
            // too many of these are found when they are computed
            let open_ended = matches!(*name, "least" | "greatest") && count > 0;
            assert_eq!(taken, open_ended || expected.contains(&count), "{call}");
        }
    }
}

/// Scripts by others, where they are at hand.
#[test]
fn published_constructs_are_read() {
    let Ok(folder) = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/scripts")) else {
        return;
    };
    for path in folder.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "sql")) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        if name.ends_with(".setup.sql") {
            assert!(parse_sql(SourceId(0), &text, 0, Dialect::Extended).is_ok(), "{name}");
        }
        render_parsed(&name, &text, Dialect::Extended);
        render_parsed(&name, &text, Dialect::Pgbench);
    }
}

/// The page on the language names every rule, meta-command and function that there is.
#[test]
fn the_grammar_page_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar");
    let page = fs::read_to_string(root.join("README.md")).unwrap();
    for file in ["script.pest", "expression.pest"] {
        for line in fs::read_to_string(root.join(file)).unwrap().lines() {
            let rule = line.split('=').next().unwrap().trim();
            let is_rule =
                line.contains("= ") && !rule.is_empty() && rule.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            assert!(!is_rule || page.contains(&format!("`{rule}`")), "{file}: rule `{rule}` is not on the page");
        }
    }
}

/// Runs `render` over every input of a folder and compares with the expected output beside it.
fn each(folder: &str, extension: &str, render: impl Fn(&str, &str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script").join(folder);
    let mut inputs: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.retain(|path| path.extension().is_some_and(|found| found == "sql"));
    inputs.sort();
    assert!(!inputs.is_empty(), "no case in {}", folder.display());
    let mut different = String::new();
    for input in inputs {
        let name = input.file_name().unwrap().to_str().unwrap();
        let actual = render(name, &fs::read_to_string(&input).unwrap());
        let expected_path = input.with_extension(extension);
        if std::env::var_os("REPRISE_BLESS").is_some() {
            fs::write(&expected_path, &actual).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if actual != expected {
            let _ = write!(different, "{}\n--- expected\n{expected}--- actual\n{actual}\n", input.display());
        }
    }
    assert!(different.is_empty(), "{different}");
}

fn render_parsed(name: &str, text: &str, dialect: Dialect) -> String {
    let mut sources = SourceMap::default();
    match parse(sources.add(name, text), text, dialect) {
        Ok(script) => {
            let again = parse(script.source, &print(&script), dialect).unwrap_or_else(|errors| {
                panic!("{name} printed does not parse: {errors:?}\n{}", print(&script));
            });
            assert_eq!(print(&again), print(&script), "{name} printed is another script");
            render_script(&sources, &script)
        }
        Err(errors) => panic!("{name} was refused:\n{}", render_errors(&sources, &errors)),
    }
}

fn render_script(sources: &SourceMap, script: &Script) -> String {
    let mut out = String::new();
    for command in &script.commands {
        let label = command.label.as_ref().map_or_else(String::new, |label| format!("label {} ", label.text));
        let _ = writeln!(out, "{}{label}{:?}", place(sources, command.span), sources.slice(command.span));
        let kind = &command.kind;
        match kind {
            CommandKind::Sql(sql) => out.push_str(&render_sql(sources, sql)),
            CommandKind::Set { name, value } => {
                let _ = writeln!(out, "  set {} {}", name.text, render_expr(value));
            }
            CommandKind::If(condition) => {
                let _ = writeln!(out, "  if {}", render_expr(condition));
            }
            CommandKind::Elif(condition) => {
                let _ = writeln!(out, "  elif {}", render_expr(condition));
            }
            CommandKind::Repeat { count, counter } => {
                let counter = counter.as_ref().map(|name| name.text.as_str());
                let _ = writeln!(out, "  repeat {} as {counter:?}", render_expr(count));
            }
            CommandKind::Assert { condition, text } => {
                let _ = writeln!(out, "  assert {} {text:?}", render_expr(condition));
            }
            CommandKind::Shell { words } => {
                let _ = writeln!(out, "  shell {}", render_words(words));
            }
            CommandKind::SetShell { name, words } => {
                let _ = writeln!(out, "  setshell {} {}", name.text, render_words(words));
            }
            CommandKind::Sleep { amount, unit } => {
                let amount = match amount {
                    reprise::script::ast::SleepAmount::Constant(number) => number.to_string(),
                    reprise::script::ast::SleepAmount::Variable(name) => format!(":{}", name.text),
                };
                let _ = writeln!(out, "  sleep {amount} {unit:?}");
            }
            CommandKind::Feed(name) => {
                let _ = writeln!(out, "  feed {}", name.text);
            }
            kind => {
                let _ = writeln!(out, "  {kind:?}");
            }
        }
    }
    out
}

fn render_item(sources: &SourceMap, item: &SetupItem) -> String {
    match item {
        SetupItem::Sql { sql, span } => format!("{}sql\n{}", place(sources, *span), render_sql(sources, sql)),
        SetupItem::Copy { sql, span, data } => {
            let (sql, data) = (render_sql(sources, sql), sources.slice(*data));
            format!("{}copy\n{sql}  data {data:?}\n", place(sources, *span))
        }
    }
}

fn render_sql(sources: &SourceMap, sql: &Sql) -> String {
    let mut out = String::new();
    for part in &sql.parts {
        let _ = match part {
            SqlPart::Text(text) => writeln!(out, "  text {text:?}"),
            SqlPart::Variable(variable) => writeln!(
                out,
                "  variable {} {:?} {:?} from {:?}",
                variable.name.text,
                variable.form,
                variable.place,
                sources.slice(variable.name.span)
            ),
        };
    }
    if let Some(store) = &sql.store {
        let _ = writeln!(out, "  {:?} {:?} from {:?}", store.kind, store.prefix, sources.slice(store.span));
    }
    out
}

fn render_words(words: &[Word]) -> String {
    let word = |word: &Word| match word {
        Word::Text(text) => format!("{text:?}"),
        Word::Variable(name) => format!(":{}", name.text),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The tree with all its parentheses.
fn render_expr(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Null => "null".to_owned(),
        ExprKind::Boolean(value) => value.to_string(),
        ExprKind::Integer(value) => value.to_string(),
        ExprKind::Double(value) => format!("{value:?}"),
        ExprKind::Text(text) => format!("{text:?}"),
        ExprKind::Variable(name) => format!(":{name}"),
        ExprKind::Unary(op, operand) => format!("({op:?} {})", render_expr(operand)),
        ExprKind::Binary(op, left, right) => format!("({op:?} {} {})", render_expr(left), render_expr(right)),
        ExprKind::Is { operand, test, negated } => {
            format!("(Is{} {} {test:?})", if *negated { "Not" } else { "" }, render_expr(operand))
        }
        ExprKind::Case { branches, otherwise } => {
            let mut out = "(Case".to_owned();
            for (condition, value) in branches {
                let _ = write!(out, " [{} {}]", render_expr(condition), render_expr(value));
            }
            let _ = otherwise.as_ref().map(|value| write!(out, " {}", render_expr(value)));
            out + ")"
        }
        ExprKind::Call { function, arguments } => {
            let arguments: Vec<_> = arguments.iter().map(render_expr).collect();
            format!("{}({})", function.text, arguments.join(", "))
        }
    }
}

fn render_errors(sources: &SourceMap, errors: &[Error]) -> String {
    let mut out = String::new();
    for error in errors {
        let diagnostic = error.diagnostic();
        let _ = writeln!(out, "{}: {}", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            let _ = writeln!(out, "  {}{:?}: {}", place(sources, label.span), sources.slice(label.span), label.text);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}

fn place(sources: &SourceMap, span: Span) -> String {
    let (line, column) = sources.line_column(span);
    format!("{line}:{column} ")
}

/// Writes a message as pgbench does, without the prefix of the program.
fn render_pgbench(sources: &SourceMap, text: &str, message: &PgbenchMessage) -> String {
    match message {
        PgbenchMessage::Empty => "empty command list for script \"s.sql\"\n".to_owned(),
        PgbenchMessage::Condition { command, text } => {
            format!("condition error in script \"s.sql\" command {command}: {text}\n")
        }
        PgbenchMessage::Syntax { text: said, more, command, at, echo, caret } => {
            let mut out = format!("s.sql:{}: {said}", sources.line_column(*at).0);
            let _ = more.as_ref().map(|more| write!(out, " ({more})"));
            let _ = command.as_ref().map(|command| write!(out, " in command \"{command}\""));
            out.push('\n');
            if let Some(echo) = echo {
                let _ = writeln!(out, "{}", text[echo.range()].trim_end_matches('\r'));
                let _ = caret.map(|caret| writeln!(out, "{}^ error found here", " ".repeat(caret)));
            }
            out
        }
    }
}

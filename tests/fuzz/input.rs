//! What tests and fuzzers do with a script.

use reprise::plan::compile::{PgbenchInputs, PgbenchScript, compile_pgbench};
use reprise::plan::phase::{Protocol, StopPlan};
use reprise::plan::{Detail, print};
use reprise::script::{self, Dialect, Script};
use reprise::source::{SourceId, SourceMap};

/// Parses a script in both dialects, compiles it, does what else the caller wants of it, or shows what is wrong with it.
pub(crate) fn take_script(text: &str, also: impl Fn(SourceId, Dialect, &Script)) {
    let mut sources = SourceMap::default();
    let id = sources.add("fuzz.sql", text);
    for dialect in [Dialect::Pgbench, Dialect::Extended] {
        match script::parse(id, text, dialect) {
            Ok(script) => {
                also(id, dialect, &script);
                compile_script(&script);
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in &errors {
                    let _ = error.pgbench_message();
                    for label in error.diagnostic().labels {
                        assert!(text.get(label.span.range()).is_some(), "{error:?} is not in the text");
                        let _ = sources.slice(label.span);
                        let _ = sources.line_column(label.span);
                    }
                }
            }
        }
    }
    let _ = script::parse_sql(id, text, 0, Dialect::Extended);
}

fn compile_script(script: &Script) {
    for protocol in [Protocol::Simple, Protocol::Prepared] {
        if let Ok(plan) = compile_pgbench(&alone(script, protocol, &[])) {
            let _ = print(&plan, Detail::Programs);
        }
    }
}

/// One client that runs one script once.
pub(crate) fn alone<'a>(script: &'a Script, protocol: Protocol, defines: &'a [(String, String)]) -> PgbenchInputs<'a> {
    PgbenchInputs {
        scripts: vec![PgbenchScript { description: "s".to_owned(), script, weight: 1, builtin: false }],
        defines,
        scale: 1,
        clients: 1,
        threads: 1,
        protocol,
        connect: false,
        stop: StopPlan::TransactionsPerClient(1),
        rate: None,
        latency_limit: None,
        max_tries: 1,
        seed: 1,
    }
}

//! Any text as a script: it is read, compiled and printed, or refused with places that are in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reprise::plan::compile::{PgbenchInputs, PgbenchScript, compile_pgbench};
use reprise::plan::phase::{Protocol, StopPlan};
use reprise::plan::{Detail, print};
use reprise::script::{self, Dialect, Script};
use reprise::source::SourceMap;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let id = sources.add("fuzz.sql", text);
    for dialect in [Dialect::Pgbench, Dialect::Extended] {
        match script::parse(id, text, dialect) {
            Ok(script) => {
                let printed = script::print(&script);
                let again = script::parse(id, &printed, dialect).expect("what is printed is a script");
                assert_eq!(script::print(&again), printed);
                compile(&script);
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in &errors {
                    let _ = error.pgbench_message();
                    for label in error.diagnostic().labels {
                        assert!(text.get(label.span.range()).is_some(), "{error:?} is not in the text");
                        let _ = sources.line_column(label.span);
                    }
                }
            }
        }
    }
    let _ = script::parse_sql(id, text, 0, Dialect::Extended);
});

fn compile(script: &Script) {
    for protocol in [Protocol::Simple, Protocol::Prepared] {
        let inputs = PgbenchInputs {
            scripts: vec![PgbenchScript { description: "s".to_owned(), script, weight: 1, builtin: false }],
            defines: &[],
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
        };
        if let Ok(plan) = compile_pgbench(&inputs) {
            let _ = print(&plan, Detail::Programs);
        }
    }
}

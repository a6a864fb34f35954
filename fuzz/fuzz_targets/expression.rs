//! Any text as the expression of `\set`: it is evaluated, with variables of every kind, or refused.

#![no_main]

#[path = "../../tests/fuzz/input.rs"]
#[allow(dead_code, reason = "it shares the inputs alone")]
mod input;

use libfuzzer_sys::fuzz_target;
use reprise::eval::{Generator, Scope, Value, evaluate, evaluate_condition, evaluate_integer};
use reprise::plan::compile::compile_pgbench;
use reprise::plan::phase::Protocol;
use reprise::plan::program::OpKind;
use reprise::script::{self, Dialect};
use reprise::source::SourceId;

fuzz_target!(|text: &str| {
    if text.contains(['\n', '\0']) {
        return;
    }
    let Ok(script) = script::parse(SourceId(0), &format!("\\set x {text}\n"), Dialect::Pgbench) else { return };
    let defines = [("i", "7"), ("d", "-1.5"), ("t", "yes"), ("n", "null"), ("s", "abc"), ("m", "-9223372036854775808")];
    let defines = defines.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let Ok(plan) = compile_pgbench(&input::alone(&script, Protocol::Simple, &defines)) else { return };
    let value_of = |name: &str| plan.vars.iter().find(|var| var.name == name).map(|var| var.value.clone());
    let slots: Vec<Option<Value>> = plan.slots.iter().map(|slot| value_of(&slot.name)).collect();
    for op in &plan.scripts[0].ops {
        let OpKind::Set(_, expr) = &op.kind else { continue };
        for strict_text in [false, true] {
            let mut scope = Scope {
                slots: &slots,
                random: &mut Generator::from_seed(1),
                client: 0,
                iteration: 0,
                now_us: &|| 0,
                debug: &mut |_| (),
                strict_text,
            };
            if let Ok(value) = evaluate(expr, &mut scope) {
                value.write_sql(&mut Vec::new());
            }
            let _ = evaluate_condition(expr, &mut scope);
            let _ = evaluate_integer(expr, &mut scope);
        }
    }
});

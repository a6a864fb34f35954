//! What evaluation costs: numbers never touch the allocator.

use std::alloc::System;
use std::sync::OnceLock;

use reprise::eval::{Expr, Function, Generator, Scope, Value, evaluate, evaluate_condition};
use reprise::id::SlotId;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The variables of all evaluations: a number, and a number as text.
static SLOTS: OnceLock<[Option<Value>; 2]> = OnceLock::new();

fn call(function: Function, arguments: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Call(function, arguments.into_iter().collect())
}

fn integer(value: i64) -> Expr {
    Expr::Constant(Value::Integer(value))
}

fn double(value: f64) -> Expr {
    Expr::Constant(Value::Double(value))
}

fn expressions() -> Vec<Expr> {
    let scale = || Expr::Slot(SlotId(0));
    let text = || Expr::Slot(SlotId(1));
    let accounts = || call(Function::Multiply, [integer(100_000), scale()]);
    vec![
        call(Function::Random, [integer(1), accounts()]),
        call(Function::RandomZipfian, [integer(1), accounts(), double(1.1)]),
        call(Function::RandomGaussian, [integer(1), accounts(), double(2.5)]),
        call(Function::RandomExponential, [integer(1), accounts(), double(2.5)]),
        call(Function::Permute, [text(), accounts(), integer(7)]),
        call(Function::HashMurmur2, [text(), integer(7)]),
        call(Function::Greatest, [scale(), text(), double(0.5), integer(3)]),
        call(Function::Divide, [double(1.0), text()]),
        Expr::Case(Box::new([(call(Function::Less, [scale(), integer(5)]), scale())]), Some(Box::new(text()))),
        Expr::And(
            Box::new(call(Function::Equal, [text(), integer(12)])),
            Box::new(Expr::Not(Box::new(call(Function::LessEqual, [text(), scale()])))),
        ),
    ]
}

/// Evaluates all, writes the values and tests them as conditions; gives how many hold.
fn evaluate_all(expressions: &[Expr], sql: &mut Vec<u8>) -> usize {
    let slots = SLOTS.get_or_init(|| [Some(Value::Integer(10)), Some(Value::Text("12".into()))]);
    let mut scope = Scope {
        slots,
        random: &mut Generator::from_seed(1),
        client: 0,
        iteration: 0,
        now_us: &|| 0,
        debug: &mut |_| (),
        strict_text: false,
    };
    sql.clear();
    for expression in expressions {
        if let Ok(value) = evaluate(expression, &mut scope) {
            value.write_sql(sql);
        }
    }
    expressions.iter().filter(|expression| evaluate_condition(expression, &mut scope) == Ok(true)).count()
}

#[test]
fn numbers_do_not_allocate() {
    const ROUNDS: usize = 10;
    let expressions = expressions();
    let mut sql = Vec::with_capacity(1024);
    assert_eq!(evaluate_all(&expressions, &mut sql), expressions.len(), "{}", String::from_utf8_lossy(&sql));

    // the counters are the whole process's, and the test's runner has threads of its own
    let silent = (0..ROUNDS).any(|_| {
        let region = Region::new(ALLOCATOR);
        evaluate_all(&expressions, &mut sql);
        let change = region.change();
        change.allocations == 0 && change.reallocations == 0
    });
    assert!(silent, "each of {ROUNDS} rounds allocates");
}

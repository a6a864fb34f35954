//! What evaluation costs: numbers never touch the allocator.

use std::alloc::System;

use reprise::eval::{Expr, Function, Generator, Scope, Value, evaluate, evaluate_condition};
use reprise::id::SlotId;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

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

#[test]
fn numbers_do_not_allocate() {
    let slots = [Some(Value::Integer(10)), Some(Value::Text("12".into()))];
    let expressions = expressions();
    let mut random = Generator::from_seed(1);
    let mut sql = Vec::with_capacity(1024);

    let region = Region::new(ALLOCATOR);
    let mut scope = Scope {
        slots: &slots,
        random: &mut random,
        client: 0,
        iteration: 0,
        now_us: &|| 0,
        debug: &mut |_| (),
        strict_text: false,
    };
    let mut holding = 0;
    for expression in &expressions {
        let value = evaluate(expression, &mut scope);
        if let Ok(value) = &value {
            value.write_sql(&mut sql);
        }
        holding += usize::from(evaluate_condition(expression, &mut scope) == Ok(true));
    }
    let change = region.change();

    assert_eq!(holding, expressions.len(), "{}", String::from_utf8_lossy(&sql));
    assert_eq!((change.allocations, change.reallocations), (0, 0));
}

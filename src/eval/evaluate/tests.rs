use super::*;
use crate::eval::Generator;
use crate::id::SlotId;
use Function::*;

/// The generator's seed in these tests: client 0 of `--random-seed=42`.
const CLIENT_SEED: u64 = 7_631_449_856_891_427_754;
const DEFAULT_SEED: i64 = 4_306_334_408_478_191_133;

/// Evaluates with these texts as variables, and tells what `debug` showed.
fn run_with(expr: &Expr, texts: &[&str], strict_text: bool) -> (Result<Value, Error>, Vec<String>) {
    let mut slots: Vec<Option<Value>> = texts.iter().map(|text| Some(Value::Text((*text).into()))).collect();
    slots.push(None);
    let mut shown = Vec::new();
    let mut random = Generator::from_seed(CLIENT_SEED);
    let mut scope = Scope {
        slots: &slots,
        random: &mut random,
        client: 3,
        iteration: 17,
        now_us: &|| 1_700_000_000_000_000,
        debug: &mut |value| shown.push(value.typed().to_string()),
        strict_text,
    };
    let outcome = evaluate(expr, &mut scope);
    (outcome, shown)
}

fn run(expr: &Expr) -> Result<Value, Error> {
    run_with(expr, &[], true).0
}

/// The value as `debug` shows it, or the message.
fn show(outcome: Result<Value, Error>) -> String {
    match outcome {
        Ok(value) => value.typed().to_string(),
        Err(error) => error.message(&|slot| format!("v{}", slot.0)),
    }
}

trait Operand {
    fn expr(self) -> Expr;
}

impl Operand for Expr {
    fn expr(self) -> Expr {
        self
    }
}

impl Operand for i32 {
    fn expr(self) -> Expr {
        Expr::Constant(Value::Integer(self.into()))
    }
}

impl Operand for i64 {
    fn expr(self) -> Expr {
        Expr::Constant(Value::Integer(self))
    }
}

impl Operand for f64 {
    fn expr(self) -> Expr {
        Expr::Constant(Value::Double(self))
    }
}

impl Operand for bool {
    fn expr(self) -> Expr {
        Expr::Constant(Value::Boolean(self))
    }
}

/// A string constant.
impl Operand for &str {
    fn expr(self) -> Expr {
        Expr::Constant(Value::Text(self.into()))
    }
}

/// null
impl Operand for () {
    fn expr(self) -> Expr {
        Expr::Constant(Value::Null)
    }
}

/// The variable of that number.
impl Operand for u16 {
    fn expr(self) -> Expr {
        Expr::Slot(SlotId(self))
    }
}

macro_rules! call {
    ($function:expr $(, $argument:expr)*) => {
        Expr::Call($function, Box::new([$(Operand::expr($argument)),*]))
    };
}

fn not(operand: impl Operand) -> Expr {
    Expr::Not(Box::new(operand.expr()))
}

fn and(left: impl Operand, right: impl Operand) -> Expr {
    Expr::And(Box::new(left.expr()), Box::new(right.expr()))
}

fn or(left: impl Operand, right: impl Operand) -> Expr {
    Expr::Or(Box::new(left.expr()), Box::new(right.expr()))
}

fn is(operand: impl Operand, constant: Value, negated: bool) -> Expr {
    Expr::Is { operand: Box::new(operand.expr()), constant, negated }
}

fn case(branches: impl IntoIterator<Item = (Expr, Expr)>, otherwise: Option<Expr>) -> Expr {
    Expr::Case(branches.into_iter().collect(), otherwise.map(Box::new))
}

fn one_by_zero() -> Expr {
    call!(Divide, 1, 0)
}

#[track_caller]
fn all(cases: &[(Expr, &str)]) {
    for (expr, expected) in cases {
        assert_eq!(show(run(expr)), *expected, "{expr:?}");
    }
}

#[test]
fn arithmetic() {
    all(&[
        (call!(Multiply, call!(Divide, 17, 5), 2), "int 6"),
        (call!(Divide, -17, 5), "int -3"),
        (call!(Modulo, 17, -5), "int 2"),
        (call!(Modulo, -7, 3), "int -1"),
        (call!(Modulo, 6.5, 4), "int 2"),
        (call!(Add, 1, 2.5), "double 3.5"),
        (call!(Divide, 5, 0), "division by zero"),
        (call!(Modulo, 5, 0), "division by zero"),
        (call!(Divide, 5.0, 0), "double Infinity"),
        (call!(Add, i64::MAX, 1), "bigint add out of range"),
        (call!(Subtract, 0, i64::MIN), "bigint sub out of range"),
        (call!(Multiply, 5_000_000_000_i64, 5_000_000_000_i64), "bigint mul out of range"),
        (call!(Divide, i64::MIN, -1), "bigint div out of range"),
        (call!(Modulo, i64::MIN, -1), "int 0"),
        (call!(Subtract, 0, true), "cannot coerce boolean to int"),
        (call!(Add, true, 1), "cannot coerce boolean to int"),
        (call!(Add, true, 1.0), "cannot coerce boolean to double"),
        (call!(Multiply, 0.0, -1), "double -0"),
    ]);
}

#[test]
fn bits() {
    all(&[
        (call!(ShiftLeft, call!(Add, 1, 2), 3), "int 24"),
        (call!(BitAnd, call!(BitOr, 12, 3), 5), "int 5"),
        (call!(BitXor, 7, 7), "int 0"),
        (call!(ShiftLeft, 1, 63), "int -9223372036854775808"),
        (call!(ShiftLeft, 1, 64), "int 1"),
        (call!(ShiftLeft, 1, -1), "int -9223372036854775808"),
        (call!(ShiftRight, 8, 65), "int 4"),
        (call!(ShiftRight, -8, 1), "int -4"),
        (call!(BitOr, 1, 2.5), "int 3"),
    ]);
}

#[test]
fn logic_and_null() {
    all(&[
        (or(not(true), true), "boolean true"),
        (or((), true), "null"),
        (and((), one_by_zero()), "null"),
        (and(false, ()), "boolean false"),
        (and(false, one_by_zero()), "boolean false"),
        (and(true, ()), "null"),
        (or(true, ()), "boolean true"),
        (or(true, 7), "boolean true"),
        (and(true, 1), "cannot coerce int to boolean"),
        (and(1.5, true), "cannot coerce double to boolean"),
        (not(1), "cannot coerce int to boolean"),
        (not(()), "null"),
        (call!(Add, (), one_by_zero()), "division by zero"),
        (call!(NotEqual, (), ()), "null"),
        (call!(Least, 1, ()), "null"),
        (call!(Random, (), 1), "null"),
        (call!(Permute, 1, (), 1), "null"),
        (is((), Value::Boolean(true), true), "boolean true"),
        (is(false, Value::Null, true), "boolean true"),
        (is(1, Value::Boolean(true), false), "boolean false"),
        (is((), Value::Null, false), "boolean true"),
    ]);
}

#[test]
fn comparisons() {
    all(&[
        (call!(Equal, 1, 1.0), "boolean true"),
        (call!(NotEqual, 3, 3), "boolean false"),
        (call!(Less, 2, call!(Add, 1, 2)), "boolean true"),
        (call!(LessEqual, 2.5, 2), "boolean false"),
        (call!(LessEqual, 2, 2), "boolean true"),
        (call!(Equal, true, true), "cannot coerce boolean to int"),
        (call!(Equal, f64::NAN, f64::NAN), "boolean false"),
    ]);
}

#[test]
fn cases_choose_one_branch() {
    all(&[
        (case([(().expr(), 5.expr())], Some(6.expr())), "int 6"),
        (case([(0.5.expr(), 1.expr())], None), "int 1"),
        (case([(false.expr(), one_by_zero())], None), "null"),
        (case([(call!(Equal, 1, 1), 4.expr()), (call!(Equal, one_by_zero(), 1), 5.expr())], None), "int 4"),
    ]);
}

#[test]
fn functions_of_numbers() {
    all(&[
        (call!(ToInteger, 2.5), "int 2"),
        (call!(ToInteger, 3.5), "int 4"),
        (call!(ToInteger, 1e19), "double to int overflow for 10000000000000000000.000000"),
        (call!(ToInteger, true), "cannot coerce boolean to int"),
        (call!(ToDouble, 7), "double 7"),
        (1e100.expr(), "double 1e+100"),
        (3e-5.expr(), "double 3e-05"),
        (call!(Sqrt, -4), "double NaN"),
        (call!(Ln, 0), "double -Infinity"),
        (call!(Ln, false), "cannot coerce boolean to double"),
        (call!(Exp, 0), "double 1"),
        (call!(Pi), "double 3.14159265358979"),
        (call!(Pow, 2, -1), "double 0.5"),
        (call!(Pow, 9, 0.5), "double 3"),
        (call!(Abs, -3), "int 3"),
        (call!(Abs, -3.5), "double 3.5"),
        (call!(Abs, i64::MIN), "int -9223372036854775808"),
        (call!(Abs, true), "cannot coerce boolean to int"),
        (call!(Greatest, 4, 2, 3), "int 4"),
        (call!(Least, 4, 2.5, 3), "double 2.5"),
        (call!(Greatest, 4), "int 4"),
        (call!(Greatest, 1000, f64::NAN, 33), "double 33"),
        (call!(Least, 1, f64::NAN), "double NaN"),
        (call!(Least, true, 1), "cannot coerce boolean to int"),
        (call!(HashMurmur2, 42, 7), "int 1340367696533541376"),
        (call!(HashFnv1a, 42, 7), "int 2765047632110736392"),
        (call!(HashFnv1a, -1, 0), "int -8289690350564177859"),
        (call!(HashMurmur2, 1, DEFAULT_SEED), "int 8161110279748835556"),
        (call!(Permute, 11, 8, 99), "int 4"),
        (call!(Permute, -1, 8, 99), "int 6"),
        (call!(Permute, 5, 1, 3), "int 0"),
        (call!(Permute, 1, 100, DEFAULT_SEED), "int 47"),
        (call!(Permute, 1, -1, 0), "permute size parameter must be greater than zero"),
    ]);
}

#[test]
fn extremes_take_sixteen_arguments() {
    let ones = |count| Expr::Call(Greatest, (0..count).map(|_| 1.expr()).collect());
    assert_eq!(show(run(&ones(16))), "int 1");
    assert_eq!(show(run(&ones(17))), "too many function arguments, maximum is 16");
    let fails_first = Expr::Call(Least, std::iter::once(one_by_zero()).chain((0..16).map(Operand::expr)).collect());
    assert_eq!(show(run(&fails_first)), "division by zero");
}

#[test]
fn random_functions() {
    all(&[
        (call!(Random, 1, 1_000_000), "int 668251"),
        (call!(Random, -10, 10), "int 10"),
        (call!(RandomExponential, 1, 1000, 3.0), "int 311"),
        (call!(RandomGaussian, 1, 1000, 4.0), "int 663"),
        (call!(Add, call!(Random, 7, 7), call!(Random, 1, 6)), "int 13"),
        (call!(Random, 3, 2), "empty range given to random"),
        (call!(Random, i64::MIN, i64::MAX), "random range is too large"),
        (call!(Random, 0, i64::MAX), "random range is too large"),
        (call!(RandomGaussian, 1, 9, 1.5), "gaussian parameter must be at least 2.000000 (not 1.500000)"),
        (call!(RandomExponential, 1, 9, 0), "exponential parameter must be greater than zero (not 0.000000)"),
        (call!(RandomZipfian, 1, 9, 1000.5), "zipfian parameter must be in range [1.001, 1000] (not 1000.500000)"),
        (call!(RandomZipfian, 1, 9, 1), "zipfian parameter must be in range [1.001, 1000] (not 1.000000)"),
        (call!(RandomZipfian, 1, 9, f64::NAN), "zipfian parameter must be in range [1.001, 1000] (not NaN)"),
        (call!(RandomZipfian, 9, 1, 0), "empty range given to random"),
    ]);
}

#[test]
fn debug_shows_in_order() {
    let product = call!(Debug, call!(Multiply, call!(Debug, 2), call!(Debug, 3)));
    assert_eq!(
        run_with(&product, &[], true),
        (Ok(Value::Integer(6)), vec!["int 2".into(), "int 3".into(), "int 6".into()])
    );
    assert_eq!(run_with(&call!(Debug, ()), &[], true).1, ["null"]);
}

#[test]
fn texts_of_variables() {
    let texts = ["+4", "YeS", "nUlL", "abc", "99999999999999999999", "", "1.50"];
    for (expr, strict, lenient) in [
        (and(1_u16, true), "boolean true", "boolean true"),
        (is(2_u16, Value::Null, false), "boolean true", "boolean true"),
        (0_u16.expr(), "int 4", "int 4"),
        (6_u16.expr(), "double 1.5", "double 1.5"),
        (3_u16.expr(), "malformed variable \"v3\" value: \"abc\"", "text abc"),
        (4_u16.expr(), "value \"99999999999999999999\" is out of range for type bigint", "text 99999999999999999999"),
        (5_u16.expr(), "empty variable \"v5\"", "text "),
        (7_u16.expr(), "undefined variable \"v7\"", "undefined variable \"v7\""),
        (8_u16.expr(), "undefined variable \"v8\"", "undefined variable \"v8\""),
    ] {
        assert_eq!(show(run_with(&expr, &texts, true).0), strict, "{expr:?}");
        assert_eq!(show(run_with(&expr, &texts, false).0), lenient, "{expr:?}");
    }
    for (expr, expected) in [
        (call!(Add, 3_u16, 1), "malformed variable \"v3\" value: \"abc\""),
        (call!(Add, 5_u16, 1), "empty variable \"v5\""),
        (call!(Add, call!(Concat, 3_u16, 3_u16), 1), "malformed value: \"abcabc\""),
        (call!(Add, call!(Concat, 0_u16, 0), 1), "int 41"),
        (call!(Add, 2_u16, 1), "null"),
        (case([(3_u16.expr(), 1.expr())], None), "malformed variable \"v3\" value: \"abc\""),
    ] {
        assert_eq!(show(run_with(&expr, &texts, false).0), expected, "{expr:?}");
    }
}

#[test]
fn conditions_and_integers() {
    let slots = [Some(Value::Text("yes".into())), Some(Value::Text("2.5".into()))];
    let mut random = Generator::from_seed(0);
    let mut scope = Scope {
        slots: &slots,
        random: &mut random,
        client: 0,
        iteration: 0,
        now_us: &|| 0,
        debug: &mut |_| (),
        strict_text: false,
    };
    assert_eq!(evaluate_condition(&0_u16.expr(), &mut scope), Ok(true));
    assert_eq!(evaluate_condition(&call!(Subtract, 1, 1), &mut scope), Ok(false));
    assert_eq!(evaluate_condition(&().expr(), &mut scope), Ok(false));
    assert_eq!(evaluate_integer(&1_u16.expr(), &mut scope), Ok(2));
    assert_eq!(evaluate_integer(&().expr(), &mut scope), Err(Error::CannotCoerce { from: "null", to: "int" }));
}

#[test]
fn texts_as_such() {
    let texts = ["no", "0049", "abc", "1", "1.0"];
    for (expr, expected) in [
        (call!(Concat, "a", "b"), "text ab"),
        (call!(Concat, call!(Concat, 1_u16, '-'.to_string().as_str()), 0_u16), "text 0049-no"),
        (call!(Concat, 1, call!(Divide, 1.0, 3)), "text 10.333333333333333"),
        (call!(Concat, true, "x"), "text truex"),
        (call!(Concat, "x", ()), "null"),
        (call!(Concat, (), one_by_zero()), "division by zero"),
        (call!(Choice, 1_u16), "text 0049"),
        (call!(Choice, case([(true.expr(), 0_u16.expr())], None), 0_u16), "text no"),
        (call!(Equal, 0_u16, "no"), "boolean true"),
        (call!(Equal, 0_u16, "NO"), "boolean false"),
        (call!(NotEqual, 2_u16, "abc"), "boolean false"),
        (call!(Equal, 3_u16, 4_u16), "boolean true"),
        (call!(Equal, 2_u16, 2_u16), "boolean true"),
        (call!(Equal, 2_u16, 0_u16), "malformed variable \"v2\" value: \"abc\""),
        (call!(Equal, 3_u16, "1.0"), "boolean false"),
        (call!(Equal, 3_u16, 1.0), "boolean true"),
        (call!(Equal, 2_u16, 1), "malformed variable \"v2\" value: \"abc\""),
        (call!(Equal, case([(true.expr(), "no".expr())], None), 0_u16), "boolean true"),
        (call!(Equal, 1, "1.0"), "boolean true"),
        (call!(Equal, 1, "x"), "malformed value: \"x\""),
    ] {
        assert_eq!(show(run_with(&expr, &texts, false).0), expected, "{expr:?}");
    }
}

#[test]
fn surroundings() {
    all(&[
        (call!(Client), "int 3"),
        (call!(Iteration), "int 17"),
        (call!(NowMicroseconds), "int 1700000000000000"),
        (call!(RandomString, 0), "text "),
        (call!(RandomString, -1), "random_string length must be in range [0, 1048576] (not -1)"),
        (call!(RandomString, 1 << 21), "random_string length must be in range [0, 1048576] (not 2097152)"),
    ]);
    let Ok(Value::Text(Text(letters))) = run(&call!(RandomString, 1000)) else { panic!("no text") };
    assert_eq!(letters.len(), 1000);
    assert_eq!(letters.iter().collect::<std::collections::BTreeSet<_>>().len(), 26);
    assert!(letters.iter().all(u8::is_ascii_lowercase));
}

#[test]
fn uuids_are_of_version_4() {
    let Ok(Value::Text(Text(uuid))) = run(&call!(Uuid)) else { panic!("no text") };
    // the first two words of this generator are a325a6f22865a6ec and d0df50c0d456354c: 4 and 9 replace two digits
    assert_eq!(String::from_utf8_lossy(&uuid), "a325a6f2-2865-46ec-90df-50c0d456354c");
}

#[test]
fn choice_draws_once_and_evaluates_one() {
    // the first bit of the generator is set
    assert_eq!(show(run(&call!(Choice, one_by_zero(), "picked"))), "text picked");
    assert_eq!(show(run(&call!(Choice, one_by_zero(), call!(Random, 1, 1_000_000)))), "int 855542");
}

#[test]
fn calls_with_other_counts_are_refused() {
    for call in
        [call!(Add, 1), call!(Pi, 1), call!(Abs), call!(Least), call!(Choice), call!(HashFnv1a, 1), call!(Debug)]
    {
        assert_eq!(run(&call), Err(Error::ArgumentCount), "{call:?}");
    }
}

#[test]
fn the_deepest_nesting_fits_half_a_thread_s_stack() {
    const DEEPEST: usize = 500;
    const STACK: usize = 1 << 20;
    let wraps: [fn(Expr) -> Expr; 10] = [
        |inner| call!(Add, inner, 0),
        |inner| call!(Abs, inner),
        |inner| call!(Equal, inner, 1),
        |inner| call!(Permute, inner, 9, 9),
        |inner| call!(Greatest, inner, 0),
        |inner| call!(Concat, inner, "x"),
        |inner| call!(Choice, inner),
        |inner| case([(inner, 1.expr())], None),
        |inner| and(true, inner),
        |inner| is(inner, Value::Null, true),
    ];
    for wrap in wraps {
        let innermost_error = move || run(&(0..DEEPEST).fold(one_by_zero(), |inner, _| wrap(inner)));
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(innermost_error).unwrap();
        assert_eq!(thread.join().unwrap(), Err(Error::DivisionByZero));
    }
}

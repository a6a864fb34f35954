use super::{Options, ScriptOrigin, Seed, Stop, Stopped, parse};

fn parsed(line: &str) -> Result<Options, Stopped> {
    let args: Vec<String> = line.split(' ').filter(|a| !a.is_empty()).map(str::to_owned).collect();
    parse(&args, None)
}

fn message(line: &str) -> String {
    match parsed(line) {
        Ok(options) => panic!("{line} is accepted: {options:?}"),
        Err(Stopped::Error(text) | Stopped::Usage(text)) => text.lines().next().unwrap_or_default().to_owned(),
        Err(Stopped::List) => "list".to_owned(),
    }
}

#[test]
fn nothing_given_means_pgbenchs_defaults() {
    let options = parsed("").unwrap();
    assert_eq!((options.clients, options.jobs, options.stop), (1, 1, Stop::Transactions(10)));
    assert_eq!((options.protocol, options.max_tries, options.seed), ("simple", 1, None));
    assert!(matches!(&options.scripts[0].origin, ScriptOrigin::Builtin(b) if b.name == "tpcb-like"));
}

#[test]
fn everything_supported_arrives() {
    let line = "-n -c 8 -j 16 -T 60 -M prepared -S -f a.sql@3 -b simple@2 -r -R 12.5 -L 1.5 -C -D a=1=2 -s 7 \
                --random-seed=5 --max-tries 3 -h /s -p 5433 -U me shop";
    let options = parsed(line).unwrap();
    assert_eq!((options.clients, options.jobs, options.stop), (8, 8, Stop::Seconds(60)));
    let weights: Vec<u32> = options.scripts.iter().map(|s| s.weight).collect();
    assert_eq!(weights, [1, 3, 2]);
    assert_eq!((options.rate, options.latency_limit_us), (Some(12.5), Some(1500)));
    assert_eq!(options.define, [("a".to_owned(), "1=2".to_owned())]);
    assert_eq!((options.seed, options.dbname.as_deref()), (Some(Seed::Number(5)), Some("shop")));
}

#[test]
fn each_fault_has_pgbenchs_words() {
    for (line, expected) in [
        ("-c 3x", "invalid value \"3x\" for option -c/--client"),
        ("-c 0", "-c/--client must be in range 1..2147483647"),
        ("-T 99999999999", "-T/--time must be in range 1..2147483647"),
        ("-D foobla", "invalid variable definition: \"foobla\""),
        ("-D a=", "invalid variable definition: \"a=\""),
        ("-D 1a=2", "option: invalid variable name: \"1a\""),
        ("-L 0.0", "invalid latency limit: \"0.0\""),
        ("-R abc", "invalid rate limit: \"abc\""),
        ("-M nosuch", "invalid query mode (-M): \"nosuch\""),
        ("--max-tries -10", "invalid number of maximum tries: \"-10\""),
        (
            "--max-tries 0",
            "an unlimited number of transaction tries can only be used with --latency-limit or a duration (-T)",
        ),
        ("--random-seed one", "unrecognized random seed option \"one\""),
        ("-b x", "no builtin script found for name \"x\""),
        ("-b s", "ambiguous builtin name: 2 builtin scripts found for prefix \"s\""),
        ("-b list", "list"),
        ("-f a@one", "invalid weight specification: @one"),
        ("-f a@-1", "weight specification out of range (0 .. 2147483647): -1"),
        ("-f a@0", "total script weight must not be zero"),
        ("-t 1 -T 1", "specify either a number of transactions (-t) or a duration (-T), not both"),
        ("a b", "error: too many command-line arguments (first is \"b\")"),
        ("-d a b", "error: too many command-line arguments (first is \"b\")"),
        ("-i", "-i/--initialize is not supported yet"),
        ("--log-prefix x", "--log-prefix is not supported yet"),
    ] {
        assert_eq!(message(line), expected, "{line}");
    }
}

#[test]
fn numbers_begin_as_c_reads_them() {
    assert_eq!(parsed("-c +5").unwrap().clients, 5);
    assert_eq!(parsed("-R 10tps").unwrap().rate, Some(10.0));
    assert_eq!(parsed("-T 1 --max-tries abc").unwrap().max_tries, 0);
}

use super::{Job, Stopped, Surroundings, parse};
use crate::cli::pgbench::options::{Format, InitOptions, LogOptions, Options, PartitionMethod, ProgressOptions, Stop};

/// Words may hold blanks: `~` stands for one, and `''` for nothing.
fn words(line: &str) -> Vec<String> {
    let word = |word: &str| word.replace("''", "").replace('~', " ");
    line.split(' ').filter(|word| !word.is_empty()).map(word).collect()
}

fn parsed(line: &str) -> Result<Job, Stopped> {
    parse("pgbench", &words(line), &Surroundings::default(), &mut Vec::new())
}

fn run(line: &str) -> Options {
    match parsed(line) {
        Ok(Job::Benchmark(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

fn init(line: &str) -> InitOptions {
    match parsed(line) {
        Ok(Job::Initialize(options)) => options,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn nothing_given_means_pgbenchs_defaults() {
    let options = run("");
    let expected = Options { scripts: options.scripts.clone(), seed: options.seed, ..Options::default() };
    assert_eq!(options, expected);
    assert_eq!((options.clients, options.jobs, options.stop), (1, 1, Stop::Transactions(10)));
    assert_eq!((options.protocol, options.max_tries), ("simple", 1));
    assert_eq!(options.scripts[0].description, "<builtin: TPC-B (sort of)>");
    assert_eq!(init("-i"), InitOptions::default());
}

#[test]
fn everything_arrives() {
    let line = "-n -c 8 -j 16 -T 60 -M prepared -S -b tpcb@3 -b simple@2 -r -R 12.5 -L 1.5 -C -D a=1=2 -s 7 \
                --random-seed=5 --max-tries 3 -h /s -p 5433 -U me shop -v -P 5 --progress-timestamp -l \
                --log-prefix x --sampling-rate .5 --failures-detailed --verbose-errors --exit-on-abort --debug \
                --format json --percentiles 50,99.9 --pgbench-version 9.6";
    let options = run(line);
    let weights: Vec<u32> = options.scripts.iter().map(|s| s.weight).collect();
    assert_eq!(weights, [1, 3, 2]);
    let expected = Options {
        scripts: options.scripts.clone(),
        clients: 8,
        jobs: 8,
        stop: Stop::Seconds(60),
        protocol: "prepared",
        connect: true,
        no_vacuum: true,
        vacuum_all: true,
        report_per_command: true,
        rate: Some(12.5),
        latency_limit_us: Some(1500),
        define: vec![("a".to_owned(), "1=2".to_owned())],
        scale: Some(7),
        seed: 5,
        has_fixed_seed: true,
        max_tries: 3,
        progress: Some(ProgressOptions { interval_s: 5, timestamp: true }),
        log: Some(LogOptions { prefix: "x".to_owned(), sampling_rate: Some(0.5), aggregate_interval_s: None }),
        failures_detailed: true,
        verbose_errors: true,
        exit_on_abort: true,
        debug: true,
        format: Format::Json,
        percentiles: vec!["50".to_owned(), "99.9".to_owned()],
        pgbench_version: 9,
        out: None,
        connection: options.connection.clone(),
    };
    assert_eq!(options, expected);
    let connection = options.connection;
    let texts = [connection.host, connection.port, connection.user, connection.dbname].map(Option::unwrap);
    assert_eq!(texts, ["/s", "5433", "me", "shop"]);
}

#[test]
fn everything_of_an_initialization_arrives() {
    let line = "-i -I d~tgf -n -F 80 -q -s 3 --foreign-keys --unlogged-tables --tablespace a --index-tablespace b \
                --partitions 4 --partition-method HASH --init-jobs 2 --debug db";
    let options = init(line);
    let expected = InitOptions {
        steps: "dtgf".to_owned(),
        scale: 3,
        fillfactor: 80,
        quiet: true,
        unlogged_tables: true,
        tablespace: Some("a".to_owned()),
        index_tablespace: Some("b".to_owned()),
        partitions: 4,
        partition_method: PartitionMethod::Hash,
        jobs: 2,
        debug: true,
        connection: options.connection.clone(),
    };
    assert_eq!(options, expected);
    assert_eq!(init("-i -n --foreign-keys").steps, "dtgpf");
    assert_eq!(init("-i -I v -n").steps, "");
}

#[test]
fn each_fault_has_pgbenchs_words() {
    let lines = [
        "-c 3x",
        "-c 0",
        "-c ''",
        "-c 100000000",
        "-j eleven",
        "-i -s two",
        "-t zil",
        "-T 99999999999",
        "-P 0",
        "-F 9",
        "-i --partitions=-2",
        "-i --partition-method=BAD",
        "-i --partition-method=hash",
        "-i -I dtq",
        "-i -I ''",
        "--aggregate-interval=-3",
        "-D foobla",
        "-D =1",
        "-D a=",
        "-D 7x=1",
        "-L 0.0",
        "-L nan",
        "-R abc",
        "-M nosuch",
        "--sampling-rate=0",
        "--sampling-rate 1.1",
        "--max-tries -10",
        "--max-tries abc",
        "--random-seed one",
        "--random-seed 5~",
        "-b x",
        "-b s",
        "--show-script x",
        "-b se@one",
        "-b se@",
        "-b se@3~",
        "-b se@-1",
        "-b se@3000000000",
        "-b se@0 -b si@0",
        "-f missing.sql",
        "-f src",
        "-f x@y.sql",
        "a b",
        "-d a b",
        "-i -S",
        "-S -F 90",
        "--init-jobs 2",
        "-i --format json",
        "-t 1 -T 1",
        "--sampling-rate=0.5",
        "-l --sampling-rate=0.1 --aggregate-interval=3",
        "--aggregate-interval=2",
        "--log-prefix=p",
        "-l -T 1 --aggregate-interval=3",
        "-l -T 5 --aggregate-interval=3",
        "--progress-timestamp",
        "--format xml",
        "--percentiles 50,x",
        "--pgbench-version 19",
        "--nosuch=1",
        "--prog 1",
        "-n --help",
        "-S@2",
        "-c",
    ];
    let told = lines.map(|line| match parsed(line) {
        Err(Stopped::Getopt(text)) => format!("{line}\n  getopt: {text}\n"),
        Err(Stopped::Error(text)) => {
            let text = text.split("\nAvailable").next().unwrap_or_default().replace('\n', "\n  ");
            // the machine's own
            let limit = text.find("system limit is ").map_or(text.len(), |at| at + "system limit is ".len());
            let (text, rest) = text.split_at(limit);
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{line}\n  {text}{}{rest}\n", if rest.is_empty() { "" } else { "N" })
        }
        other => panic!("{line}: {other:?}"),
    });
    insta::assert_snapshot!(told.concat());
}

#[test]
fn the_first_of_several_faults_is_told() {
    for (line, expected) in [
        ("-c x --nosuch", "invalid value \"x\" for option -c/--client"),
        ("-f missing.sql -c x", "could not open file \"missing.sql\": No such file or directory"),
        ("-i -S a b", "too many command-line arguments (first is \"b\")"),
        ("-F 90 -t 1 -T 1", "some of the specified options cannot be used in benchmarking mode"),
        ("-b se@0 a b", "total script weight must not be zero"),
        ("-t 1 -T 1 --log-prefix x", "specify either a number of transactions (-t) or a duration (-T), not both"),
        ("-l -T 5 --aggregate-interval 3 --max-tries 0", "duration (5) must be a multiple of aggregation interval (3)"),
    ] {
        match parsed(line) {
            Err(Stopped::Error(text)) => assert_eq!(text.lines().next(), Some(expected), "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn numbers_begin_as_c_reads_them() {
    assert_eq!(run("-c ~+5~").clients, 5);
    assert_eq!(run("-R 10tps").rate, Some(10.0));
    assert_eq!(run("-R inf").rate, None);
    assert_eq!(run("-T 1 --max-tries abc").max_tries, 0);
    assert_eq!(run("-b se@~+3").scripts[0].weight, 3);
}

#[test]
fn abbreviations_mean_what_they_mean_to_pgbench() {
    let options = run("--cl 2 --report --tr=3 --rand=1 --pg 14 --form=json --perc 50");
    assert_eq!((options.clients, options.report_per_command, options.seed), (2, true, 1));
    assert_eq!((options.pgbench_version, options.format), (14, Format::Json));
    assert_eq!(init("--initi --fo --q --partitions 3 --tables x").steps, "dtgvpf");
}

#[test]
fn a_seed_is_told_each_time_it_is_set() {
    let surroundings = Surroundings { seed: Some("7".to_owned()), out: None };
    let mut told = Vec::new();
    let job = parse("pgbench", &words("--random-seed -1 --random-seed=~+5"), &surroundings, &mut told).unwrap();
    assert!(matches!(job, Job::Benchmark(options) if options.seed == 5));
    assert_eq!(
        String::from_utf8(told).unwrap(),
        "pgbench: setting random seed to 7\n\
         pgbench: setting random seed to 18446744073709551615\n\
         pgbench: setting random seed to 5\n"
    );
    let surroundings = Surroundings { seed: Some("x".to_owned()), out: None };
    let refused = parse("pgbench", &[], &surroundings, &mut Vec::new());
    let Err(Stopped::Error(text)) = refused else { panic!("{refused:?}") };
    assert!(text.ends_with("error: error while setting random seed from PGBENCH_RANDOM_SEED environment variable"));
}

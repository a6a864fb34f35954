//! An imported command line does on the server what pgbench does.

use std::fs;
use std::path::Path;

use crate::support::{reprise, run};
use crate::{Bench, bare, folder, sessions};

/// What arrived at the server: sessions of clients, and what was sent before them.
#[derive(Debug, PartialEq)]
struct Arrived {
    clients: Vec<String>,
    before: Vec<String>,
}

/// Words that only the session before the clients' sends, in either program.
const BEFORE: [&str; 3] = ["select count(*) from pgbench_branches", "vacuum", "truncate pgbench_history"];

fn arrived(log: &str) -> Arrived {
    let is_first = |text: &String| text.contains("pg_advisory_lock") || BEFORE.iter().any(|word| text.contains(word));
    let (first, clients): (Vec<String>, Vec<String>) = sessions(log).into_iter().partition(is_first);
    let lines = first.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("LOG:  statement: "));
    let before = lines.filter(|line| BEFORE.iter().any(|word| line.contains(word))).map(str::to_owned).collect();
    Arrived { clients, before }
}

impl Bench {
    /// The imported scenario sends what pgbench sends, and ends as it does, on data that were changed so before.
    fn compare_imported(&self, line: &str, change: &str, home: &Path) {
        let args: Vec<&str> = line.split(' ').collect();
        let imported = run(reprise(["import", "pgbench"]).args(&args).current_dir(home));
        assert_eq!(imported.code, Some(0), "{line}: {}", imported.err);
        fs::write(home.join("imported.yaml"), &imported.out).unwrap();
        let mut seen = Vec::new();
        for ours in [false, true] {
            self.reset();
            self.server.psql(change);
            let before = self.server.log().len();
            let url = self.server.url();
            let ended = if ours {
                run(reprise(["run", "imported.yaml", "--server", &url]).current_dir(home))
            } else {
                run(bare(&self.original.program).args(&args).args(["-d", &url]).current_dir(home))
            };
            let failed = ended.out.lines().any(|line| line.starts_with("not met: failed = 0"));
            // a scenario's own threshold, which pgbench has not
            let code = if failed && ended.code == Some(3) { Some(0) } else { ended.code };
            seen.push((code, arrived(&self.server.log()[before..]), ended));
        }
        let [(their_code, theirs, their_end), (our_code, ours, our_end)] = &seen[..] else { panic!("two runs") };
        assert!(!theirs.clients.is_empty(), "{line}: {their_end:?}");
        for (number, (ours, theirs)) in ours.clients.iter().zip(&theirs.clients).enumerate() {
            assert_eq!(ours, theirs, "{line}, session {number}: the scenario's left, pgbench's right");
        }
        assert_eq!(ours, theirs, "{line}: the scenario's left, pgbench's right\n{our_end:?}");
        assert_eq!(our_code, their_code, "{line}: the scenario's left, pgbench's right\n{our_end:?}\n{their_end:?}");
    }
}

#[test]
fn an_imported_command_line_does_what_pgbench_does() {
    let bench = Bench::start();
    let home = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder()).unwrap().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "sql") {
            fs::copy(entry.path(), home.path().join(entry.file_name())).unwrap();
        }
    }
    for line in [
        // builtin scripts on tables whose scale the server is asked for, and the vacuum
        "-t 3 -S",
        "-c 2 -j 2 -t 3 -v -b tpcb-like@2 -b se@1 -M prepared",
        "-n -c 2 -t 3 -N -M extended -s 5",
        // several scripts, chosen by each thread
        "-n -c 3 -j 3 -t 20 -f branches.sql@3 -f transfer.sql -f functions.sql@2",
        "-n -c 3 -j 3 -t 20 -M prepared -f branches.sql -f transfer.sql@0",
        // connections, schedules, limits
        "-n -c 2 -t 3 -C -M prepared -f stores.sql",
        "-n -c 2 -t 10 -R 1000 -L 10000 -f transfer.sql",
        // variables that pgbench has by itself
        "-n -t 3 -s 7 -D client_id=4 -D default_seed=9 -D random_seed=1 -f transfer.sql -f functions.sql",
        // what is tried again, and what ends a client
        "-n -c 2 -t 10 --max-tries=3 -f retried.sql",
        "-n -c 2 -t 10 -M prepared -f aborted.sql",
        "-n -t 4 -M extended -f pipeline.sql",
    ] {
        bench.compare_imported(&format!("{line} --random-seed=7"), "", home.path());
    }
    // a seed that is no number of an expression, a value that looks like a variable, a vacuum of what is not there
    let line = "-n -c 2 -t 3 --random-seed=18446744073709551615 -D t=:id -f branches.sql";
    bench.compare_imported(line, "", home.path());
    let gone = "drop table pgbench_branches, pgbench_history";
    bench.compare_imported("-c 2 -t 3 --random-seed=7 -f branches.sql", gone, home.path());
}

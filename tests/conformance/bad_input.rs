//! Files that are no scripts, or hardly any: what `check` refuses `run` refuses alike, and `pgbench` takes them as
//! pgbench does.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{Ended, reprise, run};
use crate::{Bench, bare};

/// Runs the program on a file of these bytes.
fn told(arguments: &[&str], script: &[u8]) -> Ended {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("s.sql"), script).unwrap();
    run(reprise(arguments).current_dir(home.path()))
}

/// Both commands refuse it with this code.
fn refused(script: &[u8], code: &str) {
    for arguments in [&["check", "s.sql"][..], &["run", "--server", "host=/nonexistent", "s.sql"]] {
        let ended = told(arguments, script);
        assert_eq!(ended.code, Some(1), "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(code), "{arguments:?}: {}", ended.err);
        assert!(!ended.err.contains('\0') && !ended.out.contains('\0'), "{arguments:?} echoes a NUL: {:?}", ended.err);
    }
}

#[test]
fn what_no_script_can_hold_is_refused_before_it_runs() {
    refused(b"select 1;\ncopy (select 1) to stdout;\n", "script::copy");
    refused(b"Copy t from STDIN with (format csv);\n", "script::copy");
    refused(b"select 'a;\n", "script::unterminated");
    refused(b"select 1;\0 select 2;\n", "script::nul");
    refused(b"\xef\xbb\xbfselect 1;\n", "script::byte_order_mark");
    refused(b"select '\xe9';\n", "UTF-8");
    refused(b"\\set x \x1b[31m1\nselect 1;\n", "script::unexpected_character");
    let ended =
        told(&["check", "s.sql"], b"copy t from '/file/of/the/server';\r\n\\set x 1 + \\\r\n 2\r\nselect :x;\r\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn what_a_terminal_obeys_is_not_shown() {
    let ended = told(&["check", "s.sql"], b"\\set x \x1b[31m1 -- \x07\nselect 1;\n");
    assert!(ended.err.bytes().all(|byte| byte == b'\n' || byte >= b' ' && byte != 0x7f), "{:?}", ended.err);
}

#[test]
fn nesting_without_end_is_read_at_once() {
    let deep = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    let begun = Instant::now();
    let blocks = "\\if 1\n".repeat(deep);
    let whole = format!("{blocks}select 1;\n{}", "\\endif\n".repeat(deep));
    assert_eq!(told(&["check", "s.sql"], whole.as_bytes()).code, Some(0));
    refused(blocks.as_bytes(), "script::structure");
    refused(format!("\\set x {}1{}\nselect 1;\n", "(".repeat(deep), ")".repeat(deep)).as_bytes(), "script::too_deep");
    for fine in [
        format!("select {}1{};", "(".repeat(deep), ")".repeat(deep)),
        format!("select 1 {}{};", "/* ".repeat(deep), "*/ ".repeat(deep)),
    ] {
        let ended = told(&["check", "s.sql"], fine.as_bytes());
        assert_eq!(ended.code, Some(0), "{}", ended.err);
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// pgbench reads a file to its first NUL, and leaves everything else to the server.
#[test]
fn pgbench_takes_it_as_pgbench_does() {
    let bench = Bench::start();
    let home = tempfile::tempdir().unwrap();
    let blocks = "\\if 1\n".repeat(600) + "select 1;\n" + &"\\endif\n".repeat(600);
    let nested = format!("select 1 {}{};\n", "/* ".repeat(50_000), "*/ ".repeat(50_000));
    let scripts: [&[u8]; 8] = [
        b"select 1;\0 select 2;\n",
        b"\xef\xbb\xbfselect 1;\n",
        b"\xef\xbb\xbf\\set x 1\n",
        b"select 'a;\n",
        b"select 1;\r\n\\set x 1 + \\\r\n 2\r\nselect :x;\r\n",
        b"\\if 1\n\\if 1\nselect 1;\n",
        blocks.as_bytes(),
        nested.as_bytes(),
    ];
    for script in scripts {
        fs::write(home.path().join("s.sql"), script).unwrap();
        let [theirs, ours] = [bare(&bench.original.program), reprise(["pgbench"])].map(|mut command| {
            let before = bench.server.log().len();
            let ended =
                run(command.current_dir(home.path()).args(["-n", "-t", "1", "-f", "s.sql", "-d", &bench.server.url()]));
            (ended.code, ended.err, crate::sessions(&bench.server.log()[before..]))
        });
        let shown = String::from_utf8_lossy(&script[..script.len().min(60)]).into_owned();
        if bench.original.major == 18 {
            assert_eq!(ours.1, theirs.1, "{shown:?}: ours left, pgbench's right");
        }
        assert_eq!((ours.0, ours.2), (theirs.0, theirs.2), "{shown:?}: ours left, pgbench's right");
    }
}

//! The program as its users meet it: what it prints, where, and how it ends.

mod support;

use support::{Server, reprise, run};

#[test]
fn without_arguments_it_shows_help_and_fails() {
    let ended = run(&mut reprise([] as [&str; 0]));
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("Usage: reprise"), "{}", ended.err);
}

#[test]
fn a_wrong_option_is_exit_code_1_and_help_is_0() {
    assert_eq!(run(&mut reprise(["run", "--nonsense"])).code, Some(1));
    let help = run(&mut reprise(["run", "--help"]));
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
}

#[test]
fn a_link_named_pgbench_is_pgbench() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("pgbench");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_reprise"), &link).unwrap();
    let ended = run(std::process::Command::new(link).arg("--nosuch"));
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.err,
        "pgbench: unrecognized option '--nosuch'\npgbench: hint: Try \"pgbench --help\" for more information.\n"
    );
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = run(&mut reprise(["completions", shell]));
        assert_eq!(ended.code, Some(0), "{shell}");
        assert!(ended.out.contains("reprise"), "{shell}");
    }
}

#[test]
fn new_writes_once() {
    let folder = tempfile::tempdir().unwrap();
    let new = |name: &str| run(reprise(["new", name]).current_dir(folder.path()));
    assert_eq!(new("shop").code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("shop.yaml")).unwrap();
    assert!(text.contains("name: shop"));
    let again = new("shop");
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("files::exists"), "{}", again.err);
    assert_eq!(new("No Name").code, Some(1));
}

#[test]
fn the_test_server_is_what_the_tests_take_it_for() {
    let server = Server::start();
    assert_eq!(server.psql("select 1 + 1"), "2");
    assert_eq!(server.psql("show ssl"), if server.has_tls() { "on" } else { "off" });
    assert!(server.log().contains("ready to accept connections"));
    server.crash();
    server.start_again();
    assert_eq!(server.psql("select count(*) from pg_roles where rolname = 'certified'"), "1");
}

use std::fs;

use super::Scripts;

fn message(text: &[u8], protocol: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sql");
    fs::write(&path, text).unwrap();
    let mut scripts = Scripts::default();
    let done = scripts.add_file(path.to_str().unwrap()).and_then(|()| scripts.finish(false, protocol));
    let text = done.map_or_else(|text| text, |scripts| format!("{} commands", scripts[0].script.commands.len()));
    text.replace(path.to_str().unwrap(), "s.sql")
}

#[test]
fn a_script_is_read_up_to_its_first_nul() {
    assert_eq!(message(b"select 1;\n\0nonsense \\what", "simple"), "1 commands");
    assert_eq!(message(b"-- nothing\n", "simple"), "empty command list for script \"s.sql\"");
    assert_eq!(
        message(b"select '\xe9';", "simple"),
        "could not read file \"s.sql\": it is not text in UTF-8\nhint: Convert it with \"iconv -t UTF-8\"."
    );
}

#[test]
fn a_statement_has_at_most_255_parameters() {
    let many = |count: usize| format!("select {}:x;", ":x,".repeat(count - 1));
    assert_eq!(message(many(255).as_bytes(), "prepared"), "1 commands");
    assert_eq!(message(many(256).as_bytes(), "simple"), "1 commands");
    assert_eq!(
        message(many(256).as_bytes(), "extended"),
        format!("statement has too many arguments (maximum is 255): {}", many(256))
    );
}

#[test]
fn there_are_at_most_128_scripts() {
    let mut scripts = Scripts::default();
    for _ in 0..128 {
        scripts.add_builtin("se").unwrap();
    }
    assert_eq!(scripts.add_builtin("se").unwrap_err(), "at most 128 SQL scripts are allowed");
}

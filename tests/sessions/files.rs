//! Service file and password file.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use reprise::pg::{OpenOptions, Target, open};

use crate::server::{PASSWORD, Server};
use crate::talk::ask;

fn private(path: &std::path::Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[tokio::test]
async fn a_service_and_a_password_file_are_enough() {
    let server = Server::shared();
    let home = tempfile::tempdir().unwrap();
    let service = format!("[shop]\nhost=localhost\nport={}\ndbname=shop\nuser=app\n", server.port);
    fs::write(home.path().join(".pg_service.conf"), service).unwrap();
    private(&home.path().join(".pgpass"), &format!("localhost:{}:*:app:{PASSWORD}\n", server.port));
    let environment = server.environment().home(home.path()).variable("PGSERVICE", "shop");
    let target = Target::parse("", &environment).unwrap();
    let mut opened = open(&target, &OpenOptions::default()).await.unwrap();
    assert_eq!(ask(&mut opened, "select current_user").await, "app");
}

#[tokio::test]
async fn a_password_file_that_others_can_read_is_ignored_with_a_warning() {
    let server = Server::shared();
    let file = tempfile::NamedTempFile::new().unwrap();
    private(file.path(), &format!("*:*:*:*:{PASSWORD}\n"));
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).unwrap();
    let target = server.target(&format!("user=app passfile={}", file.path().display()));
    let [warning] = target.warnings() else { panic!("one warning") };
    assert!(warning.message.contains("others than its owner have access"), "{warning:?}");
    let error = open(&target, &OpenOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("asks for a password and none is known"), "{error}");
}

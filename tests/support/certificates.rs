//! Certificates, made as PostgreSQL's manual says: a root, a server of the name `localhost`, a client.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Makes `root.crt`, `server.{crt,key}` and `client.{crt,key}`; the client's name is `certified`.
pub fn make(folder: &Path) {
    fs::write(folder.join("ca.cnf"), "[v3_ca]\nbasicConstraints = critical,CA:true\n").unwrap();
    request(folder, "root", "root.example.org");
    let root = ["-extfile", "ca.cnf", "-extensions", "v3_ca", "-signkey", "root.key"];
    sign(folder, "root", &root);
    for (name, common_name) in [("server", "localhost"), ("client", "certified")] {
        request(folder, name, common_name);
        sign(folder, name, &["-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial"]);
        fs::set_permissions(folder.join(format!("{name}.key")), fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn request(folder: &Path, name: &str, common_name: &str) {
    let (csr, key, subject) = (format!("{name}.csr"), format!("{name}.key"), format!("/CN={common_name}"));
    openssl(folder, &["req", "-new", "-nodes", "-text", "-out", &csr, "-keyout", &key, "-subj", &subject]);
}

fn sign(folder: &Path, name: &str, how: &[&str]) {
    let (csr, crt) = (format!("{name}.csr"), format!("{name}.crt"));
    let mut args = vec!["x509", "-req", "-in", &csr, "-text", "-days", "365", "-out", &crt];
    args.extend(how);
    openssl(folder, &args);
}

fn openssl(folder: &Path, args: &[&str]) {
    let output = Command::new("openssl").args(args).current_dir(folder).output().expect("openssl is installed");
    assert!(output.status.success(), "openssl {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

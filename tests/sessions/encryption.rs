//! TLS: every `sslmode`, certificates of both sides, channel binding.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

use reprise::pg::{Error, OpenOptions, Opened, Target, open};

use crate::fake::{ready, serve, target, welcome};
use crate::server::{PASSWORD, Server, run};
use crate::talk::ask;

struct Attempt(Arc<Server>);

impl Attempt {
    fn new() -> Self {
        Self(Server::shared())
    }

    async fn open(&self, text: &str) -> Result<Opened, Error> {
        open(&self.target(text), &OpenOptions::default()).await
    }

    fn target(&self, text: &str) -> Target {
        self.0.target(&format!("password='{PASSWORD}' {text}"))
    }

    /// Whether the session is encrypted, as the server and as we see it.
    async fn encrypted(&self, text: &str) -> bool {
        let mut opened = self.open(text).await.unwrap();
        let query = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
        let encrypted = ask(&mut opened, query).await == "t";
        assert_eq!(encrypted, opened.stream.is_tls());
        encrypted
    }

    async fn refusal(&self, text: &str) -> String {
        self.open(text).await.unwrap_err().to_string()
    }

    fn file(&self, name: &str) -> String {
        self.0.path(name).display().to_string()
    }
}

#[tokio::test]
async fn each_mode_encrypts_as_libpq_does() {
    let attempt = Attempt::new();
    assert!(!attempt.encrypted("user=app sslmode=disable").await);
    assert!(!attempt.encrypted("user=app sslmode=allow").await);
    assert!(attempt.encrypted("user=app sslmode=prefer").await);
    assert!(attempt.encrypted("user=app").await);
    assert!(attempt.encrypted("user=app sslmode=require").await);
}

#[tokio::test]
async fn allow_and_prefer_try_the_other_way_where_the_server_lets_nobody_in() {
    let attempt = Attempt::new();
    assert!(attempt.encrypted("user=encrypted sslmode=allow").await);
    assert!(!attempt.encrypted("user=clear sslmode=prefer").await);
    let refusal = attempt.refusal("user=encrypted sslmode=disable").await;
    assert!(refusal.contains("no pg_hba.conf entry"), "{refusal}");
    let refusal = attempt.refusal("user=clear sslmode=require").await;
    assert!(refusal.contains("no pg_hba.conf entry"), "{refusal}");
}

#[tokio::test]
async fn the_servers_certificate_is_verified_where_asked_for() {
    let attempt = Attempt::new();
    let root = attempt.file("root.crt");
    for mode in ["verify-ca", "verify-full"] {
        assert!(attempt.encrypted(&format!("user=app sslmode={mode} sslrootcert={root}")).await);
    }
    let stranger = attempt.file("stranger.crt");
    for mode in ["require", "verify-ca", "verify-full"] {
        let refusal = attempt.refusal(&format!("user=app sslmode={mode} sslrootcert={stranger}")).await;
        assert!(refusal.contains("certificate verify failed"), "{refusal}");
    }
    // a root that doesn't fit costs `prefer` the encryption, not the session
    assert!(!attempt.encrypted(&format!("user=app sslmode=prefer sslrootcert={stranger}")).await);
}

#[tokio::test]
async fn verify_full_wants_the_name_in_the_certificate() {
    let attempt = Attempt::new();
    let root = attempt.file("root.crt");
    let by_address = format!("host=127.0.0.1 user=app sslrootcert={root} sslmode");
    assert!(attempt.encrypted(&format!("{by_address}=verify-ca")).await);
    let error = attempt.open(&format!("{by_address}=verify-full")).await.unwrap_err();
    assert!(error.to_string().contains("mismatch"), "{error}");
    assert!(error.diagnostic().help.unwrap().contains("by the name that the certificate shows"));
    assert!(attempt.encrypted(&format!("hostaddr=127.0.0.1 user=app sslrootcert={root} sslmode=verify-full")).await);
}

#[tokio::test]
async fn without_a_root_there_is_no_verifying() {
    let attempt = Attempt::new();
    let refusal = attempt.refusal("user=app sslmode=verify-ca").await;
    assert!(refusal.contains("it does not exist"), "{refusal}");
    // the machine's authorities did not sign it
    let refusal = attempt.refusal("user=app sslrootcert=system").await;
    assert!(refusal.contains("certificate verify failed"), "{refusal}");
}

#[tokio::test]
async fn a_client_certificate_lets_in_and_only_with_a_key_that_is_private() {
    let attempt = Attempt::new();
    let text = format!(
        "user=certified sslmode=require sslcert={} sslkey={}",
        attempt.file("certified.crt"),
        attempt.file("certified.key")
    );
    assert!(attempt.encrypted(&text).await);
    let refusal = attempt.refusal("user=certified sslmode=require").await;
    assert!(refusal.contains("certificate"), "{refusal}");
    let refusal = attempt.refusal(&format!("{text} sslcertmode=disable")).await;
    assert!(refusal.contains("certificate"), "{refusal}");
    let open_key = attempt.0.path("client/open.key");
    fs::copy(attempt.0.path("certified.key"), &open_key).unwrap();
    fs::set_permissions(&open_key, fs::Permissions::from_mode(0o644)).unwrap();
    let refusal = attempt.refusal(&format!("{text} sslkey={}", open_key.display())).await;
    assert!(refusal.contains("others have access"), "{refusal}");
}

#[tokio::test]
async fn channel_binding_and_ways_of_authentication_are_had_or_refused() {
    let attempt = Attempt::new();
    assert!(attempt.encrypted("user=app channel_binding=require sslmode=require").await);
    let refusal = attempt.refusal("user=app channel_binding=require sslmode=disable").await;
    assert!(refusal.contains("channel binding"), "{refusal}");
    assert!(attempt.encrypted("user=app require_auth=scram-sha-256,md5").await);
    let refusal = attempt.refusal("user=told require_auth=!password").await;
    assert!(refusal.contains("asks for `password`"), "{refusal}");
    let refusal = attempt.refusal("user=trusted require_auth=scram-sha-256").await;
    assert!(refusal.contains("asks for `none`"), "{refusal}");
}

#[tokio::test]
async fn the_versions_of_tls_are_bounded() {
    let attempt = Attempt::new();
    let mut opened = attempt.open("user=app sslmode=require ssl_max_protocol_version=TLSv1.2").await.unwrap();
    let query = "select version from pg_stat_ssl where pid = pg_backend_pid()";
    assert_eq!(ask(&mut opened, query).await, "TLSv1.2");
    let mut opened = attempt.open("user=app sslmode=require ssl_min_protocol_version=TLSv1.3").await.unwrap();
    assert_eq!(ask(&mut opened, query).await, "TLSv1.3");
}

#[tokio::test]
async fn a_server_without_tls_is_good_enough_for_prefer_alone() {
    let (address, _task) = serve(vec![b"N".to_vec(), [welcome("18.0"), ready()].concat()], Vec::new()).await;
    let opened = open(&target(address, "sslmode=prefer"), &OpenOptions::default()).await.unwrap();
    assert!(!opened.stream.is_tls());
    let (address, _task) = serve(vec![b"N".to_vec()], Vec::new()).await;
    let error = open(&target(address, "sslmode=require"), &OpenOptions::default()).await.unwrap_err();
    assert!(error.to_string().ends_with("the server has no TLS"), "{error}");
}

#[tokio::test]
async fn a_revoked_certificate_is_refused() {
    let attempt = Attempt::new();
    let folder = tempfile::tempdir().unwrap();
    let settings = "[ca]\ndefault_ca = own\n[own]\ndatabase = index\ndefault_md = sha256\ndefault_crl_days = 9\n";
    fs::write(folder.path().join("settings"), settings).unwrap();
    fs::write(folder.path().join("index"), "").unwrap();
    let authority = |arguments: &[&str]| {
        let mut command = Command::new("openssl");
        command.args(["ca", "-config", "settings", "-keyfile", &attempt.file("root.key"), "-cert"]);
        run(command.arg(attempt.file("root.crt")).args(arguments).current_dir(folder.path()));
    };
    let text = |list: &str| {
        let path = folder.path().join(list).display().to_string();
        format!("user=app sslmode=verify-ca sslrootcert={} sslcrl={path}", attempt.file("root.crt"))
    };
    authority(&["-gencrl", "-out", "before"]);
    assert!(attempt.encrypted(&text("before")).await);
    authority(&["-revoke", &attempt.file("server.crt")]);
    authority(&["-gencrl", "-out", "after"]);
    let refusal = attempt.refusal(&text("after")).await;
    assert!(refusal.contains("certificate revoked"), "{refusal}");
}

#[tokio::test]
async fn a_key_can_have_a_password() {
    let attempt = Attempt::new();
    let key = attempt.0.path("client/locked.key");
    let mut command = Command::new("openssl");
    command.args(["pkey", "-aes256", "-passout", "pass:hunter2", "-in", &attempt.file("certified.key"), "-out"]);
    run(command.arg(&key));
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let text = format!(
        "user=certified sslmode=require sslcert={} sslkey={} sslpassword",
        attempt.file("certified.crt"),
        key.display()
    );
    assert!(attempt.encrypted(&format!("{text}=hunter2")).await);
    let refusal = attempt.refusal(&format!("{text}=hunter3")).await;
    assert!(refusal.contains("could not use private key") && !refusal.contains("hunter"), "{refusal}");
}

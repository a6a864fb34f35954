//! PostgreSQL's programs from a mirror on this machine.
//!
//! The guard is this very executable, as in the tests of the embedded server.
#![cfg(feature = "download")]
#![allow(clippy::unwrap_used, reason = "a test that can not go on ends")]

mod support;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flate2::{Compression, write::GzEncoder};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use openssl::ssl::{SslAcceptor, SslFiletype, SslMethod};
use reprise::server::{self, Download, Embedded, EmbeddedOptions, Error, Observer, Search, Source, guard};
use support::{certificates, reprise};
use tempfile::TempDir;

#[test]
fn __guard() {
    if std::env::args().nth(1).is_some_and(|argument| argument == guard::SUBCOMMAND) {
        guard::main();
    }
}

/// What a mirror answers for one path.
#[derive(Clone)]
enum Answer {
    File(Vec<u8>),
    /// A file that ends too early.
    Truncated(Vec<u8>),
    /// A file that stops coming, as long as somebody waits for it.
    Stalled(Vec<u8>),
    Moved(String),
    Status(u16),
}

/// A web server; it ends with the process.
struct Mirror {
    url: String,
    files: Arc<Mutex<BTreeMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Mirror {
    fn new() -> Self {
        Self::of(None)
    }

    /// One that speaks TLS with the certificate of `localhost` in this folder.
    fn encrypted(folder: &Path) -> Self {
        let mut acceptor = SslAcceptor::mozilla_intermediate(SslMethod::tls_server()).unwrap();
        acceptor.set_certificate_file(folder.join("server.crt"), SslFiletype::PEM).unwrap();
        acceptor.set_private_key_file(folder.join("server.key"), SslFiletype::PEM).unwrap();
        Self::of(Some(acceptor.build()))
    }

    fn of(tls: Option<SslAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = if tls.is_some() { format!("https://localhost:{port}") } else { format!("http://127.0.0.1:{port}") };
        let mirror = Self { url, files: Arc::default(), asked: Arc::default() };
        let (files, asked) = (Arc::clone(&mirror.files), Arc::clone(&mirror.asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (files, asked, tls) = (Arc::clone(&files), Arc::clone(&asked), tls.clone());
                // a client that goes away is none of its business
                std::thread::spawn(move || match tls {
                    None => drop(answer(stream, &files, &asked)),
                    Some(tls) => drop(tls.accept(stream).map(|stream| answer(stream, &files, &asked))),
                });
            }
        });
        mirror
    }

    /// One that publishes this archive.
    fn with(version: &str, archive: &[u8]) -> Self {
        let mirror = Self::new();
        mirror.put("/versions.txt", Answer::File(format!("8.4.0\n{version}\n").into_bytes()));
        mirror.publish("", version, archive);
        mirror
    }

    fn publish(&self, folder: &str, version: &str, archive: &[u8]) {
        let path = format!("{folder}{}", path(version));
        let digest = openssl::sha::sha256(archive).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        self.put(&format!("{path}.sha256"), Answer::File(format!("{digest}  archive\n").into_bytes()));
        self.put(&path, Answer::File(archive.to_vec()));
    }

    fn put(&self, path: &str, answer: Answer) {
        self.files.lock().unwrap().insert(path.to_owned(), answer);
    }

    fn asked_for(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == path).count()
    }

    fn source(&self) -> Source {
        Source::Mirror(format!("{}/", self.url))
    }
}

fn answer(
    stream: impl Read + Write,
    files: &Mutex<BTreeMap<String, Answer>>,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut request = String::new();
    let mut stream = BufReader::new(stream);
    while !request.ends_with("\r\n\r\n") {
        if stream.read_line(&mut request)? == 0 {
            return Ok(());
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let answer = files.lock().unwrap().get(&path).cloned().unwrap_or(Answer::Status(404));
    asked.lock().unwrap().push(path);
    let (status, body, of) = match &answer {
        Answer::File(body) => ("200 OK".to_owned(), body.as_slice(), body.len()),
        Answer::Truncated(body) | Answer::Stalled(body) => ("200 OK".to_owned(), &body[..body.len() / 2], body.len()),
        Answer::Moved(to) => (format!("302 Found\r\nLocation: {to}"), &[][..], 0),
        Answer::Status(code) => (format!("{code} Sorry"), &[][..], 0),
    };
    write!(stream.get_mut(), "HTTP/1.1 {status}\r\nContent-Length: {of}\r\nConnection: close\r\n\r\n")?;
    stream.get_mut().write_all(body)?;
    stream.get_mut().flush()?;
    if matches!(answer, Answer::Stalled(_)) {
        // until the other side has gone
        stream.read_to_end(&mut Vec::new())?;
    }
    Ok(())
}

/// The path of a version's archive.
fn path(version: &str) -> String {
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-gnu" };
    format!("/{version}/postgresql-{version}-{}-{system}.tar.gz", std::env::consts::ARCH)
}

/// An archive that is made from these entries: the mode and the text of each file.
fn archive(entries: &[(&str, u32, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::none()));
    for (path, mode, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(*mode);
        // a path that leads out is refused by the safe way to set it
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

/// What passes for PostgreSQL 99 until it has to do something.
fn fake() -> Vec<u8> {
    let says = |name: &str| format!("#!/bin/sh\necho '{name} (PostgreSQL) 99.1'\n");
    archive(&[
        ("pg/bin/postgres", 0o700, &says("postgres")),
        ("pg/bin/initdb", 0o700, "#!/bin/sh\necho no >&2\nexit 1\n"),
    ])
}

/// PostgreSQL as it is installed here, with files that nobody but their owner may read.
/// Debian's keeps its `share` elsewhere, and finds it there wherever its programs are.
fn real() -> (String, Vec<u8>) {
    let installed = Search::default().choose(None).unwrap();
    let top = installed.bin.parent().unwrap();
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::none()));
    let mut add = |path: &Path, name: &Path| {
        let mut header = tar::Header::new_gnu();
        let bytes = fs::read(path).unwrap();
        header.set_size(bytes.len() as u64);
        header.set_mode(if path.metadata().unwrap().permissions().mode() & 0o100 == 0 { 0o600 } else { 0o700 });
        tar.append_data(&mut header, Path::new("postgresql").join(name), bytes.as_slice()).unwrap();
    };
    for program in ["bin/postgres", "bin/initdb"] {
        add(&top.join(program), Path::new(program));
    }
    let mut folders: Vec<PathBuf> = ["lib", "share"].iter().map(|name| top.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap();
            // half of Debian's package is bitcode for the just-in-time compiler
            if path.is_dir() && !path.ends_with("lib/bitcode") {
                folders.push(path);
            } else if path.is_file() {
                add(&path, name);
            }
        }
    }
    (format!("{}.0.0", installed.major), tar.into_inner().unwrap().finish().unwrap())
}

/// A cache for one test, that the server's user can enter.
fn cache() -> TempDir {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A machine where nothing is installed.
fn options(source: Source, cache: &Path) -> EmbeddedOptions {
    EmbeddedOptions {
        settings: vec![("shared_buffers".into(), "8MB".into())],
        search: Search { path: None, patterns: Vec::new(), pg_config: false },
        download: Download { source, caches: vec![cache.join("sub/postgresql")] },
        ..EmbeddedOptions::default()
    }
}

/// Remembers what it was told.
#[derive(Default)]
struct Told(Vec<(String, u64, Option<u64>)>);

impl Observer for Told {
    fn downloading(&mut self, version: &str, bytes: u64, of: Option<u64>) {
        self.0.push((version.to_owned(), bytes, of));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn start(options: &EmbeddedOptions, told: &mut Told) -> Result<Embedded, Error> {
    server::start(options, told).await
}

/// What is in the cache, apart from the lock.
fn kept(cache: &Path) -> Vec<String> {
    let folder = fs::read_dir(cache.join("sub/postgresql")).unwrap();
    let mut names: Vec<String> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "lock");
    names.sort();
    names
}

/// The message of a download that fails and leaves nothing.
fn fails(options: &EmbeddedOptions, cache: &Path) -> String {
    let error = start(options, &mut Told::default()).unwrap_err();
    let Error::Download { .. } = error else { panic!("{error:?}") };
    let diagnostic = error.diagnostic();
    assert_eq!(diagnostic.code, "server::download");
    assert!(diagnostic.help.unwrap().contains("apt-get install postgresql"));
    assert_eq!(kept(cache), Vec::<String>::new());
    diagnostic.message
}

/// Polls; the time limit only ends a test that fails.
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_server_that_is_not_installed_is_downloaded_once() {
    let (version, bytes) = real();
    let (mirror, cache) = (Mirror::with(&version, &bytes), cache());
    let options = options(mirror.source(), cache.path());
    let mut told = Told::default();
    let embedded = start(&options, &mut told).unwrap();
    assert!(embedded.bin().starts_with(cache.path()));
    let program = fs::read_link(format!("/proc/{}/exe", embedded.pid())).unwrap();
    assert_eq!(program, cache.path().join("sub/postgresql").join(&version).join("bin/postgres"));
    embedded.stop().unwrap();
    let size = bytes.len() as u64;
    assert_eq!(told.0.first().unwrap(), &(version.clone(), 0, Some(size)));
    assert_eq!(told.0.last().unwrap(), &(version.clone(), size, Some(size)));
    assert!(told.0.is_sorted());
    assert_eq!(kept(cache.path()), [version.as_str()]);

    // from the cache, with nobody to ask
    let offline = Source::Mirror("http://127.0.0.1:9".to_owned());
    let offline = EmbeddedOptions { download: Download { source: offline, ..options.download }, ..options };
    let mut told = Told::default();
    start(&offline, &mut told).unwrap().stop().unwrap();
    assert_eq!(told.0, []);
    assert_eq!(mirror.asked_for(&path(&version)), 1);
}

#[test]
fn two_at_once_download_it_once() {
    let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
    let options = options(mirror.source(), cache.path());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let error = start(&options, &mut Told::default()).unwrap_err();
                assert!(matches!(&error, Error::Initdb { output } if output.trim() == "no"), "{error:?}");
            });
        }
    });
    assert_eq!(mirror.asked_for(&path("99.1.0")), 1);
    assert_eq!(kept(cache.path()), ["99.1.0"]);
}

#[test]
fn an_archive_that_is_not_what_was_published_is_refused() {
    let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
    let other = archive(&[("pg/bin/postgres", 0o755, "something else")]);
    mirror.put(&path("99.1.0"), Answer::File(other));
    let message = fails(&options(mirror.source(), cache.path()), cache.path());
    assert!(message.starts_with("no PostgreSQL server is installed on this machine, and the download"), "{message}");
    assert!(message.contains("the SHA-256 of `99.1.0/") && message.ends_with("as published"), "{message}");
}

#[test]
fn an_archive_that_ends_early_is_refused() {
    let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
    mirror.put(&path("99.1.0"), Answer::Truncated(fake()));
    let message = fails(&options(mirror.source(), cache.path()), cache.path());
    assert!(message.ends_with(".tar.gz` broke off"), "{message}");
}

#[test]
fn what_is_not_there_is_named() {
    let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
    let options = options(mirror.source(), cache.path());
    let fails = |options: &EmbeddedOptions| fails(options, cache.path());

    let message = fails(&EmbeddedOptions { major: Some(12), ..options.clone() });
    assert!(message.ends_with("it has no PostgreSQL 12"), "{message}");
    let message = fails(&EmbeddedOptions { major: Some(8), ..options.clone() });
    assert!(message.ends_with(&format!("it has no `{}.sha256`", &path("8.4.0")[1..])), "{message}");
    mirror.put("/versions.txt", Answer::Status(404));
    let message = fails(&options);
    assert!(message.ends_with(&format!("from `{}/` failed: it has no `versions.txt`", mirror.url)), "{message}");
    mirror.put("/versions.txt", Answer::Status(503));
    assert!(fails(&options).ends_with("it answered 503 for `versions.txt`"));

    let at = |address: &str| {
        let source = Source::Mirror(address.to_owned());
        fails(&EmbeddedOptions { download: Download { source, ..options.download.clone() }, ..options.clone() })
    };
    let message = at("http://me:secret@127.0.0.1:9/pg");
    assert!(message.contains("from `http://127.0.0.1:9/pg` failed: Connection refused"), "{message}");
    assert!(at("ftp://127.0.0.1/").ends_with("neither with `http://` nor with `https://`"));
    let message = at("http://me:secret@ /pg");
    assert!(message.ends_with("its address is no URL") && !message.contains("secret"), "{message}");
}

#[test]
fn an_archive_that_is_no_server_for_this_machine_is_refused() {
    let refused = |entries: &[(&str, u32, &str)], why: &str| {
        let (mirror, cache) = (Mirror::with("99.1.0", &archive(entries)), cache());
        let message = fails(&options(mirror.source(), cache.path()), cache.path());
        assert!(message.ends_with(why), "{message}");
    };
    refused(&[("pg/bin/psql", 0o755, "")], "its archive has no `bin/postgres`");
    let broken = "#!/bin/sh\necho 'libicu is missing' >&2\nexit 127\n";
    refused(&[("pg/bin/postgres", 0o755, broken)], "its server does not run on this machine: libicu is missing");
    let other = "#!/bin/sh\necho 'postgres (PostgreSQL) 98.2'\n";
    refused(&[("bin/postgres", 0o755, other)], "its archive has PostgreSQL 98.2 in place of 99");
    refused(&[("../../../out", 0o644, "")], "its archive has `../../../out`, which leads out of it");
}

#[test]
fn the_releases_of_a_project_are_found_by_its_tags() {
    let (mirror, cache) = (Mirror::new(), cache());
    let refs = "003e00 refs/tags/99.1.0\n003e00 refs/tags/99.2.0\n003e00 refs/tags/7.0.0\n0000";
    mirror.put("/me/pg.git/info/refs?service=git-upload-pack", Answer::File(refs.into()));
    // the archive of 99.2.0 is not there yet, and a forge keeps its files elsewhere
    mirror.publish("/elsewhere", "99.1.0", &fake());
    for end in ["", ".sha256"] {
        let path = format!("{}{end}", path("99.1.0"));
        mirror
            .put(&format!("/me/pg/releases/download{path}"), Answer::Moved(format!("{}/elsewhere{path}", mirror.url)));
    }
    let options = options(Source::Project(format!("{}/me/pg", mirror.url)), cache.path());
    let error = start(&EmbeddedOptions { major: Some(99), ..options.clone() }, &mut Told::default()).unwrap_err();
    assert!(matches!(error, Error::Initdb { .. }), "{error:?}");
    assert_eq!(kept(cache.path()), ["99.1.0"]);
}

#[test]
fn a_damaged_version_in_the_cache_is_replaced() {
    let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
    let folder = cache.path().join("sub/postgresql/99.1.0/bin");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("postgres"), "").unwrap();
    fs::create_dir_all(cache.path().join("sub/postgresql/unfinished-1-0/tree")).unwrap();
    let error = start(&options(mirror.source(), cache.path()), &mut Told::default()).unwrap_err();
    assert!(matches!(error, Error::Initdb { .. }), "{error:?}");
    assert_eq!(kept(cache.path()), ["99.1.0"]);
}

#[test]
fn a_cache_that_the_server_can_not_use_is_passed_over() {
    let (mirror, good, bad) = (Mirror::with("99.1.0", &fake()), cache(), cache());
    fs::write(bad.path().join("file"), "").unwrap();
    let mut options = options(mirror.source(), good.path());
    options.download.caches.insert(0, bad.path().join("file/postgresql"));
    // closed to others, which matters to root alone
    fs::create_dir(bad.path().join("closed")).unwrap();
    fs::set_permissions(bad.path().join("closed"), Permissions::from_mode(0o700)).unwrap();
    if nix::unistd::geteuid().is_root() {
        options.download.caches.insert(0, bad.path().join("closed/postgresql"));
    }
    assert!(matches!(start(&options, &mut Told::default()).unwrap_err(), Error::Initdb { .. }));
    assert_eq!(kept(good.path()), ["99.1.0"]);
    options.download.caches.pop();
    let error = start(&options, &mut Told::default()).unwrap_err();
    assert!(matches!(error, Error::Cache { .. }), "{error:?}");
    assert!(error.diagnostic().help.unwrap().contains("XDG_CACHE_HOME"));
}

/// `reprise run` that downloads PostgreSQL 99 from this mirror.
fn program(mirror: &Mirror, cache: &Path) -> Command {
    fs::write(cache.join("one.sql"), "select 1;\n").unwrap();
    let mut command = reprise(["run", "one.sql", "--server", "embedded:99"]);
    command.env("REPRISE_POSTGRES_MIRROR", &mirror.url).env("XDG_CACHE_HOME", cache).current_dir(cache);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn unfinished(cache: &Path) -> usize {
    let folder = fs::read_dir(cache.join("reprise/postgresql")).into_iter().flatten().flatten();
    folder.filter(|entry| entry.file_name().to_string_lossy().starts_with("unfinished-")).count()
}

#[test]
fn the_program_says_what_it_downloads() {
    let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
    let ended = support::run(&mut program(&mirror, cache.path()));
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("downloading PostgreSQL 99.1.0 ("), "{}", ended.err);
    assert!(ended.err.contains("`initdb` failed: no"), "{}", ended.err);
    assert!(cache.path().join("reprise/postgresql/99.1.0/bin/postgres").is_file());
}

#[test]
fn a_download_that_is_interrupted_or_killed_leaves_nothing() {
    for (signal, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGKILL, None)] {
        let (mirror, cache) = (Mirror::with("99.1.0", &fake()), cache());
        mirror.put(&path("99.1.0"), Answer::Stalled(vec![0; 1 << 20]));
        let mut run = program(&mirror, cache.path()).spawn().unwrap();
        wait_until("it downloads", || unfinished(cache.path()) == 1);
        kill(Pid::from_raw(run.id().try_into().unwrap()), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), code);
        wait_until("nothing is left", || unfinished(cache.path()) == 0);
    }
}

#[test]
fn a_mirror_behind_tls_has_to_be_trusted() {
    let (certificate, cache) = (tempfile::tempdir().unwrap(), cache());
    certificates::make(certificate.path());
    let mirror = Mirror::encrypted(certificate.path());
    mirror.put("/versions.txt", Answer::File(b"99.1.0".to_vec()));
    mirror.publish("", "99.1.0", &fake());
    let ended = support::run(&mut program(&mirror, cache.path()));
    assert!(ended.err.contains("failed: ") && ended.err.contains("certificate"), "{}", ended.err);
    assert_eq!(mirror.asked.lock().unwrap().len(), 0);
    // what OpenSSL takes for the machine's authorities
    let authorities = certificate.path().join("root.crt");
    let ended = support::run(program(&mirror, cache.path()).env("SSL_CERT_FILE", authorities));
    assert!(ended.err.contains("downloading PostgreSQL 99.1.0 ("), "{}", ended.err);
    // from there to an open place it does not go
    let open = Mirror::with("98.1.0", &fake());
    mirror.put("/versions.txt", Answer::Moved(format!("{}/versions.txt", open.url)));
    fs::remove_dir_all(cache.path().join("reprise")).unwrap();
    let ended = support::run(program(&mirror, cache.path()).env("SSL_CERT_FILE", certificate.path().join("root.crt")));
    assert!(ended.err.contains("`https` to `http`"), "{}", ended.err);
}

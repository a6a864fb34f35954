//! A disk that is full.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::{Server, reprise, run};

/// A small disk: mounted where that is allowed.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: PathBuf) -> Option<Self> {
        fs::create_dir(&folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2m,mode=0777", "tmpfs"]).arg(&folder).stderr(Stdio::null());
        let mounted = mount.status().is_ok_and(|status| status.success()).then(|| Self(folder.clone()));
        if mounted.is_none() {
            fs::remove_dir(folder).unwrap();
        }
        mounted
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_in_set_up_is_a_sentence_and_nothing_is_left() {
    let server = Server::start();
    let disk = SmallDisk::mount(server.path("small"));
    let tablespace = if let Some(disk) = &disk {
        make_tablespace(&server, disk);
        "tablespace small"
    } else {
        // no file of the server may grow beyond 20 MB, which a segment of WAL does not reach
        let limit = Command::new("prlimit").args(["--fsize=20000000", "--pid", &server.pid().to_string()]).status();
        assert!(limit.unwrap().success());
        ""
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("full.yaml");
    let scenario = format!(
        "reprise: 1\nsetup:\n  - {{sql: create table first(v int)}}\n  - {{sql: \"create unlogged table big(v text) {tablespace}\"}}\n  \
         - {{fill: big, rows: 200000, columns: {{v: {{sql: \"repeat('x', 500)\"}}}}}}\n\
         scripts:\n  one: {{sql: select 1}}\nload: {{transactions: 1}}\n"
    );
    fs::write(&file, scenario).unwrap();
    let ended = run(reprise(["run", "--server", &server.url()]).arg(&file).current_dir(folder.path()));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("could not extend file") || ended.err.contains("could not write"), "{}", ended.err);
    if disk.is_some() {
        assert!(ended.err.contains("the server's disk is full: free some space"), "{}", ended.err);
    }
    assert_eq!(server.psql("select count(*) from pg_class where relname in ('first', 'big', 'reprise_setup')"), "0");
    assert!(!folder.path().join("reprise-runs").exists());
    server.crash();
}

/// The tablespace `small`, on that disk.
fn make_tablespace(server: &Server, disk: &SmallDisk) {
    let folder = disk.0.join("space");
    fs::create_dir(&folder).unwrap();
    let owner = fs::metadata(server.path("data")).unwrap();
    chown(&folder, Some(owner.uid()), Some(owner.gid())).unwrap();
    server.psql(&format!("create tablespace small location '{}'", folder.display()));
}

/// The figures are printed before anything is written, so that a full disk does not cost them.
#[test]
fn a_run_that_can_not_be_kept_is_printed_all_the_same() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("s.yaml"), folder.path().join("out"));
    fs::write(&file, "reprise: 1\nscripts:\n  one: {sql: select 1}\nload: {transactions: 7}\n").unwrap();
    fs::create_dir(&out).unwrap();
    // the file that becomes run.json when it is whole
    symlink("/dev/full", out.join("run.json.tmp")).unwrap();
    let ended = run(reprise(["run", "--server", &server.url(), "--out"]).arg(&out).arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.out.contains("complete: 7 transactions") && ended.out.contains("tps ="), "{}", ended.out);
    assert!(ended.err.contains("files::not_written") && ended.err.contains("No space left"), "{}", ended.err);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0, "half a file was left");
}

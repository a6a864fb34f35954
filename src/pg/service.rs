//! The service file: named sets of connection options.

use std::io;
use std::path::{Path, PathBuf};

use super::Invalid;
use super::environment::Environment;

/// Where the distribution keeps files that hold for all users, unless `PGSYSCONFDIR` says otherwise.
const SYSTEM_FOLDER: &str = "/etc/postgresql-common";

/// The options of a service: from the user's file (which `named` replaces), else from the system's.
pub(super) fn look_up(
    service: &str,
    named: Option<&str>,
    environment: &Environment,
) -> Result<Vec<(String, String)>, Invalid> {
    let user_file = named.map(PathBuf::from).or_else(|| environment.home_file(".pg_service.conf"));
    if let Some(path) = user_file {
        match read(&path)? {
            Some(text) => {
                if let Some(options) = section(&text, service, &path)? {
                    return Ok(options);
                }
            }
            None if named.is_some() => {
                let source = io::Error::from(io::ErrorKind::NotFound);
                return Err(Invalid::File { what: "service file", path, source });
            }
            None => {}
        }
    }
    let path = Path::new(environment.get("PGSYSCONFDIR").unwrap_or(SYSTEM_FOLDER)).join("pg_service.conf");
    let options = match read(&path)? {
        Some(text) => section(&text, service, &path)?,
        None => None,
    };
    options.ok_or_else(|| Invalid::Service(service.to_owned()))
}

fn read(path: &Path) -> Result<Option<String>, Invalid> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Invalid::File { what: "service file", path: path.to_owned(), source }),
    }
}

/// The first section of this name; the first value of an option counts.
fn section(text: &str, service: &str, path: &Path) -> Result<Option<Vec<(String, String)>>, Invalid> {
    let mut found: Option<Vec<(String, String)>> = None;
    for (at, line) in text.lines().enumerate() {
        let wrong = |reason: String| Invalid::ServiceLine { path: path.to_owned(), line: at + 1, reason };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            if name.strip_suffix(']') == Some(service) {
                found = Some(Vec::new());
            }
            continue;
        }
        let Some(options) = &mut found else { continue };
        let (name, value) = line.split_once('=').ok_or_else(|| wrong("it has no `=`".to_owned()))?;
        if name == "service" || name == "servicefile" {
            return Err(wrong("a service can't name another service".to_owned()));
        }
        if super::keyword::find(name).is_none() {
            return Err(wrong(format!("`{name}` is no connection option")));
        }
        if !options.iter().any(|(known, _)| known == name) {
            options.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Path, section};

    const FILE: &str = "# mine\n[other]\nhost=a\n\n[shop]\nhost=b\nport=6432\nport=1\n[later]\nnonsense\n";

    #[test]
    fn a_section_ends_where_the_next_begins_and_the_first_value_counts() {
        let options = section(FILE, "shop", Path::new("f")).unwrap().unwrap();
        assert_eq!(options, [("host".into(), "b".into()), ("port".into(), "6432".into())]);
        assert!(section(FILE, "none", Path::new("f")).unwrap().is_none());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let error = section(FILE, "later", Path::new("f")).unwrap_err();
        assert_eq!(error.to_string(), "line 10 of service file `f` is malformed: it has no `=`");
    }
}

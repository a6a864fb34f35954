//! Where the scenario lies, and where pgbench would have run.

use std::path::{Component, Path, PathBuf};

use crate::cli::pgbench::{ConnectionOptions, default_database};
use crate::pg::public_options;

/// The folder that a scenario's files are named from.
pub(super) struct Folder {
    path: PathBuf,
    /// Whether it is the working folder, which scripts are named from already.
    is_working: bool,
    /// The scenario, as a command names it.
    pub(super) scenario: String,
}

impl Folder {
    /// The folder of a scenario that is written to `out`; else the working folder.
    pub(super) fn of(out: Option<&Path>) -> Self {
        let parent = out.and_then(Path::parent).filter(|parent| !parent.as_os_str().is_empty());
        Self {
            path: parent.unwrap_or(Path::new(".")).to_owned(),
            is_working: parent.is_none(),
            scenario: out.map_or("FILE".to_owned(), |path| quoted(&path.display().to_string())),
        }
    }

    /// What a scenario here calls a script; `None`: it can't, as the script lies elsewhere.
    pub(super) fn name(&self, script: &str) -> Option<String> {
        let path = Path::new(script);
        let inside = path.canonicalize().ok()?.strip_prefix(self.path.canonicalize().ok()?).ok()?.to_owned();
        let stays = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if self.is_working && stays { Some(script.to_owned()) } else { Some(inside.to_str()?.to_owned()) }
    }
}

/// What `--server` gets to run where pgbench would have: no password, and whether there was one.
pub(super) fn server(options: &ConnectionOptions) -> Option<(String, bool)> {
    let mut settings: Vec<(&str, String)> = Vec::new();
    for (name, value) in [("host", &options.host), ("port", &options.port), ("user", &options.user)] {
        settings.extend(value.clone().filter(|value| !value.is_empty()).map(|value| (name, value)));
    }
    let given = options.dbname.clone().unwrap_or_default();
    // not the database of the user's name, if `-U` gives it
    let database = if given.is_empty() && options.user.is_some() { default_database() } else { given };
    let written = public_options(&database).ok()?;
    let mut text = Vec::new();
    for (name, value) in settings.iter().filter(|(name, _)| written.options.iter().all(|(known, _)| known != name)) {
        text.push(format!("{name}={}", setting(value)));
    }
    text.extend(written.options.iter().map(|(name, value)| format!("{name}={}", setting(value))));
    Some((quoted(&text.join(" ")), written.has_secret))
}

/// A value of a connection string.
fn setting(value: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && c != '\'' && c != '\\';
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@=,:+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

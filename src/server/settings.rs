//! The scenario's settings as a configuration file.

use std::fmt::Write as _;

use super::Error;

/// Settings that decide where the server is and who reaches it.
const OWN: [&str; 9] = [
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "listen_addresses",
    "port",
    "unix_socket_directories",
    "unix_socket_permissions",
];

/// The text of a configuration file with these settings.
pub(super) fn file(settings: &[(String, String)]) -> Result<String, Error> {
    let mut text = String::from("# written by reprise at every start\n");
    for (name, value) in settings {
        if OWN.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(Error::OwnSetting(name.clone()));
        }
        let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if !plain || value.contains(['\n', '\r', '\0']) {
            return Err(Error::BadSetting(name.clone()));
        }
        let value = value.replace('\\', "\\\\").replace('\'', "''");
        // Writing to a string can't fail.
        let _ = writeln!(text, "{name} = '{value}'");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, value: &str) -> Result<String, Error> {
        file(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn values_are_quoted() {
        assert!(one("app.name", r"it's a \ here").unwrap().ends_with("app.name = 'it''s a \\\\ here'\n"));
    }

    #[test]
    fn what_the_server_needs_for_itself_is_refused() {
        assert!(matches!(one("Listen_Addresses", "*"), Err(Error::OwnSetting(_))));
        assert!(matches!(one("a = 1 #", "x"), Err(Error::BadSetting(_))));
        assert!(matches!(one("a", "1'\nport = 1"), Err(Error::BadSetting(_))));
    }
}

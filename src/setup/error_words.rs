//! Parts of what the errors of a set-up say.

use crate::pg;

/// What the server says of a place.
pub(super) fn label(error: &pg::Error) -> String {
    error.server_error().map_or_else(|| "the session ended here".to_owned(), |error| error.message.clone())
}

/// What to do about what the server says.
pub(super) fn server_help(error: &pg::Error) -> Option<String> {
    let server = error.server_error()?;
    let help = match &server.sqlstate {
        b"53100" => "the server's disk is full: free some space, or make the scenario smaller with `-D` or a profile",
        b"42501" => "the role lacks a right: use one that may create tables in this schema, or its owner grants it",
        b"25006" => "the server only reads: name the primary, not a standby",
        _ => return server.hint.clone().or_else(|| server.detail.clone()),
    };
    Some(help.to_owned())
}

/// The first of these names.
pub(super) fn list(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let mut text = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text = format!("{text} and {} more", names.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<String> = (0..12).map(|n| n.to_string()).collect();
        assert!(list(&names).ends_with("`9` and 2 more"));
    }
}

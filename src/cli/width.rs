//! How wide texts for people are.

use std::io::IsTerminal;

/// Narrower than this, tables and labels fall apart.
const LEAST: usize = 60;
/// Wider than this, a line is hard to follow.
const MOST: usize = 160;
/// Where nobody says.
const PAGE: usize = 100;

/// What `COLUMNS` says; else the terminal's width; else that of a page.
pub(crate) fn width() -> usize {
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    choose(std::env::var("COLUMNS").ok().as_deref(), terminal)
}

/// The width that lines of any length are cut to on their way to `stream`: none where they go to no terminal, unless
/// `COLUMNS` says one.
pub(crate) fn of_lines(stream: &impl IsTerminal) -> Option<usize> {
    (stream.is_terminal() || std::env::var_os("COLUMNS").is_some()).then(width)
}

fn choose(columns: Option<&str>, terminal: impl FnOnce() -> Option<usize>) -> usize {
    let said = columns.and_then(|text| text.trim().parse().ok()).filter(|width| *width > 0);
    said.or_else(terminal).unwrap_or(PAGE).clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn what_is_said_goes_before_what_is_seen() {
        assert_eq!(choose(Some("80"), || Some(120)), 80);
        assert_eq!(choose(Some("wide"), || Some(120)), 120);
        assert_eq!(choose(Some("0"), || None), 100);
        assert_eq!((choose(None, || Some(20)), choose(None, || Some(400))), (60, 160));
    }
}

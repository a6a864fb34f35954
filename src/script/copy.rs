//! COPY between server and client, which scripts can't do.

use super::parser;
use super::piece::PieceKind;

/// Whether a statement is a `copy … from stdin` or a `copy … to stdout`.
pub(super) fn transfers_rows(text: &str) -> bool {
    if !text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("copy")) {
        return false;
    }
    let (mut depth, mut before) = (0_usize, "");
    for piece in parser::parse_script(text) {
        match piece.kind {
            PieceKind::Open => depth += 1,
            PieceKind::Close => depth = depth.saturating_sub(1),
            PieceKind::Text if depth == 0 => {
                for word in
                    text[piece.bytes].split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
                {
                    let is = |known: &str| word.eq_ignore_ascii_case(known);
                    if ["from", "to"].iter().any(|known| before.eq_ignore_ascii_case(known))
                        && (is("stdin") || is("stdout"))
                    {
                        return true;
                    }
                    before = word;
                }
            }
            _ => {}
        }
    }
    false
}

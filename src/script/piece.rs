//! What a script file is cut into, before anything is known about commands.

use std::ops::Range;

/// A range of bytes of the text that was cut.
pub(super) type Bytes = Range<usize>;

/// One piece of a script.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) bytes: Bytes,
    /// Its closing sign is missing, so that it took in the rest of the file.
    pub(super) unterminated: bool,
}

/// What a piece is; `grammar/script.pest` has the rules.
#[derive(Debug)]
pub(super) enum PieceKind {
    Blank,
    LineComment,
    BlockComment,
    Semicolon,
    Open,
    Close,
    ForcedSemicolon,
    ForcedColon,
    /// The words behind the backslash.
    MetaCommand(Vec<Bytes>),
    /// `:{?name}`
    TestVariable,
    /// `:'name'` with the place of the name.
    LiteralVariable(Bytes),
    /// `:"name"` with the place of the name.
    IdentifierVariable(Bytes),
    Literal,
    QuotedIdentifier,
    RoutineHead,
    BlockBegin,
    BlockCase,
    BlockEnd,
    Text,
    /// In set-up SQL: a COPY statement and its data.
    Copy {
        statement: Bytes,
        data: Bytes,
    },
}

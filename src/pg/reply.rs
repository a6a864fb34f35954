//! What a server answers, and how the bodies of its messages are read.

use super::ServerError;

/// The state of a session between two statements, from ReadyForQuery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionStatus {
    /// Not in a transaction block.
    Idle,
    /// In a transaction block.
    Block,
    /// In a transaction block that has failed.
    Failed,
}

impl TransactionStatus {
    /// What the byte in ReadyForQuery stands for.
    #[inline]
    pub(super) fn of(byte: u8) -> Self {
        match byte {
            b'I' => Self::Idle,
            b'T' => Self::Block,
            _ => Self::Failed,
        }
    }
}

/// What the server answers.
#[derive(Debug)]
pub enum Reply {
    /// The names of the columns to come; see [`columns`].
    Columns(Body),
    /// A row that was asked for; see [`values`].
    Row(Body),
    /// A statement is done.
    Complete {
        /// The rows that it returned or changed.
        rows: u64,
    },
    /// The query string was empty.
    Empty,
    /// The server refused or stopped a statement.
    Failed(Box<ServerError>),
    /// The server waits for the next message.
    Ready(TransactionStatus),
    /// A COPY began.
    Copy(CopyDirection),
}

/// What came of answers that were only counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The rows that the statements returned or changed.
    pub rows: u64,
    /// How many statements are done.
    pub results: u32,
}

/// Which way a COPY goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyDirection {
    /// The server waits for data.
    In,
    /// The server sends data.
    Out,
}

/// Where the body of a message lies in the input, until the next reply is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The names of the columns in the body of a [`Reply::Columns`].
pub fn columns(description: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = description.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let end = memchr::memchr(0, rest)?;
        let name = &rest[..end];
        // table, column, type, type's length, modifier and format follow
        rest = rest.get(end + 1 + 18..).unwrap_or_default();
        Some(name)
    })
}

/// The values in the body of a [`Reply::Row`], `None` for null.
pub fn values(row: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = row.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let length = i32::from_be_bytes(*length);
        let size = usize::try_from(length).unwrap_or(0).min(tail.len());
        let (value, tail) = tail.split_at(size);
        rest = tail;
        Some((length >= 0).then_some(value))
    })
}

/// The number at the end of a command tag: `UPDATE 3`, `INSERT 0 1`; none in `BEGIN`.
#[inline]
pub(super) fn affected(tag: &[u8]) -> u64 {
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag);
    let digits = tag.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    tag[tag.len() - digits..].iter().fold(0_u64, |n, digit| n.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::affected;

    #[test]
    fn a_tag_ends_with_the_rows_it_touched() {
        assert_eq!(affected(b"UPDATE 30\0"), 30);
        assert_eq!(affected(b"INSERT 0 1\0"), 1);
        assert_eq!(affected(b"BEGIN\0"), 0);
        assert_eq!(affected(b"SELECT 18446744073709551615\0"), u64::MAX);
    }
}

//! The messages that a session sends, as the frontend/backend protocol (version 3) frames them.

/// Appends one message: its type, its length, and what `body` writes.
#[inline]
fn frame(out: &mut Vec<u8>, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    body(out);
    // a message of 2 GiB and more is refused by any server; the length only has to be wrong then
    let length = u32::try_from(out.len() - at).unwrap_or(u32::MAX);
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}

/// A text with its closing zero byte. A zero inside ends it early, as everywhere in the protocol.
#[inline]
fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(text);
    out.push(0);
}

/// Query: `body` writes the SQL.
#[inline]
pub(super) fn query(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    frame(out, b'Q', |out| {
        body(out);
        out.push(0);
    });
}

/// Parse, with parameter types left to the server.
pub(super) fn parse(out: &mut Vec<u8>, name: &str, sql: &str) {
    frame(out, b'P', |out| {
        text(out, name.as_bytes());
        text(out, sql.as_bytes());
        out.extend_from_slice(&[0, 0]);
    });
}

/// Bind of the unnamed portal: `count` text parameters, each written by `value`, which returns false for null;
/// results come as text.
#[inline]
pub(super) fn bind(out: &mut Vec<u8>, name: &str, count: u16, mut value: impl FnMut(u16, &mut Vec<u8>) -> bool) {
    frame(out, b'B', |out| {
        out.push(0);
        text(out, name.as_bytes());
        out.extend_from_slice(&[0, 0]);
        out.extend_from_slice(&count.to_be_bytes());
        for index in 0..count {
            let at = out.len();
            out.extend_from_slice(&[0; 4]);
            let length = if value(index, out) { i32::try_from(out.len() - at - 4).unwrap_or(i32::MAX) } else { -1 };
            out[at..at + 4].copy_from_slice(&length.to_be_bytes());
        }
        out.extend_from_slice(&[0, 1, 0, 0]);
    });
}

/// Describe of the unnamed portal, Execute of all its rows.
#[inline]
pub(super) fn describe_execute(out: &mut Vec<u8>) {
    out.extend_from_slice(b"D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\0");
}

/// `CopyData`, which `rows` writes.
#[inline]
pub(super) fn copy_data(out: &mut Vec<u8>, rows: impl FnOnce(&mut Vec<u8>)) {
    frame(out, b'd', rows);
}

/// `CopyDone`.
pub(super) fn copy_done(out: &mut Vec<u8>) {
    out.extend_from_slice(b"c\0\0\0\x04");
}

/// Sync.
#[inline]
pub(super) fn sync(out: &mut Vec<u8>) {
    out.extend_from_slice(b"S\0\0\0\x04");
}

/// Terminate.
pub(super) fn terminate(out: &mut Vec<u8>) {
    out.extend_from_slice(b"X\0\0\0\x04");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bind_counts_its_parameters_and_marks_null() {
        let mut out = Vec::new();
        bind(&mut out, "P_1", 2, |index, out| {
            out.extend_from_slice(b"42");
            if index == 1 {
                out.truncate(out.len() - 2);
            }
            index == 0
        });
        let mut wanted = b"B\0\0\0\x1b\0P_1\0\0\0\0\x02\0\0\0\x0242".to_vec();
        wanted.extend_from_slice(&[0xff; 4]);
        wanted.extend_from_slice(&[0, 1, 0, 0]);
        assert_eq!(wanted.len() - 1, usize::from(wanted[4]), "the length counts itself and not the type");
        assert_eq!(out, wanted);
    }

    #[test]
    fn fixed_messages_have_the_length_they_say() {
        let mut out = Vec::new();
        describe_execute(&mut out);
        assert_eq!((out.len(), &out[1..5], &out[8..12]), (17, &[0, 0, 0, 6][..], &[0, 0, 0, 9][..]));
    }
}

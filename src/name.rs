//! What may name a variable: letters, digits and `_`, no digit first. What is not ASCII counts as a letter, byte by byte,
//! as pgbench has it.

/// Whether a name may begin with this byte.
pub fn begins(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Whether a name may go on with this byte.
pub fn goes_on(byte: u8) -> bool {
    begins(byte) || byte.is_ascii_digit()
}

/// Whether these bytes are a name.
pub fn is_name(bytes: impl IntoIterator<Item = u8>) -> bool {
    let mut bytes = bytes.into_iter();
    bytes.next().is_some_and(begins) && bytes.all(goes_on)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn letters_digits_and_underscores_make_a_name() {
        for name in ["a", "_", "aZ_9", "größe", "é"] {
            assert!(is_name(name.bytes()), "{name}");
        }
        for other in ["", ".", "7x", "a b", "a-b", "a."] {
            assert!(!is_name(other.bytes()), "{other}");
        }
    }
}

//! Where texts get their bytes from: a client that computes with them, once warm, allocates nothing.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Pieces that a thread keeps for the next texts.
const MOST_PIECES: usize = 256;
/// A larger piece is given back to the system.
const MOST_BYTES: usize = 64 * 1024;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Bytes whose room goes to the next ones of its thread when they are dropped.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct Room(Vec<u8>);

impl Room {
    /// Nothing, with the room of something that was dropped, if there is any.
    pub fn new() -> Self {
        // a thread that ends has no spare pieces any more
        Self(SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten().unwrap_or_default())
    }
}

impl Clone for Room {
    fn clone(&self) -> Self {
        let mut room = Self::new();
        room.extend_from_slice(self);
        room
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if (1..=MOST_BYTES).contains(&self.0.capacity()) {
            let mut piece = std::mem::take(&mut self.0);
            piece.clear();
            // without a place for it, it is dropped
            let _ = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                if spare.len() < MOST_PIECES {
                    spare.push(piece);
                }
            });
        }
    }
}

impl From<Vec<u8>> for Room {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Deref for Room {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Room {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn a_dropped_piece_is_the_next_ones() {
        let mut first = Room::new();
        first.extend_from_slice(&[7; 1000]);
        let (at, capacity) = (first.as_ptr(), first.capacity());
        drop(first);
        let mut second = Room::new();
        assert!(second.is_empty());
        second.extend_from_slice(b"x");
        assert_eq!((second.as_ptr(), second.capacity()), (at, capacity));
        assert_eq!(second.clone(), second);
    }
}

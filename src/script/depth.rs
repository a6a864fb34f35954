//! Whether a `;` ends a command.

use super::piece::PieceKind;

/// How deep the lexer stands in parentheses and in the body of a routine. The end of a command at a meta-command
/// does not reset it, so a parenthesis left open reaches into the next command.
#[derive(Debug, Default)]
pub(super) struct Depth {
    parentheses: usize,
    blocks: usize,
    /// A word was seen since the command began.
    started: bool,
    /// That word was the head of a routine.
    routine: bool,
}

impl Depth {
    /// Takes in the next piece and says whether it ends a SQL command.
    pub(super) fn advance(&mut self, piece: &PieceKind) -> bool {
        match piece {
            PieceKind::Open => self.parentheses += 1,
            PieceKind::Close => self.parentheses = self.parentheses.saturating_sub(1),
            PieceKind::RoutineHead => self.word(true),
            PieceKind::Text | PieceKind::Copy { .. } => self.word(false),
            PieceKind::BlockBegin | PieceKind::BlockCase | PieceKind::BlockEnd => {
                self.word(false);
                if self.routine && self.parentheses == 0 {
                    self.block(piece);
                }
            }
            PieceKind::ForcedSemicolon | PieceKind::MetaCommand(_) => self.begin(),
            PieceKind::Semicolon if self.parentheses == 0 && self.blocks == 0 => {
                self.begin();
                return true;
            }
            _ => {}
        }
        false
    }

    fn block(&mut self, piece: &PieceKind) {
        match piece {
            PieceKind::BlockBegin => self.blocks += 1,
            PieceKind::BlockCase if self.blocks > 0 => self.blocks += 1,
            PieceKind::BlockEnd => self.blocks = self.blocks.saturating_sub(1),
            _ => {}
        }
    }

    fn word(&mut self, routine: bool) {
        if !self.started {
            self.started = true;
            self.routine = routine;
        }
    }

    fn begin(&mut self) {
        self.started = false;
        self.routine = false;
    }
}

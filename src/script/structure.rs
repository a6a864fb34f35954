//! What can be wrong with the nesting of `\if` and `\repeat`.

use crate::source::Span;

/// Faults in the nesting of `\if` and `\repeat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StructureKind {
    /// `\elif` outside.
    #[error("`\\elif` without `\\if`")]
    ElifWithoutIf,
    /// `\elif` behind `\else`.
    #[error("`\\elif` after `\\else`")]
    ElifAfterElse,
    /// `\else` outside.
    #[error("`\\else` without `\\if`")]
    ElseWithoutIf,
    /// A second `\else`.
    #[error("`\\else` after `\\else`")]
    ElseAfterElse,
    /// `\endif` outside.
    #[error("`\\endif` without `\\if`")]
    EndifWithoutIf,
    /// `\if` never ended.
    #[error("`\\if` without `\\endif`")]
    IfWithoutEndif,
    /// `\endrepeat` outside.
    #[error("`\\endrepeat` without `\\repeat`")]
    EndrepeatWithoutRepeat,
    /// `\repeat` never ended.
    #[error("`\\repeat` without `\\endrepeat`")]
    RepeatWithoutEndrepeat,
}

/// A fault of nesting, and where it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Structure {
    /// Which.
    pub kind: StructureKind,
    /// The number that pgbench gives for it: commands count from 1.
    pub command: usize,
    /// The command that opened what it contradicts.
    pub opened: Option<Span>,
}

impl Structure {
    /// The code, the label and the help of its diagnostic.
    pub(super) fn parts(self) -> (&'static str, String, Option<String>) {
        let said = |label: &str, help: &str| ("script::structure", label.to_owned(), Some(help.to_owned()));
        match self.kind {
            StructureKind::ElifWithoutIf | StructureKind::ElseWithoutIf | StructureKind::EndifWithoutIf => {
                said("no `\\if` is open here", "open one with `\\if` and an expression")
            }
            StructureKind::ElifAfterElse => said("comes too late", "put it before the `\\else`"),
            StructureKind::ElseAfterElse => {
                said("a second `\\else`", "an `\\if` has one `\\else`; use `\\elif` before it")
            }
            StructureKind::IfWithoutEndif => said("never ended", "end it with `\\endif`"),
            StructureKind::EndrepeatWithoutRepeat => {
                said("no `\\repeat` is open here", "open one with `\\repeat` and how often")
            }
            StructureKind::RepeatWithoutEndrepeat => said("never ended", "end it with `\\endrepeat`"),
        }
    }
}

//! `--color`.

use std::io::IsTerminal;

use crate::term;

/// `--color`. The variants have no docs so that `--help` lists them in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// How to color what goes to `stream`.
    pub(crate) fn style(self, stream: &impl IsTerminal) -> term::Style {
        let choice = match self {
            Self::Auto => term::ColorChoice::Auto,
            Self::Always => term::ColorChoice::Always,
            Self::Never => term::ColorChoice::Never,
        };
        term::Style::choose(choice, |name| std::env::var(name).ok(), stream.is_terminal())
    }

    /// Whether to color it.
    pub(crate) fn applies_to(self, stream: &impl IsTerminal) -> bool {
        self.style(stream) != term::Style::plain()
    }
}

//! Whether output is coloured.

use std::io::IsTerminal;

/// `--color`. The variants have no docs so that `--help` lists them in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    // on a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// Whether to color what goes to `stream`.
    pub(crate) fn applies_to(self, stream: &impl IsTerminal) -> bool {
        self.decide(stream.is_terminal(), std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()))
    }

    fn decide(self, terminal: bool, no_color: bool) -> bool {
        match self {
            Self::Auto => terminal && !no_color,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ColorChoice::{Always, Auto, Never};

    #[test]
    fn what_was_asked_for_beats_the_environment() {
        assert!(Auto.decide(true, false));
        assert!(!Auto.decide(true, true));
        assert!(!Auto.decide(false, false));
        assert!(Always.decide(false, true));
        assert!(!Never.decide(true, false));
    }
}

//! What the program's exit code says.

use std::fmt::Write as _;
use std::process::ExitCode;

/// How an invocation ended. Where several hold, the first of 1, 130, 2, 3 applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Fine,
    /// Nothing was measured.
    NothingMeasured,
    /// Measured, but not to the end.
    Incomplete,
    /// A threshold was not met.
    ThresholdMissed,
    /// Stopped by Ctrl-C or SIGTERM.
    Interrupted,
}

impl Exit {
    /// All of them, by code.
    pub(crate) const ALL: [Self; 5] =
        [Self::Fine, Self::NothingMeasured, Self::Incomplete, Self::ThresholdMissed, Self::Interrupted];

    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::NothingMeasured => 1,
            Self::Incomplete => 2,
            Self::ThresholdMissed => 3,
            Self::Interrupted => 130,
        }
    }

    /// What it means, for `--help` and the docs.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::NothingMeasured => "nothing was measured: bad input, usage, set-up failed",
            Self::Incomplete => "measured but incomplete: clients ended, server lost",
            Self::ThresholdMissed => "a threshold was not met",
            Self::Interrupted => "interrupted",
        }
    }

    /// The table that `--help` ends with.
    pub(crate) fn table() -> String {
        let mut table = String::from("Exit codes:");
        for exit in Self::ALL {
            let _ = write!(table, "\n  {:<4} {}", exit.code(), exit.meaning());
        }
        table.push_str("\nThe first of 1, 130, 2, 3 that applies.");
        table
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_page_of_exit_codes_is_this_table() {
        let page = include_str!("../../docs/reference/exit-codes.md");
        let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| code")).collect();
        let expected: Vec<String> = Exit::ALL.iter().map(|e| format!("| {} | {} |", e.code(), e.meaning())).collect();
        assert_eq!(rows, expected);
    }
}

//! What a user is told about a problem, as plain data.
//!
//! Each stage turns its own errors into diagnostics; `cli` looks the texts up and renders them.

use crate::source::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is refused.
    Warning,
    /// The command can't go on.
    Error,
}

/// A remark at a place in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What there is to say about it: lower case, no full stop.
    pub text: String,
}

/// A problem as it is shown: what is wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable name such as `script::unknown_meta_command`, listed in `docs/reference/errors.md`.
    pub code: &'static str,
    /// One sentence, lower case, no full stop, code in backticks.
    pub message: String,
    /// The places that it is about; the first is the main one.
    pub labels: Vec<Label>,
    /// What to do, in the same style.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without labels or help.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), labels: Vec::new(), help: None }
    }

    /// A warning without labels or help.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// The same with one more label.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The same with this help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Where it belongs among the diagnostics of one invocation: by source, then by position.
    pub fn position(&self) -> (u32, u32) {
        self.labels.first().map_or((u32::MAX, u32::MAX), |l| (l.span.source.0, l.span.start))
    }
}

//! Shows diagnostics: the source line, labels under it, what to do.

use std::fmt::{self, Display, Write};

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{SourceId, SourceMap};

/// All diagnostics as text of this width, sorted by where they belong, each followed by an empty line.
pub(crate) fn render(diagnostics: &[Diagnostic], sources: &SourceMap, width: usize, color: bool) -> String {
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler =
        GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false).without_syntax_highlighting();
    let mut sorted: Vec<Diagnostic> = diagnostics.iter().map(printable).collect();
    sorted.sort_by_key(Diagnostic::position);
    let mut out = String::new();
    for diagnostic in &sorted {
        let shown = handler.render_report(&mut out, &Shown::new(diagnostic, sources));
        if shown.is_err() {
            // a span beyond its text: the words still have to reach the reader
            let _ = writeln!(out, "{}: {}", diagnostic.code, diagnostic.message);
        }
        out.push('\n');
    }
    trim_line_ends(&out)
}

/// The same without what a terminal would obey.
fn printable(diagnostic: &Diagnostic) -> Diagnostic {
    let mut printable = diagnostic.clone();
    printable.message = without_controls(&printable.message);
    printable.help = printable.help.as_deref().map(without_controls);
    for label in &mut printable.labels {
        label.text = without_controls(&label.text);
    }
    printable
}

/// A text as long in which every control character is another sign.
fn without_controls(text: &str) -> String {
    let sign = |c: char| match c {
        '\n' | '\r' | '\t' => c,
        '\u{80}'..='\u{9f}' => '·',
        _ if c.is_control() => '?',
        _ => c,
    };
    text.chars().map(sign).collect()
}

/// How many of each there are, for the last line: `15 errors, 1 warning`.
pub(crate) fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity, word: &str| {
        let n = diagnostics.iter().filter(|d| d.severity == severity).count();
        (n > 0).then(|| format!("{n} {word}{}", if n == 1 { "" } else { "s" }))
    };
    let parts = [count(Severity::Error, "error"), count(Severity::Warning, "warning")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn trim_line_ends(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A diagnostic with its text, as miette wants it: labels in one source; those in others follow as related ones.
#[derive(Debug)]
struct Shown<'a> {
    code: Option<&'static str>,
    severity: miette::Severity,
    message: &'a str,
    help: Option<&'a str>,
    source: Option<NamedSource<String>>,
    labels: Vec<&'a Label>,
    elsewhere: Vec<Shown<'a>>,
}

impl<'a> Shown<'a> {
    fn new(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Self {
        let main = diagnostic.labels.first().map(|l| l.span.source);
        let (here, elsewhere): (Vec<_>, Vec<_>) = diagnostic.labels.iter().partition(|l| Some(l.span.source) == main);
        Self {
            code: Some(diagnostic.code),
            severity: match diagnostic.severity {
                Severity::Warning => miette::Severity::Warning,
                Severity::Error => miette::Severity::Error,
            },
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            source: main.and_then(|id| named(id, sources)),
            labels: here,
            elsewhere: elsewhere.into_iter().map(|label| Self::remark(label, sources)).collect(),
        }
    }

    fn remark(label: &'a Label, sources: &SourceMap) -> Self {
        Self {
            code: None,
            severity: miette::Severity::Advice,
            message: "see also",
            help: None,
            source: named(label.span.source, sources),
            labels: vec![label],
            elsewhere: Vec::new(),
        }
    }
}

fn named(id: SourceId, sources: &SourceMap) -> Option<NamedSource<String>> {
    sources.get(id).map(|source| NamedSource::new(&source.name, without_controls(&source.text)))
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code(&self) -> Option<Box<dyn Display + '_>> {
        self.code.map(|code| Box::new(code) as Box<dyn Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help(&self) -> Option<Box<dyn Display + '_>> {
        self.help.map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        Some(Box::new(self.labels.iter().enumerate().map(|(n, label)| {
            let (text, range) = (Some(label.text.clone()), label.span.range());
            let span = (range.start, range.len());
            if n == 0 { LabeledSpan::new_primary_with_span(text, span) } else { LabeledSpan::new_with_span(text, span) }
        })))
    }

    fn related<'b>(&'b self) -> Option<Box<dyn Iterator<Item = &'b dyn miette::Diagnostic> + 'b>> {
        if self.elsewhere.is_empty() {
            return None;
        }
        Some(Box::new(self.elsewhere.iter().map(|d| d as &dyn miette::Diagnostic)))
    }
}

#[cfg(test)]
mod tests {
    use super::{render, summary};
    use crate::diagnostic::Diagnostic;
    use crate::source::{SourceMap, Span};

    #[test]
    fn labels_of_two_files_and_a_plain_sentence() {
        let mut sources = SourceMap::default();
        let script = sources.add("pay.sql", "begin;\n\\sleeep 5 ms\nselect :ordr;\n");
        let scenario = sources.add("shop.yaml", "vars:\n  order: 5\nweights: 7\n");
        let diagnostics = [
            Diagnostic::error("files::not_found", "there is no file `x.sql`").help("create it"),
            Diagnostic::error("plan::undefined_variable", "undefined variable `ordr`")
                .label(Span::new(script, 27..32), "not defined")
                .label(Span::new(scenario, 8..13), "a similar name is defined here")
                .help("did you mean `:order`?"),
            Diagnostic::error("script::unknown_meta_command", "unknown meta-command `\\sleeep`")
                .label(Span::new(script, 7..14), "not a meta-command")
                .help("did you mean `\\sleep`?"),
            Diagnostic::warning("scenario::unused", "`weights` is not used").label(Span::new(scenario, 17..24), "here"),
        ];
        insta::assert_snapshot!(render(&diagnostics, &sources, 100, false));
        assert_eq!(summary(&diagnostics), "3 errors, 1 warning");
        assert!(render(&diagnostics, &sources, 100, true).contains('\u{1b}'));
    }

    #[test]
    fn a_span_beyond_its_text_loses_no_words() {
        let mut sources = SourceMap::default();
        let id = sources.add("a.sql", "select 1;");
        let diagnostic = Diagnostic::error("a::b", "something is wrong").label(Span::new(id, 100..200), "there");
        assert!(render(&[diagnostic], &sources, 100, false).contains("something is wrong"));
    }
}

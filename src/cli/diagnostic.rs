//! Shows diagnostics: the source line, labels under it, what to do.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{SourceId, SourceMap, Span};

/// Bytes of a line that can be shown with a mark below it.
const LONGEST_LINE: usize = 2000;

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
    printable.message = escaped(&printable.message);
    printable.help = printable.help.as_deref().map(escaped);
    for label in &mut printable.labels {
        label.text = escaped(&label.text);
    }
    printable
}

/// A text in which every control character is written out: `\u{1b}`.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// A text as long in which every control character is another sign, so that places stay where they are.
fn without_controls(text: &str) -> String {
    let sign = |c: char| match c {
        '\n' | '\t' => c,
        // a line's end, where it is one
        '\r' => ' ',
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
    message: Cow<'a, str>,
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
            message: match place_in_words(&here, sources) {
                Some(place) => format!("{} ({place})", diagnostic.message).into(),
                None => diagnostic.message.as_str().into(),
            },
            help: diagnostic.help.as_deref(),
            source: main.filter(|_| place_in_words(&here, sources).is_none()).and_then(|id| named(id, sources)),
            labels: here,
            elsewhere: elsewhere.into_iter().map(|label| Self::remark(label, sources)).collect(),
        }
    }

    fn remark(label: &'a Label, sources: &SourceMap) -> Self {
        Self {
            code: None,
            severity: miette::Severity::Advice,
            message: match place_in_words(&[label], sources) {
                Some(place) => format!("see also {place}").into(),
                None => "see also".into(),
            },
            help: None,
            source: place_in_words(&[label], sources).is_none().then(|| named(label.span.source, sources)).flatten(),
            labels: vec![label],
            elsewhere: Vec::new(),
        }
    }
}

fn named(id: SourceId, sources: &SourceMap) -> Option<NamedSource<String>> {
    sources.get(id).map(|source| NamedSource::new(escaped(&source.name), without_controls(&source.text)))
}

/// The place of the first label with what it says, where the lines around the labels are too long to be shown.
fn place_in_words(labels: &[&Label], sources: &SourceMap) -> Option<String> {
    let first = labels.first()?;
    let source = sources.get(first.span.source)?;
    let all = labels.iter().map(|label| label.span).reduce(Span::to)?;
    let before = source.text.get(..all.range().start)?;
    let behind = source.text.get(all.range().end..)?;
    // one line more on each side is shown
    let lines = before.rsplit('\n').take(2).chain(behind.split('\n').take(2));
    let longest = lines.chain(sources.slice(all).split('\n')).map(str::len).max();
    if longest.is_none_or(|longest| longest <= LONGEST_LINE) {
        return None;
    }
    let (line, column) = sources.line_column(first.span);
    Some(format!("{}:{line}:{column}: {}", escaped(&source.name), first.text))
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
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
    fn a_place_in_an_endless_line_is_told_in_words() {
        let mut sources = SourceMap::default();
        let id = sources.add("a\u{1b}.sql", format!("select 1;\n{}", "x".repeat(100_000)));
        let diagnostic =
            Diagnostic::error("a::b", "something is \u{1b}wrong").label(Span::new(id, 70_010..70_011), "there");
        let shown = render(&[diagnostic], &sources, 100, false);
        assert_eq!(shown, "a::b\n\n  × something is \\u{1b}wrong (a\\u{1b}.sql:2:70001: there)\n\n");
    }

    #[test]
    fn a_span_beyond_its_text_loses_no_words() {
        let mut sources = SourceMap::default();
        let id = sources.add("a.sql", "select 1;");
        let diagnostic = Diagnostic::error("a::b", "something is wrong").label(Span::new(id, 100..200), "there");
        assert!(render(&[diagnostic], &sources, 100, false).contains("something is wrong"));
    }
}

//! A text that grows downwards.

use crate::term::style::{Style, Tone, without_color};
use crate::term::table::Table;
use crate::term::wrap::wrap;

/// How far sections' contents stand to the right of their titles.
pub(super) const INDENT: usize = 2;
/// Running text wider than this is hard to read, however wide the terminal is.
const READABLE: usize = 110;

/// A text with its width and style.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    pub(super) width: usize,
    style: Style,
}

impl Page {
    pub(super) fn new(width: usize, style: Style) -> Self {
        Self { text: String::new(), width, style }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn paint(&self, tone: Tone, text: &str) -> String {
        self.style.paint(tone, text)
    }

    /// A title, with a remark behind it, and a blank line before it.
    pub(super) fn section(&mut self, title: &str, remark: &str) {
        if !self.text.is_empty() {
            self.blank();
        }
        let title_painted = self.paint(Tone::Heading, title);
        let indent = title.chars().count() + 2;
        if remark.is_empty() {
            self.line(&title_painted);
        } else {
            self.hanging(&title_painted, indent, remark, Tone::Muted);
        }
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Text that brings its own line feeds.
    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn table(&mut self, table: &Table) {
        self.text.push_str(&table.render(self.width, self.style));
    }

    /// `lead`, then `text` wrapped in lines that all begin at `indent`.
    pub(super) fn hanging(&mut self, lead: &str, indent: usize, text: &str, tone: Tone) {
        let room = self.width.min(READABLE).saturating_sub(indent).max(20);
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut lines = wrap(&words.join(" "), room).into_iter();
        let first = lines.next().unwrap_or_default();
        let shown = without_color(lead).chars().count();
        let first = self.paint(tone, &first);
        self.line(&format!("{lead}{}{first}", " ".repeat(indent.saturating_sub(shown))));
        for line in lines {
            let line = self.paint(tone, &line);
            self.line(&format!("{}{line}", " ".repeat(indent)));
        }
    }
}

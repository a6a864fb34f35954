//! Aligned tables that fit a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Style, Tone};

/// Blanks between two columns.
const GAP: usize = 2;
/// The least that a flexible column is worth; with less it gets a line of its own above the rest of its row.
const LEAST: usize = 20;

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    title: String,
    right: bool,
    flexible: bool,
}

impl Column {
    /// Text: on the left.
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: false, flexible: false }
    }

    /// Numbers: on the right.
    pub fn number(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: true, flexible: false }
    }

    /// Text that is shortened with `…` where the table would be too wide.
    pub fn flexible(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: false, flexible: true }
    }
}

/// A cell.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A cell in a tone.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// A table without lines; at most one column is flexible.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    indent: usize,
}

impl Table {
    /// An empty one, moved to the right by `indent`.
    pub fn new(indent: usize, columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new(), indent }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The width that it needs to show everything.
    pub fn natural_width(&self) -> usize {
        let widths = self.widths();
        self.indent + widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
    }

    /// Its text within `width` where its figures allow that; each line ends with a line feed.
    pub fn render(&self, width: usize, style: Style) -> String {
        let mut widths = self.widths();
        let mut apart = None;
        if let Some(flexible) = self.columns.iter().position(|column| column.flexible) {
            let rest = self.natural_width() - widths[flexible];
            let left = width.saturating_sub(rest);
            if left < widths[flexible] && left < LEAST {
                apart = Some(flexible);
            } else {
                widths[flexible] = widths[flexible].min(left);
            }
        }
        let mut out = String::new();
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles: Vec<_> =
                self.columns.iter().map(|column| Cell::new(column.title.clone(), Tone::Muted)).collect();
            // a column with lines of its own needs no title above the numbers
            self.push_row(&mut out, &titles, &widths, apart, style);
        }
        for row in &self.rows {
            if let Some(cell) = apart.and_then(|column| row.get(column)) {
                let text = shorten(&cell.text, width.saturating_sub(self.indent));
                push_line(&mut out, &format!("{}{}", " ".repeat(self.indent), style.paint(cell.tone, &text)));
            }
            self.push_row(&mut out, row, &widths, apart, style);
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let widest = |(number, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(number)).map(|cell| cell.text.width());
            cells.chain([column.title.width()]).max().unwrap_or(0)
        };
        self.columns.iter().enumerate().map(widest).collect()
    }

    fn push_row(&self, out: &mut String, row: &[Cell], widths: &[usize], apart: Option<usize>, style: Style) {
        let mut line = " ".repeat(self.indent + if apart.is_some() { GAP } else { 0 });
        let mut first = true;
        for (number, column) in self.columns.iter().enumerate().filter(|(number, _)| apart != Some(*number)) {
            if !std::mem::take(&mut first) {
                line.push_str(&" ".repeat(GAP));
            }
            let empty = Cell::default();
            let cell = row.get(number).unwrap_or(&empty);
            let text = if column.flexible { shorten(&cell.text, widths[number]) } else { cell.text.clone() };
            let fill = " ".repeat(widths[number].saturating_sub(text.width()));
            let text = style.paint(cell.tone, &text);
            line.push_str(&if column.right { fill + &text } else { text + &fill });
        }
        push_line(out, &line);
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// `text` in one line of at most `width` columns; what is cut off leaves a `…`.
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![Column::flexible("statement"), Column::number("count"), Column::number("p99")];
        let mut table = Table::new(2, columns);
        table.row(vec![
            "select abalance from pgbench_accounts where aid = $1".into(),
            "10,000".into(),
            "1.2 ms".into(),
        ]);
        table.row(vec!["end".into(), "9".into(), "85 us".into()]);
        table
    }

    #[test]
    fn numbers_stand_on_the_right_and_text_is_shortened_to_fit() {
        insta::assert_snapshot!(table().render(50, Style::plain()), @r"
        statement                          count     p99
        select abalance from pgbench_ac…  10,000  1.2 ms
        end                                    9   85 us
        ");
        assert!(table().render(50, Style::plain()).lines().all(|line| line.width() <= 50));
    }

    #[test]
    fn where_too_little_is_left_the_text_gets_its_own_line() {
        insta::assert_snapshot!(table().render(30, Style::plain()), @r"
           count     p99
        select abalance from pgbenc…
          10,000  1.2 ms
        end
               9   85 us
        ");
    }

    #[test]
    fn colors_take_no_room() {
        let mut table = Table::new(0, vec![Column::text("a"), Column::number("b")]);
        table.row(vec![Cell::new("x", Tone::Error), Cell::new("1", Tone::Value)]);
        assert_eq!(table.render(80, Style::plain()), "a  b\nx  1\n");
        let colored = table.render(80, Style::colored());
        assert_eq!(colored, "\x1b[2ma\x1b[0m  \x1b[2mb\x1b[0m\n\x1b[31mx\x1b[0m  \x1b[36m1\x1b[0m\n");
    }
}

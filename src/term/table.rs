//! Aligned tables that fit a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Style, Tone};

/// Blanks between two columns.
const GAP: usize = 2;
/// The least that a flexible column is worth unless it says otherwise.
const LEAST: usize = 20;

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    title: String,
    right: bool,
    flexible: bool,
    least: usize,
    droppable: bool,
}

impl Column {
    /// Text: on the left.
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: false, flexible: false, least: LEAST, droppable: false }
    }

    /// Numbers: on the right.
    pub fn number(title: impl Into<String>) -> Self {
        Self { right: true, ..Self::text(title) }
    }

    /// Text that is shortened with `…` where the table would be too wide.
    pub fn flexible(title: impl Into<String>) -> Self {
        Self { flexible: true, ..Self::text(title) }
    }

    /// The same flexible column; with less than this it gets a line of its own above the rest of its row.
    #[must_use]
    pub fn at_least(self, least: usize) -> Self {
        Self { least, ..self }
    }

    /// The same, left out where the table would be too wide without it being so.
    #[must_use]
    pub fn droppable(self) -> Self {
        Self { droppable: true, ..self }
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
        self.indent + width_of(&self.columns().map(|(_, width)| width).collect::<Vec<_>>(), GAP)
    }

    /// Its text within `width` where its figures allow that; each line ends with a line feed.
    pub fn render(&self, width: usize, style: Style) -> String {
        let room = width.saturating_sub(self.indent);
        let mut layout = Layout { columns: self.columns().collect(), gap: GAP, apart: None };
        layout.drop_columns(self, room);
        layout.squeeze(self, room);
        let mut out = String::new();
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let title = |column: &Column| Cell::new(column.title.clone(), Tone::Muted);
            self.push_row(&mut out, &self.columns.iter().map(title).collect::<Vec<_>>(), &layout, room, style);
        }
        for row in &self.rows {
            self.push_row(&mut out, row, &layout, room, style);
        }
        out
    }

    /// Each column's number and the width that it needs.
    fn columns(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.columns.iter().enumerate().map(|(number, column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(number)).map(|cell| cell.text.width());
            (number, cells.chain([column.title.width()]).max().unwrap_or(0))
        })
    }

    fn push_row(&self, out: &mut String, row: &[Cell], layout: &Layout, room: usize, style: Style) {
        let indent = " ".repeat(self.indent);
        let none = Cell::default();
        let cell = |number: usize| row.get(number).unwrap_or(&none);
        if let Some(apart) = layout.apart {
            let text = shorten(&cell(apart).text, room);
            push_line(out, &format!("{indent}{}", style.paint(cell(apart).tone, &text)));
        }
        let mut line = indent;
        for (at, (number, width)) in layout.columns.iter().enumerate() {
            let lead = if at > 0 || layout.apart.is_some() { layout.gap } else { 0 };
            line.push_str(&" ".repeat(lead));
            let text = shorten(&cell(*number).text, *width);
            let fill = " ".repeat(width.saturating_sub(text.width()));
            let text = style.paint(cell(*number).tone, &text);
            line.push_str(&if self.columns[*number].right { fill + &text } else { text + &fill });
        }
        push_line(out, &line);
    }
}

/// Where the columns of a table go.
struct Layout {
    /// Number and width of each that stands in the rows.
    columns: Vec<(usize, usize)>,
    gap: usize,
    /// The one that has lines of its own.
    apart: Option<usize>,
}

impl Layout {
    /// Leaves out columns, the last first, until the rest fits with the flexible one at its least.
    fn drop_columns(&mut self, table: &Table, room: usize) {
        let least = |columns: &[(usize, usize)]| {
            let flexible = |(number, width): &(usize, usize)| {
                if table.columns[*number].flexible { (*width).min(table.columns[*number].least) } else { *width }
            };
            width_of(&columns.iter().map(flexible).collect::<Vec<_>>(), GAP)
        };
        while least(&self.columns) > room {
            let Some(dropped) = self.columns.iter().rposition(|(number, _)| table.columns[*number].droppable) else {
                return;
            };
            self.columns.remove(dropped);
        }
    }

    /// Makes the flexible column narrower, or puts it apart; then, at worst, the gaps.
    fn squeeze(&mut self, table: &Table, room: usize) {
        let width = |layout: &Self| width_of(&layout.columns.iter().map(|(_, width)| *width).collect::<Vec<_>>(), GAP);
        if let Some(at) = self.columns.iter().position(|(number, _)| table.columns[*number].flexible) {
            let needed = self.columns[at].1;
            let left = (room + needed).saturating_sub(width(self));
            if left >= needed.min(table.columns[self.columns[at].0].least) {
                self.columns[at].1 = needed.min(left);
                return;
            }
            self.apart = Some(self.columns.remove(at).0);
        }
        if width(self) + if self.apart.is_some() { GAP } else { 0 } > room {
            self.gap = 1;
        }
    }
}

fn width_of(columns: &[usize], gap: usize) -> usize {
    columns.iter().sum::<usize>() + gap * columns.len().saturating_sub(1)
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
        statement
           count     p99
        select abalance from pgbenc…
          10,000  1.2 ms
        end
               9   85 us
        ");
    }

    #[test]
    fn columns_that_may_go_go_first() {
        let mut table =
            Table::new(0, vec![Column::text("phase"), Column::number("p95").droppable(), Column::number("p99")]);
        table.row(vec!["steady".into(), "1.2 ms".into(), "3.4 ms".into()]);
        assert_eq!(table.render(22, Style::plain()), "phase      p95     p99\nsteady  1.2 ms  3.4 ms\n");
        assert_eq!(table.render(21, Style::plain()), "phase      p99\nsteady  3.4 ms\n");
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

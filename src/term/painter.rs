//! Some lines at the bottom of a terminal that are drawn over and over.

use unicode_width::UnicodeWidthStr;

use super::style::without_color;

/// What is drawn at the moment, so that the next frame can take its place.
///
/// The cursor rests below the last line, so that whatever else is printed, and the shell's prompt after a hard end,
/// stands in a line of its own.
#[derive(Debug, Default)]
pub(super) struct Painter {
    lines: Vec<String>,
    width: usize,
}

impl Painter {
    /// What has to be written for `above` to stay and `lines` to stand below it, on a terminal that is `width` columns
    /// wide; nothing where all that is there already. Each of `lines` has to be narrower than the terminal.
    pub(super) fn frame(&mut self, above: &[String], lines: Vec<String>, width: usize) -> String {
        if above.is_empty() && lines == self.lines && width == self.width {
            return String::new();
        }
        // the terminal shows it all at once where it knows how
        let mut out = String::from("\x1b[?2026h\r");
        let rows: usize = self.lines.iter().map(|line| rows_of(line, width)).sum();
        up(&mut out, rows);
        // row by row: some terminals keep what is erased all at once for those who scroll back
        for line in above.iter().chain(&lines) {
            out.push_str("\x1b[2K");
            out.push_str(line);
            // behind the last column there is nothing to erase, and some terminals would take the last character
            let columns = without_color(line).width();
            out.push_str(if columns > width && !columns.is_multiple_of(width.max(1)) { "\x1b[K\r\n" } else { "\r\n" });
        }
        let taken: usize = above.iter().chain(&lines).map(|line| rows_of(line, width)).sum();
        let left = rows.saturating_sub(taken);
        out.push_str(&"\x1b[2K\r\n".repeat(left));
        // what was typed is shown where the cursor rests
        out.push_str("\x1b[2K");
        up(&mut out, left);
        out.push_str("\x1b[?2026l");
        (self.lines, self.width) = (lines, width);
        out
    }
}

/// How many rows a line takes: a terminal that is narrower breaks it, also when it becomes so later.
fn rows_of(line: &str, width: usize) -> usize {
    without_color(line).width().div_ceil(width.max(1)).max(1)
}

fn up(out: &mut String, rows: usize) {
    if rows > 0 {
        *out += "\x1b[";
        *out += &rows.to_string();
        *out += "A";
    }
}

#[cfg(test)]
mod tests {
    use super::Painter;

    /// A terminal that understands what is painted, and breaks lines anew when it is resized.
    #[derive(Default)]
    struct Screen {
        lines: Vec<String>,
        row: usize,
    }

    impl Screen {
        fn take(&mut self, text: &str) {
            let mut rest = text;
            while let Some(c) = rest.chars().next() {
                let Some(after) = rest.strip_prefix("\x1b[") else {
                    let end = rest.find(['\x1b', '\n', '\r']).unwrap_or(rest.len()).max(1);
                    match c {
                        '\r' => {}
                        '\n' => self.row += 1,
                        _ => self.row().push_str(&rest[..end]),
                    }
                    rest = &rest[end..];
                    continue;
                };
                let end = after.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                match (&after[..end], &after[end..=end]) {
                    ("?2026", _) | ("", "K") => {}
                    (rows, "A") => self.row -= rows.parse::<usize>().unwrap(),
                    ("2", "K") => self.row().clear(),
                    other => panic!("{other:?}"),
                }
                rest = &after[end + 1..];
            }
        }

        fn row(&mut self) -> &mut String {
            self.lines.resize(self.lines.len().max(self.row + 1), String::new());
            &mut self.lines[self.row]
        }

        /// What is to be seen, and whether the cursor rests right below it.
        fn seen(&self) -> (Vec<&str>, bool) {
            let seen: Vec<&str> = self.lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
            let rests = self.row == seen.len();
            (seen, rests)
        }

        fn resize(&mut self, width: usize) {
            let broken = |line: &String| -> Vec<String> {
                let chars: Vec<char> = line.chars().collect();
                chars.chunks(width).map(|chunk| chunk.iter().collect()).collect()
            };
            self.lines = self.lines[..self.row].iter().flat_map(broken).collect();
            self.row = self.lines.len();
        }
    }

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_frame_takes_the_place_of_the_last_one_and_what_stays_stands_above() {
        let (mut painter, mut screen) = (Painter::default(), Screen::default());
        screen.take(&painter.frame(&[], lines(&["one", "two", "three"]), 80));
        screen.take(&painter.frame(&lines(&["a note"]), lines(&["four", "five"]), 80));
        assert_eq!(screen.seen(), (vec!["a note", "four", "five"], true));
        assert_eq!(painter.frame(&[], lines(&["four", "five"]), 80), "");
        screen.take(&painter.frame(&[], Vec::new(), 80));
        assert_eq!(screen.seen(), (vec!["a note"], true));
    }

    #[test]
    fn a_terminal_that_became_narrower_keeps_nothing_of_the_last_frame() {
        let (mut painter, mut screen) = (Painter::default(), Screen::default());
        let wide = "x".repeat(70);
        screen.take(&painter.frame(&lines(&["before"]), lines(&["short", &wide, "end"]), 80));
        screen.resize(40);
        assert_eq!(screen.lines.len(), 5);
        screen.take(&painter.frame(&[], lines(&["narrow"]), 40));
        assert_eq!(screen.seen(), (vec!["before", "narrow"], true));
    }
}

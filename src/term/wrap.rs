//! Lines that fit a width.

use unicode_width::UnicodeWidthStr;

/// Further to the right than this, a first column is none that text should hang below.
const DEEPEST: usize = 24;

/// A text in lines of at most `width` columns, cut at blanks; a longer word keeps a line to itself.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut empty = true;
    for word in text.split(' ') {
        if !empty && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    lines.push(line);
    lines
}

/// The lines of a text, each that is wider than `width` cut at blanks. What is cut off goes on below the line's second
/// column, where it has two that stand two blanks or more apart, else a little to the right of where it began.
pub fn fit(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if line.width() <= width {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let begin = line.len() - line.trim_start_matches(' ').len();
        let (lead, indent) = match second_column(line, begin) {
            Some(at) => (at, line[..at].width()),
            None => (begin, begin + 2),
        };
        let mut rest = wrap(&line[lead..], width.saturating_sub(indent)).into_iter();
        out.push_str(&line[..lead]);
        out.push_str(&rest.next().unwrap_or_default());
        out.push('\n');
        for line in rest {
            out.push_str(&" ".repeat(indent));
            out.push_str(line.trim_start());
            out.push('\n');
        }
    }
    out
}

/// Where the second column of a line begins.
fn second_column(line: &str, begin: usize) -> Option<usize> {
    let gap = begin + line[begin..].find("  ")?;
    let at = gap + line[gap..].len() - line[gap..].trim_start_matches(' ').len();
    (at <= begin + DEEPEST).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn what_is_cut_off_goes_on_below_the_second_column() {
        let text =
            "head\n   mix      browse 70.0 %, pay 30.0 %\n  1. steady: for 5min, and so on\n     select 'a  b'\n";
        assert_eq!(fit(text, 100), text);
        let fitted = "head\n   mix      browse 70.0\n            %, pay 30.0 %\n  1. steady: for 5min,\n    and so on\n     select 'a  b'\n";
        assert_eq!(fit(text, 25), fitted);
    }
}

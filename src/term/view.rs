//! What goes on at the moment, in a few lines.

use std::time::{Duration, Instant};

use indicatif::HumanBytes;
use unicode_width::UnicodeWidthStr;

use super::progress::{Rows, Tick, left};
use super::spark::{progress_bar, sparkline};
use super::style::{Style, Tone};
use super::table::shorten;

/// The widest bar; a wider one says no more.
const WIDEST_BAR: usize = 48;
/// A bar that is less wide says nothing.
const LEAST_BAR: usize = 6;
/// ` 42%  59 min 59 s left`
const BEHIND: usize = 22;
/// What follows figures whose length changes begins at a multiple of this.
const STOP: usize = 8;
/// From this width on, failures stand behind the latencies.
const WIDE: usize = 110;

/// What goes on.
#[derive(Debug, Clone)]
pub(super) struct View {
    title: String,
    since: Instant,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// Something whose end is not known.
    Passing,
    /// Rows are made.
    Rows(Rows),
    /// Bytes come in.
    Bytes { here: u64, of: Option<u64> },
    /// A phase runs.
    Phase(Phase),
}

/// A phase at its last tick.
#[derive(Debug, Clone)]
struct Phase {
    fraction: Option<f64>,
    elapsed: Duration,
    load: String,
    curve: Vec<f64>,
    latencies: String,
    failures: String,
}

impl View {
    /// Something goes on whose end is not known.
    pub(super) fn passing(title: &str) -> Self {
        Self { title: title.to_owned(), since: Instant::now(), what: What::Passing }
    }

    /// Rows are made; the title of the step that makes them stays.
    pub(super) fn rows(before: Option<&Self>, name: &str, rows: Rows) -> Self {
        Self { what: What::Rows(rows), ..Self::following(before, name) }
    }

    /// Bytes come in.
    pub(super) fn bytes(before: Option<&Self>, name: &str, here: u64, of: Option<u64>) -> Self {
        Self { what: What::Bytes { here, of }, ..Self::following(before, name) }
    }

    /// A phase runs.
    pub(super) fn phase(tick: &Tick<'_>) -> Self {
        let phase = Phase {
            fraction: tick.fraction,
            elapsed: tick.elapsed,
            load: tick.load.clone(),
            curve: tick.curve.to_vec(),
            latencies: tick.latencies.clone(),
            failures: tick.failures.clone(),
        };
        Self { title: tick.title.clone(), since: Instant::now(), what: What::Phase(phase) }
    }

    /// Goes on with the title that is shown, where it is of the same thing.
    fn following(before: Option<&Self>, name: &str) -> Self {
        match before {
            Some(view) if view.title.ends_with(name) => view.clone(),
            _ => Self::passing(name),
        }
    }

    /// Whether it is a phase.
    pub(super) fn is_phase(&self) -> bool {
        matches!(self.what, What::Phase(_))
    }

    /// The lines, none wider than `width`.
    pub(super) fn lines(&self, width: usize, style: Style) -> Vec<String> {
        let since = self.since.elapsed();
        match &self.what {
            What::Passing => vec![self.head(None, &passed(since), width, style)],
            What::Rows(rows) => {
                vec![self.head(Some(rows.fraction()), "", width, style), detail(&rows.text(), width)]
            }
            What::Bytes { here, of } => {
                let speed = *here as f64 / since.as_secs_f64().max(0.001);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes a second")]
                let speed = format!("{} a second", HumanBytes(speed as u64));
                let part = of.map(|of| *here as f64 / of.max(1) as f64);
                let text = match of {
                    Some(of) => format!("{} of {}, {speed}", HumanBytes(*here), HumanBytes(*of)),
                    None => format!("{}, {speed}", HumanBytes(*here)),
                };
                vec![self.head(part, "", width, style), detail(&text, width)]
            }
            What::Phase(phase) => self.phase_lines(phase, width, style),
        }
    }

    fn phase_lines(&self, phase: &Phase, width: usize, style: Style) -> Vec<String> {
        let rest = match left(phase.elapsed, phase.fraction) {
            Some(left) => format!("{} left", time(left)),
            None => time(phase.elapsed),
        };
        let mut lines = vec![self.head(phase.fraction, &rest, width, style)];
        let mut load = detail(&phase.load, width);
        let begin = (load.width() + 2).next_multiple_of(STOP);
        let room = width.saturating_sub(begin).min(60);
        if room >= LEAST_BAR && !phase.curve.is_empty() {
            let latest = phase.curve.len().saturating_sub(room);
            let curve = sparkline(phase.curve[latest..].iter().copied().map(Some));
            load = format!("{load:begin$}{}", style.paint(Tone::Value, &curve));
        }
        lines.push(load);
        if width >= WIDE {
            lines.push(detail(&format!("{}  {}", phase.latencies, phase.failures), width));
        } else {
            lines.push(detail(&phase.latencies, width));
            lines.push(detail(&phase.failures, width));
        }
        lines
    }

    /// The title, a bar where a part is known, and what stands behind it.
    fn head(&self, part: Option<f64>, rest: &str, width: usize, style: Style) -> String {
        let percent = part.map(|part| format!("{:>3.0}%", part.clamp(0.0, 1.0) * 100.0));
        let behind: Vec<&str> = percent.as_deref().into_iter().chain((!rest.is_empty()).then_some(rest)).collect();
        let behind = behind.join("  ");
        let gap = if behind.is_empty() { 0 } else { 2 };
        let title = shorten(&self.title, width.saturating_sub(behind.width() + gap).max(8));
        // room for the longest that stands behind it, so that the bar keeps its length
        let reserved = if rest.is_empty() { behind.width() } else { behind.width().max(BEHIND) };
        let room = width.saturating_sub(title.width() + reserved + gap + 2).min(WIDEST_BAR);
        let bar = part.filter(|_| room >= LEAST_BAR).map(|part| format!("  {}", progress_bar(part, room)));
        let taken = title.width() + bar.as_ref().map_or(0, |bar| bar.width()) + gap;
        let behind = shorten(&behind, width.saturating_sub(taken));
        let bar = bar.unwrap_or_default();
        format!("{}{bar}{}{behind}", style.paint(Tone::Heading, &title), " ".repeat(gap)).trim_end().to_owned()
    }
}

/// A line below the title.
fn detail(text: &str, width: usize) -> String {
    shorten(&format!("  {text}"), width)
}

/// For how long something has gone on, once that is worth a word.
fn passed(since: Duration) -> String {
    if since.as_secs() < 1 { String::new() } else { time(since) }
}

/// A time in two units at most: `51 s`, `3 min 20 s`, `2 h 5 min`.
fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::style::without_color;

    fn tick(curve: &[f64]) -> Tick<'_> {
        Tick {
            title: "steady (2 of 3)".to_owned(),
            elapsed: Duration::from_secs(45),
            fraction: Some(0.375),
            load: "50 clients  1,946.3 tps of 2,000/s".to_owned(),
            curve,
            latencies: "p50 1.02 ms  p95 3.41 ms  p99 9.10 ms".to_owned(),
            failures: "12 failed: deadlock 9, serialization 3".to_owned(),
            ..Tick::default()
        }
    }

    #[test]
    fn a_phase_fits_narrow_and_wide_terminals() {
        let curve: Vec<f64> = (0..90_u32).map(|n| f64::from(n % 30)).collect();
        let mut shown = Vec::new();
        for width in [39, 79, 199] {
            for style in [Style::plain(), Style::colored()] {
                let lines = View::phase(&tick(&curve)).lines(width, style);
                assert!(lines.iter().all(|line| without_color(line).width() <= width), "{lines:#?}");
                if style == Style::plain() {
                    shown.push(format!("{width}\n{}\n", lines.join("\n")));
                }
            }
        }
        insta::assert_snapshot!(shown.concat());
    }

    #[test]
    fn anything_fits_any_width() {
        let rows = Rows { made: 5, of: 0, elapsed: Duration::ZERO };
        let step = View::passing("step 3 of 5: fill orders");
        let views = [
            View::rows(Some(&step), "fill orders", rows),
            View::bytes(None, "downloading PostgreSQL 18", 5, None),
            View::bytes(None, "Tabelle „ä“ 表", 5, Some(4)),
            View::phase(&Tick { fraction: Some(f64::NAN), ..tick(&[f64::NAN]) }),
            View::phase(&Tick { fraction: None, title: "x".repeat(300), ..tick(&[]) }),
            step,
        ];
        for (view, width) in views.iter().flat_map(|view| (0..220).map(move |width| (view, width))) {
            let lines = view.lines(width, Style::plain());
            assert!(lines.iter().all(|line| line.width() <= width.max(12)), "{width}: {lines:#?}");
        }
        let step = views[0].lines(50, Style::plain());
        assert_eq!(
            step,
            ["step 3 of 5: fill orders  ━━━━━━━━━━━━━━━━━━  500%", "  5 rows, 0 s left"]
                .map(|line| line.replace("500%", "100%"))
        );
    }

    #[test]
    fn times_have_the_units_of_people() {
        let times = [0, 51, 200, 7500].map(|seconds| time(Duration::from_secs(seconds)));
        assert_eq!(times, ["0 s", "51 s", "3 min 20 s", "2 h 5 min"]);
    }
}

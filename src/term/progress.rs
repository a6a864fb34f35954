//! What a run shows while it runs.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount};

use super::style::Style;
use super::view::View;
use super::writer::{Size, Writer};

/// Shows how a run goes on: a few lines at the bottom of a terminal, plain lines elsewhere. It is told what happened by
/// whoever merges the workers' samples, never by the workers, and what it is told is written by a thread of its own: it
/// can't slow the load, however slow its reader is. Clones show the same.
#[derive(Debug, Clone)]
pub struct Progress {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Live(Writer),
    Plain(Plain),
    Silent,
}

#[derive(Debug, Clone)]
struct Plain {
    writer: Writer,
    every: Duration,
    phase: String,
    next: Duration,
}

/// What happened in a phase up to now.
#[derive(Debug, Clone, Default)]
pub struct Tick<'a> {
    /// The phase's name.
    pub phase: &'a str,
    /// What it is called above its figures: `steady (2 of 3)`.
    pub title: String,
    /// Since its clock started.
    pub elapsed: Duration,
    /// How much of it is done, 0 to 1; `None`: its end is not known.
    pub fraction: Option<f64>,
    /// Successful transactions a second, lately.
    pub tps: f64,
    /// Their mean latency.
    pub latency_avg: Option<Duration>,
    /// The latency that 95 % of them did not exceed.
    pub latency_p95: Option<Duration>,
    /// Failed transactions of the whole phase.
    pub failed: u64,
    /// Clients and throughput, for people.
    pub load: String,
    /// Successful transactions a second, one figure after the other.
    pub curve: &'a [f64],
    /// Percentiles of the latency lately, for people.
    pub latencies: String,
    /// Failed transactions by class, for people.
    pub failures: String,
}

impl Progress {
    /// A few lines at the bottom of a terminal that says how large it is.
    pub fn live(terminal: Box<dyn Write + Send>, size: Size, style: Style) -> Self {
        Self { kind: Kind::Live(Writer::start(terminal, Some(size), style)) }
    }

    /// A line to `writer` whenever so much time of a phase has passed.
    pub fn plain(writer: Box<dyn Write + Send>, every: Duration) -> Self {
        let writer = Writer::start(writer, None, Style::plain());
        Self { kind: Kind::Plain(Plain { writer, every, phase: String::new(), next: every }) }
    }

    /// Nothing.
    pub fn silent() -> Self {
        Self { kind: Kind::Silent }
    }

    /// Something goes on whose end is not known, such as a step of set-up.
    pub fn step(&mut self, name: &str) {
        match &mut self.kind {
            Kind::Live(_) => self.passing(name),
            Kind::Plain(plain) => plain.writer.line(name),
            Kind::Silent => {}
        }
    }

    /// The same for something that only whoever looks on wants to know of.
    pub fn passing(&mut self, name: &str) {
        if let Kind::Live(writer) = &self.kind {
            writer.show(|view| *view = Some(View::passing(name)));
        }
    }

    /// Nothing goes on for the moment.
    pub fn rest(&mut self) {
        if let Kind::Live(writer) = &self.kind {
            writer.show(|view| *view = None);
        }
    }

    /// Whether what goes on is shown as it changes.
    pub fn is_live(&self) -> bool {
        matches!(self.kind, Kind::Live(_))
    }

    /// Whether a tick at `elapsed` of a phase would be shown; what happened until then is its to tell.
    pub fn is_due(&self, phase: &str, elapsed: Duration) -> bool {
        match &self.kind {
            Kind::Live(_) => true,
            Kind::Plain(plain) => elapsed >= if plain.phase == phase { plain.next } else { plain.every },
            Kind::Silent => false,
        }
    }

    /// So many rows of so many are made, after so long.
    pub fn rows(&mut self, name: &str, made: u64, of: u64, elapsed: Duration) {
        let done = Rows { made, of, elapsed };
        match &mut self.kind {
            Kind::Live(writer) => writer.show(|view| *view = Some(View::rows(view.as_ref(), name, done))),
            Kind::Plain(plain) => {
                if plain.phase != name {
                    name.clone_into(&mut plain.phase);
                    plain.next = plain.every;
                }
                // who made them all has ended, which the next line says anyway
                if made < of && plain.is_due(elapsed) {
                    plain.writer.line(&format!(
                        "{name}: {:.1} s ({:.0}%), {}",
                        elapsed.as_secs_f64(),
                        done.fraction() * 100.0,
                        done.text()
                    ));
                }
            }
            Kind::Silent => {}
        }
    }

    /// Something comes in, so many bytes of so many.
    pub fn bytes(&mut self, name: &str, here: u64, of: Option<u64>) {
        match &mut self.kind {
            Kind::Live(writer) => writer.show(|view| *view = Some(View::bytes(view.as_ref(), name, here, of))),
            Kind::Plain(plain) => {
                if plain.phase != name {
                    name.clone_into(&mut plain.phase);
                    let size = of.map(|of| format!(" ({})", HumanBytes(of))).unwrap_or_default();
                    plain.writer.line(&format!("{name}{size}"));
                }
            }
            Kind::Silent => {}
        }
    }

    /// What happened lately in a phase.
    pub fn tick(&mut self, tick: &Tick<'_>) {
        match &mut self.kind {
            Kind::Live(writer) => writer.show(|view| *view = Some(View::phase(tick))),
            Kind::Plain(plain) => plain.tick(tick),
            Kind::Silent => {}
        }
    }

    /// Shows a line that stays, above what changes.
    pub fn note(&self, text: &str) {
        match &self.kind {
            Kind::Live(writer) | Kind::Plain(Plain { writer, .. }) => writer.line(text),
            Kind::Silent => {}
        }
    }

    /// Says what becomes of what goes on, now that it is to end: a phase, or something else.
    pub fn stopping(&self, phase: &str, other: &str) {
        match &self.kind {
            Kind::Live(writer) => {
                let words = |view: Option<&View>| if view.is_some_and(View::is_phase) { phase } else { other };
                writer.banner(|view| words(view).to_owned());
            }
            Kind::Plain(plain) => plain.writer.line(if plain.phase.is_empty() { other } else { phase }),
            Kind::Silent => {}
        }
    }

    /// Removes what changes, and waits until all that stays is written; not for long, where nobody reads it.
    pub fn finish(&self) {
        match &self.kind {
            Kind::Live(writer) | Kind::Plain(Plain { writer, .. }) => writer.finish(),
            Kind::Silent => {}
        }
    }
}

impl Plain {
    fn tick(&mut self, tick: &Tick<'_>) {
        if self.phase != tick.phase {
            tick.phase.clone_into(&mut self.phase);
            self.next = self.every;
        }
        if !self.is_due(tick.elapsed) {
            return;
        }
        let done = tick.fraction.map(|fraction| format!(" ({:.0}%)", fraction * 100.0)).unwrap_or_default();
        let elapsed = tick.elapsed.as_secs_f64();
        self.writer.line(&format!("{}: {elapsed:.1} s{done}, {}", tick.phase, line_of(tick)));
    }

    /// Whether it is time for a line; the next one is then an interval later.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= self.next;
        while self.next <= elapsed && !self.every.is_zero() {
            self.next += self.every;
        }
        due
    }
}

/// `5200.2 tps, lat 0.756 ms, p95 1.965 ms, 0 failed, 12 s left`
fn line_of(tick: &Tick<'_>) -> String {
    let ms = |name: &str, duration: Duration| format!("{name} {:.3} ms", duration.as_secs_f64() * 1000.0);
    let mut parts = vec![format!("{:.1} tps", tick.tps)];
    parts.extend(tick.latency_avg.map(|average| ms("lat", average)));
    parts.extend(tick.latency_p95.map(|p95| ms("p95", p95)));
    parts.push(format!("{} failed", tick.failed));
    parts.extend(left(tick.elapsed, tick.fraction).map(|left| format!("{} s left", left.as_secs())));
    parts.join(", ")
}

/// How far the rows of a table are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    pub(super) made: u64,
    pub(super) of: u64,
    pub(super) elapsed: Duration,
}

impl Rows {
    pub(super) fn fraction(self) -> f64 {
        self.made as f64 / self.of.max(1) as f64
    }

    /// `1,200,000 rows, 640,000 a second, 12 s left`
    pub(super) fn text(self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        let mut text = format!("{} rows", HumanCount(self.made));
        if seconds > 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows a second")]
            let rate = (self.made as f64 / seconds) as u64;
            // writing to a string can't fail
            let _ = write!(text, ", {} a second", HumanCount(rate));
        }
        let left = left(self.elapsed, Some(self.fraction()));
        text + &left.map(|left| format!(", {} s left", left.as_secs())).unwrap_or_default()
    }
}

/// How long it will take on, if it goes on as up to now.
pub(super) fn left(elapsed: Duration, fraction: Option<f64>) -> Option<Duration> {
    let fraction = fraction.filter(|fraction| *fraction > 0.0)?;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - fraction).max(0.0) / fraction).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn tick(phase: &str, seconds: u64) -> Tick<'_> {
        Tick {
            phase,
            elapsed: Duration::from_secs(seconds),
            fraction: Some(seconds as f64 / 40.0),
            tps: 5200.2,
            latency_avg: Some(Duration::from_micros(756)),
            latency_p95: Some(Duration::from_micros(1965)),
            failed: 0,
            ..Tick::default()
        }
    }

    #[test]
    fn plain_lines_come_at_their_interval_and_begin_anew_with_a_phase() {
        let shared = Shared::default();
        let mut progress = Progress::plain(Box::new(shared.clone()), Duration::from_secs(10));
        for bytes in [0, 1 << 20, 12 << 20] {
            progress.bytes("downloading", bytes, Some(12 << 20));
        }
        progress.step("fill orders");
        for second in 1..=25 {
            progress.rows("fill orders", second * 40_000, 1_000_000, Duration::from_secs(second));
        }
        for second in 1..=25 {
            progress.tick(&tick("steady", second));
        }
        for second in 1..=10 {
            progress.tick(&tick("peak", second));
        }
        progress.finish();
        let text = String::from_utf8(shared.0.lock().unwrap().clone()).unwrap();
        insta::assert_snapshot!(text, @r"
        downloading (12.00 MiB)
        fill orders
        fill orders: 10.0 s (40%), 400,000 rows, 40,000 a second, 15 s left
        fill orders: 20.0 s (80%), 800,000 rows, 40,000 a second, 5 s left
        steady: 10.0 s (25%), 5200.2 tps, lat 0.756 ms, p95 1.965 ms, 0 failed, 30 s left
        steady: 20.0 s (50%), 5200.2 tps, lat 0.756 ms, p95 1.965 ms, 0 failed, 20 s left
        peak: 10.0 s (25%), 5200.2 tps, lat 0.756 ms, p95 1.965 ms, 0 failed, 30 s left
        ");
    }

    #[test]
    fn a_live_view_takes_anything_and_leaves_its_notes_alone() {
        let shared = Shared::default();
        let size = Box::new(|| None);
        let mut progress = Progress::live(Box::new(shared.clone()), size, Style::colored());
        progress.bytes("downloading", 5, None);
        progress.bytes("another", 5, Some(4));
        progress.passing("starting a server");
        progress.rest();
        progress.rows("fill orders", 5, 0, Duration::ZERO);
        progress.step("fill orders");
        progress.tick(&Tick { fraction: None, latency_avg: None, latency_p95: None, ..tick("steady", 1) });
        progress.tick(&Tick { fraction: Some(f64::NAN), ..tick("steady", 2) });
        progress.note("a checkpoint");
        progress.stopping("a phase ends", "a step ends");
        progress.finish();
        let text = String::from_utf8(shared.0.lock().unwrap().clone()).unwrap();
        assert!(text.ends_with("a checkpoint\r\n\x1b[2K\x1b[?2026l"), "{text:?}");
    }
}

//! What a run shows while it runs.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar's resolution: a fraction of the phase, in thousandths.
const STEPS: u64 = 1000;

/// Shows how a run goes on: a live line on a terminal, plain lines elsewhere. It is told what happened by whoever
/// merges the workers' samples, never by the workers, so it can't slow the load.
#[derive(Debug)]
pub struct Progress {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Live { bar: ProgressBar, named: String },
    Plain(Plain),
    Silent,
}

struct Plain {
    writer: Box<dyn Write + Send>,
    every: Duration,
    phase: String,
    next: Duration,
}

impl std::fmt::Debug for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plain").field("every", &self.every).field("phase", &self.phase).finish_non_exhaustive()
    }
}

/// What happened in a phase up to now.
#[derive(Debug, Clone, Copy)]
pub struct Tick<'a> {
    /// The phase's name.
    pub phase: &'a str,
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
}

impl Progress {
    /// A live line on a terminal, such as `ProgressDrawTarget::stderr_with_hz(5)`.
    pub fn live(target: ProgressDrawTarget) -> Self {
        // nothing goes on yet, so there is nothing to draw; the library's own style is a bar at zero
        let bar = ProgressBar::with_draw_target(Some(STEPS), target).with_style(template("{msg}"));
        Self { kind: Kind::Live { bar, named: String::new() } }
    }

    /// A line to `writer` whenever so much time of a phase has passed.
    pub fn plain(writer: Box<dyn Write + Send>, every: Duration) -> Self {
        Self { kind: Kind::Plain(Plain { writer, every, phase: String::new(), next: every }) }
    }

    /// Nothing.
    pub fn silent() -> Self {
        Self { kind: Kind::Silent }
    }

    /// Something goes on whose end is not known, such as a step of set-up.
    pub fn step(&mut self, name: &str) {
        match &mut self.kind {
            Kind::Live { .. } => self.passing(name),
            Kind::Plain(plain) => plain.line(name),
            Kind::Silent => {}
        }
    }

    /// The same for something that only whoever looks on wants to know of.
    pub fn passing(&mut self, name: &str) {
        if let Kind::Live { bar, named } = &mut self.kind {
            named.clear();
            // hidden until it is as it is to be: each of these calls may draw
            bar.finish_and_clear();
            bar.set_style(template("{spinner} {msg} {elapsed}"));
            bar.set_message(name.to_owned());
            bar.reset();
            bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    /// Nothing goes on for the moment.
    pub fn rest(&mut self) {
        if let Kind::Live { bar, named } = &mut self.kind {
            named.clear();
            bar.disable_steady_tick();
            bar.finish_and_clear();
        }
    }

    /// Whether a tick at `elapsed` of a phase would be shown; what happened until then is its to tell.
    pub fn is_due(&self, phase: &str, elapsed: Duration) -> bool {
        match &self.kind {
            Kind::Live { .. } => true,
            Kind::Plain(plain) => elapsed >= if plain.phase == phase { plain.next } else { plain.every },
            Kind::Silent => false,
        }
    }

    /// So many rows of so many are made, after so long.
    pub fn rows(&mut self, name: &str, made: u64, of: u64, elapsed: Duration) {
        let done = Rows { made, of, elapsed };
        match &mut self.kind {
            Kind::Live { bar, named } => {
                if renamed(bar, named, name) {
                    bar.set_style(template("{prefix} {wide_bar} {percent:>3}%  {msg}"));
                    bar.set_length(of);
                }
                bar.set_message(done.text());
                bar.set_position(made);
            }
            Kind::Plain(plain) => {
                if plain.phase != name {
                    name.clone_into(&mut plain.phase);
                    plain.next = plain.every;
                }
                // who made them all has ended, which the next line says anyway
                if made < of && plain.is_due(elapsed) {
                    plain.line(&format!(
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
            Kind::Live { bar, named } => {
                if renamed(bar, named, name) {
                    bar.set_style(template(match of {
                        Some(_) => "{prefix} {wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}",
                        None => "{prefix} {spinner} {bytes}, {bytes_per_sec}",
                    }));
                }
                bar.set_length(of.unwrap_or(here));
                bar.set_position(here);
            }
            Kind::Plain(plain) => {
                if plain.phase != name {
                    name.clone_into(&mut plain.phase);
                    let size = of.map(|of| format!(" ({})", HumanBytes(of))).unwrap_or_default();
                    plain.line(&format!("{name}{size}"));
                }
            }
            Kind::Silent => {}
        }
    }

    /// What happened lately in a phase.
    pub fn tick(&mut self, tick: &Tick<'_>) {
        match &mut self.kind {
            Kind::Live { bar, named } => {
                if named != tick.phase {
                    tick.phase.clone_into(named);
                    bar.disable_steady_tick();
                    bar.finish_and_clear();
                    bar.set_length(STEPS);
                    bar.set_style(template("{prefix} {wide_bar} {percent:>3}%  {msg}"));
                    bar.set_prefix(tick.phase.to_owned());
                    bar.set_message(line_of(tick));
                    bar.reset();
                }
                bar.set_position(steps(tick.fraction.unwrap_or(0.0)));
                bar.set_message(line_of(tick));
            }
            Kind::Plain(plain) => plain.tick(tick),
            Kind::Silent => {}
        }
    }

    /// Prints a line that stays, above the live one.
    pub fn note(&mut self, text: &str) {
        match &mut self.kind {
            Kind::Live { bar, .. } => bar.println(text),
            Kind::Plain(plain) => plain.line(text),
            Kind::Silent => {}
        }
    }

    /// Removes the live line.
    pub fn finish(&mut self) {
        if let Kind::Live { bar, .. } = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// Begins a bar anew where it had another name.
fn renamed(bar: &ProgressBar, named: &mut String, name: &str) -> bool {
    if named == name {
        return false;
    }
    name.clone_into(named);
    bar.disable_steady_tick();
    bar.reset();
    bar.set_prefix(name.to_owned());
    true
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
        self.line(&format!("{}: {:.1} s{done}, {}", tick.phase, tick.elapsed.as_secs_f64(), line_of(tick)));
    }

    /// Whether it is time for a line; the next one is then an interval later.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed >= self.next;
        while self.next <= elapsed && !self.every.is_zero() {
            self.next += self.every;
        }
        due
    }

    fn line(&mut self, text: &str) {
        // whoever closed the stream does not want to know, and the run is worth more than its progress
        let _ = writeln!(self.writer, "{text}");
        let _ = self.writer.flush();
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
struct Rows {
    made: u64,
    of: u64,
    elapsed: Duration,
}

impl Rows {
    fn fraction(&self) -> f64 {
        self.made as f64 / self.of.max(1) as f64
    }

    /// `1,200,000 rows, 640,000 a second, 12 s left`
    fn text(&self) -> String {
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
fn left(elapsed: Duration, fraction: Option<f64>) -> Option<Duration> {
    let fraction = fraction.filter(|fraction| *fraction > 0.0)?;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * (1.0 - fraction).max(0.0) / fraction).ok()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the fraction is clamped")]
fn steps(fraction: f64) -> u64 {
    (fraction.clamp(0.0, 1.0) * STEPS as f64) as u64
}

fn template(text: &str) -> ProgressStyle {
    ProgressStyle::with_template(text).unwrap_or_else(|_| ProgressStyle::default_bar())
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
    fn a_live_line_takes_anything() {
        let mut progress = Progress::live(ProgressDrawTarget::hidden());
        progress.bytes("downloading", 5, None);
        progress.bytes("another", 5, Some(4));
        progress.passing("starting a server");
        progress.rest();
        progress.rows("fill orders", 5, 0, Duration::ZERO);
        progress.step("fill orders");
        progress.tick(&Tick { fraction: None, latency_avg: None, latency_p95: None, ..tick("steady", 1) });
        progress.tick(&Tick { fraction: Some(f64::NAN), ..tick("steady", 2) });
        progress.note("a checkpoint");
        progress.finish();
    }
}

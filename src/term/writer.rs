//! A thread that writes, so that nobody else waits for whoever reads.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::painter::Painter;
use super::style::{Style, Tone};
use super::table::shorten;
use super::view::View;

/// The most lines that wait to be written; those that come while there are so many are counted and not shown.
const MOST_LINES: usize = 1000;
/// From one frame to the next.
const FRAME: Duration = Duration::from_millis(200);
/// How long a reader that does not read is waited for at the end.
const PATIENCE: Duration = Duration::from_secs(1);
/// Where the terminal does not say how large it is: columns, rows.
const USUAL: (usize, usize) = (80, 24);

/// How large the terminal is at the moment: columns, rows.
pub type Size = Box<dyn Fn() -> Option<(usize, usize)> + Send>;

/// Where lines and frames are left for the thread that writes them. Leaving them never waits for the reader: a frame
/// takes the place of one that was not written yet, and lines beyond a number are dropped.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<String>,
    dropped: usize,
    view: Option<View>,
    /// What stands below the view, whatever that is.
    banner: Option<String>,
    /// Whether view or banner have changed since they were looked at.
    changed: bool,
    ending: bool,
    ended: bool,
}

impl Writer {
    /// Starts the thread. With a `size` it is a terminal that shows a view, else lines are all.
    pub(super) fn start(out: Box<dyn Write + Send>, size: Option<Size>, style: Style) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let started =
            thread::Builder::new().name("progress".to_owned()).spawn(move || theirs.write(out, size.as_ref(), style));
        if started.is_err() {
            // a run is worth more than its progress
            shared.lock().ended = true;
        }
        Self { shared }
    }

    /// Leaves a line that stays.
    pub(super) fn line(&self, text: &str) {
        let mut state = self.shared.lock();
        if state.lines.len() < MOST_LINES {
            state.lines.push_back(text.to_owned());
        } else {
            state.dropped += 1;
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Changes what is shown.
    pub(super) fn show(&self, change: impl FnOnce(&mut Option<View>)) {
        let mut state = self.shared.lock();
        change(&mut state.view);
        state.changed = true;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Leaves words that stand below whatever is shown, until the end. They may depend on what that is.
    pub(super) fn banner(&self, words: impl FnOnce(Option<&View>) -> String) {
        let mut state = self.shared.lock();
        let words = words(state.view.as_ref());
        state.banner = Some(words);
        state.changed = true;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Writes what is left and removes the view; a reader that does not read is not waited for long.
    pub(super) fn finish(&self) {
        let mut state = self.shared.lock();
        state.ending = true;
        self.shared.changed.notify_all();
        let wait = self.shared.changed.wait_timeout_while(state, PATIENCE, |state| !state.ended);
        drop(wait.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes until the end. The lock is never held while it does.
    fn write(&self, mut out: Box<dyn Write + Send>, size: Option<&Size>, style: Style) {
        let mut painter = Painter::default();
        loop {
            let (lines, view, banner, ending) = self.next(size.is_some());
            let text = match size {
                Some(size) => {
                    let (width, height) = size().unwrap_or(USUAL);
                    let mut frame = view.map(|view| view.lines(width.saturating_sub(1), style)).unwrap_or_default();
                    frame.extend(
                        banner.map(|banner| style.paint(Tone::Warning, &shorten(&banner, width.saturating_sub(1)))),
                    );
                    frame.truncate(height.saturating_sub(1));
                    painter.frame(&lines, if ending { Vec::new() } else { frame }, width)
                }
                None => lines.iter().flat_map(|line| [line, "\n"]).collect(),
            };
            // whoever closed the stream does not want to know
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            if ending {
                break;
            }
            if size.is_some() {
                self.rest();
            }
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Waits for something to write. A view is looked at for each frame, since time passes in it.
    fn next(&self, live: bool) -> (Vec<String>, Option<View>, Option<String>, bool) {
        let idle = |state: &mut State| {
            let moves = live && (state.changed || state.view.is_some());
            state.lines.is_empty() && !state.ending && !moves
        };
        let mut state = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        state.changed = false;
        let mut lines: Vec<String> = state.lines.drain(..).collect();
        let dropped = std::mem::take(&mut state.dropped);
        lines.extend((dropped > 0).then(|| format!("({dropped} lines are not shown)")));
        (lines, state.view.clone(), state.banner.clone(), state.ending)
    }

    /// Lets the time between two frames pass, unless this is the end.
    fn rest(&self) {
        let until = Instant::now() + FRAME;
        let mut state = self.lock();
        while let left = until.saturating_duration_since(Instant::now())
            && !left.is_zero()
            && !state.ending
        {
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc;

    use super::*;

    /// A terminal that says when something comes, and takes nothing until it is told to.
    struct Stuck {
        tried: mpsc::Sender<()>,
        go_on: mpsc::Receiver<()>,
        taken: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.tried.send(()).unwrap();
            // an error: whoever tells is gone, and everything is taken
            let _ = self.go_on.recv();
            self.taken.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_terminal_that_does_not_read_is_not_waited_for_and_gets_what_still_matters() {
        let ((tried, comes), (go, go_on)) = (mpsc::channel(), mpsc::channel());
        let taken = Arc::new(Mutex::new(Vec::new()));
        let stuck = Stuck { tried, go_on, taken: Arc::clone(&taken) };
        let writer = Writer::start(Box::new(stuck), Some(Box::new(|| Some((80, 24)))), Style::plain());
        writer.line("the first");
        comes.recv().unwrap();
        // from here on the thread is stuck, and none of this waits for it
        for n in 0..100_000 {
            writer.show(|view| *view = Some(View::passing(&format!("step {n}"))));
            writer.line(&format!("line {n}"));
        }
        assert_eq!(writer.shared.lock().lines.len(), MOST_LINES);
        writer.finish();
        assert!(!writer.shared.lock().ended);
        drop(go);
        writer.finish();
        let text = String::from_utf8(taken.lock().unwrap().clone()).unwrap();
        assert!(text.contains("line 999\r\n\x1b[2K(99000 lines are not shown)"), "{text}");
        assert!(!text.contains("step 5"), "a frame that nobody could see is drawn: {text}");
        assert!(text.ends_with("shown)\r\n\x1b[2K\x1b[?2026l"), "{text}");
    }
}

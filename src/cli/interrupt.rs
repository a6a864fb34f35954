//! Ctrl-C and SIGTERM: each one asks a run for more haste.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Turns the first signal into the first of its stages, the second into the second, and so on; the last one stays.
///
/// From when it is made no signal ends the process by itself any more.
#[derive(Debug)]
pub(crate) struct Interrupt<S> {
    ctrl_c: Signal,
    terminate: Signal,
    sender: watch::Sender<S>,
}

impl<S: Copy> Interrupt<S> {
    /// Listens, and gives the receiver that says how far things are; it begins with `running`.
    /// Needs a runtime with its signal driver.
    pub(crate) fn listen(running: S) -> io::Result<(Self, watch::Receiver<S>)> {
        let (sender, receiver) = watch::channel(running);
        let ctrl_c = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        Ok((Self { ctrl_c, terminate, sender }, receiver))
    }

    /// Passes signals on until all stages are used up, then returns; `told` hears of each.
    pub(crate) async fn pass_on(mut self, stages: impl IntoIterator<Item = S>, mut told: impl FnMut(S)) {
        for stage in stages {
            tokio::select! {
                _ = self.ctrl_c.recv() => {}
                _ = self.terminate.recv() => {}
            }
            told(stage);
            self.sender.send_replace(stage);
        }
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::Interrupt;

    #[test]
    fn each_signal_goes_one_stage_further() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (interrupt, mut receiver) = Interrupt::listen(0).unwrap();
            assert_eq!(*receiver.borrow_and_update(), 0);
            let passing = interrupt.pass_on([1, 2, 3], |_| ());
            let sending = async {
                for (n, which) in [(1, Signal::SIGINT), (2, Signal::SIGTERM), (3, Signal::SIGINT)] {
                    kill(Pid::this(), which).unwrap();
                    receiver.changed().await.unwrap();
                    assert_eq!(*receiver.borrow_and_update(), n);
                }
            };
            tokio::join!(passing, sending);
        });
    }
}

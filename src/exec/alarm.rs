//! One moment to be woken at, as exactly as the system can.

use std::io;
use std::time::Duration;

#[cfg(not(target_os = "linux"))]
pub(super) use coarse::Alarm;
#[cfg(target_os = "linux")]
pub(super) use timerfd::Alarm;

/// The shortest time that arms a timerfd: zero would disarm it.
const SHORTEST: Duration = Duration::from_nanos(1);

#[cfg(target_os = "linux")]
mod timerfd {
    use std::os::fd::{AsFd, AsRawFd, RawFd};

    use nix::sys::time::TimeSpec;
    use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::{Duration, SHORTEST, io};

    /// A timerfd that the runtime polls with its sockets.
    pub(in crate::exec) struct Alarm(AsyncFd<Descriptor>);

    /// The runtime wants the raw descriptor.
    struct Descriptor(TimerFd);

    impl AsRawFd for Descriptor {
        fn as_raw_fd(&self) -> RawFd {
            self.0.as_fd().as_raw_fd()
        }
    }

    impl Alarm {
        /// An alarm that is not set. Belongs to the runtime that it is made in.
        pub(in crate::exec) fn new() -> io::Result<Self> {
            let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
            #[expect(deprecated, reason = "its successor is unsafe, for types whose descriptor may change; ours can't")]
            Ok(Self(AsyncFd::with_interest(Descriptor(timer), Interest::READABLE)?))
        }

        /// Goes off so long from now, whatever it was set to.
        pub(in crate::exec) fn set(&self, after: Duration) -> io::Result<()> {
            let expiration = Expiration::OneShot(TimeSpec::from_duration(after.max(SHORTEST)));
            Ok(self.0.get_ref().0.set(expiration, TimerSetTimeFlags::empty())?)
        }

        /// Waits until it goes off.
        pub(in crate::exec) async fn wait(&self) -> io::Result<()> {
            let mut guard = self.0.readable().await?;
            // reading is only possible when it went off; a race with `set` leaves nothing to read, and that is fine
            let _ = self.0.get_ref().0.wait();
            guard.clear_ready();
            Ok(())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod coarse {
    use std::cell::Cell;
    use std::time::Instant;

    use tokio::sync::Notify;

    use super::{Duration, SHORTEST, io};

    /// The runtime's timer rounds to a millisecond: the rest is spun away.
    const ROUNDING: Duration = Duration::from_millis(2);

    /// A coarse sleep and a short spin.
    pub(in crate::exec) struct Alarm {
        at: Cell<Option<Instant>>,
        changed: Notify,
    }

    impl Alarm {
        /// An alarm that is not set.
        pub(in crate::exec) fn new() -> io::Result<Self> {
            Ok(Self { at: Cell::new(None), changed: Notify::new() })
        }

        /// Goes off so long from now, whatever it was set to.
        pub(in crate::exec) fn set(&self, after: Duration) -> io::Result<()> {
            self.at.set(Some(Instant::now() + after.max(SHORTEST)));
            self.changed.notify_one();
            Ok(())
        }

        /// Waits until it goes off.
        pub(in crate::exec) async fn wait(&self) -> io::Result<()> {
            loop {
                let Some(at) = self.at.get() else {
                    self.changed.notified().await;
                    continue;
                };
                let coarse = at.checked_sub(ROUNDING).unwrap_or(at);
                tokio::select! {
                    () = self.changed.notified() => {}
                    () = tokio::time::sleep_until(coarse.into()) => {
                        while Instant::now() < at {
                            tokio::task::yield_now().await;
                        }
                        self.at.set(None);
                        return Ok(());
                    }
                }
            }
        }
    }
}

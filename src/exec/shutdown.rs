//! Ask to stop, then know it stopped.

/// How far the run has been asked to stop; a later stage includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum StopStage {
    /// Go on.
    #[default]
    Run,
    /// Begin nothing new; what is running may end within a short grace.
    Drain,
    /// Cancel what is running on the server.
    Cancel,
    /// Cut what still runs.
    Leave,
}

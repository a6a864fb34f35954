//! Asking a set-up to stop.

use tokio::sync::watch;

/// The listening end of a wish to stop: true once somebody asked.
#[derive(Debug, Clone)]
pub struct Cancel(Option<watch::Receiver<bool>>);

impl Cancel {
    /// Listens to this channel.
    pub fn new(asked: watch::Receiver<bool>) -> Self {
        Self(Some(asked))
    }

    /// Nobody will ask.
    pub fn never() -> Self {
        Self(None)
    }

    /// Whether somebody has asked.
    pub(super) fn is_asked(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| *asked.borrow())
    }

    /// Returns when somebody has asked. Once nobody is left who could, it never does.
    pub(super) async fn asked(&self) {
        if let Some(asked) = &self.0 {
            let mut asked = asked.clone();
            if asked.wait_for(|&asked| asked).await.is_ok() {
                return;
            }
        }
        std::future::pending::<()>().await;
    }
}

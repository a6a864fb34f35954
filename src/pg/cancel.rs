//! Cancel requests.

/// Asks the server to cancel what a session is doing.
#[derive(Debug, Clone)]
pub struct CancelToken;

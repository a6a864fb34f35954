//! A session that the server has just let in.

use super::{CancelToken, ServerError, Stream};

/// A session at its first `ReadyForQuery`: nothing has been sent on it since.
#[derive(Debug)]
pub struct Opened {
    /// What to talk over.
    pub stream: Stream,
    /// What the server sent behind the first `ReadyForQuery` and was read with it, nearly always empty: the first bytes
    /// of the conversation, to be looked at before `stream` is read.
    pub unread: Vec<u8>,
    /// The backend's process id; 0 where a pooler named none.
    pub pid: i32,
    /// What the server reported by `ParameterStatus`, in its order; the last value where it told one twice.
    pub parameters: Vec<(String, String)>,
    /// The notices that came before the session was ready.
    pub notices: Vec<ServerError>,
    /// Asks the server to cancel what this session is doing.
    pub cancel: CancelToken,
    /// The server's version as it names it, such as `15.18 (Debian 15.18-0+deb12u1)`.
    pub server_version: String,
    /// The version as a number, such as 150018; 0 where it can't be read.
    pub server_version_num: u32,
}

impl Opened {
    /// The value of a parameter that the server reported.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        find(&self.parameters, name)
    }
}

/// The value of `name` among reported parameters.
pub(super) fn find<'a>(parameters: &'a [(String, String)], name: &str) -> Option<&'a str> {
    parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// `server_version` as `server_version_num` would say it: 15.18 is 150018, 9.6.24 is 90624, `17beta1` is 170000.
pub(super) fn version_num(version: &str) -> u32 {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let mut parts = version[..end].split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0).min(9_999);
    let major = next();
    let minor = next();
    if major >= 10 { major * 10_000 + minor } else { major * 10_000 + minor * 100 + next() }
}

#[cfg(test)]
mod tests {
    use super::version_num;

    #[test]
    fn a_version_becomes_the_number_that_the_server_would_give() {
        assert_eq!(version_num("15.18 (Debian 15.18-0+deb12u1)"), 150_018);
        assert_eq!(version_num("18beta2"), 180_000);
        assert_eq!(version_num("9.6.24"), 90_624);
        assert_eq!(version_num("unknown"), 0);
    }
}

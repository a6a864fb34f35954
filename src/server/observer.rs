//! Who is told how a start goes on.

/// Hears what takes long.
pub trait Observer {
    /// A server is downloaded: so many bytes of so many are here.
    fn downloading(&mut self, version: &str, bytes: u64, of: Option<u64>);

    /// A server of this version is made and started.
    fn starting(&mut self, version: &str) {
        let _ = version;
    }
}

/// Nobody.
impl Observer for () {
    fn downloading(&mut self, _version: &str, _bytes: u64, _of: Option<u64>) {}
}

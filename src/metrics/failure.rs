//! Classes of failure.

/// A SQLSTATE; `.....` where the server gave none (a lost connection).
pub type SqlState = [u8; 5];

/// What kind of failure ended a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// No connection could be made.
    Connect,
    /// No connection came free in the pool in time.
    PoolTimeout,
    /// SQLSTATE 40001.
    Serialization,
    /// SQLSTATE 40P01.
    Deadlock,
    /// SQLSTATE class 23.
    Constraint,
    /// SQLSTATE class 42.
    Syntax,
    /// A limit of time: the client's own, or the server's (57014, 55P03, 25P03 …).
    Timeout,
    /// The session was lost.
    Disconnect,
    /// `\assert` did not hold.
    Assertion,
    /// A meta-command failed, a result was not what `\gset` needs, or the script left a transaction block open.
    Script,
    /// Any other error of the server.
    Other,
}

impl FailureClass {
    /// All classes, in the order in which reports show them.
    pub const ALL: [Self; 11] = [
        Self::Connect,
        Self::PoolTimeout,
        Self::Serialization,
        Self::Deadlock,
        Self::Constraint,
        Self::Syntax,
        Self::Timeout,
        Self::Disconnect,
        Self::Assertion,
        Self::Script,
        Self::Other,
    ];

    /// The class of an error that the server reported.
    pub fn of_sqlstate(state: SqlState) -> Self {
        match &state {
            b"40001" => Self::Serialization,
            b"40P01" => Self::Deadlock,
            b"57014" | b"55P03" | b"25P03" | b"25P04" | b"57P05" => Self::Timeout,
            b"57P01" | b"57P02" | b"57P03" | b"57P04" | [b'0', b'8', ..] => Self::Disconnect,
            [b'2', b'3', ..] => Self::Constraint,
            [b'4', b'2', ..] => Self::Syntax,
            _ => Self::Other,
        }
    }

    /// Its name in reports, thresholds and YAML.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::PoolTimeout => "pool_timeout",
            Self::Serialization => "serialization",
            Self::Deadlock => "deadlock",
            Self::Constraint => "constraint",
            Self::Syntax => "syntax",
            Self::Timeout => "timeout",
            Self::Disconnect => "disconnect",
            Self::Assertion => "assertion",
            Self::Script => "script",
            Self::Other => "other",
        }
    }
}

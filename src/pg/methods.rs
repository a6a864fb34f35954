//! `require_auth`: which ways of authentication a server may ask for.

use super::Invalid;
use super::options::Options;

const EXPECTED: &str =
    "`password`, `md5`, `gss`, `sspi`, `scram-sha-256`, `oauth` and `none`, comma-separated, all with a `!` or none";

/// A way of authentication, as the server asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Password,
    Md5,
    Gss,
    Sspi,
    Scram,
    OAuth,
    None,
}

impl Method {
    const ALL: [(&'static str, Self); 7] = [
        ("password", Self::Password),
        ("md5", Self::Md5),
        ("gss", Self::Gss),
        ("sspi", Self::Sspi),
        ("scram-sha-256", Self::Scram),
        ("oauth", Self::OAuth),
        ("none", Self::None),
    ];

    /// What the first authentication message of a session asks for, by its number.
    pub(super) fn of_request(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            3 => Some(Self::Password),
            5 => Some(Self::Md5),
            7 => Some(Self::Gss),
            9 => Some(Self::Sspi),
            10 => Some(Self::Scram),
            _ => None,
        }
    }

    /// As `require_auth` spells it.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }

    /// Whether it needs a password.
    pub(super) fn needs_password(self) -> bool {
        matches!(self, Self::Password | Self::Md5 | Self::Scram)
    }
}

/// The ways that are allowed.
#[derive(Debug, Clone)]
pub(super) struct Methods(Vec<Method>);

impl Methods {
    pub(super) fn gather(options: &Options) -> Result<Option<Self>, Invalid> {
        let Some(text) = options.get("require_auth") else { return Ok(None) };
        let words = || text.split(',').map(str::trim);
        let negated = words().filter(|word| word.starts_with('!')).count();
        let wrong = || options.wrong("require_auth", EXPECTED);
        if negated != 0 && negated != words().count() {
            return Err(wrong());
        }
        let named = words()
            .map(|word| {
                let word = word.strip_prefix('!').unwrap_or(word);
                Method::ALL.iter().find(|(name, _)| *name == word).map(|(_, method)| *method).ok_or_else(wrong)
            })
            .collect::<Result<Vec<_>, _>>()?;
        if negated == 0 {
            return Ok(Some(Self(named)));
        }
        let rest = Method::ALL.iter().map(|(_, method)| *method).filter(|method| !named.contains(method));
        Ok(Some(Self(rest.collect())))
    }

    pub(super) fn allow(&self, method: Method) -> bool {
        self.0.contains(&method)
    }
}

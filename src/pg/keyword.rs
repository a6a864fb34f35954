//! The options of a connection string, as libpq has them.

/// What becomes of an option here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// It does what libpq's manual says.
    Used,
    /// It is accepted and has nothing to act on.
    NoEffect,
    /// It would change what a session is; the reason why it can't be had.
    Refused(&'static str),
}

/// One option.
#[derive(Debug)]
pub(super) struct Keyword {
    pub(super) name: &'static str,
    /// The environment variable that sets it.
    pub(super) variable: Option<&'static str>,
    pub(super) rule: Rule,
}

const fn used(name: &'static str, variable: &'static str) -> Keyword {
    Keyword { name, variable: Some(variable), rule: Rule::Used }
}

const fn bare(name: &'static str) -> Keyword {
    Keyword { name, variable: None, rule: Rule::Used }
}

const fn without_effect(name: &'static str, variable: Option<&'static str>) -> Keyword {
    Keyword { name, variable, rule: Rule::NoEffect }
}

const fn refused(name: &'static str, variable: Option<&'static str>, reason: &'static str) -> Keyword {
    Keyword { name, variable, rule: Rule::Refused(reason) }
}

const OAUTH: &str = "authentication by OAuth is not supported";
const SCRAM_KEYS: &str = "SCRAM pass-through is not supported";

/// All of them, in the manual's order.
pub(super) const KEYWORDS: &[Keyword] = &[
    used("host", "PGHOST"),
    used("hostaddr", "PGHOSTADDR"),
    used("port", "PGPORT"),
    used("dbname", "PGDATABASE"),
    used("user", "PGUSER"),
    used("password", "PGPASSWORD"),
    used("passfile", "PGPASSFILE"),
    used("require_auth", "PGREQUIREAUTH"),
    used("channel_binding", "PGCHANNELBINDING"),
    used("connect_timeout", "PGCONNECT_TIMEOUT"),
    // the protocol's texts are UTF-8 here, whatever is asked for
    without_effect("client_encoding", Some("PGCLIENTENCODING")),
    used("options", "PGOPTIONS"),
    used("application_name", "PGAPPNAME"),
    bare("fallback_application_name"),
    bare("keepalives"),
    bare("keepalives_idle"),
    bare("keepalives_interval"),
    bare("keepalives_count"),
    bare("tcp_user_timeout"),
    bare("replication"),
    used("gssencmode", "PGGSSENCMODE"),
    used("sslmode", "PGSSLMODE"),
    used("requiressl", "PGREQUIRESSL"),
    used("sslnegotiation", "PGSSLNEGOTIATION"),
    without_effect("sslcompression", Some("PGSSLCOMPRESSION")),
    used("sslcert", "PGSSLCERT"),
    used("sslkey", "PGSSLKEY"),
    refused("sslkeylogfile", None, "session keys are not written to files"),
    bare("sslpassword"),
    used("sslcertmode", "PGSSLCERTMODE"),
    used("sslrootcert", "PGSSLROOTCERT"),
    used("sslcrl", "PGSSLCRL"),
    used("sslcrldir", "PGSSLCRLDIR"),
    used("sslsni", "PGSSLSNI"),
    used("requirepeer", "PGREQUIREPEER"),
    used("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION"),
    used("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"),
    used("min_protocol_version", "PGMINPROTOCOLVERSION"),
    used("max_protocol_version", "PGMAXPROTOCOLVERSION"),
    without_effect("krbsrvname", Some("PGKRBSRVNAME")),
    without_effect("gsslib", Some("PGGSSLIB")),
    without_effect("gssdelegation", Some("PGGSSDELEGATION")),
    refused("scram_client_key", None, SCRAM_KEYS),
    refused("scram_server_key", None, SCRAM_KEYS),
    used("service", "PGSERVICE"),
    used("servicefile", "PGSERVICEFILE"),
    used("target_session_attrs", "PGTARGETSESSIONATTRS"),
    used("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    refused("oauth_issuer", None, OAUTH),
    refused("oauth_client_id", None, OAUTH),
    refused("oauth_client_secret", None, OAUTH),
    refused("oauth_scope", None, OAUTH),
];

/// The option of this name.
pub(super) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}

/// The option whose name is nearest, if any is near.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    KEYWORDS
        .iter()
        .map(|keyword| (strsim::damerau_levenshtein(name, keyword.name), keyword.name))
        .filter(|(distance, _)| *distance <= 2)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::KEYWORDS;

    #[test]
    fn the_manual_has_every_option_and_its_variable() {
        let manual = include_str!("../../docs/reference/connection.md");
        for keyword in KEYWORDS {
            let family = keyword.name.starts_with("oauth_");
            assert!(family || manual.contains(&format!("`{}", keyword.name)), "{}", keyword.name);
            let acts = keyword.rule == super::Rule::Used;
            if let Some(variable) = keyword.variable.filter(|_| acts) {
                assert!(manual.contains(&format!("`{variable}`")), "{variable}");
            }
        }
    }
}

//! The server that a run goes to, and why it is this one.

use std::path::PathBuf;

use crate::diagnostic::Diagnostic;
use crate::pg::{Environment, Target};
use crate::plan::{AuthPlan, LoadPlan, ServerPlan};
use crate::server::{self, Embedded, EmbeddedOptions, Observer};

/// A server.
#[derive(Debug)]
pub(super) struct Place {
    /// How to connect.
    pub(super) target: Target,
    /// Set where it was made for the run.
    pub(super) embedded: Option<Embedded>,
    /// Why it is this one.
    pub(super) reason: String,
    /// What was asked of it.
    wanted: ServerPlan,
}

impl Place {
    /// Finds the server that `--server` or the environment names, or makes one.
    pub(super) async fn find(
        server: Option<&str>,
        wanted: &ServerPlan,
        observer: &mut impl Observer,
    ) -> Result<Self, Diagnostic> {
        let environment = Environment::of_process();
        match (server, environment.names_server()) {
            (Some(text), _) => match embedded_options(text, wanted)? {
                Some(options) => Self::embedded(&options, wanted, "asked for by --server", observer).await,
                None => Self::named(text, &environment, wanted, "named by --server".to_owned()),
            },
            (None, Some(variable)) => Self::named("", &environment, wanted, format!("{variable} is set")),
            (None, None) => {
                let options = EmbeddedOptions { major: wanted.version, ..embedded(wanted) };
                Self::embedded(&options, wanted, "no server was named", observer).await
            }
        }
    }

    fn named(text: &str, environment: &Environment, wanted: &ServerPlan, reason: String) -> Result<Self, Diagnostic> {
        let target = Target::parse(text, environment).map_err(invalid)?;
        Ok(Self { target, embedded: None, reason, wanted: wanted.clone() })
    }

    async fn embedded(
        options: &EmbeddedOptions,
        wanted: &ServerPlan,
        reason: &str,
        observer: &mut impl Observer,
    ) -> Result<Self, Diagnostic> {
        let embedded = server::start(options, observer).await.map_err(|error| error.diagnostic())?;
        let password = embedded.password().map(|password| format!(" password='{}'", password.reveal()));
        let text = embedded.conninfo() + &password.unwrap_or_default();
        // what the user's environment says of other servers is not meant for this one
        let target = Target::parse(&text, &Environment::empty()).map_err(invalid)?;
        Ok(Self { target, embedded: Some(embedded), reason: reason.to_owned(), wanted: wanted.clone() })
    }

    /// What a server is called before it is found, without passwords.
    pub(super) fn name(server: Option<&str>, wanted: &ServerPlan) -> Result<String, Diagnostic> {
        let environment = Environment::of_process();
        match (server, environment.names_server()) {
            (Some(text), _) if embedded_options(text, wanted)?.is_some() => Ok(text.to_owned()),
            (None, None) => Ok("embedded".to_owned()),
            (text, _) => Ok(Target::parse(text.unwrap_or_default(), &environment).map_err(invalid)?.describe()),
        }
    }

    /// Whether it is as a scenario wants it: one that was made for the run was made for one version and some settings.
    pub(super) fn serves(&self, wanted: &ServerPlan) -> bool {
        self.embedded.is_none() || self.wanted == *wanted
    }

    /// The server of each load: this one, unless it names another.
    pub(super) fn targets<'a>(&self, loads: impl Iterator<Item = &'a LoadPlan>) -> Result<Vec<Target>, Diagnostic> {
        let environment = Environment::of_process();
        let of_load = |load: &LoadPlan| match &load.url {
            Some(url) => Target::parse(url, &environment).map_err(invalid),
            None => Ok(self.target.clone()),
        };
        loads.map(of_load).collect()
    }

    /// Where it is, for people.
    pub(super) fn describe(&self) -> String {
        match &self.embedded {
            Some(_) => "embedded".to_owned(),
            None => self.target.describe(),
        }
    }

    /// Stops a server that was made for the run.
    pub(super) fn finish(self) -> Result<(), Diagnostic> {
        self.embedded.map_or(Ok(()), |embedded| embedded.stop().map_err(|error| error.diagnostic()))
    }
}

fn invalid(invalid: crate::pg::Invalid) -> Diagnostic {
    crate::pg::Error::from(invalid).diagnostic()
}

fn embedded(wanted: &ServerPlan) -> EmbeddedOptions {
    EmbeddedOptions {
        settings: wanted.settings.clone(),
        scram: wanted.auth == AuthPlan::ScramSha256,
        ..EmbeddedOptions::default()
    }
}

/// `embedded`, `embedded:MAJOR` or `embedded:DIR`; anything else is for libpq's rules.
fn embedded_options(text: &str, wanted: &ServerPlan) -> Result<Option<EmbeddedOptions>, Diagnostic> {
    let Some(rest) = text.strip_prefix("embedded") else { return Ok(None) };
    let options = EmbeddedOptions { major: wanted.version, ..embedded(wanted) };
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Ok(Some(options)),
        None => Ok(None),
        Some("") => Err(Diagnostic::error("usage::embedded", "`embedded:` names neither a version nor a folder")
            .help("write `embedded`, `embedded:16` or `embedded:FOLDER`")),
        Some(which) => Ok(Some(match which.parse() {
            Ok(major) => EmbeddedOptions { major: Some(major), ..options },
            Err(_) => EmbeddedOptions { keep_in: Some(PathBuf::from(which)), ..options },
        })),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::embedded_options;
    use crate::plan::ServerPlan;

    #[test]
    fn embedded_is_told_from_a_database_of_a_similar_name() {
        let wanted = ServerPlan { version: Some(15), ..ServerPlan::default() };
        let options = |text: &str| embedded_options(text, &wanted).unwrap();
        assert_eq!(options("embedded").unwrap().major, Some(15));
        assert_eq!(options("embedded:18").unwrap().major, Some(18));
        assert_eq!(options("embedded:a/b").unwrap().keep_in.as_deref(), Some(Path::new("a/b")));
        assert!(options("embedded_db").is_none());
        assert!(options("host=embedded").is_none());
        assert!(embedded_options("embedded:", &wanted).is_err());
    }
}

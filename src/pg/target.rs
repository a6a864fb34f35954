//! A connection description with nothing left to look up but names of hosts.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use tokio_postgres::config::ChannelBinding;

use super::environment::Environment;
use super::host::{Host, Place};
use super::methods::Methods;
use super::options::Options;
use super::passfile::Passfile;
use super::tls::Tls;
use super::tls_settings::TlsSettings;
use super::{Invalid, Password};
use crate::diagnostic::Diagnostic;

/// Which server, as whom, and how.
#[derive(Debug, Clone)]
pub struct Target {
    pub(super) hosts: Vec<Host>,
    pub(super) user: String,
    pub(super) database: String,
    pub(super) password: Option<Password>,
    pub(super) passfile: Passfile,
    pub(super) options: Option<String>,
    pub(super) application_name: Option<String>,
    pub(super) fallback_application_name: Option<String>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) keepalives: Keepalives,
    pub(super) tcp_user_timeout: Option<Duration>,
    pub(super) tls: Tls,
    pub(super) channel_binding: ChannelBinding,
    pub(super) require_auth: Option<Methods>,
    pub(super) require_peer: Option<String>,
    pub(super) session_attributes: SessionAttributes,
    pub(super) shuffle_hosts: bool,
    variables: Variables,
    warnings: Vec<Diagnostic>,
}

/// Environment variables for other programs; the password may be among them.
#[derive(Clone)]
struct Variables(Vec<(&'static str, String)>);

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// TCP keepalives; what is `None` is the system's default.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keepalives {
    pub(super) on: bool,
    pub(super) idle: Option<Duration>,
    pub(super) interval: Option<Duration>,
    pub(super) count: Option<u32>,
}

/// libpq's `target_session_attrs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionAttributes {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

impl Target {
    /// Resolves what `psql -d` takes: a database's name, `key=value` options, or a `postgresql://` URL; empty, it
    /// leaves all to the service, the environment and the defaults.
    pub fn parse(text: &str, environment: &Environment) -> Result<Self, Invalid> {
        let options = Options::gather(text, environment)?;
        refuse_other_protocols(&options)?;
        let hosts = Host::gather(&options, environment)?;
        let user =
            options.owned("user").or_else(|| environment.user_name().map(str::to_owned)).ok_or(Invalid::NoUser)?;
        let password = options.get("password").map(Password::new);
        let mut warnings = Vec::new();
        let path = options.path("passfile").or_else(|| environment.home_file(".pgpass"));
        let passfile = match path {
            Some(path) if password.is_none() => {
                let (passfile, ignored) = Passfile::read(&path);
                let help = "its permissions should be u=rw (0600) or less";
                warnings.extend(ignored.map(|why| Diagnostic::warning("pg::password_file", why).help(help)));
                passfile
            }
            _ => Passfile::default(),
        };
        let database = options.owned("dbname").unwrap_or_else(|| user.clone());
        Ok(Self {
            variables: Variables::gather(&options, &hosts, &user, &database),
            hosts,
            database,
            user,
            password,
            passfile,
            options: options.owned("options"),
            application_name: options.owned("application_name"),
            fallback_application_name: options.owned("fallback_application_name"),
            connect_timeout: options.duration("connect_timeout", Duration::from_secs(1))?,
            keepalives: Keepalives {
                on: options.integer("keepalives")?.is_none_or(|on| on != 0),
                idle: options.duration("keepalives_idle", Duration::from_secs(1))?,
                interval: options.duration("keepalives_interval", Duration::from_secs(1))?,
                count: options.integer("keepalives_count")?.and_then(|count| u32::try_from(count).ok()),
            },
            tcp_user_timeout: options.duration("tcp_user_timeout", Duration::from_millis(1))?,
            tls: Tls::new(TlsSettings::gather(&options, environment)?),
            channel_binding: channel_binding(&options)?,
            require_auth: Methods::gather(&options)?,
            require_peer: options.owned("requirepeer"),
            session_attributes: SessionAttributes::gather(&options)?,
            shuffle_hosts: options.choice(
                "load_balance_hosts",
                false,
                "`disable` or `random`",
                &[("disable", false), ("random", true)],
            )?,
            warnings,
        })
    }

    /// A server on this machine by the folder that its socket is in, whatever the environment says.
    pub fn in_folder(folder: &Path, port: u16, user: &str, database: &str) -> Result<Self, Invalid> {
        let quote = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
        let (folder, user, database) = (quote(&folder.to_string_lossy()), quote(user), quote(database));
        let text = format!("host='{folder}' port={port} user='{user}' dbname='{database}'");
        Self::parse(&text, &Environment::empty())
    }

    /// The same with this password, whatever a password file says.
    #[must_use]
    pub fn with_password(mut self, password: Password) -> Self {
        self.password = Some(password);
        self
    }

    /// The same server with another database.
    #[must_use]
    pub fn with_database(mut self, database: &str) -> Self {
        database.clone_into(&mut self.database);
        for (name, value) in &mut self.variables.0 {
            if *name == "PGDATABASE" {
                database.clone_into(value);
            }
        }
        self
    }

    /// The same with this name of the program in `pg_stat_activity`, where nothing else gives one.
    #[must_use]
    pub fn called(mut self, program: &str) -> Self {
        self.fallback_application_name = Some(program.to_owned());
        self
    }

    /// The servers in the order in which they are tried.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The role that sessions are opened as.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The environment variables that lead a program which uses libpq to the same place, the password among them where
    /// one was given.
    pub fn variables(&self) -> &[(&'static str, String)] {
        &self.variables.0
    }

    /// What was ignored on the way, such as a password file that others can read.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Where it is, for people: database, hosts and user, and no secret.
    pub fn describe(&self) -> String {
        let hosts = self.hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        format!("database `{}` at {hosts} as `{}`", self.database, self.user)
    }

    /// The password of a session at this host, if one is known.
    pub(super) fn password_at<'a>(&'a self, host: &Host, database: &str, user: &str) -> Option<&'a Password> {
        self.password.as_ref().or_else(|| self.passfile.password(&host.password_name, host.port, database, user))
    }
}

impl Variables {
    fn gather(options: &Options, hosts: &[Host], user: &str, database: &str) -> Self {
        let mut variables = options.variables();
        let mut set = |name: &'static str, value: &str| {
            variables.retain(|(known, _)| *known != name);
            variables.push((name, value.to_owned()));
        };
        set("PGUSER", user);
        set("PGDATABASE", database);
        if let [Host { place: Place::Folder(folder), .. }] = hosts {
            set("PGHOST", &folder.to_string_lossy());
        }
        Self(variables)
    }
}

fn refuse_other_protocols(options: &Options) -> Result<(), Invalid> {
    let no = |name, reason| Err(Invalid::Unsupported { name, reason });
    if options.get("gssencmode") == Some("require") {
        return no("gssencmode=require", "encryption by GSSAPI is not supported");
    }
    options.choice("gssencmode", (), "`disable` or `prefer`", &[("disable", ()), ("prefer", ())])?;
    if options.get("replication").is_some_and(|value| !["0", "off", "no", "false"].contains(&value)) {
        return no("replication", "a replication session runs no workload");
    }
    if options.get("min_protocol_version").is_some_and(|version| version != "3.0") {
        return no("min_protocol_version", "sessions speak version 3.0 of the protocol");
    }
    let newer = ["3.0", "3.2", "latest"].map(|version| (version, ()));
    options.choice("max_protocol_version", (), "`3.0`, `3.2` or `latest`", &newer)
}

fn channel_binding(options: &Options) -> Result<ChannelBinding, Invalid> {
    options.choice(
        "channel_binding",
        ChannelBinding::Prefer,
        "`disable`, `prefer` or `require`",
        &[
            ("disable", ChannelBinding::Disable),
            ("prefer", ChannelBinding::Prefer),
            ("require", ChannelBinding::Require),
        ],
    )
}

impl SessionAttributes {
    const ALL: [(&'static str, Self); 6] = [
        ("any", Self::Any),
        ("read-write", Self::ReadWrite),
        ("read-only", Self::ReadOnly),
        ("primary", Self::Primary),
        ("standby", Self::Standby),
        ("prefer-standby", Self::PreferStandby),
    ];

    fn gather(options: &Options) -> Result<Self, Invalid> {
        options.choice(
            "target_session_attrs",
            Self::Any,
            "`any`, `read-write`, `read-only`, `primary`, `standby` or `prefer-standby`",
            &Self::ALL,
        )
    }

    /// As it is written.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, attributes)| *attributes == self).map_or("", |(name, _)| name)
    }
}

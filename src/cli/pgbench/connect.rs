//! The first session of a command line, which also finds out whether a password is needed.

use super::options::ConnectionOptions;
use super::prompt;
use super::wording;
use crate::pg::{self, Admin, Environment, Error, OpenOptions, Opened, Password, Target};

/// A session, and where further ones are opened the same way.
pub(super) struct Connected {
    pub(super) target: Target,
    pub(super) admin: Admin,
}

/// Opens a session for `purpose`. Where the server wants a password and none is known, the user is asked once.
pub(super) async fn open(program: &str, options: &ConnectionOptions, purpose: &str) -> Result<Connected, String> {
    let open = async |target: &Target| Admin::open(target, &OpenOptions::default()).await;
    let (target, admin) = open_with(program, options, purpose, open).await?;
    Ok(Connected { target, admin })
}

/// The same, as it is when the server has let it in.
pub(super) async fn open_bare(
    program: &str,
    options: &ConnectionOptions,
    purpose: &str,
) -> Result<(Target, Opened), String> {
    let open = async |target: &Target| pg::open(target, &OpenOptions::default()).await;
    open_with(program, options, purpose, open).await
}

async fn open_with<T>(
    program: &str,
    options: &ConnectionOptions,
    purpose: &str,
    open: impl AsyncFn(&Target) -> Result<T, Error>,
) -> Result<(Target, T), String> {
    let failed =
        |error: &Error| format!("{}\nerror: could not create connection for {purpose}", wording::connection(error));
    let target = target(options).map_err(|invalid| failed(&invalid))?.called(program);
    match open(&target).await {
        Ok(session) => Ok((target, session)),
        Err(error) if error.needs_password() => {
            let password = prompt::secret("Password: ").map_err(|error| error.to_string())?;
            if password.is_empty() {
                return Err(failed(&error));
            }
            let target = target.with_password(Password::new(password));
            let session = open(&target).await.map_err(|error| failed(&error))?;
            Ok((target, session))
        }
        Err(error) => Err(failed(&error)),
    }
}

/// The server. What a connection string says goes before `-h`, `-p` and `-U`, and these before a service.
fn target(options: &ConnectionOptions) -> Result<Target, Error> {
    let dbname = options.dbname.clone().unwrap_or_else(default_database);
    let mut environment = Environment::of_process();
    let mut text = String::new();
    let is_url = ["postgresql://", "postgres://"].iter().any(|scheme| dbname.starts_with(scheme));
    for (name, variable, value) in
        [("host", "PGHOST", &options.host), ("port", "PGPORT", &options.port), ("user", "PGUSER", &options.user)]
    {
        let Some(value) = value.as_ref().filter(|value| !value.is_empty()) else { continue };
        if is_url {
            environment = environment.variable(variable, value);
        } else {
            text.push_str(&setting(name, value));
        }
    }
    if is_url || dbname.contains('=') {
        text.push_str(&dbname);
    } else if !dbname.is_empty() {
        text.push_str(&setting("dbname", &dbname));
    }
    Ok(Target::parse(&text, &environment)?)
}

/// The database where none is given: not that of the user's name, if `-U` gives it.
pub(crate) fn default_database() -> String {
    let user = || nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.name);
    let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    variable("PGDATABASE").or_else(|| variable("PGUSER")).or_else(user).unwrap_or_default()
}

fn setting(name: &str, value: &str) -> String {
    format!("{name}='{}' ", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

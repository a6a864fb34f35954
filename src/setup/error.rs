//! What can go wrong while data is made.

use std::io;
use std::time::Duration;

use super::error_words::{label, list, server_help};
use super::fill::FillError;
use super::pgbench::InitError;
use crate::diagnostic::Diagnostic;
use crate::pg;
use crate::plan::step::CopyPlan;
use crate::source::Span;

/// Why a set-up did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused one of the scenario's statements.
    #[error("set-up step `{step}`: {error}")]
    Statement {
        /// The step.
        step: String,
        /// Where the statement was written; the place within it where the server says which.
        span: Span,
        /// What the server said.
        error: pg::Error,
    },
    /// The server refused the question for a variable.
    #[error("the value of variable `{name}`: {error}")]
    Variable {
        /// The variable.
        name: String,
        /// Where the question was written; the place within it where the server says which.
        span: Span,
        /// What the server said.
        error: pg::Error,
    },
    /// The server has no value for a variable.
    #[error("the server has no value for variable `{name}`")]
    NoValue {
        /// The variable.
        name: String,
        /// Where the question was written.
        span: Span,
    },
    /// The server refused the query of a feed.
    #[error("the rows of feed `{name}`: {error}")]
    Feed {
        /// The feed.
        name: String,
        /// Where the query was written; the place within it where the server says which.
        span: Span,
        /// What the server said.
        error: pg::Error,
    },
    /// A variable of the scripts is in no feed.
    #[error("variable `:{variable}` has no value: no feed has a column of that name")]
    NoColumn {
        /// The variable.
        variable: String,
        /// What the feeds have.
        there: String,
        /// Where it is used.
        span: Span,
    },
    /// The server refused something that a step needs and nobody wrote.
    #[error("{what}: {error}")]
    Server {
        /// What was tried.
        what: String,
        /// What the server said.
        error: pg::Error,
    },
    /// pgbench's initialization failed.
    #[error("set-up step `{step}`: {error}")]
    Initialization {
        /// The step.
        step: String,
        /// Where it was written.
        span: Span,
        /// What went wrong.
        error: InitError,
    },
    /// Tables are in the way that this set-up has not made.
    #[error("{} in the way of this set-up: {}", if relations.len() == 1 { "a table is" } else { "tables are" }, list(relations))]
    InTheWay {
        /// Their names.
        relations: Vec<String>,
    },
    /// The tables of an earlier, different state of the scenario are there.
    #[error("another set-up of `{scenario}` is there, made at {made_at}: {changes}")]
    Outdated {
        /// The scenario's name.
        scenario: String,
        /// When.
        made_at: String,
        /// In what it differs from this one.
        changes: String,
    },
    /// A database is in the way that is no copy of ours.
    #[error("the database `{name}` is in the way of a copy of that name")]
    DatabaseInTheWay {
        /// Its name.
        name: String,
    },
    /// Things can't be dropped since others depend on them.
    #[error("could not drop {}: {reason}", list(objects))]
    Undroppable {
        /// Their names.
        objects: Vec<String>,
        /// What the server said about one of them.
        reason: String,
    },
    /// The server is too old for the scenario.
    #[error("the server is PostgreSQL {found}, and the scenario needs at least {wanted}")]
    MinVersion {
        /// The server's major version.
        found: u32,
        /// The scenario's.
        wanted: u32,
    },
    /// A table can't be filled.
    #[error("{error}")]
    Fill {
        /// Where the step was written.
        span: Span,
        /// Why.
        error: FillError,
    },
    /// Extensions are not installed on the server's machine.
    #[error("not available on this server: {}", list(names))]
    Extensions {
        /// Their names.
        names: Vec<String>,
    },
    /// A trigger or a rule kept rows out.
    #[error("table `{table}` took {made} of {wanted} rows")]
    RowCount {
        /// The table.
        table: String,
        /// Rows that were sent.
        wanted: u64,
        /// Rows that were stored.
        made: u64,
    },
    /// The first line of a file of rows is not what it has to be, or the file can't be read.
    #[error("`{csv}`, line 1: {reason}")]
    Header {
        /// The file, as the scenario names it.
        csv: String,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        help: String,
        /// Where the file was named.
        span: Span,
    },
    /// The server refused a file of rows.
    #[error("{place}: {error}")]
    Copy {
        /// The file, as the scenario names it, and its line where the server says which.
        place: String,
        /// Where the file was named.
        span: Span,
        /// What the server said.
        error: pg::Error,
    },
    /// What a step was waiting for has not come.
    #[error("`{step}` did not come true in {after:?}: the last answer was {}", last.as_ref().map_or_else(|| "none".to_owned(), |last| format!("`{last}`")))]
    Waited {
        /// The step.
        step: String,
        /// How long it waited.
        after: Duration,
        /// What the server said last; none: it was still at the first question.
        last: Option<String>,
        /// Where the question was written.
        span: Span,
    },
    /// What a step waits for is no question of yes or no.
    #[error("`until` has to say true or false, and it says `{answer}`")]
    NotBoolean {
        /// What the server said.
        answer: String,
        /// Where the question was written.
        span: Span,
    },
    /// A command failed.
    #[error("command `{step}` {status}")]
    Shell {
        /// The step.
        step: String,
        /// How it ended.
        status: String,
        /// The end of what it printed.
        output: String,
        /// Where it was written.
        span: Span,
    },
    /// A command that nobody allowed.
    #[error("a scenario runs commands of the shell only with `--allow-shell`")]
    ShellNotAllowed {
        /// Where it was written.
        span: Span,
    },
    /// A restart of somebody else's server.
    #[error("only the embedded server can be restarted")]
    NotEmbedded {
        /// Where the step was written.
        span: Span,
    },
    /// What a step needs from outside of the database could not be had.
    #[error("{}", fault.message)]
    Outside {
        /// Where that was written.
        span: Span,
        /// What went wrong.
        fault: Box<Diagnostic>,
    },
    /// The server is there no more, or as good as.
    #[error("the server stopped answering: a step got no answer, and a second session got none in {} s", after.as_secs_f64())]
    NoAnswer {
        /// How long the second session waited.
        after: Duration,
    },
    /// Somebody asked to stop.
    #[error("set-up was interrupted")]
    Cancelled,
    /// Like `cause`, and not everything that the set-up had made could be removed again.
    #[error("{cause}")]
    Left {
        /// What went wrong.
        cause: Box<Error>,
        /// What is still there.
        objects: Vec<String>,
    },
}

impl Error {
    /// A file of rows can't be read.
    pub(super) fn unreadable(copy: &CopyPlan, error: &io::Error) -> Self {
        let message = format!("can't read `{}`: {error}", copy.csv);
        let fault = Diagnostic::error("files::refused", message).help("look at the file and its disk");
        Self::Outside { span: copy.span, fault: Box::new(fault) }
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Cancelled => true,
            Self::Left { cause, .. } => cause.is_cancelled(),
            _ => false,
        }
    }

    /// Whether the server does not answer any more, so that nothing is to be sent to it.
    pub(super) fn is_no_answer(&self) -> bool {
        match self {
            Self::NoAnswer { .. } => true,
            Self::Left { cause, .. } => cause.is_no_answer(),
            _ => false,
        }
    }

    /// The server's words, where it spoke.
    pub fn server_error(&self) -> Option<&pg::ServerError> {
        match self {
            Self::Statement { error, .. }
            | Self::Variable { error, .. }
            | Self::Feed { error, .. }
            | Self::Copy { error, .. }
            | Self::Server { error, .. } => error.server_error(),
            Self::Initialization { error, .. } => error.session()?.server_error(),
            Self::Left { cause, .. } => cause.server_error(),
            _ => None,
        }
    }

    /// What the user is told.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string());
        let diagnostic = match self {
            Self::Statement { span, error, .. }
            | Self::Variable { span, error, .. }
            | Self::Feed { span, error, .. }
            | Self::Copy { span, error, .. } => diagnostic.label(*span, label(error)),
            Self::NoColumn { span, .. } => diagnostic.label(*span, "nothing sets this"),
            Self::Header { span, .. } => diagnostic.label(*span, "this file"),
            Self::Waited { span, .. } => diagnostic.label(*span, "what was waited for"),
            Self::NotBoolean { span, .. } => diagnostic.label(*span, "neither true nor false"),
            Self::Shell { span, .. } | Self::ShellNotAllowed { span } => diagnostic.label(*span, "this command"),
            Self::NotEmbedded { span } => diagnostic.label(*span, "this run has another server"),
            Self::Outside { span, fault } if fault.labels.is_empty() => diagnostic.label(*span, "needed here"),
            Self::Outside { fault, .. } => Diagnostic { labels: fault.labels.clone(), ..diagnostic },
            Self::Fill { span, .. } => diagnostic.label(*span, "filled here"),
            Self::NoValue { span, .. } => diagnostic.label(*span, "no row, or null in its first column"),
            Self::Initialization { span, error, .. } => match error.session() {
                Some(session) => diagnostic.label(*span, label(session)),
                None => diagnostic,
            },
            Self::Left { cause, .. } => Diagnostic { code: self.code(), ..cause.diagnostic() },
            _ => diagnostic,
        };
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Statement { .. } => "setup::statement",
            Self::Variable { .. } => "setup::variable",
            Self::NoValue { .. } => "setup::no_value",
            Self::Feed { .. } => "setup::feed",
            Self::NoColumn { .. } => "setup::no_column",
            Self::Server { .. } => "setup::server",
            Self::Initialization { .. } => "setup::pgbench",
            Self::InTheWay { .. } => "setup::in_the_way",
            Self::Outdated { .. } => "setup::outdated",
            Self::DatabaseInTheWay { .. } => "setup::database_in_the_way",
            Self::Undroppable { .. } => "setup::undroppable",
            Self::MinVersion { .. } => "setup::min_version",
            Self::Fill { error, .. } => error.code(),
            Self::Extensions { .. } => "setup::extensions",
            Self::RowCount { .. } => "setup::row_count",
            Self::Header { .. } => "setup::csv_header",
            Self::Copy { .. } => "setup::csv",
            Self::Waited { .. } => "setup::wait_timeout",
            Self::NotBoolean { .. } => "setup::wait_answer",
            Self::Shell { .. } => "setup::shell",
            Self::ShellNotAllowed { .. } => "setup::shell_not_allowed",
            Self::NotEmbedded { .. } => "setup::restart",
            Self::Outside { fault, .. } => fault.code,
            Self::NoAnswer { .. } => "setup::no_answer",
            Self::Cancelled => "setup::cancelled",
            Self::Left { cause, .. } => cause.code(),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Statement { error, .. }
            | Self::Feed { error, .. }
            | Self::Server { error, .. }
            | Self::Copy { error, .. } => return server_help(error),
            Self::NoColumn { there, .. } => there.clone(),
            Self::Header { help, .. } => help.clone(),
            Self::Waited { .. } => "look whether it can come true, or give it more time with `timeout`".to_owned(),
            Self::NotBoolean { .. } => "compare, as in `select count(*) = 0 from jobs`".to_owned(),
            Self::Shell { output, .. } if output.is_empty() => "it printed nothing; run it by hand".to_owned(),
            Self::Shell { output, .. } => format!("the end of what it printed:\n{output}"),
            Self::ShellNotAllowed { .. } => "read what it does, then run with `--allow-shell`".to_owned(),
            Self::NotEmbedded { .. } => "run it without `--server`, or remove the step".to_owned(),
            Self::Outside { fault, .. } => return fault.help.clone(),
            Self::Variable { error, name, .. } => {
                let remedy = format!("make what it asks for, or set the variable with `-D {name}=…`");
                return server_help(error).or(Some(remedy));
            }
            Self::NoValue { name, .. } => format!("write a query with one row, or set it with `-D {name}=…`"),
            Self::Initialization { error, .. } => return error.session().and_then(server_help),
            Self::InTheWay { .. } => "`--replace` drops what is in the way; else name another database".to_owned(),
            Self::Outdated { .. } => "`--replace` drops what it made and makes it again".to_owned(),
            Self::DatabaseInTheWay { .. } => "drop or rename it; `reset: template` needs the name".to_owned(),
            Self::Undroppable { .. } => "drop what depends on them first, or name another database".to_owned(),
            Self::MinVersion { wanted, .. } => format!("run it on PostgreSQL {wanted} or newer"),
            Self::Fill { error, .. } => error.help(),
            Self::Extensions { .. } => "install them where the server runs; with Debian's packages most are in \
                                        `postgresql-contrib`, others in packages of their own"
                .to_owned(),
            Self::RowCount { table, .. } => format!("look for triggers and rules on `{table}`"),
            Self::NoAnswer { .. } => "look at the server's log and its machine".to_owned(),
            Self::Cancelled => return None,
            Self::Left { cause, objects } => {
                let left = format!("still there, to be dropped by hand: {}", list(objects));
                match cause.help() {
                    Some(help) => format!("{help}; {left}"),
                    None => left,
                }
            }
        };
        Some(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_said_beside_the_remedy() {
        let cause = Box::new(Error::RowCount { table: "t".into(), wanted: 5, made: 4 });
        let diagnostic = Error::Left { cause, objects: vec!["table public.t".into()] }.diagnostic();
        assert_eq!(diagnostic.code, "setup::row_count");
        assert_eq!(diagnostic.message, "table `t` took 4 of 5 rows");
        let help = diagnostic.help.unwrap();
        assert!(help.starts_with("look for") && help.ends_with("by hand: `table public.t`"), "{help}");
    }
}

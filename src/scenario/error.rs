//! What can be wrong with a scenario before anything in it is looked up.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A fault of a scenario's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's message says what its fields are")]
pub enum Error {
    #[error("this is not YAML: {message}")]
    Syntax { message: String, span: Span },
    #[error("a scenario takes no tags, and `{tag}` is one")]
    Tag { tag: String, span: Span },
    #[error("a scenario takes no merge key `<<`")]
    MergeKey { span: Span },
    #[error("{what}")]
    TooMuch { what: TooMuch, span: Span },
    #[error("a scenario is one document")]
    SeveralDocuments { span: Span },
    #[error("unknown key `{key}` in {section}")]
    UnknownKey {
        key: String,
        section: &'static str,
        span: Span,
        nearest: Option<String>,
        hint: Option<&'static str>,
        known: Vec<&'static str>,
    },
    #[error("a `{{…}}` ends SQL at its first comma")]
    CutSql { sql: Span, rest: Span },
    #[error("`{key}` is given twice")]
    DuplicateKey { key: String, span: Span, first: Span },
    #[error("`{key}` is missing in {section}")]
    MissingKey { key: &'static str, section: &'static str, span: Span, help: &'static str },
    #[error("{section} takes {expected}, and this is {found}")]
    WrongType { section: String, expected: &'static str, found: &'static str, span: Span, form: Option<String> },
    #[error("`{text}` is not a name")]
    InvalidName { text: String, span: Span, help: &'static str },
    #[error("`{text}` is none of the choices of `{key}`")]
    InvalidChoice { text: String, key: &'static str, span: Span, known: Vec<&'static str>, nearest: Option<String> },
    #[error("{path} lies outside of the scenario's folder")]
    OutsideFolder { path: String, span: Span },
    #[error("format version `{version}` is not known")]
    UnknownFormat { version: String, span: Span },
    #[error("there is no profile `{name}`")]
    UnknownProfile { name: String, known: Vec<String>, nearest: Option<String>, span: Span },
    #[error("the scenario has no variable `{name}`")]
    UnknownVariable { name: String, known: Vec<String>, nearest: Option<String>, span: Span },
    #[error("`{name}` would be a new one beside `{first}`")]
    NearlyTheSame { name: String, span: Span, first: String, first_span: Span },
    #[error("`skip` names nothing of the scenario: there is no `{name}` here")]
    NothingToSkip { name: String, span: Span, nearest: Option<String> },
}

/// What a document has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMuch {
    /// Levels of nesting, and how many it may have.
    Levels(usize),
    /// What aliases stand for.
    Aliases,
    /// Text, or values.
    Text,
}

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Levels(most) => write!(f, "this is nested more than {most} levels deep"),
            Self::Aliases => f.write_str("the aliases of this scenario stand for too much"),
            Self::Text => f.write_str("this scenario is too large"),
        }
    }
}

impl TooMuch {
    fn help(self) -> &'static str {
        match self {
            Self::Levels(_) => "no part of a scenario is that deep; look for brackets that are never closed",
            Self::Aliases => "write out what is needed; `vars`, `load` and `profiles` say things once, too",
            Self::Text => "put SQL into files beside it: `file: schema.sql`",
        }
    }
}

impl Error {
    /// The fault as it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Self::Syntax { span, message: reason } => {
                let help = if reason.starts_with("unexpected character") {
                    "take it out; a text that needs it stands in double quotes, with an escape such as `\\e`"
                } else {
                    "a value with `: ` or ` #` in it, or beginning with one of `{[&*!|>%@`, stands in quotes"
                };
                let label = "the text makes no sense from here on";
                Diagnostic::error("scenario::syntax", message).label(*span, label).help(help)
            }
            Self::Tag { span, .. } => Diagnostic::error("scenario::tag", message)
                .label(*span, "a tag of YAML")
                .help("leave it out and write the value itself; in quotes it is text"),
            Self::MergeKey { span } => Diagnostic::error("scenario::merge_key", message)
                .label(*span, "not merged")
                .help("write the keys out; what phases share stands in `load`, and `profiles` lay keys over others"),
            Self::TooMuch { span, what } => {
                Diagnostic::error("scenario::too_much", message).label(*span, "too much from here on").help(what.help())
            }
            Self::SeveralDocuments { span } => Diagnostic::error("scenario::several_documents", message)
                .label(*span, "a second one begins here")
                .help("write each scenario into a file of its own"),
            Self::UnknownKey { span, nearest, hint, known, .. } => {
                let help = match (hint, nearest) {
                    (Some(hint), _) => (*hint).to_owned(),
                    (None, Some(name)) => did_you_mean(name),
                    (None, None) => one_of("known here", known),
                };
                Diagnostic::error("scenario::unknown_key", message).label(*span, "not a key").help(help)
            }
            Self::CutSql { sql, rest } => Diagnostic::error("scenario::cut_sql", message)
                .label(*rest, "this became a key of its own")
                .label(*sql, "the SQL ends here")
                .help("write SQL with a comma in a `|` block below the key, or in quotes"),
            Self::DuplicateKey { span, first, .. } => Diagnostic::error("scenario::duplicate_key", message)
                .label(*span, "given again")
                .label(*first, "first given here")
                .help("keep one of the two"),
            Self::MissingKey { span, help, .. } => {
                Diagnostic::error("scenario::missing_key", message).label(*span, "in here").help(*help)
            }
            Self::WrongType { span, found, expected, form, .. } => {
                let help = format!("write {}", form.as_deref().unwrap_or(expected));
                Diagnostic::error("scenario::wrong_type", message).label(*span, *found).help(help)
            }
            Self::InvalidName { span, help, .. } => {
                Diagnostic::error("scenario::invalid_name", message).label(*span, "not a name").help(*help)
            }
            Self::InvalidChoice { span, known, nearest, .. } => {
                let help = nearest.as_ref().map_or_else(|| one_of("one of", known), |n| did_you_mean(n));
                Diagnostic::error("scenario::invalid_choice", message).label(*span, "not a choice").help(help)
            }
            Self::OutsideFolder { span, .. } => Diagnostic::error("scenario::outside_folder", message)
                .label(*span, "not within the folder")
                .help("put the file beside the scenario or below it, and name it relative to the scenario"),
            Self::UnknownFormat { span, .. } => Diagnostic::error("scenario::unknown_format", message)
                .label(*span, "not a format version")
                .help("this version of reprise reads `reprise: 1`"),
            Self::UnknownProfile { span, nearest, known, .. } => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = match nearest {
                    Some(name) => did_you_mean(name),
                    None if known.is_empty() => "the scenario has no profiles".to_owned(),
                    None => one_of("there are", &known),
                };
                Diagnostic::error("scenario::unknown_profile", message).label(*span, "in this scenario").help(help)
            }
            Self::UnknownVariable { span, nearest, known, .. } => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = match nearest {
                    Some(name) => did_you_mean(name),
                    None if known.is_empty() || known.len() > 9 => "add it to `vars` of the scenario".to_owned(),
                    None => one_of("its variables are", &known),
                };
                Diagnostic::error("scenario::unknown_variable", message).label(*span, "set for nobody").help(help)
            }
            Self::NearlyTheSame { span, first, first_span, .. } => {
                Diagnostic::error("scenario::nearly_the_same", message)
                    .label(*span, "not in the scenario")
                    .label(*first_span, "nearly the same name")
                    .help(format!("did you mean `{first}`? what a profile adds needs a name that differs more"))
            }
            Self::NothingToSkip { span, nearest, .. } => {
                let help = nearest.as_ref().map_or_else(|| "remove this entry".to_owned(), |n| did_you_mean(n));
                Diagnostic::error("scenario::nothing_to_skip", message).label(*span, "not in the scenario").help(help)
            }
        }
    }
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

fn one_of(intro: &str, names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{intro}: {}", names.join(", "))
}

//! What can be wrong with a scenario that parses.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Why a scenario does not compile, its scripts apart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's message says what its fields are")]
pub enum ScenarioError {
    #[error("{what} takes {expected}, not `{text}`")]
    InvalidValue { what: String, expected: &'static str, text: String, span: Span, help: Option<String> },
    #[error("{what} is {value}, and {bound}")]
    OutOfRange { what: String, value: String, bound: String, span: Span },
    #[error("{what} can't be computed: {reason}")]
    Evaluation { what: String, reason: String, span: Span },
    #[error("undefined variable `:{name}`")]
    UndefinedVariable { name: String, span: Span, nearest: Option<String> },
    #[error("variables refer to each other in a circle: {names}")]
    CircularVariables { names: String, span: Span },
    #[error("there is no variable `{name}` to be set by `-D`")]
    UnknownDefine { name: String, nearest: Option<String> },
    #[error("there is no {kind} `{name}`")]
    UnknownName { kind: Kind, name: String, span: Span, nearest: Option<String>, known: Vec<String> },
    #[error("`{first}` and `{second}` contradict each other")]
    Contradiction { first: String, first_span: Span, second: String, second_span: Span, help: String },
    #[error("{what}")]
    Missing { what: String, span: Span, help: String },
    #[error("the weights of this mix are all zero")]
    ZeroWeights { span: Span },
    #[error("phase `{name}` never ends")]
    NeverEnds { name: String, span: Span, why: String, help: String },
    #[error("the name `{name}` is given to two {kinds}")]
    NameTwice { name: String, kinds: &'static str, span: Span, first: Span },
    #[error("`{key}` needs {needs}")]
    Unsupported { key: String, needs: String, span: Span, help: String },
    #[error("{path} was not found")]
    MissingFile { path: String, span: Span },
    #[error("`{path}` is no CSV file with a header: {reason}")]
    InvalidCsv { path: String, reason: String, span: Span },
    #[error("the environment variable `{name}` is not set")]
    UnsetEnvironment { name: String, span: Span },
    #[error("`{name}` is not taken from the environment here")]
    EnvironmentHere { name: String, span: Span },
    #[error("nothing fills table `{table}` before this step")]
    NotFilled { table: String, span: Span, later: Option<Span>, nearest: Option<String>, known: Vec<String> },
    #[error("this pattern {reason}")]
    Pattern { reason: String, span: Span, help: String },
    #[error("{what} makes {values} different values, and the table gets {}{rows} rows", if *up_to { "up to " } else { "" })]
    TooFewValues { what: String, values: u64, rows: u64, up_to: bool, span: Span },
    #[error("`{text}` names no figure: {reason}")]
    InvalidMetric { text: String, reason: String, span: Span, help: Option<String> },
}

/// What a name that is not there was meant to name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A script in a mix.
    Script,
    /// A phase of a background load or a metric.
    Phase,
    /// A variable of the matrix.
    Variable,
    /// A condition to be tried again.
    Condition,
    /// What makes a column's values.
    Generator,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Script => "script",
            Self::Phase => "phase",
            Self::Variable => "variable",
            Self::Condition => "condition",
            Self::Generator => "generator",
        })
    }
}

impl Kind {
    fn code(self) -> &'static str {
        match self {
            Self::Script => "plan::unknown_script",
            Self::Phase => "plan::unknown_phase",
            Self::Variable => "plan::unknown_variable",
            Self::Condition => "plan::unknown_condition",
            Self::Generator => "plan::unknown_generator",
        }
    }
}

impl ScenarioError {
    /// The error as it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = self.labelled();
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn labelled(&self) -> Diagnostic {
        let error = |code| Diagnostic::error(code, self.to_string());
        match self {
            Self::InvalidValue { span, expected, .. } => {
                error("plan::invalid_value").label(*span, format!("not {expected}"))
            }
            Self::OutOfRange { span, bound, .. } => error("plan::out_of_range").label(*span, bound),
            Self::Evaluation { span, .. } => error("plan::evaluation").label(*span, "this expression"),
            Self::UndefinedVariable { span, .. } => error("plan::undefined_variable").label(*span, "not in `vars`"),
            Self::CircularVariables { span, .. } => error("plan::circular_variables").label(*span, "depends on itself"),
            Self::UnknownDefine { .. } => error("plan::unknown_define"),
            Self::UnknownName { kind, span, .. } => error(kind.code()).label(*span, format!("not a {kind}")),
            Self::Contradiction { first_span, second_span, first, .. } => {
                let diagnostic = error("plan::contradiction").label(*second_span, "this contradicts");
                diagnostic.label(*first_span, format!("`{first}` here"))
            }
            Self::Missing { span, .. } => error("plan::missing").label(*span, "in here"),
            Self::ZeroWeights { span } => error("plan::zero_weights").label(*span, "no script would ever be chosen"),
            Self::NeverEnds { span, why, .. } => error("plan::never_ends").label(*span, why),
            Self::NameTwice { span, first, .. } => {
                error("plan::name_twice").label(*span, "the second").label(*first, "the first")
            }
            Self::Unsupported { span, .. } => error("plan::needs_another_key").label(*span, "of no use alone"),
            Self::MissingFile { span, .. } => error("plan::missing_file").label(*span, "no such file"),
            Self::InvalidCsv { span, .. } => error("plan::invalid_csv").label(*span, "here"),
            Self::UnsetEnvironment { span, .. } => error("plan::unset_environment").label(*span, "its value goes here"),
            Self::EnvironmentHere { span, .. } => error("plan::environment_here").label(*span, "stays as it is"),
            Self::NotFilled { span, later, .. } => {
                let diagnostic = error("plan::not_filled").label(*span, "its rows are needed here");
                match later {
                    Some(later) => diagnostic.label(*later, "filled here"),
                    None => diagnostic,
                }
            }
            Self::Pattern { span, reason, .. } => error("plan::invalid_pattern").label(*span, reason),
            Self::TooFewValues { span, .. } => error("plan::too_few_values").label(*span, "too few for each row"),
            Self::InvalidMetric { span, .. } => error("plan::invalid_metric").label(*span, "not a figure"),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::InvalidValue { help, .. } | Self::InvalidMetric { help, .. } => return help.clone(),
            Self::UndefinedVariable { nearest: Some(near), .. } => format!("did you mean `:{near}`?"),
            Self::UndefinedVariable { name, .. } => format!("add it to `vars`: `vars: {{{name}: …}}`"),
            Self::UnknownDefine { nearest: Some(near), .. } => format!("did you mean `-D {near}=…`?"),
            Self::UnknownDefine { .. } => "add it to `vars` of the scenario".to_owned(),
            Self::UnknownName { nearest: Some(near), .. }
            | Self::NotFilled { later: None, nearest: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::UnknownName { known, .. } if known.is_empty() || known.len() >= 10 => return None,
            Self::UnknownName { known, .. } => format!("there are: {}", quoted(known)),
            Self::Contradiction { help, .. }
            | Self::Missing { help, .. }
            | Self::NeverEnds { help, .. }
            | Self::Unsupported { help, .. }
            | Self::Pattern { help, .. } => help.clone(),
            Self::NotFilled { later: Some(_), .. } => "move the step that fills it before this one".to_owned(),
            Self::NotFilled { known, .. } if known.is_empty() || known.len() >= 10 => {
                "fill it by a step before this one".to_owned()
            }
            Self::NotFilled { known, .. } => format!("filled before: {}", quoted(known)),
            Self::TooFewValues { .. } => "let it have more, or the table fewer rows".to_owned(),
            Self::ZeroWeights { .. } => "give at least one script a weight of 1 or more".to_owned(),
            Self::NameTwice { .. } => "rename one of them".to_owned(),
            Self::MissingFile { .. } => "files are named relative to the scenario".to_owned(),
            Self::InvalidCsv { .. } => {
                "it is read as by `COPY … WITH (FORMAT csv, HEADER)`: names of columns, then a row a line".to_owned()
            }
            Self::UnsetEnvironment { name, .. } => format!("set it for this command: `{name}=… reprise …`"),
            Self::EnvironmentHere { name, .. } => {
                format!("give a variable this value, `vars: {{x: {name}}}`, and write `:x` here")
            }
            Self::CircularVariables { .. } => "give one of them a plain value".to_owned(),
            Self::OutOfRange { .. } | Self::Evaluation { .. } => return None,
        })
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

//! What can be wrong with a script that parses.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Why a script does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A name that nothing defines.
    #[error("undefined variable `:{name}`")]
    UndefinedVariable {
        /// The name.
        name: String,
        /// Where it is used.
        span: Span,
        /// The nearest name that is defined.
        nearest: Option<String>,
    },
    /// A function that there is not.
    #[error("unknown function `{name}`")]
    UnknownFunction {
        /// Its name.
        name: String,
        /// Where.
        span: Span,
        /// The nearest function.
        nearest: Option<&'static str>,
    },
    /// A function that takes another number of arguments.
    #[error("function `{name}` takes {expected}, not {given}")]
    ArgumentCount {
        /// Its name.
        name: String,
        /// Where.
        span: Span,
        /// How many it takes, in words.
        expected: String,
        /// How many there are.
        given: usize,
    },
    /// A variable inside quotes, where no parameter can stand.
    #[error("variable `:{name}` stands inside quotes, where the {protocol} protocol can't put a parameter")]
    VariableInQuotes {
        /// The name.
        name: String,
        /// Where.
        span: Span,
        /// The protocol's name.
        protocol: &'static str,
    },
    /// `:"x"` outside the simple protocol.
    #[error("`:\"{name}\"` needs the simple protocol: an identifier can't be a parameter")]
    IdentifierParameter {
        /// The name.
        name: String,
        /// Where.
        span: Span,
    },
    /// A parameter in a statement that can't have any.
    #[error("`{word}` can't take a parameter in the extended and prepared protocols")]
    UtilityParameter {
        /// The statement's first word.
        word: String,
        /// The parameter.
        span: Span,
    },
    /// More parameters than the protocol has numbers for.
    #[error("the statement has {count} parameters; the protocol allows {limit}")]
    TooManyParameters {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
        /// The statement.
        span: Span,
    },
    /// A transaction that would do nothing.
    #[error("script `{script}` sends no statement")]
    NoStatement {
        /// The script's name.
        script: String,
        /// Its text.
        span: Span,
    },
    /// `\startpipeline` in the simple protocol.
    #[error("a pipeline needs the extended or the prepared protocol")]
    PipelineInSimple {
        /// Where.
        span: Span,
    },
    /// `\gset` in a pipeline.
    #[error("`\\{word}` can't be used in a pipeline")]
    StoreInPipeline {
        /// `gset` or `aset`.
        word: &'static str,
        /// Where.
        span: Span,
    },
    /// A pipeline that is opened twice, or closed without being open.
    #[error("{what}")]
    PipelineNesting {
        /// What is wrong.
        what: &'static str,
        /// Where.
        span: Span,
    },
    /// A feed that the scenario does not have.
    #[error("there is no feed `{name}`")]
    UnknownFeed {
        /// Its name.
        name: String,
        /// Where.
        span: Span,
        /// The nearest feed.
        nearest: Option<String>,
    },
    /// More variables than a plan can number.
    #[error("more than {limit} variables")]
    TooManyVariables {
        /// How many there may be.
        limit: usize,
        /// The first that is too many.
        span: Span,
    },
}

impl ProgramError {
    /// The error as it is shown.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, span, label) = match self {
            Self::UndefinedVariable { span, .. } => ("plan::undefined_variable", span, "nothing sets this"),
            Self::UnknownFunction { span, .. } => ("plan::unknown_function", span, "no such function"),
            Self::ArgumentCount { span, .. } => ("plan::argument_count", span, "called here"),
            Self::VariableInQuotes { span, .. } => ("plan::variable_in_quotes", span, "inside quotes"),
            Self::IdentifierParameter { span, .. } => ("plan::identifier_parameter", span, "an identifier"),
            Self::UtilityParameter { span, .. } => ("plan::utility_parameter", span, "a parameter here"),
            Self::TooManyParameters { span, .. } => ("plan::too_many_parameters", span, "this statement"),
            Self::NoStatement { span, .. } => ("plan::no_statement", span, "nothing to run here"),
            Self::PipelineInSimple { span } => ("plan::pipeline_in_simple", span, "a pipeline begins here"),
            Self::StoreInPipeline { span, .. } => ("plan::store_in_pipeline", span, "in a pipeline"),
            Self::PipelineNesting { span, .. } => ("plan::pipeline_nesting", span, "here"),
            Self::UnknownFeed { span, .. } => ("plan::unknown_feed", span, "no such feed"),
            Self::TooManyVariables { span, .. } => ("plan::too_many_variables", span, "one too many"),
        };
        let diagnostic = Diagnostic::error(code, self.to_string()).label(*span, label);
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::UndefinedVariable { nearest: Some(nearest), .. } => format!("did you mean `:{nearest}`?"),
            Self::UndefinedVariable { name, .. } => {
                format!("set it with `\\set {name} …` or `\\gset`, or add it to `vars` of the scenario")
            }
            Self::UnknownFunction { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownFeed { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownFeed { name, .. } => {
                format!("add it to the scenario: `feeds: {{{name}: {{query: select …}}}}`")
            }
            Self::VariableInQuotes { name, .. } => {
                format!("write `:'{name}'` outside quotes, or join the pieces with `||`, or use `protocol: simple`")
            }
            Self::UtilityParameter { word, .. } if word.eq_ignore_ascii_case("set") => {
                "call `select set_config('name', :value, is_local)` instead, or use `protocol: simple`".to_owned()
            }
            Self::UtilityParameter { word, .. } if word.eq_ignore_ascii_case("notify") => {
                "call `select pg_notify('channel', :payload)` instead, or use `protocol: simple`".to_owned()
            }
            Self::IdentifierParameter { .. } | Self::UtilityParameter { .. } => {
                "use `protocol: simple` for this script's phase".to_owned()
            }
            Self::NoStatement { .. } => "a transaction needs a statement, a `\\sleep` or a `\\shell`".to_owned(),
            Self::PipelineInSimple { .. } => "set `protocol: extended` or `protocol: prepared`".to_owned(),
            Self::StoreInPipeline { .. } => "end the pipeline before, its results come with `\\endpipeline`".to_owned(),
            Self::TooManyParameters { .. } => "pass the values as an array, or use `protocol: simple`".to_owned(),
            _ => return None,
        })
    }
}
